/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is behind each cell of runs of many samples: its samples one by one, their latencies together, and over time. */
#include "report/html_cell_sums.h"
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html_series.h"
#include "report/sections.h"

enum {
    SERIES_BYTES_MAX = 350000,
    POINT_BYTES = 16,
    POINTS_MAX = 120,
    POINTS_MIN = 10,
    CURVE_PER_DECADE = 6,
    METRICS_MAX = 12,
    LINE_MIN = 3 /* seconds that make a line worth drawing */
};

/* So many points a line that all lines together stay within their share of the page. */
static size_t points_of(const struct page *p)
{
    const size_t lines = 2 * (p->all.count > 0 ? p->all.count : 1);
    const size_t points = SERIES_BYTES_MAX / POINT_BYTES / lines;

    return points > POINTS_MAX ? POINTS_MAX : points < POINTS_MIN ? POINTS_MIN : points;
}

/* ---- the table of samples ---- */

static size_t pick(const struct metric *out[METRICS_MAX], const struct page *p, const struct page_group *groups)
{
    static const char *const NAMES[] = { "requests_per_s", "latency_p50", "latency_p99", "latency_max", "error_share" };
    size_t count = 0;

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (page_metric(p, NAMES[i]) != NULL)
            out[count++] = page_metric(p, NAMES[i]);
    for (size_t run = 0; count < 2 && run < p->c->count; run++) {
        const struct record *r = groups[run].count > 0 ? &p->all.records[groups[run].records[0]] : NULL;

        for (size_t i = 0; r != NULL && i < r->metric_count && count < METRICS_MAX; i++)
            out[count++] = &r->metrics[i];
        if (r != NULL)
            break;
    }
    return count;
}

static void add_sample(struct page *p, size_t run, size_t record, const struct metric *const *metrics, size_t count)
{
    const struct record *r = &p->all.records[record];
    char text[PAGE_TEXT_MAX];

    html_row_open(&p->body);
    html_cell_head(&p->body, p->c->runs[run].name);
    buf_add_str(&p->body, "<td class=\"t\">");
    html_text(&p->body, r->started);
    buf_add_str(&p->body, "</td>");
    html_cell(&p->body, r->valid ? "valid" : "invalid");
    for (size_t i = 0; i < count; i++) {
        const struct metric *m = record_metric(r, metrics[i]->name);

        html_cell_number(&p->body, m != NULL ? m->value : NAN, m != NULL ? page_value(text, m, m->value) : "");
    }
    html_cell_wide(&p->body, r->reason);
    html_row_close(&p->body);
}

static void add_samples(struct page *p, const struct page_group *groups)
{
    const struct metric *metrics[METRICS_MAX];
    const size_t count = pick(metrics, p, groups);
    char text[PAGE_TEXT_MAX];
    struct buf names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    buf_add_str(&names, "run|started|valid");
    for (size_t i = 0; i < count; i++)
        html_column(&names, true, "%s", page_column_name(text, metrics[i]->name));
    buf_add_str(&names, "|remark");
    html_table_open(&p->body, "Samples", buf_ok(&names) ? names.data : "");
    for (size_t run = 0; run < p->c->count; run++)
        for (size_t i = 0; i < groups[run].count; i++)
            add_sample(p, run, groups[run].records[i], metrics, count);
    html_table_close(&p->body);
    buf_release(&names);
}

/* ---- the data of its charts ---- */

struct together {
    struct cell_sums sums;
    struct buf samples; /* series of each, as JSON */
    bool any;
};

static int take_sample(struct page *p, struct together *t, size_t record, size_t points, struct err *err)
{
    const struct page_record *from = &p->records[record];
    struct page_series s = { 0 };
    struct result *r = NULL;
    int failed = collection_read(&p->c->runs[from->run].documents[from->document], &r, err);

    if (failed == 0)
        failed = cell_sums_add(&t->sums, r, p->all.records[record].valid, err);
    if (failed == 0)
        failed = series_of(&s, r, err);
    if (failed == 0 && s.whole >= LINE_MIN) {
        buf_add_str(&t->samples, t->any ? ",{\"ok\":" : "{\"ok\":");
        t->any = true;
        series_json(&t->samples, s.t_s, s.lines[SERIES_OK], s.whole, points);
        buf_add_str(&t->samples, ",\"p99\":");
        series_json(&t->samples, s.t_s, s.lines[SERIES_P99], s.whole, points);
        buf_add_char(&t->samples, '}');
    }
    series_release(&s);
    result_free(r);
    return failed;
}

