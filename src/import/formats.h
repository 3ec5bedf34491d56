/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of formats, a pair each: struct importer says what they promise. Private to import/. */
#ifndef PLIMSOLL_IMPORT_FORMATS_H
#define PLIMSOLL_IMPORT_FORMATS_H

#include "import/source.h"

#define IMPORT_READER(name)                    \
    bool name##_looks_like(struct slice head); \
    int name##_read(struct source *s)

IMPORT_READER(plimsoll);
IMPORT_READER(ab);

#endif
