/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of concurrent commands: every copy of a round waits at one barrier, is released with all others, and is timed
 * from its exec to its exit.
 *
 * rounds_run() blocks until the run is over and prints nothing. It is single-threaded and owns every child of the
 * process while it runs: it makes the process a subreaper, so that what a copy leaves behind is found, named and
 * stopped at the end of its round. When it returns there is no process left that it caused.
 *
 * Words of commands, environment, paths: {i} is the copy (from 1), {round}, {n} (copies of the round), {uuid} (one per
 * copy, the same for its set-up and its clean-up) are replaced; other braces are text. */
#ifndef PLIMSOLL_ROUNDS_ROUNDS_H
#define PLIMSOLL_ROUNDS_ROUNDS_H

#include "result/result.h"
#include "rounds/lines.h"

enum rounds_order { ROUNDS_INTERLEAVED /* every size once, then again */, ROUNDS_AS_WRITTEN /* all of a size first */ };

struct rounds_command {
    const char *const *words; /* the program and its arguments; with a shell one word, the script */
    size_t count;
    const char *name; /* in reports: "a"; NULL: none */
};

/* While it goes on: at every change, and at least ten times a second. */
struct rounds_progress {
    uint32_t round, rounds; /* this one, from 1, of how many */
    bool warmup;
    uint32_t series, concurrency, sample;
    const char *stage; /* "set-up", "starting", "running", "clean-up", "pause" */
    uint32_t ended, failed;
    double elapsed_s; /* of the whole run */
};

struct rounds_plan {
    struct rounds_command commands[2]; /* the second: --compare */
    size_t command_count;
    struct rounds_command setup, cleanup; /* count 0: none */
    const char *shell;                    /* path of the shell that all commands are given to; NULL: none */
    bool pipefail;                        /* it knows the option */
    const uint32_t *sizes;                /* concurrencies, each > 0 */
    size_t size_count;
    uint32_t samples, warmup; /* rounds of each size; rounds before, of the first size */
    enum rounds_order order;
    uint64_t pause_ns;          /* between rounds */
    uint64_t timeout_ns;        /* of a copy; 0: none */
    uint64_t hook_timeout_ns;   /* of a set-up or clean-up; 0: none */
    uint64_t kill_after_ns;     /* TERM to KILL */
    double rate_per_s;          /* starts on a schedule; 0: all at once */
    const char *input;          /* file for standard input, with places; NULL: /dev/null */
    const char *cwd;            /* NULL: ours */
    const struct strlist *env;  /* "K=V" with places, besides ours */
    const uint8_t *expect_exit; /* 256 flags; NULL: 0 alone */
    bool keep_going;            /* after a round in which nothing succeeded, or whose set-up failed */
    bool ignore_setup;          /* set-ups may fail */
    const char *log_dir;        /* is there; NULL: output is not kept */

    struct result *result;    /* kind "rounds" and its rounds are filled; the phases must be there already */
    const volatile int *stop; /* not 0: stop the copies, clean up, and return; may be NULL */
    void *arg;                /* of the callbacks; each may be NULL */
    void (*on_progress)(void *arg, const struct rounds_progress *now);
    /* Not of warm-ups, set-ups and clean-ups. time_ns of lines and start_ns (its exec) are one clock. */
    void (*on_line)(void *arg, const struct line *line);
    /* The copy has ended and all of its lines were given; its phases may be filled here. round.copies is complete. */
    void (*on_copy)(void *arg, const struct rounds_round *round, struct rounds_copy *copy, uint64_t start_ns);
    /* The round's figures are summed. */
    void (*on_round)(void *arg, const struct rounds_round *round);
};

/* -1: nothing could be started at all (ERR_USAGE, ERR_LIMIT), or the machine failed us (ERR_SYSTEM); the rounds so far
 * are in the result all the same. */
MUST_CHECK int rounds_run(const struct rounds_plan *plan, struct err *err);

#endif
