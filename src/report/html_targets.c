/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several targets of one run: what each got, and how evenly; and the parts of the target that were watched. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_series.h"
#include "report/sections.h"

enum { TARGETS_MAX = 300, WATCH_POINTS = 300, WATCH_CHARTS_MAX = 10 };

/* ---- fairness ---- */

/* (sum x)^2 / (n sum x^2) of the rates: 1 when all are alike, 1/n when one has everything (Jain, Chiu, Hawe 1984). NaN
 * when none had an ok reply. */
static double fairness(const struct result *r)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < r->target_count; i++) {
        const double rate = r->targets[i].totals.requests_per_s;

        sum += rate;
        squares += rate * rate;
    }
    return squares > 0 ? sum * sum / ((double)r->target_count * squares) : NAN;
}

static void add_percentile(struct page *p, const struct hist *h, double q)
{
    char text[UNITS_TEXT_MAX];
    const double ns = q > 100 ? (double)hist_max_ns(h) : (double)hist_value_at(h, q);

    if (hist_count(h) == 0 || (q <= 100 && section_percentile_is_max(h, q)))
        html_cell_number(&p->body, NAN, "");
    else
        html_cell_number(&p->body, ns / NS_PER_S, units_format_duration(text, ns));
}

static void add_target(struct page *p, const struct result *r, const struct target_result *t)
{
    char text[SECTION_CELL_MAX];

    html_row_open(&p->body);
    buf_add_str(&p->body, "<th scope=\"row\">");
    html_printf(&p->body, "%s%s%s", t->method != NULL ? t->method : "", t->method != NULL ? " " : "",
                t->url != NULL ? t->url : "");
    buf_add_str(&p->body, "</th>");
    html_cell_number(&p->body, (double)t->totals.started, units_format_count(text, t->totals.started));
    html_cell_number(&p->body, r->totals.started > 0 ? (double)t->totals.started / (double)r->totals.started : NAN,
                     section_share(text, t->totals.started, r->totals.started));
    html_cell_number(&p->body, t->totals.requests_per_s, section_rate(text, t->totals.requests_per_s));
    add_percentile(p, t->latency, 50);
    add_percentile(p, t->latency, 99);
    add_percentile(p, t->latency, 101);
    html_cell_number(&p->body, (double)t->totals.failed, units_format_count(text, t->totals.failed));
    html_row_close(&p->body);
}

static void add_run(struct page *p, size_t run)
{
    const struct result *r = p->shown[run];
    struct buf caption;

    if (r->target_count < 2)
        return;
    buf_init(&caption, BUF_TEXT_MAX_BYTES);
    buf_printf(&caption, "%s%s%zu targets", p->c->count > 1 ? p->c->runs[run].name : "", p->c->count > 1 ? ": " : "",
               r->target_count);
    if (!isnan(fairness(r)))
        buf_printf(&caption, "; fairness of their rates %.4f (1: all alike, %.4f: one has everything)", fairness(r),
                   1.0 / (double)r->target_count);
    html_table_open(&p->body, buf_ok(&caption) ? caption.data : "",
                    "target|#started|#of all|#requests/s|#p50|#p99|#max|#failed");
    for (size_t i = 0; i < r->target_count && i < TARGETS_MAX; i++)
        add_target(p, r, &r->targets[i]);
    html_table_close(&p->body);
    if (r->target_count > TARGETS_MAX)
        html_printf(&p->body, "The first %d; the documents have all %zu.", TARGETS_MAX, r->target_count);
    buf_release(&caption);
}

static void add_target_chart(struct page *p)
{
    struct buf *out = &p->data;

    page_chart(p, "targets", "targets", "Requests a second of each target");
    buf_add_str(out, "{\"runs\":[");
    for (size_t run = 0; run < p->c->count; run++) {
        const struct result *r = p->shown[run];

        buf_add_str(out, run > 0 ? ",{\"name\":" : "{\"name\":");
        html_json_string(out, p->c->runs[run].name);
        buf_add_str(out, ",\"targets\":[");
        for (size_t i = 0; i < r->target_count && i < TARGETS_MAX; i++) {
            buf_add_str(out, i > 0 ? ",[" : "[");
            html_json_string(out, r->targets[i].url);
            buf_add_char(out, ',');
            html_json_number(out, r->targets[i].totals.requests_per_s);
            buf_add_char(out, ']');
        }
        buf_add_str(out, "]}");
    }
    buf_add_str(out, "]}");
}

void html_part_targets(struct page *p)
{
    bool any = false;

    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        any = any || (p->shown[i]->target_count > 1 && p->shown[i]->rounds == NULL);
    if (!any)
        return;
    page_section(p, "targets", "Targets");
    add_target_chart(p);
    for (size_t i = 0; i < p->c->count; i++)
        add_run(p, i);
}

