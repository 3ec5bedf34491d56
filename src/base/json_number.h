/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as JSON writes them: the shortest text that reads back as the same double. */
#ifndef PLIMSOLL_BASE_JSON_NUMBER_H
#define PLIMSOLL_BASE_JSON_NUMBER_H

#define JSON_OUT_DOUBLE_MAX 48

/* A finite double. */
const char *json_format_double(char out[JSON_OUT_DOUBLE_MAX], double value);

#endif
