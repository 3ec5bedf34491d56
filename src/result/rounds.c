/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/summary.h"

static const char *const COMPLETION_TEXTS[COMPLETIONS] = {
    [COMPLETION_UNKNOWN] = "unknown",
    [COMPLETION_EVEN] = "evenly spread",
    [COMPLETION_TOGETHER] = "all at once",
    [COMPLETION_MIXED] = "mixed",
};

static const char *const VERDICT_TEXTS[SCALING_VERDICTS] = {
    [SCALING_NONE] = "none",
    [SCALING_TOO_FEW_POINTS] = "too few points",
    [SCALING_DOES_NOT_FIT] = "does not fit",
    [SCALING_FITS] = "fits",
};

const char *completion_text(enum completion c)
{
    return (unsigned)c < COMPLETIONS ? COMPLETION_TEXTS[c] : "unknown";
}

const char *scaling_verdict_text(enum scaling_verdict v)
{
    return (unsigned)v < SCALING_VERDICTS ? VERDICT_TEXTS[v] : "none";
}

int rounds_result_new(struct rounds_result **out, struct err *err)
{
    *out = calloc(1, sizeof(**out));
    return *out != NULL ? 0 : err_set(err, ERR_SYSTEM, errno, "cannot make a result of rounds");
}

static void copy_release(struct rounds_copy *c)
{
    free(c->phases);
    free(c->failure);
    strlist_release(&c->last_lines);
}

static void copies_free(struct rounds_copy *copies, size_t count)
{
    for (size_t i = 0; copies != NULL && i < count; i++)
        copy_release(&copies[i]);
    free(copies);
}

static void round_release(struct rounds_round *round)
{
    copies_free(round->copies, round->copy_count);
    for (size_t i = 0; i < round->hook_failure_count; i++) {
        free(round->hook_failures[i].what);
        free(round->hook_failures[i].failure);
        strlist_release(&round->hook_failures[i].last_lines);
    }
    free(round->hook_failures);
    strlist_release(&round->left_behind);
}

void rounds_result_free(struct rounds_result *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->phase_count; i++) {
        free(r->phases[i].name);
        free(r->phases[i].group);
    }
    for (size_t i = 0; i < r->series_count; i++) {
        free(r->series[i].name);
        free(r->series[i].command);
        free(r->series[i].scaling.note);
        free(r->series[i].promise.clauses);
    }
    for (size_t i = 0; i < r->round_count; i++)
        round_release(&r->rounds[i]);
    free(r->phases);
    free(r->series);
    free(r->rounds);
    free(r);
}

/* Room for one more element behind count of them, zeroed; NULL when out of memory. The memory doubles, so its size is
 * known from the count alone. */
static void *grow(void *list, size_t count, size_t size)
{
    const bool is_full = (count & (count - 1)) == 0; /* 0, 1, 2, 4 … */
    char *grown = list;

    if (is_full)
        grown = reallocarray(list, count > 0 ? 2 * count : 1, size);
    if (grown != NULL)
        for (size_t i = 0; i < size; i++)
            grown[count * size + i] = 0;
    return grown;
}

/* False when text could not be copied; NULL stays NULL. */
static bool copy_text(char **out, const char *text)
{
    *out = text != NULL ? slice_dup(slice_str(text)) : NULL;
    return text == NULL || *out != NULL;
}

static void scaling_init(struct rounds_scaling *s)
{
    const struct rounds_interval none = { NAN, NAN };

    s->lambda = s->sigma = s->kappa = s->peak_concurrency = s->rms = NAN;
    s->lambda_interval = s->sigma_interval = s->kappa_interval = s->peak_interval = none;
}

struct rounds_series *rounds_result_add_series(struct rounds_result *r, const char *name, const char *command)
{
    struct rounds_series *grown = grow(r->series, r->series_count, sizeof(*grown)), *s;

