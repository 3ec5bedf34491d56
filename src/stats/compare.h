/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A verdict per cell: did this metric change between two sets of samples, and by how much?
 *
 * Pure numbers in, pure numbers out; it knows no names and prints nothing. Always true: exchanging base and new mirrors
 * the answer (changes become their reciprocals, improved and regressed change places), the order of cells and samples
 * does not matter, and nothing is called regressed or improved that could not be known. docs/statistics.md says the
 * same in plain words.
 *
 * SUMMARY. A sample is one number of one run (requests per second of a 10 s run, its p99), never a request: requests of
 * one run share their minute. y = ln(value), so that a change is a ratio and noise of some percent is alike for
 * fast and slow cells. The effect of a cell is d = mean(y of new) - mean(y of base), shown as exp(d) - 1, with a 95 %
 * interval from Student's t. What differs between designs is where the variance comes from.
 *
 * ONE SESSION (the sides were measured within one session, not in turn). Each cell's pooled variance of both sides,
 * n_b + n_n - 2 degrees of freedom, moderated over the cells (moderate.h) when these have at least 90 together: from
 * fewer the prior can not be told, and simulation (tests/unit/stats/compare_simulation.c) gives 8 to 12 % of sessions
 * with a false alarm instead of 5. Below that, each cell stands alone.
 *
 * INTERLEAVED (base, new, base, new ... in rounds). What a round shares - the machine was slower that minute - falls
 * out. The model is y = cell and side + round + noise, fitted by least squares, so that missing samples do no harm.
 * With M cells and n rounds complete, 2M(n-1) - (n-1) degrees of freedom are left, (n-1)(2 - 1/M) per cell. Variances
 * are moderated when there are at least 90 of them in all; below that, each cell's differences by round are tested
 * alone (the paired t), for the same reason and because the round's own effect is then estimated from too few cells.
 *
 * SEPARATE SESSIONS. Whoever measures base today and new tomorrow compares days too. How much sessions differ must be
 * known from S >= 3 sessions of unchanged code (the history, or a side's own sessions): the means z of each cell in
 * each session split into a common part per session and the rest,
 *     var(d) = (1/K_b + 1/K_n) (s2_common + s~2_cell)        K: sessions of a side
 * with s2_common the variance of the common parts (S - 1 degrees of freedom), s~2_cell the variance of a cell's rest,
 * always moderated (the common part, which has few degrees of freedom, guards it), and Satterthwaite's degrees of
 * freedom for their sum. Without such sessions the answer is that of one session, capped: at most SUSPECT, never
 * unchanged.
 *
 * VERDICTS. p of d = 0, Holm-adjusted over the cells; q after Benjamini and Hochberg. With m the least change that
 * matters (3 %):
 *     regressed, improved   adjusted p <= 0.05 and |change| >= m either way (|d| >= -ln(1 - m))
 *     suspect               the same, but capped; or q <= 0.05 alone
 *     unchanged             the 90 % interval lies within -ln(1+m) ... ln(1+m): two one-sided tests at 5 %
 *     inconclusive          anything else, with the number of samples that would settle it
 *     missing               no samples on one side
 *     invalid               a value that is not a positive finite number, or from a run that is invalid
 *     not comparable        the caller says so
 * One sample on a side: inconclusive, "cannot tell". When all samples of each side are equal, there is no spread to go
 * by (counters too coarse): p is then what an exact permutation test could give at best.
 *
 * SHARES (of failed requests): y = asin(sqrt(share)), whose variance hardly depends on the share; changes are
 * differences of shares, and m is 0.001 (0.1 percentage points).
 *
 * WORKED EXAMPLE. One cell, base 100, 102, 98, new 90, 91, 88 requests/s: mean ln 4.6050 and 4.4960, d = -0.1090, so
 * -10.3 %. Variances 4.00e-4 and 2.92e-4, pooled 3.46e-4 with 4 df; error sqrt(3.46e-4 * 2/3) = 0.01519, t = -7.18,
 * p = 0.0020; t(0.975, 4) = 2.776 gives d = -0.1512 ... -0.0669, that is -14.0 % ... -6.5 %: regressed.
 *
 * SOURCES. Smyth 2004 (moderate.h); Holm 1979, Benjamini and Hochberg 1995 (adjust.h); Schuirmann 1987,
 * J. Pharmacokinet. Biopharm. 15:657 (two one-sided tests); Satterthwaite 1946, Biometrics Bull. 2:110; Kalibera and
 * Jones 2013, "Rigorous benchmarking in reasonable time" (samples at the level that varies). */
#ifndef PLIMSOLL_STATS_COMPARE_H
#define PLIMSOLL_STATS_COMPARE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compare_design { COMPARE_ONE_SESSION, COMPARE_INTERLEAVED, COMPARE_SESSIONS };
enum compare_scale { COMPARE_RATIO, COMPARE_SHARE };

struct compare_sample {
    double value;
    uint32_t round;   /* of an interleaved run; the same number on both sides is the same round */
    uint32_t session; /* numbers of base, new and history are one space */
};

struct compare_samples {
    const struct compare_sample *items; /* the caller's */
    size_t count;
};

struct compare_cell {
    struct compare_samples base, new, history; /* history: of sessions of unchanged code; may be empty */
    bool invalid;                              /* a run of it is */
    bool not_comparable;
};

/* One metric of all cells. */
struct compare_input {
    enum compare_design design;
    enum compare_scale scale;
    bool higher_is_better;
    double min_change; /* 0 < m < 1; 0: 0.03, or 0.001 of shares */
    const struct compare_cell *cells;
    size_t cell_count;
};

#define COMPARE_VERDICTS(X)                     \
    X(COMPARE_REGRESSED, "regressed")           \
    X(COMPARE_INVALID, "invalid")               \
    X(COMPARE_MISSING, "missing")               \
    X(COMPARE_NOT_COMPARABLE, "not comparable") \
    X(COMPARE_SUSPECT, "suspect")               \
    X(COMPARE_INCONCLUSIVE, "inconclusive")     \
    X(COMPARE_IMPROVED, "improved")             \
    X(COMPARE_UNCHANGED, "unchanged")

enum compare_verdict {
#define COMPARE_VERDICT_ENUM(id, text) id,
    COMPARE_VERDICTS(COMPARE_VERDICT_ENUM)
#undef COMPARE_VERDICT_ENUM
        COMPARE_VERDICT_COUNT
};
const char *compare_verdict_text(enum compare_verdict v);

/* Why it is not another. */
#define COMPARE_REASONS(X)                                                                           \
    X(COMPARE_WHY_PLAIN, "")                                                                         \
    X(COMPARE_WHY_ONE_SAMPLE, "one sample: cannot tell")                                             \
    X(COMPARE_WHY_NO_HISTORY, "two sessions, and how much sessions differ is not known")             \
    X(COMPARE_WHY_MANY_CELLS, "too weak a sign among so many cells")                                 \
    X(COMPARE_WHY_NO_SPREAD, "the samples of each side are all equal, so their spread is not known") \
    X(COMPARE_WHY_SMALL, "there is a change, perhaps too small to matter")                           \
    X(COMPARE_WHY_NOISE, "the samples spread too much")                                              \
    X(COMPARE_WHY_BAD_VALUE, "a value is not a positive finite number")                              \
    X(COMPARE_WHY_BAD_RUN, "a run of it is invalid")                                                 \
    X(COMPARE_WHY_NO_BASE, "no samples in base")                                                     \
    X(COMPARE_WHY_NO_NEW, "no samples in new")                                                       \
    X(COMPARE_WHY_DIFFERENT, "what was done differs")

enum compare_reason {
#define COMPARE_REASON_ENUM(id, text) id,
    COMPARE_REASONS(COMPARE_REASON_ENUM)
#undef COMPARE_REASON_ENUM
};
const char *compare_reason_text(enum compare_reason r);

/* What is not known is NaN: without a base or new, or with bad values, all of it. */
struct compare_result {
    double base, new;   /* geometric means; shares: means on their scale, taken back */
    double change;      /* new / base - 1; shares: new - base */
    double interval[2]; /* 95 % */
    double p, p_adjusted, q;
    enum compare_verdict verdict;
    enum compare_reason reason;
    size_t samples_base, samples_new;
    /* Samples per side (rounds, or sessions, where these are what is counted) that would probably settle an
     * inconclusive cell; 0: not known, or more than COMPARE_NEEDED_MAX. */
    size_t samples_needed;
};
#define COMPARE_NEEDED_MAX 10000u

/* All cells with an effect together: the geometric mean of their ratios. NaN where not known. */
struct compare_overall {
    double change, interval[2], p;
    size_t cells;
};

struct compare_output {
    struct compare_result *cells; /* in the order of the input */
    size_t cell_count;
    struct compare_overall overall;
    size_t counts[COMPARE_VERDICT_COUNT];
    bool capped;     /* separate sessions without a history */
    bool moderated;  /* variances were */
    size_t sessions; /* of unchanged code that the session variance comes from */
};

/* The caller ends *out with compare_release(), after a failure too. Fails when out of memory, on a min_change outside
 * 0 ... 1, or on more than COMPARE_LEVELS_MAX rounds or sessions. */
MUST_CHECK int compare_run(struct compare_output *out, const struct compare_input *in, struct err *err);
void compare_release(struct compare_output *out);
#define COMPARE_LEVELS_MAX 1000u

/* 1 (regressed, or a tolerance broken), else 3 (missing, invalid, not comparable), else 4 (strict, and inconclusive or
 * suspect), else 0. */
int compare_exit_code(const size_t counts[COMPARE_VERDICT_COUNT], bool tolerance_broken, bool strict);

#endif
