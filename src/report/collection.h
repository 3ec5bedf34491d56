/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page, or a picture, is made of: runs, each with its result documents, in the order in which they were named.
 *
 * A run is what one word of a command line means: one document, or the samples of a suite, of a tag, of a folder. The
 * two sides of an interleaved suite (label "side") become a run each. Documents are kept as JSON, so that hundreds of
 * samples do not hold thousands of histograms; collection_read() gives one back. The runs' sides are what comparisons
 * take (result/side.h). What a search for a limit found is no run: it stands beside them. Owns everything;
 * collection_release() ends it. -1 means out of memory unless said. */
#ifndef PLIMSOLL_REPORT_COLLECTION_H
#define PLIMSOLL_REPORT_COLLECTION_H

#include "result/limit.h"
#include "result/side.h"

struct collected {
    char *source; /* a file's name, "run 1234abcd" */
    char *json;   /* NUL-terminated */
    size_t json_bytes;
    bool rounds; /* of kind "rounds" */
};

struct collection_run {
    char *name;
    size_t word; /* which of the words it came from */
    struct collected *documents;
    size_t count;
    struct side side;
    size_t *document_of; /* by record of side: which document it is of */
};

struct collection_limit {
    char *name;
    char *source;
    char *json; /* NUL-terminated */
    size_t json_bytes;
    struct limit_report *report;
};

struct collection {
    struct collection_run *runs;
    size_t count;
    struct collection_limit *limits;
    size_t limit_count;
    size_t words;
};

/* {0} is empty. What is added after it belongs to the next word. */
void collection_begin(struct collection *c);
/* json: the document, when the caller has it; else {0}. name: how to call the run; NULL: by its own name, else by
 * source. The first document of a run decides. */
MUST_CHECK int collection_add(struct collection *c, const struct result *r, struct slice json, const char *name,
                              const char *source, struct err *err);
/* What limit_report_from_json() takes. name: NULL: by its target. */
MUST_CHECK int collection_add_limit(struct collection *c, struct slice json, const char *name, const char *source,
                                    struct err *err);
/* The caller frees *out. */
MUST_CHECK int collection_read(const struct collected *d, struct result **out, struct err *err);
/* Runs of one name get what they came from added to it. False: no memory. After the last document. */
bool collection_tell_apart(struct collection *c);
void collection_release(struct collection *c);

#endif
