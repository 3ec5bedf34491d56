/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_rounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "result/rounds_scaling.h"

enum { LAW_POINTS = 60, ROUNDS_MAX = 60 };

static void add_numbers(struct buf *out, const double *values, size_t count)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        html_json_number(out, values[i]);
    }
    buf_add_char(out, ']');
}

/* [start, duration, ok, [phases]] */
static void add_copy(struct buf *out, const struct rounds_result *r, const struct rounds_copy *c)
{
    buf_add_char(out, '[');
    html_json_number(out, c->start_s);
    buf_add_char(out, ',');
    html_json_number(out, c->duration_s);
    buf_printf(out, ",%d,", c->ok ? 1 : 0);
    if (c->phases != NULL)
        add_numbers(out, c->phases, r->phase_count);
    else
        buf_add_str(out, "null");
    buf_add_char(out, ']');
}

static void add_round(struct buf *out, const struct rounds_result *r, const struct rounds_round *round)
{
    buf_printf(out, "{\"n\":%" PRIu32 ",\"number\":%" PRIu32 ",\"sample\":%" PRIu32 ",\"series\":%" PRIu32 ",\"mean\":",
               round->concurrency, round->number, round->sample, round->series);
    html_json_number(out, isnan(round->mean_ok_s) ? round->mean_s : round->mean_ok_s);
    buf_add_str(out, ",\"per_s\":");
    html_json_number(out, round->copies_per_s);
    buf_add_str(out, ",\"copies\":[");
    for (size_t k = 0; k < round->copy_count && k < ROUNDS_COPIES_MAX; k++) {
        buf_add_str(out, k > 0 ? "," : "");
        add_copy(out, r, &round->copies[k]);
    }
    buf_add_str(out, "]}");
}

/* What the law says between 1 and the largest size, copies a second. */
static void add_law(struct buf *out, const struct rounds_scaling *law, double largest)
{
    buf_add_char(out, '[');
    for (unsigned i = 0; i < LAW_POINTS && law->verdict == SCALING_FITS && largest > 1; i++) {
        const double n = pow(largest, (double)i / (LAW_POINTS - 1));
        const double duration_s = rounds_scaling_duration_s(law, n);

        buf_add_str(out, i > 0 ? ",[" : "[");
        html_json_number(out, n);
        buf_add_char(out, ',');
        html_json_number(out, duration_s > 0 ? n / duration_s : NAN);
        buf_add_char(out, ']');
    }
    buf_add_char(out, ']');
}

/* [n, n / mean duration]: what the law is fitted to. */
static void add_points(struct buf *out, const struct rounds_sizes *sizes, uint32_t series)
{
    size_t count;
    const struct rounds_size *list = rounds_sizes_of_series(sizes, series, &count);

    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s[%" PRIu32 ",", i > 0 ? "," : "", list[i].concurrency);
        html_json_number(out, list[i].duration_s > 0 ? list[i].concurrency / list[i].duration_s : NAN);
        buf_add_char(out, ']');
    }
    buf_add_char(out, ']');
}

static void add_series(struct buf *out, const struct rounds_result *r, const struct rounds_sizes *sizes)
{
    for (size_t i = 0; i < r->series_count; i++) {
        size_t count;
        const struct rounds_size *list = rounds_sizes_of_series(sizes, (uint32_t)i, &count);

        buf_add_str(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        html_json_string(out, r->series[i].name);
        buf_add_str(out, ",\"points\":");
        add_points(out, sizes, (uint32_t)i);
        buf_add_str(out, ",\"law\":");
        add_law(out, &r->series[i].scaling, count > 0 ? list[count - 1].concurrency : 0);
        buf_add_char(out, '}');
    }
}

static bool has_copies(const struct rounds_result *r)
{
    for (size_t i = 0; i < r->round_count; i++)
        for (size_t k = 0; k < r->rounds[i].copy_count; k++)
            if (isfinite(r->rounds[i].copies[k].duration_s))
                return true;
    return false;
}

static bool has_scaling(const struct rounds_sizes *sizes)
{
    for (size_t i = 1; i < sizes->count; i++)
        if (sizes->items[i].concurrency != sizes->items[0].concurrency)
            return true;
    return false;
}

void html_rounds_charts(struct page *p, size_t run, const struct rounds_sizes *sizes)
{
    const struct rounds_result *r = p->shown[run]->rounds;
    struct buf *out = &p->data;
    char key[32];

    snprintf(key, sizeof(key), "rounds-%zu", run);
    buf_add_str(&p->body, "<div class=\"row\">");
    html_chart(&p->body, "durations", key,
               "Duration of every copy by how many ran at once; crosses failed; the line is the mean");
    if (has_scaling(sizes))
        html_chart(&p->body, "scaling", key,
                   "Copies a second by how many ran at once, and the scaling law where it fits");
    buf_add_str(&p->body, "</div>\n");
    if (has_copies(r)) {
        html_chart(&p->body, "gantt", key, "Copies over time, with their phases; a round of each size");
        html_chart(&p->body, "completion", key,
                   "When copies ended, from the release of their round: a row for each round");
    }
    page_data(p, key);
    buf_add_str(out, "{\"phases\":[");
    for (size_t i = 0; i < r->phase_count; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        html_json_string(out, r->phases[i].name);
    }
    buf_add_str(out, "],\"series\":[");
    add_series(out, r, sizes);
    buf_add_str(out, "],\"rounds\":[");
    for (size_t i = 0; i < r->round_count && i < ROUNDS_MAX; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        add_round(out, r, &r->rounds[i]);
    }
    buf_add_str(out, "]}");
}