static int take_run(struct page *p, struct together *t, const struct page_group *g, struct err *err)
{
    int failed = cell_sums_init(&t->sums, err);

    buf_init(&t->samples, 1u << 26);
    for (size_t i = 0; i < g->count && failed == 0; i++)
        failed = take_sample(p, t, g->records[i], points_of(p), err);
    return failed;
}

static void add_run(struct buf *out, const char *name, const struct together *t)
{
    buf_add_str(out, "{\"name\":");
    html_json_string(out, name);
    buf_add_str(out, ",\"latency\":");
    curve_json(out, t->sums.latency, CURVE_PER_DECADE);
    buf_add_str(out, ",\"samples\":[");
    buf_add_slice(out, buf_slice(&t->samples));
    buf_add_str(out, "]}");
}

static bool of_rounds(const struct page *p, const struct page_group *groups)
{
    for (size_t run = 0; run < p->c->count; run++)
        for (size_t i = 0; i < groups[run].count; i++) {
            const struct page_record *r = &p->records[groups[run].records[i]];

            if (p->c->runs[r->run].documents[r->document].rounds)
                return true;
        }
    return false;
}

static void add_charts(struct page *p, size_t cell, const struct together *runs)
{
    bool curve = false, series = false;
    char key[32];

    for (size_t run = 0; run < p->c->count; run++) {
        curve = curve || hist_count(runs[run].sums.latency) > 0;
        series = series || runs[run].any;
    }
    if (!curve && !series)
        return;
    snprintf(key, sizeof(key), "cell-%zu", cell);
    buf_add_str(&p->body, "<div class=\"row\">");
    if (curve)
        html_chart(&p->body, "percentiles", key, "Latency by percentile, valid samples together");
    if (series)
        html_chart(&p->body, "samples", key, "p99 of each second, a line for each sample");
    buf_add_str(&p->body, "</div>\n");
    page_data(p, key);
    buf_add_str(&p->data, "{\"runs\":[");
    for (size_t run = 0; run < p->c->count; run++) {
        buf_add_str(&p->data, run > 0 ? "," : "");
        add_run(&p->data, p->c->runs[run].name, &runs[run]);
    }
    buf_add_str(&p->data, "],\"promises\":[]}");
}

/* What is behind the samples' figures: charts, then tables. */
static int add_together(struct page *p, size_t cell, const struct page_group *groups, struct err *err)
{
    struct together *runs = calloc(p->c->count, sizeof(*runs));
    struct cell_sums *sums = calloc(p->c->count, sizeof(*sums));
    int failed = runs != NULL && sums != NULL ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");

    for (size_t run = 0; run < p->c->count && failed == 0; run++) {
        failed = take_run(p, &runs[run], &groups[run], err);
        sums[run] = runs[run].sums;
    }
    if (failed == 0) {
        add_charts(p, cell, runs);
        cell_sums_show(p, sums);
    }
    for (size_t run = 0; runs != NULL && sums != NULL && run < p->c->count; run++) {
        cell_sums_release(&runs[run].sums);
        buf_release(&runs[run].samples);
    }
    free(runs);
    free(sums);
    return failed;
}

static int add_cell(struct page *p, size_t cell, struct err *err)
{
    const struct page_group *groups = page_group(p, cell, 0);
    const char *label = page_cell_label(p, cell);

    buf_printf(&p->body, "<details class=\"cell\" id=\"cell-%zu\"%s><summary>", cell,
               p->cell_count == 1 ? " open" : "");
    html_text(&p->body, label[0] != '\0' ? label : "all");
    buf_add_str(&p->body, "</summary>\n");
    add_samples(p, groups);
    if (!of_rounds(p, groups) && add_together(p, cell, groups, err) != 0)
        return -1;
    html_details_close(&p->body);
    return 0;
}

int html_part_cells(struct page *p, struct err *err)
{
    if (p->shown != NULL)
        return 0;
    page_section(p, "cells", p->cell_count > 1 ? "Cells" : "Samples");
    for (size_t cell = 0; cell < p->cell_count; cell++)
        if (add_cell(p, cell, err) != 0)
            return -1;
    return 0;
}
