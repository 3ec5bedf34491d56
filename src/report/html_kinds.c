/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "report/html_out.h"

const char *kinds_name(size_t line)
{
    return line < FAIL_KINDS ? fail_kind_text((enum fail_kind)line) : "kind not kept";
}

static uint64_t failed_of(const struct interval *v, size_t line)
{
    if (line == KINDS_UNKNOWN)
        return v->by_kind == NULL ? v->failed : 0;
    return v->by_kind != NULL ? v->by_kind[line] : 0;
}

static int fill(struct page_kinds *k, const struct result *r, size_t line, struct err *err)
{
    bool any = false;

    for (size_t i = 0; i < r->interval_count && !any; i++)
        any = failed_of(&r->intervals[i], line) > 0;
    if (!any)
        return 0;
    k->per_s[line] = calloc(r->interval_count, sizeof(double));
    if (k->per_s[line] == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t i = 0; i < r->interval_count; i++) {
        const struct interval *v = &r->intervals[i];

        k->per_s[line][i] = (double)failed_of(v, line) / (v->length_s > 0 ? v->length_s : 1);
    }
    return 0;
}

int kinds_of(struct page_kinds *out, const struct result *r, struct err *err)
{
    *out = (struct page_kinds){ .count = r->interval_count };
    for (size_t line = 0; line < KINDS_LINES; line++)
        if (fill(out, r, line, err) != 0)
            return -1;
    return 0;
}

void kinds_release(struct page_kinds *k)
{
    for (size_t line = 0; line < KINDS_LINES; line++)
        free(k->per_s[line]);
    *k = (struct page_kinds){ 0 };
}

bool kinds_any(const struct page_kinds *k)
{
    for (size_t line = 0; line < KINDS_LINES; line++)
        if (k->per_s[line] != NULL)
            return true;
    return false;
}

double series_mean(const double *values, const double *lengths, size_t from, size_t to)
{
    double sum = 0, weight = 0;

    for (size_t i = from; i < to; i++)
        if (!isnan(values[i])) {
            sum += values[i] * lengths[i];
            weight += lengths[i];
        }
    return weight > 0 ? sum / weight : NAN;
}

/* One number for each bucket. */
static void add_means(struct buf *out, const double *values, const struct page_series *s, size_t buckets)
{
    buf_add_char(out, '[');
    for (size_t b = 0; b < buckets; b++) {
        buf_add_str(out, b > 0 ? "," : "");
        html_json_number(out, series_mean(values, s->length_s, b * s->whole / buckets, (b + 1) * s->whole / buckets));
    }
    buf_add_char(out, ']');
}

void kinds_json(struct buf *out, const struct page_kinds *k, const struct page_series *s, size_t points)
{
    const size_t buckets = s->whole < points ? s->whole : points;
    bool first = true;

    buf_add_str(out, "{\"t\":");
    add_means(out, s->t_s, s, buckets);
    buf_add_str(out, ",\"kinds\":[");
    for (size_t line = 0; line < KINDS_LINES; line++) {
        if (k->per_s[line] == NULL)
            continue;
        buf_printf(out, "%s[\"%s\",", first ? "" : ",", kinds_name(line));
        add_means(out, k->per_s[line], s, buckets);
        buf_add_char(out, ']');
        first = false;
    }
    buf_add_str(out, "]}");
}
