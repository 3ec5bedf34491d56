/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/usl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_multifit_nlinear.h>

#include "base/random.h"

#define ITERATIONS_MAX 200u
#define TOLERANCE 1e-10
#define OUTSIDE 1e3 /* residual where the law has no meaning: the step is then not taken */
#define SEED 7u
#define NOTHING 1e-9 /* of a duration, at the largest N: what the solver leaves of a zero */

/* Which of sigma and kappa are free; the others are 0. lambda always is. */
enum { FREE_SIGMA = 1, FREE_KAPPA = 2 };

struct data {
    size_t count;
    double n[USL_POINTS_MAX], ln_x[USL_POINTS_MAX], root_weight[USL_POINTS_MAX];
    unsigned free;
};

struct solver {
    gsl_multifit_nlinear_workspace *of_three, *of_two;
};

const char *usl_verdict_text(enum usl_verdict v)
{
    static const char *const TEXTS[] = { "fits", "too few points", "does not fit" };

    return TEXTS[v];
}

static double denominator(double sigma, double kappa, double n)
{
    return 1 + sigma * (n - 1) + kappa * n * (n - 1);
}

double usl_duration_s(const struct usl_law *law, double n)
{
    return denominator(law->sigma, law->kappa, n) / law->lambda;
}

double usl_largest_within(const struct usl_law *law, double limit_s)
{
    /* kappa n^2 + (sigma - kappa) n + (1 - sigma - limit lambda) < 0 */
    const double a = law->kappa, b = law->sigma - law->kappa, c = 1 - law->sigma - limit_s * law->lambda;
    double root;

    if (!(usl_duration_s(law, 1) < limit_s))
        return 0;
    if (a == 0 && b == 0)
        return INFINITY;
    root = a == 0 ? -c / b : 2 * -c / (b + sqrt(b * b - 4 * a * c)); /* this form also holds when a is tiny */
    if (ceil(root) - 1 < 1)
        return 1;
    return ceil(root) - 1;
}

static void unpack(const struct data *d, const gsl_vector *x, double *ln_lambda, double *sigma, double *kappa)
{
    size_t i = 0;

    *ln_lambda = gsl_vector_get(x, i++);
    *sigma = (d->free & FREE_SIGMA) != 0 ? gsl_vector_get(x, i++) : 0;
    *kappa = (d->free & FREE_KAPPA) != 0 ? gsl_vector_get(x, i++) : 0;
}

static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
    const struct data *d = context;
    double ln_lambda, sigma, kappa;

    unpack(d, x, &ln_lambda, &sigma, &kappa);
    for (size_t i = 0; i < d->count; i++) {
        const double below = denominator(sigma, kappa, d->n[i]);
        const double r = below > 0 ? ln_lambda + log(d->n[i] / below) - d->ln_x[i] : OUTSIDE;

        gsl_vector_set(f, i, d->root_weight[i] * r);
    }
    return GSL_SUCCESS;
}

static int slopes(const gsl_vector *x, void *context, gsl_matrix *j)
{
    const struct data *d = context;
    double ln_lambda, sigma, kappa;

    unpack(d, x, &ln_lambda, &sigma, &kappa);
    for (size_t i = 0; i < d->count; i++) {
        const double n = d->n[i], below = denominator(sigma, kappa, n), w = d->root_weight[i];
        size_t column = 0;

        gsl_matrix_set(j, i, column++, w);
        if ((d->free & FREE_SIGMA) != 0)
            gsl_matrix_set(j, i, column++, -w * (n - 1) / below);
        if ((d->free & FREE_KAPPA) != 0)
            gsl_matrix_set(j, i, column++, -w * n * (n - 1) / below);
    }
    return GSL_SUCCESS;
}

/* ln lambda for given sigma and kappa: the weighted mean of what is left. */
static double best_ln_lambda(const struct data *d, double sigma, double kappa)
{
    double sum = 0, weights = 0;

    for (size_t i = 0; i < d->count; i++) {
        const double w = d->root_weight[i] * d->root_weight[i];

        sum += w * (d->ln_x[i] - log(d->n[i] / denominator(sigma, kappa, d->n[i])));
        weights += w;
    }
    return sum / weights;
}

