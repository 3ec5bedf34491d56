/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of formats, a pair each: struct importer says what they promise. Private to import/. */
#ifndef PLIMSOLL_IMPORT_FORMATS_H
#define PLIMSOLL_IMPORT_FORMATS_H

#include <jansson.h>

#include "import/source.h"

#define IMPORT_READER(name)                    \
    bool name##_looks_like(struct slice head); \
    int name##_read(struct source *s)

IMPORT_READER(plimsoll);
IMPORT_READER(ab);
IMPORT_READER(ab_e);
IMPORT_READER(ab_g);
IMPORT_READER(mb);
IMPORT_READER(wrk);
IMPORT_READER(h2load);
IMPORT_READER(hey);
IMPORT_READER(hey_csv);
IMPORT_READER(oha);
IMPORT_READER(vegeta);
IMPORT_READER(k6);
IMPORT_READER(fortio);
IMPORT_READER(hyperfine);
IMPORT_READER(touchstone);
IMPORT_READER(router);

/* One document of a router benchmark, a list of them, or what a search answered; line: for messages. */
MUST_CHECK int router_read_document(struct source *s, json_t *document, unsigned line);

#endif
