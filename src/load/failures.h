/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker's failures: a count per target, kind and reason, when the first and the last came, and the first as it was
 * seen.
 *
 * Memory is mapped before the run; noting a failure allocates and formats nothing. Texts are made (and redacted) after
 * the run. */
#ifndef PLIMSOLL_LOAD_FAILURES_H
#define PLIMSOLL_LOAD_FAILURES_H

#include "base/err.h"
#include "base/slice.h"
#include "base/strlist.h"
#include "result/result.h"

#define FAILURE_EXAMPLE_MAX 4608 /* head and 512 bytes of body */
#define FAILURE_NOTE_MAX 120

/* Why: a kind and either a status, an errno, or a constant or copied text. */
struct failure {
    enum fail_kind kind;
    int status;       /* 0: none */
    int sys;          /* errno; 0: none */
    const char *note; /* "" when there is nothing to add */
};

struct failure_entry {
    struct failure why; /* why.note points to note below */
    char note[FAILURE_NOTE_MAX];
    uint32_t target;
    int32_t next; /* of the same target; -1 ends */
    uint64_t count, first_ns, last_ns;
    uint32_t example_len;
    bool example_is_reply;
    char example[FAILURE_EXAMPLE_MAX];
};

/* A reply kept whole for --save-failures. */
struct saved_failure {
    uint64_t at_ns;
    size_t entry; /* what it failed of */
    size_t len;   /* of the bytes that follow in the slab */
};

struct failures {
    struct failure_entry *entries;
    int32_t *first_of_target;
    size_t capacity, count, targets;
    struct saved_failure *saved;
    char *saved_bytes; /* saved_max slots of saved_slot bytes */
    size_t saved_max, saved_count, saved_slot;
};

MUST_CHECK int failures_init(struct failures *f, size_t targets, size_t saved_max, size_t saved_slot, struct err *err);
void failures_release(struct failures *f);
/* reply is what was received of the reply (may be empty), in two pieces as the connection has them. */
void failures_note(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns, struct slice reply,
                   struct slice reply_rest);
/* The reason as text, for the document: "status 503", "Connection refused", … */
void failure_detail(const struct failure *why, struct buf *out);
/* The first example as text, redacted; secrets: of the request (http/secrets.h), which the reply may hold. */
void failure_example(const struct failure_entry *e, const struct strlist *secrets, struct buf *out);

#endif
