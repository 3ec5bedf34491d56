/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An Elasticsearch or OpenSearch server: documents of router benchmarks from an index, and bulk requests to one.
 *
 * Blocks. What may pass by itself (no connection, 429, 502, 503, 504) is tried again, five times in all, after 0.2 s,
 * 0.4 s and so on up to 2 s; the rest is an error with the server's words. Credentials in the URL
 * (https://user:password@host) or in options are sent and never said. */
#ifndef PLIMSOLL_IMPORT_ELASTICSEARCH_H
#define PLIMSOLL_IMPORT_ELASTICSEARCH_H

#include "import/import.h"

struct elasticsearch {
    const char *url; /* http://host:9200, a path before the index is fine */
    const char *index;
    const char *user, *password; /* Basic; NULL: none */
    const char *ca_file;         /* NULL: the system's */
    bool insecure;
};

/* Appends the results of all documents whose uuid is that one, however many: they come in pages. ERR_CONFIG when there
 * are none. */
MUST_CHECK int elasticsearch_read(struct imported *out, const struct elasticsearch *e, const char *uuid,
                                  const struct import_options *options, struct err *err);

/* What became of a bulk request's documents. */
struct elasticsearch_pushed {
    size_t taken, refused;
    char first_refusal[256]; /* the server's words; "" when refused is 0 */
};

/* Sends a bulk request in parts: pairs of lines, as report/export.h writes them. -1: a part could not be sent at all;
 * *done counts what was taken before. Documents that the server refuses are counted, and are no failure of the call. */
MUST_CHECK int elasticsearch_push(struct elasticsearch_pushed *done, const struct elasticsearch *e, struct slice bulk,
                                  struct err *err);

#endif
