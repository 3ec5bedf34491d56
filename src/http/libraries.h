/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds llhttp and nghttp2 to a list of libraries. */
#ifndef PLIMSOLL_HTTP_LIBRARIES_H
#define PLIMSOLL_HTTP_LIBRARIES_H

#include "base/libraries.h"

void http_libraries(struct library_list *l);

#endif
