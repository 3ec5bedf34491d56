/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds libcurl to a list of libraries. */
#ifndef PLIMSOLL_WEB_LIBRARIES_H
#define PLIMSOLL_WEB_LIBRARIES_H

#include "base/libraries.h"

void web_libraries(struct library_list *l);

#endif