    if (grown == NULL)
        return NULL;
    r->series = grown;
    s = &grown[r->series_count];
    scaling_init(&s->scaling);
    s->promise.by_law = NAN;
    if (copy_text(&s->name, name) && copy_text(&s->command, command)) {
        r->series_count++;
        return s;
    }
    free(s->name);
    free(s->command);
    return NULL;
}

bool rounds_result_add_phase(struct rounds_result *r, const char *name, const char *group)
{
    struct rounds_phase *grown = grow(r->phases, r->phase_count, sizeof(*grown)), *p;

    if (grown == NULL)
        return false;
    r->phases = grown;
    p = &grown[r->phase_count];
    if (copy_text(&p->name, name) && copy_text(&p->group, group)) {
        r->phase_count++;
        return true;
    }
    free(p->name);
    free(p->group);
    return false;
}

struct rounds_round *rounds_result_add_round(struct rounds_result *r)
{
    struct rounds_round *grown = grow(r->rounds, r->round_count, sizeof(*grown)), *round;

    if (grown == NULL)
        return NULL;
    r->rounds = grown;
    round = &grown[r->round_count++];
    round->number = (uint32_t)r->round_count;
    round->sample = 1;
    round->at_s = round->mean_s = round->mean_ok_s = round->mean_discounted_s = NAN;
    round->median_s = round->min_s = round->max_s = round->stddev_s = NAN;
    round->makespan_s = round->copies_per_s = round->exec_spread_s = NAN;
    round->user_s = round->sys_s = round->max_rss_bytes = round->completion_spread = NAN;
    return round;
}

static bool copy_init(struct rounds_copy *c, uint32_t index, size_t phases)
{
    c->index = index;
    c->exit = -1;
    c->start_s = c->duration_s = c->user_s = c->sys_s = c->max_rss_bytes = NAN;
    if (phases == 0)
        return true;
    c->phases = calloc(phases, sizeof(*c->phases));
    for (size_t i = 0; c->phases != NULL && i < phases; i++)
        c->phases[i] = NAN;
    return c->phases != NULL;
}

bool rounds_result_set_copies(const struct rounds_result *r, struct rounds_round *round, uint32_t count)
{
    struct rounds_copy *copies = calloc(count, sizeof(*copies));

    if (copies == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!copy_init(&copies[i], i + 1, r->phase_count)) {
            copies_free(copies, count);
            return false;
        }
    }
    round->copies = copies;
    round->copy_count = count;
    return true;
}

void rounds_round_cut(struct rounds_round *round, uint32_t count)
{
    while (round->copy_count > count)
        copy_release(&round->copies[--round->copy_count]);
}

bool rounds_round_add_hook_failure(struct rounds_round *round, const char *what, uint32_t index, const char *failure,
                                   struct strlist *last_lines)
{
    struct rounds_hook_failure *grown = grow(round->hook_failures, round->hook_failure_count, sizeof(*grown)), *f;

    if (grown == NULL)
        return false;
    round->hook_failures = grown;
    f = &grown[round->hook_failure_count];
    f->index = index;
    if (!copy_text(&f->what, what) || !copy_text(&f->failure, failure)) {
        free(f->what);
        free(f->failure);
        return false;
    }
    f->last_lines = *last_lines;
    *last_lines = (struct strlist)STRLIST_INIT;
    round->hook_failure_count++;
    return true;
}

/* NAN + x is x here: what is not known adds nothing. */
static double add_known(double sum, double x)
{
    return isnan(x) ? sum : isnan(sum) ? x : sum + x;
}

static void sum_usage(struct rounds_round *round)
{
    round->user_s = round->sys_s = round->max_rss_bytes = NAN;
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        round->user_s = add_known(round->user_s, c->user_s);
        round->sys_s = add_known(round->sys_s, c->sys_s);
        round->max_rss_bytes = fmax(round->max_rss_bytes, c->max_rss_bytes); /* of a NAN and a number: the number */
    }
}

