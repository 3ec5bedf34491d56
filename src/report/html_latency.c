/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency as a distribution: percentiles as far as the count carries, and how the requests are spread. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html_series.h"
#include "report/sections.h"
#include "stats/summary.h"

enum { CURVE_PER_DECADE = 16, BINS = 24 };
#define SPREAD_MIN 1.02 /* a narrower spread has no shape worth drawing */

static const double SHOWN[] = { 50, 75, 90, 95, 99, 99.9, 99.99, 99.999 };
#define SHOWN_COUNT (sizeof(SHOWN) / sizeof(SHOWN[0]))

static bool has_latency(const struct result *r)
{
    return hist_count(r->latency) > 0;
}

/* Reports of other tools know one clock. */
static bool has_service(const struct result *r)
{
    return hist_count(r->service_time) > 0;
}

/* The histograms of a run that have columns of the table. */
static size_t columns_of(const struct hist *out[2], const struct page *p, size_t run)
{
    const struct result *r = p->shown[run];

    out[0] = r->latency;
    out[1] = r->service_time;
    return has_service(r) ? 2 : 1;
}

static bool any_latency(const struct page *p)
{
    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        if (has_latency(p->shown[i]))
            return true;
    return false;
}

/* ---- the table ---- */

static void add_names(struct buf *out, const struct page *p)
{
    html_column(out, false, "percentile");
    for (size_t i = 0; i < p->c->count; i++) {
        const char *name = p->c->count > 1 ? p->c->runs[i].name : "";
        const char *colon = p->c->count > 1 ? ": " : "";

        html_column(out, true, "%s%slatency", name, colon);
        if (columns_of((const struct hist *[2]){ 0 }, p, i) > 1)
            html_column(out, true, "%s%sservice time", name, colon);
    }
}

static void add_value(struct page *p, const struct hist *h, double ns)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, hist_count(h) > 0 ? ns / NS_PER_S : NAN,
                     hist_count(h) > 0 ? units_format_duration(text, ns) : "");
}

static void add_percentile(struct page *p, double q)
{
    char label[SUMMARY_KEY_MAX];
    bool any = false;

    for (size_t i = 0; i < p->c->count; i++)
        any = any || (has_latency(p->shown[i]) && !section_percentile_is_max(p->shown[i]->latency, q));
    if (!any)
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, summary_percentile_label(label, q));
    for (size_t i = 0; i < p->c->count; i++) {
        const struct hist *both[2];
        const size_t n = columns_of(both, p, i);

        for (size_t k = 0; k < n; k++)
            if (section_percentile_is_max(both[k], q))
                html_cell_number(&p->body, NAN, "");
            else
                add_value(p, both[k], (double)hist_value_at(both[k], q));
    }
    html_row_close(&p->body);
}

static void add_figure(struct page *p, const char *name, double (*figure)(const struct hist *))
{
    html_row_open(&p->body);
    html_cell_head(&p->body, name);
    for (size_t i = 0; i < p->c->count; i++) {
        const struct hist *both[2];
        const size_t n = columns_of(both, p, i);

        for (size_t k = 0; k < n; k++)
            add_value(p, both[k], figure(both[k]));
    }
    html_row_close(&p->body);
}

static double least(const struct hist *h)
{
    return (double)hist_min_ns(h);
}

static double greatest(const struct hist *h)
{
    return (double)hist_max_ns(h);
}

static void add_counts(struct page *p)
{
    char text[UNITS_TEXT_MAX];

    html_row_open(&p->body);
    html_cell_head(&p->body, "requests");
    for (size_t i = 0; i < p->c->count; i++) {
        const struct hist *both[2];
        const size_t n = columns_of(both, p, i);

        for (size_t k = 0; k < n; k++)
            html_cell_number(&p->body, (double)hist_count(both[k]), units_format_count(text, hist_count(both[k])));
    }
    html_row_close(&p->body);
}

static void add_table(struct page *p)
{
    struct buf names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    add_names(&names, p);
    html_table_open(&p->body, "Latency of ok requests, from due; service time from the first byte sent",
                    buf_ok(&names) ? names.data : "");
    buf_release(&names);
    add_figure(p, "min", least);
    for (size_t i = 0; i < SHOWN_COUNT; i++)
        add_percentile(p, SHOWN[i]);
    add_figure(p, "max", greatest);
    add_figure(p, "mean", hist_mean_ns);
    add_figure(p, "standard deviation", hist_stddev_ns);
    add_counts(p);
    html_table_close(&p->body);
    html_element(&p->body, "p", "note",
                 "A dash: so few requests that this percentile is the maximum, or lies beyond it.");
}

/* ---- the curve ---- */

static void add_promises(struct buf *out, const struct result *r, bool *first)
{
    for (size_t i = 0; i < r->promise_count; i++) {
        const struct promise *m = &r->promises[i];

        if (m->unit != PROMISE_SECONDS || !(m->limit > 0))
            continue;
        buf_add_str(out, *first ? "" : ",");
        *first = false;
        buf_add_str(out, "{\"clause\":");
        html_json_string(out, m->clause);
        buf_add_str(out, ",\"limit\":");
        html_json_number(out, m->limit);
        buf_add_char(out, '}');
    }
}

