/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates of HTTP (RFC 9110 5.6.7), whatever the locale. */
#ifndef PLIMSOLL_SERVE_HTTP_DATE_H
#define PLIMSOLL_SERVE_HTTP_DATE_H

#include "base/slice.h"

#include <time.h>

#define HTTP_DATE_MAX 40
/* "Sun, 06 Nov 1994 08:49:37 GMT". */
struct slice http_date_format(char out[HTTP_DATE_MAX], time_t at);
/* The same form only (the two obsolete ones are nobody's any more). */
bool http_date_parse(struct slice text, time_t *out);

#endif
