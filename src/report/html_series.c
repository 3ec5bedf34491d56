/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_out.h"
#include "report/sections.h"

const char *series_line_name(enum series_line line)
{
    static const char *const NAMES[SERIES_LINES] = {
        [SERIES_STARTED] = "started", [SERIES_OK] = "ok",   [SERIES_FAILED] = "failed",
        [SERIES_BYTES] = "bytes",     [SERIES_P50] = "p50", [SERIES_IN_FLIGHT] = "in_flight",
        [SERIES_P90] = "p90",         [SERIES_P99] = "p99", [SERIES_MAX] = "max",
    };

    return NAMES[line];
}

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* ---- series ---- */

static double percentile(const struct hist *h, double q)
{
    return hist_count(h) == 0 || section_percentile_is_max(h, q) ? NAN : (double)hist_value_at(h, q) / NS_PER_S;
}

static int fill(struct page_series *s, size_t i, const struct interval *v, struct hist *h, struct err *err)
{
    const double length = v->length_s > 0 ? v->length_s : 1;

    hist_reset(h);
    if (interval_get_latency(v, h, err) != 0)
        return -1;
    s->t_s[i] = v->t_s + length / 2;
    s->length_s[i] = length;
    s->lines[SERIES_STARTED][i] = (double)v->started / length;
    s->lines[SERIES_OK][i] = (double)v->ok / length;
    s->lines[SERIES_FAILED][i] = (double)v->failed / length;
    s->lines[SERIES_BYTES][i] = (double)v->bytes / length;
    s->lines[SERIES_IN_FLIGHT][i] = v->in_flight;
    s->lines[SERIES_P50][i] = percentile(h, 50);
    s->lines[SERIES_P90][i] = percentile(h, 90);
    s->lines[SERIES_P99][i] = percentile(h, 99);
    s->lines[SERIES_MAX][i] = hist_count(h) > 0 ? (double)hist_max_ns(h) / NS_PER_S : NAN;
    return 0;
}

/* The first is one however short the run was. */
static void find_whole(struct page_series *s, const struct result *r)
{
    for (size_t i = 0; i < r->interval_count; i++) {
        const struct interval *v = &r->intervals[i];
        const bool inside = !(r->duration_s > 0) || v->t_s < r->duration_s - 1e-6;

        if (i > 0 && (!inside || v->length_s < 0.5 * r->intervals[0].length_s))
            return;
        s->whole = i + 1;
        s->end_s = v->t_s + v->length_s;
    }
}

int series_of(struct page_series *out, const struct result *r, struct err *err)
{
    struct hist *h = NULL;
    int failed = hist_new(&h, err);

    *out = (struct page_series){ .count = r->interval_count };
    out->t_s = calloc(r->interval_count + 1, sizeof(double));
    out->length_s = calloc(r->interval_count + 1, sizeof(double));
    for (size_t k = 0; k < SERIES_LINES; k++) {
        out->lines[k] = calloc(r->interval_count + 1, sizeof(double));
        failed = out->lines[k] == NULL || out->t_s == NULL || out->length_s == NULL ? no_memory(err) : failed;
    }
    for (size_t i = 0; i < r->interval_count && failed == 0; i++)
        failed = fill(out, i, &r->intervals[i], h, err);
    find_whole(out, r);
    hist_free(h);
    return failed;
}

void series_release(struct page_series *s)
{
    free(s->t_s);
    free(s->length_s);
    for (size_t k = 0; k < SERIES_LINES; k++)
        free(s->lines[k]);
    *s = (struct page_series){ 0 };
}

static void point(struct buf *out, bool *first, double t, double value)
{
    buf_add_str(out, *first ? "[" : ",[");
    *first = false;
    html_json_number(out, t);
    buf_add_char(out, ',');
    html_json_number(out, value);
    buf_add_char(out, ']');
}

/* The least and the greatest of a bucket, in the order of time. */
static void bucket(struct buf *out, bool *first, const double *t, const double *values, size_t from, size_t to)
{
    size_t low = from, high = from;

    for (size_t i = from; i < to; i++) {
        if (isnan(values[low]) || values[i] < values[low])
            low = i;
        if (isnan(values[high]) || values[i] > values[high])
            high = i;
    }
    point(out, first, t[low < high ? low : high], values[low < high ? low : high]);
    if (low != high)
        point(out, first, t[low < high ? high : low], values[low < high ? high : low]);
}

