/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds libfyaml to a list of libraries. */
#ifndef PLIMSOLL_DOC_LIBRARIES_H
#define PLIMSOLL_DOC_LIBRARIES_H

#include "base/libraries.h"

void doc_libraries(struct library_list *l);

#endif
