/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.html, put into the program when it is built. Private to live/. */
#ifndef PLIMSOLL_LIVE_PAGE_H
#define PLIMSOLL_LIVE_PAGE_H

#include <stddef.h>

extern const char live_page[];
extern const size_t live_page_len;

#endif
