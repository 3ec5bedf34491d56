/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/adjust.h"
#include "stats/compare_fit.h"
#include "stats/special.h"

#define ALPHA 0.05
#define MIN_RATIO 0.03
#define MIN_SHARE 0.001
#define NO_SPREAD 1e-20 /* a variance of ln below this is rounding */
#define NO_EFFECT 1e-12

static const char *const VERDICTS[] = {
#define VERDICT_TEXT(id, text) text,
    COMPARE_VERDICTS(VERDICT_TEXT)
#undef VERDICT_TEXT
};
static const char *const REASONS[] = {
#define REASON_TEXT(id, text) text,
    COMPARE_REASONS(REASON_TEXT)
#undef REASON_TEXT
};

const char *compare_verdict_text(enum compare_verdict v)
{
    return (size_t)v < COMPARE_VERDICT_COUNT ? VERDICTS[v] : "?";
}

const char *compare_reason_text(enum compare_reason r)
{
    return (size_t)r < sizeof(REASONS) / sizeof(REASONS[0]) ? REASONS[r] : "?";
}

/* NaN for what has no place on the scale. */
static double to_scale(enum compare_scale scale, double value)
{
    if (scale == COMPARE_SHARE)
        return value >= 0 && value <= 1 ? asin(sqrt(value)) : NAN;
    return value > 0 && isfinite(value) ? log(value) : NAN;
}

static double clamp_angle(double y)
{
    return fmax(0, fmin(M_PI_2, y));
}

static double from_scale(enum compare_scale scale, double y)
{
    const double root = sin(clamp_angle(y));

    return scale == COMPARE_SHARE ? root * root : exp(y);
}

/* The change that an effect of x on the scale means, around the middle of both sides: symmetric in them. */
static double change_of(enum compare_scale scale, const struct compare_fit *f, double x)
{
    const double middle = (f->mean[0] + f->mean[1]) / 2;

    if (scale == COMPARE_SHARE)
        return from_scale(scale, middle + x / 2) - from_scale(scale, middle - x / 2);
    return expm1(x);
}

static double min_change(const struct compare_input *in)
{
    if (in->min_change > 0)
        return in->min_change;
    return in->scale == COMPARE_SHARE ? MIN_SHARE : MIN_RATIO;
}

/* Beyond the minimum in whichever direction it is read. */
static bool is_beyond(const struct compare_input *in, const struct compare_fit *f)
{
    if (in->scale == COMPARE_SHARE)
        return fabs(change_of(in->scale, f, f->d)) >= min_change(in);
    return fabs(f->d) >= -log1p(-min_change(in));
}

static bool is_within(const struct compare_input *in, const struct compare_fit *f, double x)
{
    if (in->scale == COMPARE_SHARE)
        return fabs(change_of(in->scale, f, x)) <= min_change(in);
    return fabs(x) <= log1p(min_change(in));
}

/* Quantiles cost microseconds and degrees of freedom repeat from cell to cell. */
struct quantiles {
    double df, t90, t95;
};

static void find_quantiles(struct quantiles *q, double df)
{
    if (q->df == df)
        return;
    *q = (struct quantiles){ df, special_t_quantile(0.95, df), special_t_quantile(0.975, df) };
}

static double p_of(const struct compare_fit *f)
{
    if (fabs(f->d) < NO_EFFECT)
        return 1;
    if (!(f->error > 0))
        return f->p_least;
    return special_t_two_sided(f->d / f->error, f->error_df);
}

/* t's quantile from the normal one (Fisher's expansion): good enough to plan with, and cheap. */
static double planned_t(double z, double df)
{
    return z + (z * z * z + z) / (4 * df) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * df * df);
}

