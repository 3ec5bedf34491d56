/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds zlib and GSL to a list of libraries. */
#ifndef PLIMSOLL_STATS_LIBRARIES_H
#define PLIMSOLL_STATS_LIBRARIES_H

#include "base/libraries.h"

void stats_libraries(struct library_list *l);

#endif
