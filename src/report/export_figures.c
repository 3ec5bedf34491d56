/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/export_forms.h"
#include "stats/summary.h"

/* Of a name like latency_p99, from the histogram; NaN when that is empty, or has no such figure. */
static double from_hist(const struct hist *h, const char *what)
{
    char key[SUMMARY_KEY_MAX];

    if (hist_count(h) == 0)
        return NAN;
    if (strcmp(what, "mean") == 0)
        return hist_mean_ns(h) / 1e9;
    if (strcmp(what, "min") == 0)
        return (double)hist_min_ns(h) / 1e9;
    if (strcmp(what, "max") == 0)
        return (double)hist_max_ns(h) / 1e9;
    for (size_t i = 0; i < RESULT_PERCENTILE_COUNT; i++)
        if (strcmp(what, summary_percentile_key(key, RESULT_PERCENTILES[i])) == 0)
            return (double)hist_value_at(h, RESULT_PERCENTILES[i]) / 1e9;
    return NAN;
}

double export_figure(const struct result *r, const char *name)
{
    static const char LATENCY[] = "latency_", SERVICE[] = "service_time_";
    const struct named_figure *named = result_metric(r, name);
    double value = NAN;

    if (strcmp(name, "requests_per_s") == 0 && totals_has(&r->totals, TOTAL_REQUESTS_PER_S) && r->rounds == NULL)
        return r->totals.requests_per_s;
    if (strcmp(name, "error_share") == 0 && r->totals.started > 0 && totals_has(&r->totals, TOTAL_FAILED))
        return (double)r->totals.failed / (double)r->totals.started;
    if (strncmp(name, LATENCY, sizeof(LATENCY) - 1) == 0)
        value = from_hist(r->latency, name + sizeof(LATENCY) - 1);
    else if (strncmp(name, SERVICE, sizeof(SERVICE) - 1) == 0)
        value = from_hist(r->service_time, name + sizeof(SERVICE) - 1);
    return isnan(value) && named != NULL ? named->value : value;
}

char *export_cell_label(const struct result *r)
{
    struct buf text;
    char *label = NULL;

    if (r->cell_count == 0)
        return NULL;
    buf_init(&text, 1u << 16);
    for (size_t i = 0; i < r->cell_count; i++) {
        buf_add_str(&text, i > 0 ? "/" : "");
        buf_add_str(&text, r->cell[i].value);
    }
    label = buf_detach(&text);
    buf_release(&text);
    return label;
}