static size_t samples_needed(const struct compare_work *w, const struct compare_fit *f, double tested)
{
    const double within = log1p(min_change(w->in)) - fabs(f->d);
    const bool beyond = is_beyond(w->in, f);
    const double room = beyond ? fabs(f->d) : within;
    const double z = special_normal_quantile(beyond ? 1 - ALPHA / 2 / tested : 1 - ALPHA);
    const double unit = f->error * f->error * f->counted;
    double n = fmax(f->counted + 1, 2);

    if (w->in->scale == COMPARE_SHARE || !(room > 0) || !(f->error > 0))
        return 0;
    for (int i = 0; i < 8; i++) {
        const double t = planned_t(z, fmax(1, f->error_df * (n - 1) / fmax(1, f->counted - 1)));

        n = fmax(f->counted + 1, ceil(t * t * unit / room / room));
        if (n > COMPARE_NEEDED_MAX)
            return 0;
    }
    return (size_t)ceil(n);
}

static enum compare_reason why_inconclusive(const struct compare_work *w, const struct compare_fit *f,
                                            const struct compare_result *r)
{
    if (!f->known)
        return COMPARE_WHY_ONE_SAMPLE;
    if (w->out->capped)
        return COMPARE_WHY_NO_HISTORY;
    if (!(f->error > 0))
        return COMPARE_WHY_NO_SPREAD;
    return r->p_adjusted <= ALPHA ? COMPARE_WHY_SMALL : COMPARE_WHY_NOISE;
}

static void judge(const struct compare_work *w, size_t c, struct quantiles *q, double tested)
{
    const struct compare_fit *f = &w->fits[c];
    struct compare_result *r = &w->out->cells[c];
    const bool capped = w->out->capped, beyond = f->known && is_beyond(w->in, f);
    bool unchanged = false;

    if (f->known) {
        const double reach = f->error > 0 ? (find_quantiles(q, f->error_df), q->t90 * f->error) : 0;

        unchanged = is_within(w->in, f, f->d - reach) && is_within(w->in, f, f->d + reach);
    }
    if (beyond && r->p_adjusted <= ALPHA && !capped) {
        r->verdict = (f->d > 0) == w->in->higher_is_better ? COMPARE_IMPROVED : COMPARE_REGRESSED;
    } else if (unchanged && !capped) {
        r->verdict = COMPARE_UNCHANGED;
    } else if (beyond && r->q <= ALPHA) {
        r->verdict = COMPARE_SUSPECT;
        r->reason = capped ? COMPARE_WHY_NO_HISTORY : COMPARE_WHY_MANY_CELLS;
    } else {
        r->verdict = COMPARE_INCONCLUSIVE;
        r->reason = why_inconclusive(w, f, r);
        if (f->known && !capped)
            r->samples_needed = samples_needed(w, f, tested);
    }
}

static void judge_all(struct compare_work *w)
{
    struct quantiles q = { 0 };
    double tested = 0;

    for (size_t c = 0; c < w->in->cell_count; c++)
        tested += w->fits[c].known;
    for (size_t c = 0; c < w->in->cell_count; c++) {
        if (w->fits[c].ready)
            judge(w, c, &q, fmax(1, tested));
        w->out->counts[w->out->cells[c].verdict]++;
    }
}

static void fill_interval(struct compare_result *r, const struct compare_work *w, const struct compare_fit *f,
                          struct quantiles *q)
{
    double half = 0;

    if (!f->known)
        return;
    if (f->error > 0) {
        find_quantiles(q, f->error_df);
        half = q->t95 * f->error;
    }
    r->interval[0] = change_of(w->in->scale, f, f->d - half);
    r->interval[1] = change_of(w->in->scale, f, f->d + half);
}

