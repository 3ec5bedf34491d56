/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef PLIMSOLL_BASE_UTF8_H
#define PLIMSOLL_BASE_UTF8_H

#include "base/slice.h"

/* Bytes of the sequence that s begins with, 1 to 4; 0 when there is none. */
size_t utf8_length(struct slice s);
bool utf8_is_valid(struct slice s);

#endif
