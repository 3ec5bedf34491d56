/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/outliers.h"

#include <math.h>

#include "stats/summary.h"

void outliers_of(struct outliers *out, const double *x, size_t n, double *scratch)
{
    struct summary s;
    double median;

    *out = (struct outliers){ 0 };
    if (n < 3)
        return;
    for (size_t i = 0; i < n; i++)
        scratch[i] = x[i];
    summary_of(&s, scratch, n);
    median = s.median;
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(x[i] - median);
    summary_of(&s, scratch, n);
    if (!(s.median > 0))
        return;
    for (size_t i = 0; i < n; i++) {
        const double z = OUTLIERS_SCALE * (x[i] - median) / s.median;

        out->count += fabs(z) > OUTLIERS_LIMIT;
        out->first = out->first || (i == 0 && z > OUTLIERS_LIMIT);
    }
}
