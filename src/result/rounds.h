/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a result of kind "rounds": rounds of N copies of a command at once, what became of every copy, and how it
 * scales. Plain data between rounds/ (run or import), which fills it, and report/, which shows it.
 *
 * Seconds as double; what is not known (a round that was imported with its average alone, a copy whose duration was not
 * written down) is NAN and null in the document. A copy that failed keeps its duration and never counts as ok.
 * Ownership: struct rounds_result owns everything below it; rounds_result_free() ends it, result_free() calls it. Lists
 * grow by the _add functions alone; a pointer they return is good until the next call of the same. */
#ifndef PLIMSOLL_RESULT_ROUNDS_H
#define PLIMSOLL_RESULT_ROUNDS_H

#include "base/err.h"
#include "base/random.h"
#include "base/strlist.h"

#include <stdbool.h>
#include <stdint.h>

/* One row per phase, in the order in which they follow each other; copies point to them by index. */
struct rounds_phase {
    char *name;
    char *group; /* of several phases: "transfers"; NULL: none */
};

/* A duration of every phase was NAN when neither its first nor its last line was seen. */
struct rounds_copy {
    uint32_t index;    /* {i}, from 1 */
    bool ok;           /* ended as expected */
    bool unfinished;   /* stopped by Ctrl-C: neither ok nor failed */
    bool timed_out;    /* had to be stopped */
    bool exec_failed;  /* the program could not be started; failure says why */
    double start_s;    /* its exec, from the release of the round's barrier */
    double duration_s; /* exec to exit */
    int exit;          /* -1: ended by a signal, or not known */
    int signal;        /* 0: none */
    double user_s, sys_s;
    double max_rss_bytes;
    uint64_t output_bytes;     /* both streams */
    double *phases;            /* rounds_result.phase_count durations; NULL: none were looked for */
    char *failure;             /* "exit 1", "signal 9 (Killed)", "timed out after 5 s", …; NULL: ok */
    struct strlist last_lines; /* of a copy that failed: of its output, then of its errors; printable */
};

/* A set-up or clean-up that failed. */
struct rounds_hook_failure {
    char *what;     /* "setup", "cleanup" */
    uint32_t index; /* the copy's */
    char *failure;
    struct strlist last_lines;
};

/* How the copies of a round ended: one after another, all at once, or neither. */
enum completion { COMPLETION_UNKNOWN, COMPLETION_EVEN, COMPLETION_TOGETHER, COMPLETION_MIXED, COMPLETIONS };
const char *completion_text(enum completion c); /* "unknown", "evenly spread", "all at once", "mixed" */

struct rounds_round {
    uint32_t number;            /* {round}, from 1, in the order they ran */
    uint32_t concurrency;       /* {n} */
    uint32_t sample;            /* from 1 */
    uint32_t series;            /* which command or platform; index into rounds_result.series */
    double at_s;                /* its release, from the start of the first round */
    struct rounds_copy *copies; /* by index; may be fewer than concurrency when the round was interrupted, or none */
    size_t copy_count;

    /* Figures; rounds_round_sum() computes them from the copies. */
    uint32_t ok, failed, unfinished;
    double mean_s;                           /* of all that ended, failures with the time they took */
    double mean_ok_s;                        /* of the ok */
    double mean_discounted_s;                /* all time / ok: what one success cost */
    double median_s, min_s, max_s, stddev_s; /* of the ok */
    double makespan_s;                       /* release to the last exit */
    double copies_per_s;                     /* ok / makespan */
    double exec_spread_s;                    /* last exec - first exec; NAN where copies start on a schedule */
    double user_s, sys_s;                    /* sum of all copies */
    double max_rss_bytes;                    /* largest of the copies */
    double completion_spread;                /* (last - first) / last, of the ok; NAN below two */
    enum completion completion;

    struct rounds_hook_failure *hook_failures;
    size_t hook_failure_count;
    struct strlist left_behind; /* processes that outlived their copy, in words: "copy 3: sleep 60 (pid 4711)" */
};

struct rounds_interval {
    double low, high; /* 95 %; NAN: no interval */
};

/* What came of the fit of the scaling law. */
enum scaling_verdict {
    SCALING_NONE, /* was not looked for */
    SCALING_TOO_FEW_POINTS,
    SCALING_DOES_NOT_FIT,
    SCALING_FITS,
    SCALING_VERDICTS
};
const char *scaling_verdict_text(enum scaling_verdict v); /* "none", "too few points", "does not fit", "fits" */

/* X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)); see stats/usl.h. */
struct rounds_scaling {
    enum scaling_verdict verdict;
    double lambda, sigma, kappa;
    double peak_concurrency; /* NAN: it only rises */
    bool extrapolated;       /* the peak lies beyond the largest N measured */
    double rms;              /* of the relative residuals */
    struct rounds_interval lambda_interval, sigma_interval, kappa_interval, peak_interval;
    char *note; /* a sentence, when there is something to say; NULL */
};

/* What became of a promise (--slo) in a series. */
struct rounds_promise {
    char *clauses;     /* "mean<45s"; NULL: nothing was promised */
    uint32_t largest;  /* size measured: it and all smaller ones keep the promise; 0: none does */
    uint32_t broken;   /* the smallest size that breaks it; 0: none did */
    double by_law;     /* the largest N that keeps it by the scaling law; NAN: not known, INFINITY: every N */
    bool extrapolated; /* by_law lies beyond the largest N measured */
};

/* A command, or a platform: its rounds are fitted together. */
struct rounds_series {
    char *name;
    char *command; /* as one line, redacted; NULL: imported without */
    struct rounds_scaling scaling;
    struct rounds_promise promise;
};

struct rounds_result {
    struct rounds_phase *phases;
    size_t phase_count;
    struct rounds_series *series; /* at least one */
    size_t series_count;
    struct rounds_round *rounds;
    size_t round_count;
};

MUST_CHECK int rounds_result_new(struct rounds_result **out, struct err *err);
void rounds_result_free(struct rounds_result *r); /* NULL is fine */
/* NULL when out of memory. A new round has every figure NAN, number set, sample 1. command may be NULL. */
struct rounds_series *rounds_result_add_series(struct rounds_result *r, const char *name, const char *command);
struct rounds_round *rounds_result_add_round(struct rounds_result *r);
/* Before the first copy: copies have room for the phases that are there when they are added. False: no memory. */
bool rounds_result_add_phase(struct rounds_result *r, const char *name, const char *group);
/* Room for count copies in an empty round: index 1 … count, every figure unknown, phases NAN when there are any.
 * False: no memory. */
bool rounds_result_set_copies(const struct rounds_result *r, struct rounds_round *round, uint32_t count);
/* Takes away the copies behind the first count. */
void rounds_round_cut(struct rounds_round *round, uint32_t count);
bool rounds_round_add_hook_failure(struct rounds_round *round, const char *what, uint32_t index, const char *failure,
                                   struct strlist *last_lines); /* takes what is in last_lines over */

/* The figures from the copies; does nothing to a round without copies. -1: no memory. */
MUST_CHECK int rounds_round_sum(struct rounds_round *round, struct err *err);
/* (last - first) / last of n >= 2 moments of completion (reordered), and the pattern: "evenly spread" from 0.5 on with
 * no gap above a quarter of last, "all at once" up to 0.15, else "mixed". */
double rounds_completion(enum completion *pattern, double *ends, size_t n);

#endif
