/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outside libraries of this room. Included by force before base/banned.h (meson.build does it), because their
 * headers use names such as `rand` and `random` for parameters, which banned.h forbids in our own code. */
#ifndef PLIMSOLL_NET_OUTSIDE_H
#define PLIMSOLL_NET_OUTSIDE_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <uv.h>

#endif
