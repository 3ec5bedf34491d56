/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of h2_client.h's request as nghttp2 wants them. Private to http/. */
#ifndef PLIMSOLL_HTTP_H2_REQUEST_H
#define PLIMSOLL_HTTP_H2_REQUEST_H

#include "http/h2_client.h"

#include <nghttp2/nghttp2.h>

struct h2_request {
    bool has_body;
    uint8_t *text; /* behind the fields, in the same block */
    size_t text_len, count;
    nghttp2_nv fields[];
};

#endif
