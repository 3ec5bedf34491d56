/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pool of h2_client.h as nghttp2 wants it. Private to http/. */
#ifndef PLIMSOLL_HTTP_H2_POOL_H
#define PLIMSOLL_HTTP_H2_POOL_H

#include "http/h2_client.h"

#include <nghttp2/nghttp2.h>

nghttp2_mem h2_pool_mem(struct h2_pool *p);

#endif