static double cost(const struct data *d, const struct usl_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < d->count; i++) {
        const double r = log(law->lambda * d->n[i] / denominator(law->sigma, law->kappa, d->n[i])) - d->ln_x[i];

        sum += d->root_weight[i] * d->root_weight[i] * r * r;
    }
    return sum;
}

/* One optimum without bounds, from a start that is usual for computers. False when it is outside the bounds. */
static bool solve(struct data *d, unsigned free, struct solver *solver, struct usl_law *law)
{
    const size_t unknowns = free == (FREE_SIGMA | FREE_KAPPA) ? 3 : 2;
    gsl_multifit_nlinear_workspace *w = unknowns == 3 ? solver->of_three : solver->of_two;
    gsl_multifit_nlinear_fdf problem = { .f = residuals, .df = slopes, .n = d->count, .p = unknowns, .params = d };
    double start[3] = { 0, free == FREE_KAPPA ? 1e-3 : 1e-2, 1e-3 };
    gsl_vector_view x = gsl_vector_view_array(start, unknowns);
    double ln_lambda, sigma, kappa;
    int why = 0;

    d->free = free;
    start[0] = best_ln_lambda(d, (free & FREE_SIGMA) != 0 ? 1e-2 : 0, (free & FREE_KAPPA) != 0 ? 1e-3 : 0);
    if (gsl_multifit_nlinear_init(&x.vector, &problem, w) != GSL_SUCCESS)
        return false;
    /* Where it stops short of the tolerance it has still only gone downhill. */
    (void)gsl_multifit_nlinear_driver(ITERATIONS_MAX, TOLERANCE, TOLERANCE, 0, NULL, NULL, &why, w);
    unpack(d, gsl_multifit_nlinear_position(w), &ln_lambda, &sigma, &kappa);
    *law = (struct usl_law){ .lambda = exp(ln_lambda), .sigma = sigma, .kappa = kappa };
    return isfinite(ln_lambda) && sigma >= 0 && kappa >= 0;
}

static double peak_of(const struct usl_law *law, double n_max)
{
    double peak;

    if (law->sigma >= 1)
        return 1;
    peak = law->kappa > 0 ? sqrt((1 - law->sigma) / law->kappa) : INFINITY;
    if (peak > USL_PEAK_FAR * n_max)
        return INFINITY;
    return peak > 1 ? peak : 1;
}

static void drop_nothing(struct usl_law *law, double n_max)
{
    if (law->sigma * n_max < NOTHING)
        law->sigma = 0;
    if (law->kappa * n_max * n_max < NOTHING)
        law->kappa = 0;
}

static void fit_law(struct data *d, struct solver *solver, struct usl_law *out)
{
    struct usl_law law = { .lambda = exp(best_ln_lambda(d, 0, 0)) };
    double least;

    if (!solve(d, FREE_SIGMA | FREE_KAPPA, solver, out)) {
        *out = law;
        least = cost(d, &law);
        for (unsigned free = FREE_SIGMA; free <= FREE_KAPPA; free++)
            if (solve(d, free, solver, &law) && cost(d, &law) < least) {
                least = cost(d, &law);
                *out = law;
            }
    }
    drop_nothing(out, d->n[d->count - 1]);
    out->peak = peak_of(out, d->n[d->count - 1]);
}

static double mean_of(const struct usl_point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->samples; i++)
        sum += p->mean_s[i];
    return sum / (double)p->samples;
}

