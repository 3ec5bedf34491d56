/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of --targets: a list of targets, alone or under "targets"; YAML or JSON. A target is a URL, or a
 * map:
 *
 *   url (must be there), method, headers {Name: value}, body | body_file | body_random | form {name: value or "@FILE"},
 *   connections | weight (times -c), requests_per_connection, requests (of each connection and its successors),
 *   think "1s" or "1s..2s", source, sni, insecure, cacert, cert, key, alpn, user, bearer,
 *   expect {status, body_size, body_sha256, body, headers {Name: value}}
 *
 * What is not said is as on the command line. Paths of body_file and forms count from the current directory. */
#ifndef PLIMSOLL_CLI_LOAD_TARGETS_H
#define PLIMSOLL_CLI_LOAD_TARGETS_H

#include "cli/load_options.h"
#include "load/load.h"

struct load_targets {
    struct load_target *targets;
    size_t count;
    struct target_extra *_extras; /* what a target points to, one each */
    struct doc *_doc;
    struct buf _text;
    struct strlist _texts;
};

/* base and tls: what the command line says of every target. Every mistake is ERR_CONFIG with file, line, field and what
 * is allowed. load_targets_release() also after -1. */
MUST_CHECK int load_targets_read(struct load_targets *t, const char *path, const struct load_target *base,
                                 const struct tls_client_config *tls, const struct load_options *o, struct err *err);
void load_targets_release(struct load_targets *t);

#endif
