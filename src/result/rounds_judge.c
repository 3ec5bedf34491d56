/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "result/result.h"
#include "result/rounds_scaling.h"
#include "stats/summary.h"

#define CLAUSES_MAX_BYTES (64u * 1024u)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the promises");
}

int rounds_slo_check(const struct slo *slo, struct err *err)
{
    for (size_t i = 0; i < slo->count; i++) {
        const struct slo_clause *c = &slo->clauses[i];
        const bool of_copies = c->figure == SLO_ERRORS || (c->figure < SLO_ERRORS && c->source == SLO_LATENCY);

        if (of_copies && c->scope == SLO_ALL)
            continue;
        err_set(err, ERR_USAGE, 0, "\"%.100s\" is not known of rounds", c->text);
        return err_hint(err, "mean, min, max, stddev, p50 … of how long copies take, and errors: mean<45s,errors<1%%");
    }
    return 0;
}

/* The durations of the ok copies of a size; *count of them, NULL when there are none. */
static double *durations_of(const struct rounds_result *r, const struct rounds_size *size, size_t *count)
{
    double *x = calloc(size->ok + 1, sizeof(*x));

    *count = 0;
    if (x == NULL)
        return NULL;
    for (size_t i = 0; i < r->round_count; i++) {
        const struct rounds_round *round = &r->rounds[i];

        if (round->series != size->series || round->concurrency != size->concurrency)
            continue;
        for (size_t k = 0; k < round->copy_count && *count < size->ok; k++)
            if (round->copies[k].ok && !isnan(round->copies[k].duration_s))
                x[(*count)++] = round->copies[k].duration_s;
    }
    return x;
}

static double time_of(const struct slo_clause *c, const struct rounds_size *size, double *x, size_t n)
{
    const double rank = ceil(c->percentile / 100 * (double)n);
    struct summary s;

    if (c->figure == SLO_MEAN)
        return size->counts_failures ? size->discounted_s : size->duration_s;
    if (n == 0 || (c->figure == SLO_STDDEV && n == 1))
        return NAN;
    summary_of(&s, x, n);
    if (c->figure == SLO_PERCENTILE)
        return x[rank < 1 ? 0 : (size_t)rank - 1];
    return c->figure == SLO_MIN ? s.min : c->figure == SLO_MAX ? s.max : s.stddev;
}

/* *out is NAN when it is not known. */
static int value_of(double *out, const struct rounds_result *r, const struct rounds_size *size,
                    const struct slo_clause *c, struct err *err)
{
    const double ended = (double)(size->ok + size->failed);
    double *x;
    size_t n;

    if (c->figure == SLO_ERRORS) {
        *out = ended > 0 ? (double)size->failed / ended : NAN;
        return 0;
    }
    x = durations_of(r, size, &n);
    if (x == NULL)
        return no_memory(err);
    *out = time_of(c, size, x, n);
    free(x);
    return 0;
}

/* What is not known keeps no promise. */
static int find_kept(bool *kept, const struct rounds_result *r, const struct rounds_size *size, const struct slo *slo,
                     struct err *err)
{
    *kept = true;
    for (size_t i = 0; i < slo->count && *kept; i++) {
        double value;

        if (value_of(&value, r, size, &slo->clauses[i], err) != 0)
            return -1;
        *kept = slo_op_holds(slo->clauses[i].op, value, slo->clauses[i].limit);
    }
    return 0;
}

static char *clauses_of(const struct slo *slo)
{
    struct buf text;

    buf_init(&text, CLAUSES_MAX_BYTES);
    for (size_t i = 0; i < slo->count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "," : "", slo->clauses[i].text);
    return buf_detach(&text);
}

static int judge_by_law(struct rounds_promise *p, const struct rounds_size *sizes, size_t count, const struct slo *slo,
                        struct err *err)
{
    const struct slo_clause *c = &slo->clauses[0];
    struct usl u;

    if (count == 0 || slo->count != 1 || c->figure != SLO_MEAN || (c->op != SLO_BELOW && c->op != SLO_AT_MOST))
        return 0;
    if (rounds_fit(&u, sizes, count, true, err) != 0)
        return -1;
    if (u.verdict != USL_FITS)
        return 0;
    p->by_law = usl_largest_within(&u.law, c->limit);
    p->extrapolated = p->by_law > sizes[count - 1].concurrency;
    return 0;
}

static int judge_series(struct rounds_result *r, struct rounds_series *series, const struct rounds_size *sizes,
                        size_t count, const struct slo *slo, struct err *err)
{
    struct rounds_promise *p = &series->promise;

    free(p->clauses);
    *p = (struct rounds_promise){ .clauses = clauses_of(slo), .by_law = NAN };
    if (p->clauses == NULL)
        return no_memory(err);
    for (size_t i = 0; i < count && p->broken == 0; i++) {
        bool kept;

        if (find_kept(&kept, r, &sizes[i], slo, err) != 0)
            return -1;
        *(kept ? &p->largest : &p->broken) = sizes[i].concurrency;
    }
    return judge_by_law(p, sizes, count, slo, err);
}

/* The smallest size of every series holds a clause, or the first that does not is what was seen. */
static int add_promise(struct result *result, const struct rounds_sizes *sizes, const struct slo_clause *c,
                       struct err *err)
{
    struct promise *p = &result->promises[result->promise_count];

    *p = (struct promise){ .limit = c->limit, .kept = true, .clause = slice_dup(slice_str(c->text)) };
    if (p->clause == NULL)
        return no_memory(err);
    p->unit = c->figure == SLO_ERRORS ? PROMISE_SHARE : PROMISE_SECONDS;
    result->promise_count++;
    for (uint32_t i = 0; i < result->rounds->series_count && p->kept; i++) {
        size_t count;
        const struct rounds_size *of = rounds_sizes_of_series(sizes, i, &count);
        double value = NAN;

        if (count > 0 && value_of(&value, result->rounds, of, c, err) != 0)
            return -1;

        p->known = !isnan(value);
        p->observed = p->known ? value : 0;
        p->kept = slo_op_holds(c->op, value, c->limit);
    }
    return 0;
}

static int judge_all(struct result *result, const struct rounds_sizes *sizes, const struct slo *slo, struct err *err)
{
    for (uint32_t i = 0; i < result->rounds->series_count; i++) {
        size_t count;
        const struct rounds_size *of = rounds_sizes_of_series(sizes, i, &count);

        if (judge_series(result->rounds, &result->rounds->series[i], of, count, slo, err) != 0)
            return -1;
    }
    result->promises = calloc(slo->count, sizeof(*result->promises));
    if (result->promises == NULL)
        return no_memory(err);
    for (size_t i = 0; i < slo->count; i++)
        if (add_promise(result, sizes, &slo->clauses[i], err) != 0)
            return -1;
    return 0;
}

int rounds_judge(struct result *result, const struct slo *slo, struct err *err)
{
    struct rounds_sizes sizes;
    int failed;

    if (slo->count == 0)
        return 0;
    failed = rounds_sizes_of(&sizes, result->rounds, err);
    if (failed == 0)
        failed = judge_all(result, &sizes, slo, err);
    rounds_sizes_release(&sizes);
    return failed;
}
