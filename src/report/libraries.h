/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds libsmartcols to a list of libraries. */
#ifndef PLIMSOLL_REPORT_LIBRARIES_H
#define PLIMSOLL_REPORT_LIBRARIES_H

#include "base/libraries.h"

void report_libraries(struct library_list *l);

#endif