static void sum_counts(struct rounds_round *round)
{
    round->ok = round->failed = round->unfinished = 0;
    for (size_t i = 0; i < round->copy_count; i++) {
        round->ok += round->copies[i].ok;
        round->unfinished += round->copies[i].unfinished;
        round->failed += !round->copies[i].ok && !round->copies[i].unfinished;
    }
}

/* Of the copies' durations, those of the ok into x; *all_s and *all_count of all that ended and whose are known. */
static size_t collect_durations(const struct rounds_round *round, double *x, double *all_s, size_t *all_count)
{
    size_t n = 0;

    *all_s = 0;
    *all_count = 0;
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        if (isnan(c->duration_s) || c->unfinished)
            continue;
        *all_s += c->duration_s;
        ++*all_count;
        if (c->ok)
            x[n++] = c->duration_s;
    }
    return n;
}

static void sum_durations(struct rounds_round *round, double *x)
{
    struct summary s;
    double all_s;
    size_t all, n = collect_durations(round, x, &all_s, &all);

    summary_of(&s, x, n);
    round->mean_s = all > 0 ? all_s / (double)all : NAN;
    round->mean_discounted_s = n > 0 ? all_s / (double)n : NAN;
    round->mean_ok_s = n > 0 ? s.mean : NAN;
    round->median_s = n > 0 ? s.median : NAN;
    round->min_s = n > 0 ? s.min : NAN;
    round->max_s = n > 0 ? s.max : NAN;
    round->stddev_s = n > 1 ? s.stddev : NAN;
}

/* Makespan, spread of the starts, pattern of the ends: where the moments of the starts are known. */
static void sum_moments(struct rounds_round *round, double *x)
{
    double first = NAN, last = NAN;
    size_t n = 0;

    round->makespan_s = NAN;
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];
        const double end = c->start_s + c->duration_s;

        first = fmin(first, c->start_s);
        last = fmax(last, c->start_s);
        round->makespan_s = fmax(round->makespan_s, end);
        if (c->ok && !isnan(end))
            x[n++] = end;
    }
    round->exec_spread_s = last - first;
    round->copies_per_s = round->makespan_s > 0 ? round->ok / round->makespan_s : NAN;
    round->completion = COMPLETION_UNKNOWN;
    round->completion_spread = n > 1 ? rounds_completion(&round->completion, x, n) : NAN;
}

int rounds_round_sum(struct rounds_round *round, struct err *err)
{
    double *x = NULL;

    if (round->copy_count == 0)
        return 0;
    x = calloc(round->copy_count, sizeof(*x));
    if (x == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot sum up a round");
    sum_counts(round);
    sum_usage(round);
    sum_durations(round, x);
    sum_moments(round, x);
    free(x);
    return 0;
}

/* What concurrent uploads showed: straight to a store they end one after another, through a service that
 * collects them all at once. */
#define SPREAD_EVEN 0.5
#define SPREAD_TOGETHER 0.15
#define GAP_EVEN 0.25
#define ROUNDING 1e-9 /* (1 - 0.85) / 1 is a little above 0.15 */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double rounds_completion(enum completion *pattern, double *ends, size_t n)
{
    double spread, gap = 0;

    qsort(ends, n, sizeof(*ends), by_size);
    if (!(ends[n - 1] > 0)) {
        *pattern = COMPLETION_UNKNOWN;
        return NAN;
    }
    for (size_t i = 1; i < n; i++)
        gap = fmax(gap, ends[i] - ends[i - 1]);
    spread = (ends[n - 1] - ends[0]) / ends[n - 1];
    if (spread <= SPREAD_TOGETHER + ROUNDING)
        *pattern = COMPLETION_TOGETHER;
    else if (spread >= SPREAD_EVEN - ROUNDING && gap <= (GAP_EVEN + ROUNDING) * ends[n - 1])
        *pattern = COMPLETION_EVEN;
    else
        *pattern = COMPLETION_MIXED;
    return spread;
}
