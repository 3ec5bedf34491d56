/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds Jansson to a list of libraries. */
#ifndef PLIMSOLL_RESULT_LIBRARIES_H
#define PLIMSOLL_RESULT_LIBRARIES_H

#include "base/libraries.h"

void result_libraries(struct library_list *l);

#endif
