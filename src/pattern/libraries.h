/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds PCRE2 to a list of libraries. */
#ifndef PLIMSOLL_PATTERN_LIBRARIES_H
#define PLIMSOLL_PATTERN_LIBRARIES_H

#include "base/libraries.h"

void pattern_libraries(struct library_list *l);

#endif
