/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors as values: a kind for the program, an errno for the expert, a sentence for the person.
 *
 * Fallible functions return 0 or -1 and take `struct err *` last. They never print and never exit:
 * only cli/ does. err_set() always returns -1, so that the usual line is
 *     return err_set(err, ERR_SYSTEM, errno, "cannot open %s", path);
 * A NULL err is allowed everywhere: the caller then knows only that it failed.
 *
 * The kinds stand once, in the list below; each carries the exit code the program ends with when the
 * error reaches the top. Exit code 1 is kept for one meaning only: a declared check failed. */
#ifndef PLIMSOLL_BASE_ERR_H
#define PLIMSOLL_BASE_ERR_H

#define MUST_CHECK __attribute__((warn_unused_result))

#define ERR_KINDS(X)                                          \
    X(ERR_NONE, "ok", 0)                                      \
    X(ERR_USAGE, "bad argument", 2)           /* the user */  \
    X(ERR_CONFIG, "bad configuration", 2)     /* the user */  \
    X(ERR_SYSTEM, "system call failed", 3)    /* the world */ \
    X(ERR_PEER, "peer broke the protocol", 3) /* the world */ \
    X(ERR_LIMIT, "limit reached", 2)          /* refused before anything was sent */

enum err_kind {
#define ERR_ENUM(id, text, code) id,
    ERR_KINDS(ERR_ENUM)
#undef ERR_ENUM
};

struct err {
    enum err_kind kind;
    int sys;        /* errno, or 0 */
    char what[384]; /* a sentence without full stop, with the offending value in it */
    char hint[192]; /* how to mend it, or empty */
};

/* Fills err (when not NULL) and returns -1. A non-zero sys appends ": strerror". */
int err_set(struct err *err, enum err_kind kind, int sys, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Adds the hint to an error that is already set; returns -1 too. */
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "prefix: " before the sentence; returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_kind_text(enum err_kind kind);
int err_exit_code(enum err_kind kind);

/* Our own mistake: says where, then aborts. Never for input from outside. */
#define BUG(...) bug_abort(__FILE__, __LINE__, __VA_ARGS__)
void bug_abort(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));

#endif