static double drawn_mean_of(const struct usl_point *p, struct rng *rng)
{
    double sum = 0;

    for (size_t i = 0; i < p->samples; i++)
        sum += p->mean_s[rng_below(rng, p->samples)];
    return sum / (double)p->samples;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void interval_of(double out[2], double *drawn)
{
    qsort(drawn, USL_RESAMPLES, sizeof(*drawn), by_size);
    out[0] = drawn[USL_RESAMPLES / 40];
    out[1] = drawn[USL_RESAMPLES - 1 - USL_RESAMPLES / 40];
}

static int find_intervals(struct usl *out, struct data *d, const struct usl_point *points, struct solver *solver,
                          struct err *err)
{
    double *drawn = calloc((size_t)4 * USL_RESAMPLES, sizeof(*drawn));
    struct rng rng;

    if (drawn == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the scaling law");
    rng_init(&rng, SEED);
    for (size_t k = 0; k < USL_RESAMPLES; k++) {
        struct usl_law law;

        for (size_t i = 0; i < d->count; i++)
            d->ln_x[i] = log(points[i].n / drawn_mean_of(&points[i], &rng));
        fit_law(d, solver, &law);
        drawn[k] = law.lambda;
        drawn[USL_RESAMPLES + k] = law.sigma;
        drawn[2 * USL_RESAMPLES + k] = law.kappa;
        drawn[3 * USL_RESAMPLES + k] = law.peak;
    }
    interval_of(out->lambda, drawn);
    interval_of(out->sigma, drawn + USL_RESAMPLES);
    interval_of(out->kappa, drawn + 2 * USL_RESAMPLES);
    interval_of(out->peak, drawn + 3 * USL_RESAMPLES);
    out->has_intervals = true;
    free(drawn);
    return 0;
}

static double root_mean_square(const struct data *d, const struct usl_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < d->count; i++) {
        const double r = d->ln_x[i] - log(law->lambda * d->n[i] / denominator(law->sigma, law->kappa, d->n[i]));

        sum += r * r;
    }
    return sqrt(sum / (double)d->count);
}

/* False when a point has but one sample. */
static bool gather(struct data *d, const struct usl_point *points, size_t count)
{
    bool all = true;

    d->count = count;
    for (size_t i = 0; i < count; i++) {
        const double mean = points[i].samples > 0 ? mean_of(&points[i]) : 0;

        if (!(mean > 0) || !isfinite(mean) || points[i].n < 1 || (i > 0 && points[i].n <= points[i - 1].n))
            BUG("point %zu of a scaling law: n %g, mean %g", i, points[i].n, mean);
        d->n[i] = points[i].n;
        d->ln_x[i] = log(points[i].n / mean);
        d->root_weight[i] = sqrt(points[i].n / (points[i].n + USL_NOISE_RATIO));
        all = all && points[i].samples > 1;
    }
    return all;
}

static void find_faster(struct usl *out, const struct usl_point *points, size_t count)
{
    double least = count > 0 ? mean_of(&points[0]) * (1 - USL_FASTER) : 0;

    for (size_t i = 1; i < count; i++)
        if (mean_of(&points[i]) < least) {
            least = mean_of(&points[i]);
            out->faster = i;
            out->is_faster = true;
        }
}

static int solver_init(struct solver *s, size_t count, struct err *err)
{
    const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();

    s->of_three = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, count, 3);
    s->of_two = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, count, 2);
    return s->of_three != NULL && s->of_two != NULL ? 0
                                                    : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the scaling law");
}

static void solver_release(struct solver *s)
{
    if (s->of_three != NULL)
        gsl_multifit_nlinear_free(s->of_three);
    if (s->of_two != NULL)
        gsl_multifit_nlinear_free(s->of_two);
}

static int fit_points(struct usl *out, struct data *d, const struct usl_point *points, bool with_intervals,
                      struct err *err)
{
    struct solver solver = { 0 };
    int failed = solver_init(&solver, d->count, err);

    if (failed == 0) {
        fit_law(d, &solver, &out->law);
        out->rms = root_mean_square(d, &out->law);
        out->verdict = out->rms <= USL_RMS_MAX ? USL_FITS : USL_DOES_NOT_FIT; /* nor does a NAN */
        out->extrapolated = isfinite(out->law.peak) && out->law.peak > out->n_max;
        if (with_intervals && out->verdict == USL_FITS)
            failed = find_intervals(out, d, points, &solver, err);
    }
    solver_release(&solver);
    return failed;
}

int usl_fit(struct usl *out, const struct usl_point *points, size_t count, struct err *err)
{
    struct data d = { 0 };
    bool with_intervals;

    *out = (struct usl){ .verdict = USL_TOO_FEW_POINTS, .law = { NAN, NAN, NAN, NAN }, .rms = NAN };
    if (count > USL_POINTS_MAX)
        return err_set(err, ERR_LIMIT, 0, "a scaling law of %zu points, at most %u", count, USL_POINTS_MAX);
    with_intervals = gather(&d, points, count);
    out->n_max = count > 0 ? points[count - 1].n : 0;
    find_faster(out, points, count);
    return count < USL_POINTS_MIN ? 0 : fit_points(out, &d, points, with_intervals, err);
}
