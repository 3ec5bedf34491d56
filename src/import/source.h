/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One file on its way in, as the readers of formats see it. Private to import/.
 *
 * The head is there from the start; readers of whole texts get all of it as `text`, those that stream call
 * source_more() until it gives 0. */
#ifndef PLIMSOLL_IMPORT_SOURCE_H
#define PLIMSOLL_IMPORT_SOURCE_H

#include "base/buf.h"
#include "base/fingerprint.h"
#include "import/import.h"

struct source {
    const char *name;               /* for messages */
    struct slice text;              /* the head, or all */
    int _fd;                        /* -1: text is all there is */
    struct fingerprint fingerprint; /* of all bytes that were read */
    const struct import_options *options;
    struct imported *out;
    struct err *err;
};

/* Reads at most max bytes; 0 at the end, -1 with err filled. */
ptrdiff_t source_more(struct source *s, char *out, size_t max);

/* How sure one can be, from the head, that a file is of a format. */
struct importer {
    bool (*looks_like)(struct slice head);
    int (*read)(struct source *s); /* appends to s->out; 0 or -1 with err filled */
    bool streams;                  /* does not want the whole text in memory */
};
extern const struct importer IMPORTERS[IMPORT_FORMAT_COUNT];

/* A result of kind "import" with everything absent; the caller gives it away with source_give(), or ends it. NULL with
 * err filled. tool: config "tool", may be NULL. */
struct result *source_new_result(struct source *s, const char *tool);
/* Names it, labels it, gives it an id (of the bytes and of its number in the file), appends it. Ends r also when it
 * fails. suffix: behind the run's name, as ":base"; may be NULL. */
MUST_CHECK int source_give(struct source *s, struct result *r, const char *suffix);
/* A text that may hold several reports one behind the other: read takes the first of rest away, and counts its lines.
 */
typedef int source_read_one(struct source *s, struct slice *rest, unsigned *line_number);
MUST_CHECK int source_each(struct source *s, source_read_one *read);

#endif
