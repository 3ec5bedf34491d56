/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds SQLite to a list of libraries. */
#ifndef PLIMSOLL_STORE_LIBRARIES_H
#define PLIMSOLL_STORE_LIBRARIES_H

#include "base/libraries.h"

void store_libraries(struct library_list *l);

#endif