/* ---- watched ---- */

static void add_figure(struct page *p, const struct watched *w, const struct watched_figure *f)
{
    char mean[SECTION_FIGURE_MAX], max[SECTION_FIGURE_MAX];

    html_row_open(&p->body);
    html_cell_head(&p->body, w->name);
    html_cell(&p->body, section_figure_name(f->name));
    html_cell_number(&p->body, f->mean, section_figure_value(mean, f->name, f->mean));
    html_cell_number(&p->body, f->max, section_figure_value(max, f->name, f->max));
    html_row_close(&p->body);
}

static void add_part(struct page *p, const struct result *r, const struct watched *w)
{
    const double cpu_s = watched_cpu_s(w, r->duration_s);
    const uint64_t requests = r->totals.ok + r->totals.failed;
    char text[UNITS_TEXT_MAX];

    for (size_t i = 0; i < w->figure_count; i++)
        add_figure(p, w, &w->figures[i]);
    if (isnan(cpu_s) || requests == 0)
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, w->name);
    html_cell(&p->body, "CPU per request");
    html_cell_number(&p->body, cpu_s / (double)requests, page_duration(text, cpu_s / (double)requests));
    html_cell_number(&p->body, NAN, "");
    html_row_close(&p->body);
}

/* One chart for each figure, with a line for each part that has it. */
static void add_chart(struct page *p, size_t run, const char *figure)
{
    const struct result *r = p->shown[run];
    struct buf *out = &p->data;
    struct buf label;
    bool first = true;
    char key[48];

    buf_init(&label, BUF_TEXT_MAX_BYTES);
    buf_printf(&label, "%s%s%s, second by second", p->c->count > 1 ? p->c->runs[run].name : "",
               p->c->count > 1 ? ": " : "", section_figure_name(figure));
    snprintf(key, sizeof(key), "watch-%zu-%zu", run, p->watch_charts++);
    page_chart(p, "watch", key, buf_ok(&label) ? label.data : "");
    buf_release(&label);
    buf_add_str(out, "{\"figure\":");
    html_json_string(out, figure);
    buf_add_str(out, ",\"parts\":[");
    for (size_t i = 0; i < r->watched_count; i++) {
        const struct watched_figure *f = watched_figure(&r->watched[i], figure);
        double *t = f != NULL ? calloc(f->count + 1, sizeof(*t)) : NULL;

        if (t == NULL)
            continue;
        for (size_t k = 0; k < f->count; k++)
            t[k] = (double)k + 0.5;
        buf_add_str(out, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        html_json_string(out, r->watched[i].name);
        buf_add_str(out, ",\"values\":");
        series_json(out, t, f->series, f->count, WATCH_POINTS);
        buf_add_char(out, '}');
        free(t);
    }
    buf_add_str(out, "]}");
}

static bool was_before(const struct result *r, size_t part, size_t figure)
{
    for (size_t i = 0; i < part; i++)
        if (watched_figure(&r->watched[i], r->watched[part].figures[figure].name) != NULL)
            return true;
    return false;
}

static void add_watched(struct page *p, size_t run)
{
    const struct result *r = p->shown[run];
    struct buf sentence;

    if (r->watched_count == 0)
        return;
    buf_init(&sentence, BUF_TEXT_MAX_BYTES);
    section_watched_sentence(&sentence, r->watched, r->watched_count);
    if (p->c->count > 1)
        html_element(&p->body, "h3", NULL, p->c->runs[run].name);
    html_element(&p->body, "p", NULL, sentence.len > 0 ? sentence.data : "nothing is known of their CPU");
    buf_release(&sentence);
    buf_add_str(&p->body, "<div class=\"row\">");
    for (size_t i = 0; i < r->watched_count; i++)
        for (size_t k = 0; k < r->watched[i].figure_count && p->watch_charts < WATCH_CHARTS_MAX; k++)
            if (r->watched[i].figures[k].count > 1 && !was_before(r, i, k))
                add_chart(p, run, r->watched[i].figures[k].name);
    buf_add_str(&p->body, "</div>\n");
    html_table_open(&p->body, "Parts of the target under load", "part|figure|#mean|#max");
    for (size_t i = 0; i < r->watched_count; i++)
        add_part(p, r, &r->watched[i]);
    html_table_close(&p->body);
}

void html_part_watch(struct page *p)
{
    bool any = false;

    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        any = any || p->shown[i]->watched_count > 0;
    if (!any)
        return;
    page_section(p, "watched", "Watched parts");
    for (size_t i = 0; i < p->c->count; i++)
        add_watched(p, i);
}
