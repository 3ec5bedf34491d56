/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tolerance.h"

#include <math.h>

bool tolerance_holds(double base, double new, double tolerancy)
{
    const double limit = base + base * tolerancy / 100;

    if (!isfinite(base) || !isfinite(new) || !isfinite(tolerancy) || base == 0)
        return false;
    return tolerancy < 0 ? new >= limit : new <= limit;
}

bool tolerance_is_broken(size_t failures, size_t comparisons, double max_failures)
{
    if (comparisons == 0)
        return true;
    return (double)failures * 100 > max_failures * (double)comparisons;
}

double tolerance_deviation(double base, double new)
{
    return isfinite(base) && isfinite(new) && base != 0 ? new / base - 1 : NAN;
}