static void fill_results(struct compare_work *w)
{
    struct quantiles q = { 0 };
    struct compare_overall *o = &w->out->overall;

    for (size_t c = 0; c < w->in->cell_count; c++) {
        const struct compare_fit *f = &w->fits[c];
        struct compare_result *r = &w->out->cells[c];

        if (!f->ready)
            continue;
        r->base = from_scale(w->in->scale, f->mean[SIDE_BASE]);
        r->new = from_scale(w->in->scale, f->mean[SIDE_NEW]);
        r->change = change_of(w->in->scale, f, f->d);
        r->p = f->known ? p_of(f) : NAN;
        fill_interval(r, w, f, &q);
    }
    if (w->in->scale == COMPARE_RATIO) {
        o->change = expm1(o->change);
        o->interval[0] = expm1(o->interval[0]);
        o->interval[1] = expm1(o->interval[1]);
    } else { /* a mean of angles is no share */
        *o = (struct compare_overall){ NAN, { NAN, NAN }, NAN, o->cells };
    }
}

static void adjust(struct compare_work *w)
{
    const size_t n = w->in->cell_count;

    for (size_t c = 0; c < n; c++)
        w->scratch_a[c] = w->out->cells[c].p;
    adjust_holm(w->scratch_b, w->scratch_a, n, w->order);
    adjust_benjamini_hochberg(w->scratch_c, w->scratch_a, n, w->order);
    for (size_t c = 0; c < n; c++) {
        w->out->cells[c].p_adjusted = w->scratch_b[c];
        w->out->cells[c].q = w->scratch_c[c];
    }
}

/* Errors that are mere rounding are none. */
static void settle_errors(struct compare_work *w)
{
    for (size_t c = 0; c < w->in->cell_count; c++) {
        struct compare_fit *f = &w->fits[c];

        if (f->known && f->error * f->error < NO_SPREAD) {
            f->error = 0;
            f->p_least = f->p_least > 0 ? f->p_least : 1;
        }
    }
}

static bool refuse(struct compare_result *r, enum compare_verdict verdict, enum compare_reason reason)
{
    r->verdict = verdict;
    r->reason = reason;
    return false;
}

static bool all_finite(const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(y[i]))
            return false;
    return true;
}

static double mean_of(const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += y[i];
    return sum / (double)n;
}

/* True when the cell has an effect at all. */
static bool prepare(struct compare_work *w, size_t c)
{
    const struct compare_cell *cell = &w->in->cells[c];
    struct compare_result *r = &w->out->cells[c];
    struct compare_fit *f = &w->fits[c];
    const double *y = w->y + w->starts[c * SIDES];

    if (cell->base.count == 0)
        return refuse(r, COMPARE_MISSING, COMPARE_WHY_NO_BASE);
    if (cell->new.count == 0)
        return refuse(r, COMPARE_MISSING, COMPARE_WHY_NO_NEW);
    if (cell->invalid)
        return refuse(r, COMPARE_INVALID, COMPARE_WHY_BAD_RUN);
    if (!all_finite(y, cell->base.count + cell->new.count + cell->history.count))
        return refuse(r, COMPARE_INVALID, COMPARE_WHY_BAD_VALUE);
    f->mean[SIDE_BASE] = mean_of(y, cell->base.count);
    f->mean[SIDE_NEW] = mean_of(y + cell->base.count, cell->new.count);
    f->d = f->mean[SIDE_NEW] - f->mean[SIDE_BASE];
    f->ready = !cell->not_comparable;
    return cell->not_comparable ? refuse(r, COMPARE_NOT_COMPARABLE, COMPARE_WHY_DIFFERENT) : true;
}

static void prepare_all(struct compare_work *w)
{
    size_t at = 0;

    for (size_t c = 0; c < w->in->cell_count; c++) {
        struct compare_result *r = &w->out->cells[c];

        for (int side = 0; side < SIDES; side++) {
            const struct compare_samples *s = compare_side(&w->in->cells[c], side);

            w->starts[c * SIDES + (size_t)side] = at;
            for (size_t i = 0; i < s->count; i++)
                w->y[at++] = to_scale(w->in->scale, s->items[i].value);
        }
        w->starts[(c + 1) * SIDES] = at;
        *r = (struct compare_result){ NAN,
                                      NAN,
                                      NAN,
                                      { NAN, NAN },
                                      NAN,
                                      NAN,
                                      NAN,
                                      COMPARE_INCONCLUSIVE,
                                      COMPARE_WHY_PLAIN,
                                      w->in->cells[c].base.count,
                                      w->in->cells[c].new.count,
                                      0 };
        prepare(w, c);
    }
}

