/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pieces of a request that do not depend on its framing: method, target, version, host. Private to http/. */
#ifndef PLIMSOLL_HTTP_REQUEST_LINE_H
#define PLIMSOLL_HTTP_REQUEST_LINE_H

#include "http/request_reader.h"

/* "METHOD TARGET VERSION" without its line break: fills line, method, path, query, version and, of an absolute-form,
 * host. */
enum request_state request_line_read(struct request_head *h, struct slice line);
/* RFC 9110 5.6.2. */
bool request_is_token(struct slice s);
/* "name", "name:80", "[::1]:80". */
bool request_is_host(struct slice s);
/* Sets refused and reason; REQUEST_REFUSED. */
enum request_state request_refuse(struct request_head *h, uint16_t status, const char *reason);

#endif
