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
    uint32_t example_len, request_len;
    bool example_is_reply;
    char example[FAILURE_EXAMPLE_MAX];
};

/* What there was to see of a request that failed. */
struct failure_seen {
    struct slice reply, reply_rest; /* what was received of the reply, in two pieces as the connection has them */
    struct slice request;           /* as it was made for this one time: its secrets may stand in the reply */
};

/* A reply kept whole for --save-failures. */
struct saved_failure {
    uint64_t at_ns;
    size_t entry; /* what it failed of */
    size_t len;   /* of the bytes that follow in the slab */
    size_t request_len;
};

struct failures {
    struct failure_entry *entries;
    int32_t *first_of_target;
    size_t capacity, count, targets;
    struct saved_failure *saved;
    char *saved_bytes; /* saved_max slots of saved_slot bytes */
    size_t saved_max, saved_count, saved_slot;
    char *requests;      /* request_slot bytes for each entry, then for each that is saved; NULL: none are kept */
    size_t request_slot; /* longer requests are cut */
};

struct failures_limits {
    size_t targets;
    size_t saved_max, saved_slot; /* replies kept whole, and bytes of each; 0: none */
    size_t request_slot;          /* 0: all requests are alike, and known */
};

MUST_CHECK int failures_init(struct failures *f, const struct failures_limits *limits, struct err *err);
void failures_release(struct failures *f);
void failures_note(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns,
                   const struct failure_seen *seen);
/* The request of an entry, of a saved reply; empty when none is kept. */
struct slice failure_request(const struct failures *f, const struct failure_entry *e);
struct slice failure_request_saved(const struct failures *f, const struct saved_failure *s);
/* The reason as text, for the document: "status 503", "Connection refused", … */
void failure_detail(const struct failure *why, struct buf *out);
/* The first example as text, redacted; secrets: of the target's requests (http/secrets.h), which the reply may hold. */
void failure_example(const struct failures *f, const struct failure_entry *e, const struct strlist *secrets,
                     struct buf *out);
/* Takes the secrets of a target, and those of one request, out of a text. */
void failure_mask(struct buf *text, const struct strlist *secrets, struct slice request);

#endif