static size_t sample_count(const struct compare_input *in)
{
    size_t n = 0;

    for (size_t c = 0; c < in->cell_count; c++)
        n += in->cells[c].base.count + in->cells[c].new.count + in->cells[c].history.count;
    return n;
}

static int work_init(struct compare_work *w, struct compare_output *out, const struct compare_input *in,
                     struct err *err)
{
    const size_t n = in->cell_count;

    *w = (struct compare_work){ .in = in, .out = out };
    *out = (struct compare_output){ .cell_count = n, .cells = calloc(n + 1, sizeof(*out->cells)) };
    out->overall = (struct compare_overall){ NAN, { NAN, NAN }, NAN, 0 };
    w->fits = calloc(n + 1, sizeof(*w->fits));
    w->y = calloc(sample_count(in) + 1, sizeof(*w->y));
    w->starts = calloc(n * SIDES + 1, sizeof(*w->starts));
    w->scratch_a = calloc(n + 1, sizeof(double));
    w->scratch_b = calloc(n + 1, sizeof(double));
    w->scratch_c = calloc(n + 1, sizeof(double));
    w->order = calloc(n + 1, sizeof(*w->order));
    if (out->cells == NULL || w->fits == NULL || w->y == NULL || w->starts == NULL || w->scratch_a == NULL ||
        w->scratch_b == NULL || w->scratch_c == NULL || w->order == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static void work_release(struct compare_work *w)
{
    free(w->fits);
    free(w->y);
    free(w->starts);
    free(w->scratch_a);
    free(w->scratch_b);
    free(w->scratch_c);
    free(w->order);
}

static int fit(struct compare_work *w, struct err *err)
{
    compare_set_overall_change(w);
    switch (w->in->design) {
    case COMPARE_INTERLEAVED:
        return compare_fit_interleaved(w, err);
    case COMPARE_SESSIONS:
        return compare_fit_sessions(w, err);
    case COMPARE_ONE_SESSION:
        return compare_fit_one_session(w, err);
    }
    return err_set(err, ERR_USAGE, 0, "unknown design %d", (int)w->in->design);
}

int compare_run(struct compare_output *out, const struct compare_input *in, struct err *err)
{
    struct compare_work w;
    int failed;

    memset(out, 0, sizeof(*out));
    if (!(in->min_change >= 0 && in->min_change < 1))
        return err_set(err, ERR_USAGE, 0, "the least change that matters is %g, it must lie between 0 and 1",
                       in->min_change);
    failed = work_init(&w, out, in, err);
    if (failed == 0) {
        prepare_all(&w);
        failed = fit(&w, err);
    }
    if (failed == 0) {
        settle_errors(&w);
        fill_results(&w);
        adjust(&w);
        judge_all(&w);
    }
    work_release(&w);
    return failed;
}

void compare_release(struct compare_output *out)
{
    free(out->cells);
    memset(out, 0, sizeof(*out));
}

int compare_exit_code(const size_t counts[COMPARE_VERDICT_COUNT], bool tolerance_broken, bool strict)
{
    if (tolerance_broken || counts[COMPARE_REGRESSED] > 0)
        return 1;
    if (counts[COMPARE_MISSING] > 0 || counts[COMPARE_INVALID] > 0 || counts[COMPARE_NOT_COMPARABLE] > 0)
        return 3;
    return strict && (counts[COMPARE_INCONCLUSIVE] > 0 || counts[COMPARE_SUSPECT] > 0) ? 4 : 0;
}
