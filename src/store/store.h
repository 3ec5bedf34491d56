/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that last: a SQLite database of runs.
 *
 * Promise. What runstore_add() has returned 0 for is there after a crash of the process, and whole: every call that
 * changes something is one transaction. Several processes may read and write at once; a writer waits up to
 * STORE_BUSY_MS for the others. A database of an older plimsoll is migrated when it is opened for writing (and left as
 * it is when that fails); one of a newer plimsoll, or of another program, is refused and not touched.
 *
 * A run is one document, or all those that say they are of the same run (the samples of a matrix). The store holds the
 * whole documents, and beside them, so that lists and comparisons need not read these: the run's name, labels and tags,
 * and its samples, each with its cell (a set of facts that many samples share) and its metrics. docs/results.md has the
 * tables; they may be read with any SQLite program.
 *
 * Not thread-safe. Knows no command line and prints nothing. */
#ifndef PLIMSOLL_STORE_STORE_H
#define PLIMSOLL_STORE_STORE_H

#include "result/listing.h"
#include "result/side.h"

#define STORE_BUSY_MS 10000

struct runstore;

enum runstore_access {
    STORE_READ, /* works on what can not be written, too; the file must exist */
    STORE_WRITE /* makes the file, not its folder, when it is missing */
};

/* The caller ends *out with runstore_close(). ERR_SYSTEM says what is wrong with the file, and the hint what to do. */
MUST_CHECK int runstore_open(struct runstore **out, const char *path, enum runstore_access access, struct err *err);
void runstore_close(struct runstore *s); /* NULL is fine */
const char *runstore_path(const struct runstore *s);

enum runstore_added {
    STORE_ADDED,
    STORE_KNOWN,   /* this document is there already; of an imported report, one of the same name and labels */
    STORE_DIFFERS, /* another document is there under this id; it stays, and this one is not kept */
};

/* Keeps a document: r is what json says, as result_to_json() writes it. *what tells which became of it; where it is
 * NULL, one that differs is an error (ERR_CONFIG). */
MUST_CHECK int runstore_add(struct runstore *s, const struct result *r, struct slice json, enum runstore_added *what,
                            struct err *err);
/* Many calls as one transaction, for speed: all of them stay, or none. An error in between needs runstore_roll_back().
 */
MUST_CHECK int runstore_begin(struct runstore *s, struct err *err);
MUST_CHECK int runstore_commit(struct runstore *s, struct err *err);
void runstore_roll_back(struct runstore *s);

/* What a list is narrowed to; NULL or empty: not by this. */
struct runstore_filter {
    const char *name;             /* a pattern as the shell has it: nightly-* */
    const char *kind;             /* "load" */
    const char *tag;              /* exactly */
    const char *since, *until;    /* RFC 3339 in UTC, or the first part of one ("2026-03"): both ends included */
    const struct strlist *labels; /* "K=V", or "K": with any value; all of them */
    size_t limit;                 /* 0: all */
};
/* Appends the runs, newest first. */
MUST_CHECK int runstore_list(struct runstore *s, const struct runstore_filter *filter, struct listing *out,
                             struct err *err);

/* What people call runs:
 *     a tag             all runs that carry it
 *     NAME@latest       the newest of the runs of that name or tag; NAME@-1 is the same, NAME@-2 the one before it
 *     a prefix of an id, when only one run's begins so
 *     NAME              all runs of that name
 * in this order. Appends them, oldest first, without labels and tags. ERR_CONFIG when there is no such run or the
 * prefix fits several; the hint then says what is near. */
MUST_CHECK int runstore_find(struct runstore *s, const char *reference, struct listing *out, struct err *err);
/* Hands over the run's documents, in the order in which they came; what visit returns but 0 ends it. */
typedef int runstore_visit(void *arg, struct slice json, struct err *err);
MUST_CHECK int runstore_documents(struct runstore *s, int64_t run, runstore_visit *visit, void *arg, struct err *err);
/* Appends the runs' samples to the side; their source is the run's id, shortened. */
MUST_CHECK int runstore_samples(struct runstore *s, const struct listing *runs, struct side *side, struct err *err);
/* The samples of every run of unchanged code (runstore_tag with same_code), each with the session it belongs to: its
 * label "session", else its tag and a number, one for the runs of a tag that were started within an hour of each other.
 */
MUST_CHECK int runstore_same_code(struct runstore *s, struct side *out, struct err *err);

/* same_code: every run under this tag, those to come too, was measured on unchanged code. */
MUST_CHECK int runstore_tag(struct runstore *s, int64_t run, const char *tag, bool same_code, struct err *err);
/* *removed: the run had it. */
MUST_CHECK int runstore_untag(struct runstore *s, int64_t run, const char *tag, bool *removed, struct err *err);
/* False, with err filled: a name that could be mistaken for another way to call a run. */
MUST_CHECK int runstore_check_tag(const char *tag, struct err *err);
/* Replaces the run's note; "" takes it away. */
MUST_CHECK int runstore_note(struct runstore *s, int64_t run, const char *text, struct err *err);
MUST_CHECK int runstore_remove(struct runstore *s, int64_t run, struct err *err);
/* Drops what no run uses any more, checks every page, and gives the space back. */
MUST_CHECK int runstore_vacuum(struct runstore *s, struct err *err);

#endif
