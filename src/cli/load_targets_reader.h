/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of a target's fields share. Private to load_targets.c. */
#ifndef PLIMSOLL_CLI_LOAD_TARGETS_READER_H
#define PLIMSOLL_CLI_LOAD_TARGETS_READER_H

#include "cli/load_targets.h"
#include "doc/doc.h"

/* What one target points to. The parsers of the command line fill `options`, so that both ways say the same. */
struct target_extra {
    struct load_options options;
    struct load_manner manner;
    struct tls_client_config tls;
    struct load_expect expect;
    struct load_part *parts;
    struct addr source;
    struct buf authorization;
    uint64_t weight;
    bool has_fields;
};

struct reader {
    struct load_targets *out;
    struct doc *doc;
    const struct load_options *command;
    struct load_target *target;
    struct target_extra *extra;
    const struct tls_client_config *tls; /* the command line's */
    struct doc_node *tls_node;           /* the last TLS setting of the target in hand */
    struct tls_client_config tried;      /* the last own settings of a target that were found to work */
    struct err *err;
};

typedef int take_field(struct reader *r, const char *field, struct doc_node *value);

int targets_no_memory(struct reader *r);
/* A text of its own for a scalar; NULL with the error set. */
const char *targets_text(struct reader *r, const char *field, struct doc_node *value);
/* A parser of the command line on a value of the file; its error gets the place. */
MUST_CHECK int targets_use(struct reader *r, const char *field, struct doc_node *value, option_parser *parse,
                           void *into, const struct option_row *row);

/* TLS settings of a target (load_targets_tls.c). */
take_field target_tls_insecure, target_tls_cacert, target_tls_cert, target_tls_key, target_tls_alpn;
/* After the last field of a target. The files are tried here, where the place of a mistake is known; once for a row of
 * targets that name the same. */
MUST_CHECK int target_tls_check(struct reader *r);

#endif
