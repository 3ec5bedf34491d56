/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/fisher.h"

#include <math.h>

#include "stats/special.h"

#define SAME 1e-7      /* tables as probable as the one seen, up to rounding, count as it does */
#define NEGLIGIBLE 750 /* exp(-745) is the smallest double */

struct table {
    double n_a, n_b, events; /* the margins */
};

static double ln_probability(const struct table *t, double a)
{
    return special_ln_choose(t->n_a, a) + special_ln_choose(t->n_b, t->events - a) -
           special_ln_choose(t->n_a + t->n_b, t->events);
}

/* From `from` outwards, away from the mode, until nothing more comes. */
static double tail(const struct table *t, double from, double step, double low, double high)
{
    double sum = 0;

    for (double a = from; a >= low && a <= high; a += step) {
        const double term = exp(ln_probability(t, a));

        sum += term;
        if (!(term > sum * 1e-18))
            break;
    }
    return sum;
}

/* The value nearest to the mode, on the side of `end`, whose probability is at most the limit: the probabilities fall
 * steadily from the mode to the end. Beyond the end when there is none. */
static double find_edge(const struct table *t, double mode, double end, double ln_limit)
{
    const double step = end < mode ? -1 : 1;
    double inside = mode, outside = end;

    if (ln_probability(t, end) > ln_limit)
        return end + step;
    while (fabs(outside - inside) > 1) {
        const double middle = floor((inside + outside) / 2);

        if (ln_probability(t, middle) <= ln_limit)
            outside = middle;
        else
            inside = middle;
    }
    return outside;
}

double fisher_exact(uint64_t a, uint64_t n_a, uint64_t b, uint64_t n_b)
{
    const struct table t = { (double)n_a, (double)n_b, (double)a + (double)b };
    const double low = fmax(0, t.events - t.n_b), high = fmin(t.n_a, t.events);
    const double mode = fmin(high, fmax(low, floor((t.events + 1) * (t.n_a + 1) / (t.n_a + t.n_b + 2))));
    double limit;

    if (a > n_a || b > n_b)
        return NAN;
    if (low == high)
        return 1;
    limit = ln_probability(&t, (double)a) + SAME;
    if (ln_probability(&t, mode) <= limit)
        return 1;
    if (limit < -NEGLIGIBLE)
        return 0;
    return fmin(1, tail(&t, find_edge(&t, mode, low, limit), -1, low, high) +
                       tail(&t, find_edge(&t, mode, high, limit), 1, low, high));
}
