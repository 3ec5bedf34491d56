/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/effects.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

#define RANK_TOLERANCE 1e-9 /* of the largest eigenvalue */

static double mean_y(const struct effects_observation *obs, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += obs[i].y;
    return n > 0 ? sum / (double)n : 0;
}

static void add_group(gsl_matrix *a, double *right, const struct effects_observation *obs, size_t n)
{
    const double mean = mean_y(obs, n);

    for (size_t i = 0; i < n; i++) {
        const size_t row = obs[i].level;

        *gsl_matrix_ptr(a, row, row) += 1;
        right[row] += obs[i].y - mean;
        for (size_t j = 0; j < n; j++)
            *gsl_matrix_ptr(a, row, obs[j].level) -= 1 / (double)n;
    }
}

/* P = sum over the singular values that are not zero (they are the eigenvalues: A is symmetric and never negative) of
 * v v' / value. */
static void invert(struct effects *e, const gsl_vector *values, const gsl_matrix *vectors)
{
    const size_t n = e->levels;
    double largest = 0;

    for (size_t k = 0; k < n; k++)
        largest = gsl_vector_get(values, k) > largest ? gsl_vector_get(values, k) : largest;
    for (size_t k = 0; k < n; k++) {
        const double value = gsl_vector_get(values, k);

        if (!(value > largest * RANK_TOLERANCE))
            continue;
        e->rank++;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                e->inverse[i * n + j] += gsl_matrix_get(vectors, i, k) * gsl_matrix_get(vectors, j, k) / value;
    }
}

static void solve(struct effects *e, const double *right)
{
    for (size_t i = 0; i < e->levels; i++)
        for (size_t j = 0; j < e->levels; j++)
            e->level[i] += e->inverse[i * e->levels + j] * right[j];
}

int effects_fit(struct effects *out, const struct effects_observation *obs, const size_t *starts, size_t groups,
                size_t levels, struct err *err)
{
    gsl_matrix *a = levels > 0 ? gsl_matrix_calloc(levels, levels) : NULL;
    gsl_matrix *vectors = levels > 0 ? gsl_matrix_alloc(levels, levels) : NULL;
    gsl_vector *values = levels > 0 ? gsl_vector_alloc(levels) : NULL;
    gsl_vector *work = levels > 0 ? gsl_vector_alloc(levels) : NULL;
    double *right = calloc(levels + 1, sizeof(*right));
    int failed = -1;

    *out = (struct effects){ levels, 0, calloc(levels * levels + 1, sizeof(double)),
                             calloc(levels + 1, sizeof(double)) };
    if (right == NULL || out->inverse == NULL || out->level == NULL ||
        (levels > 0 && (a == NULL || vectors == NULL || values == NULL || work == NULL))) {
        err_set(err, ERR_SYSTEM, 0, "out of memory");
        goto out;
    }
    failed = 0;
    if (levels == 0)
        goto out;
    for (size_t g = 0; g < groups; g++)
        add_group(a, right, obs + starts[g], starts[g + 1] - starts[g]);
    gsl_linalg_SV_decomp(a, vectors, values, work);
    invert(out, values, vectors);
    solve(out, right);
out:
    free(right);
    gsl_vector_free(work);
    gsl_vector_free(values);
    gsl_matrix_free(vectors);
    gsl_matrix_free(a);
    return failed;
}

void effects_release(struct effects *e)
{
    free(e->inverse);
    free(e->level);
    memset(e, 0, sizeof(*e));
}

/* Sum of P over all pairs of levels of a and b. */
static double cross(const struct effects *e, const struct effects_observation *a, size_t n_a,
                    const struct effects_observation *b, size_t n_b)
{
    double sum = 0;

    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++)
            sum += e->inverse[a[i].level * e->levels + b[j].level];
    return sum;
}

void effects_group(struct effects_group *out, const struct effects *e, const struct effects_observation *obs, size_t n)
{
    double level = 0, mean = mean_y(obs, n), diagonal = 0;

    *out = (struct effects_group){ 0 };
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        level += e->level[obs[i].level] / (double)n;
        diagonal += e->inverse[obs[i].level * (e->levels + 1)];
    }
    for (size_t i = 0; i < n; i++) {
        const double residual = obs[i].y - mean - (e->level[obs[i].level] - level);

        out->squares += residual * residual;
    }
    out->mean = mean - level;
    out->df_used = diagonal - cross(e, obs, n, obs, n) / (double)n;
}

double effects_contrast(const struct effects *e, const struct effects_observation *a, size_t n_a,
                        const struct effects_observation *b, size_t n_b)
{
    const double na = (double)n_a, nb = (double)n_b;

    return cross(e, a, n_a, a, n_a) / (na * na) + cross(e, b, n_b, b, n_b) / (nb * nb) -
           2 * cross(e, a, n_a, b, n_b) / (na * nb);
}