void series_json(struct buf *out, const double *t, const double *values, size_t count, size_t points)
{
    const size_t buckets = points / 2 > 0 ? points / 2 : 1;
    bool first = true;

    buf_add_char(out, '[');
    for (size_t i = 0; i < count && count <= points; i++)
        point(out, &first, t[i], values[i]);
    for (size_t b = 0; b < buckets && count > points; b++)
        bucket(out, &first, t, values, b * count / buckets, (b + 1) * count / buckets);
    buf_add_char(out, ']');
}

/* ---- percentiles ---- */

void curve_json(struct buf *out, const struct hist *h, unsigned per_decade)
{
    const double count = (double)hist_count(h);
    bool first = true, ended = false;

    buf_add_char(out, '[');
    for (unsigned i = 0; !ended && count > 0; i++) {
        double inverse = pow(10, (double)i / per_decade);

        ended = inverse >= count;
        inverse = ended ? count : inverse;
        point(out, &first, inverse, (double)hist_value_at(h, 100 * (1 - 1 / inverse)) / NS_PER_S);
    }
    buf_add_char(out, ']');
}

/* ---- heat ---- */

struct heat {
    size_t columns, rows;
    double low, ratio;
    uint64_t *counts; /* by column, then row */
};

static size_t row_of(const struct heat *heat, uint64_t ns)
{
    const double at = log((double)ns / heat->low) / log(heat->ratio) * (double)heat->rows;

    if (!(at > 0))
        return 0;
    return at >= (double)heat->rows ? heat->rows - 1 : (size_t)at;
}

static int count_intervals(struct heat *heat, const struct result *r, struct err *err)
{
    struct hist *h = NULL;

    if (hist_new(&h, err) != 0)
        return -1;
    for (size_t i = 0; i < r->interval_count; i++) {
        const size_t column = i * heat->columns / r->interval_count;
        struct hist_iter it;

        hist_reset(h);
        if (interval_get_latency(&r->intervals[i], h, err) != 0) {
            hist_free(h);
            return -1;
        }
        hist_iter_init(&it, h);
        while (hist_iter_next(&it))
            heat->counts[column * heat->rows + row_of(heat, it.low_ns / 2 + it.high_ns / 2)] += it.count;
    }
    hist_free(h);
    return 0;
}

static void write_heat(struct buf *out, const struct heat *heat, const struct result *r)
{
    bool first = true;

    buf_add_str(out, "{\"t\":[");
    for (size_t c = 0; c <= heat->columns; c++) {
        const size_t i = c * r->interval_count / heat->columns;
        const struct interval *last = &r->intervals[r->interval_count - 1];

        buf_add_str(out, c > 0 ? "," : "");
        html_json_number(out, i < r->interval_count ? r->intervals[i].t_s : last->t_s + last->length_s);
    }
    buf_add_str(out, "],\"y\":[");
    for (size_t k = 0; k <= heat->rows; k++) {
        buf_add_str(out, k > 0 ? "," : "");
        html_json_number(out, heat->low * pow(heat->ratio, (double)k / (double)heat->rows) / NS_PER_S);
    }
    buf_add_str(out, "],\"cells\":[");
    for (size_t i = 0; i < heat->columns * heat->rows; i++) {
        if (heat->counts[i] == 0)
            continue;
        buf_printf(out, "%s[%zu,%zu,%llu]", first ? "" : ",", i / heat->rows, i % heat->rows,
                   (unsigned long long)heat->counts[i]);
        first = false;
    }
    buf_add_str(out, "]}");
}

int heat_json(struct buf *out, const struct result *r, size_t columns, size_t rows, bool *any, struct err *err)
{
    struct heat heat = { .columns = columns < r->interval_count ? columns : r->interval_count, .rows = rows };
    int failed;

    *any = r->interval_count > 1 && hist_count(r->latency) > 1 && hist_max_ns(r->latency) > hist_min_ns(r->latency);
    if (!*any)
        return 0;
    heat.low = (double)(hist_min_ns(r->latency) > 0 ? hist_min_ns(r->latency) : 1);
    heat.ratio = (double)hist_max_ns(r->latency) / heat.low;
    heat.counts = calloc(heat.columns * rows, sizeof(*heat.counts));
    if (heat.counts == NULL)
        return no_memory(err);
    failed = count_intervals(&heat, r, err);
    if (failed == 0)
        write_heat(out, &heat, r);
    free(heat.counts);
    return failed;
}