static void add_curves(struct page *p)
{
    struct buf *out = &p->data;
    bool first = true;

    page_chart(
        p, "percentiles", "percentiles",
        "Latency by percentile: solid from when a request was due, dotted from its first byte; a curve ends where "
        "one request is left. The first of several runs is dashed.");
    buf_add_str(out, "{\"runs\":[");
    for (size_t i = 0; i < p->c->count; i++) {
        buf_add_str(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        html_json_string(out, p->c->runs[i].name);
        buf_add_str(out, ",\"latency\":");
        curve_json(out, p->shown[i]->latency, CURVE_PER_DECADE);
        buf_add_str(out, ",\"service\":");
        curve_json(out, p->shown[i]->service_time, CURVE_PER_DECADE);
        buf_add_char(out, '}');
    }
    buf_add_str(out, "],\"promises\":[");
    for (size_t i = 0; i < p->c->count; i++)
        add_promises(out, p->shown[i], &first);
    buf_add_str(out, "]}");
}

/* ---- the histogram ---- */

struct bins {
    double low, ratio; /* ns; bins of the same ratio */
    double largest;    /* share of one bin */
};

static double edge(const struct bins *b, size_t i)
{
    return b->low * pow(b->ratio, (double)i / BINS);
}

static double share_of(const struct hist *h, const struct bins *b, size_t bin)
{
    const uint64_t below = bin == 0 ? 0 : hist_count_at_or_below(h, (uint64_t)edge(b, bin));
    const uint64_t upto = bin + 1 == BINS ? hist_count(h) : hist_count_at_or_below(h, (uint64_t)edge(b, bin + 1));

    return hist_count(h) > 0 ? (double)(upto - below) / (double)hist_count(h) : NAN;
}

static bool find_bins(struct bins *b, const struct page *p)
{
    double low = INFINITY, high = 0;

    *b = (struct bins){ 0 };
    for (size_t i = 0; i < p->c->count; i++) {
        if (!has_latency(p->shown[i]))
            continue;
        low = fmin(low, (double)hist_min_ns(p->shown[i]->latency));
        high = fmax(high, (double)hist_max_ns(p->shown[i]->latency));
    }
    b->low = low > 1 ? low : 1;
    b->ratio = high / b->low;
    for (size_t i = 0; i < p->c->count; i++)
        for (size_t bin = 0; bin < BINS; bin++)
            b->largest = fmax(b->largest, share_of(p->shown[i]->latency, b, bin));
    return b->ratio >= SPREAD_MIN && isfinite(b->ratio) && b->largest > 0;
}

static void add_bin(struct page *p, const struct bins *b, size_t bin)
{
    char low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX];

    html_row_open(&p->body);
    buf_add_str(&p->body, "<th scope=\"row\">");
    html_printf(&p->body, "%s to %s", units_format_duration(low, edge(b, bin)),
                units_format_duration(high, edge(b, bin + 1)));
    buf_add_str(&p->body, "</th>");
    for (size_t i = 0; i < p->c->count; i++) {
        const double share = share_of(p->shown[i]->latency, b, bin);
        const uint64_t whole = hist_count(p->shown[i]->latency);
        char text[SECTION_CELL_MAX];

        html_cell_number(&p->body, share, section_share(text, (uint64_t)llround(share * (double)whole), whole));
        buf_add_str(&p->body, "<td>");
        if (share > 0)
            buf_printf(&p->body, "<span class=\"bar s%zu\" style=\"width:%.2frem\"></span>", i % 8,
                       12 * share / b->largest);
        buf_add_str(&p->body, "</td>");
    }
    html_row_close(&p->body);
}

static void add_histogram(struct page *p)
{
    struct buf names;
    struct bins b;

    if (!find_bins(&b, p))
        return;
    page_section(p, "histogram", "Histogram");
    buf_init(&names, BUF_TEXT_MAX_BYTES);
    html_column(&names, false, "latency");
    for (size_t i = 0; i < p->c->count; i++) {
        html_column(&names, true, "%s", p->c->count > 1 ? p->c->runs[i].name : "share of ok requests");
        html_column(&names, false, "as a bar");
    }
    html_table_open(&p->body,
                    "How the ok requests are spread; every bin is wider than the one before by the same factor",
                    buf_ok(&names) ? names.data : "");
    buf_release(&names);
    for (size_t bin = 0; bin < BINS; bin++)
        add_bin(p, &b, bin);
    html_table_close(&p->body);
}

void html_part_latency(struct page *p)
{
    if (!any_latency(p))
        return;
    page_section(p, "percentiles", "Percentiles");
    add_curves(p);
    add_table(p);
}

void html_part_histogram(struct page *p)
{
    if (any_latency(p))
        add_histogram(p);
}
