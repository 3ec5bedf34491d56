/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that people ask for first: a row for each run, or for each cell and run. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare_words.h"
#include "report/sections.h"
#include "stats/summary.h"

enum { COLUMNS_MAX = 24 };

static const char *const LOAD_METRICS[] = { "requests_per_s", "latency_p50", "latency_p90",  "latency_p99",
                                            "latency_p999",   "latency_max", "latency_mean", "error_share" };

struct columns {
    const struct metric *items[COLUMNS_MAX];
    size_t count;
};

/* Those of a load, as far as any sample has them; of others, whatever they measured. */
static void pick(struct columns *out, const struct page *p)
{
    *out = (struct columns){ 0 };
    for (size_t i = 0; i < sizeof(LOAD_METRICS) / sizeof(LOAD_METRICS[0]); i++) {
        const struct metric *m = page_metric(p, LOAD_METRICS[i]);

        if (m != NULL && (strcmp(m->name, "latency_mean") != 0 || out->count < 2))
            out->items[out->count++] = m;
    }
    if (out->count > 1 || (out->count == 1 && strcmp(out->items[0]->name, "error_share") != 0))
        return;
    out->count = 0;
    for (size_t i = 0; p->all.count > 0 && i < p->all.records[0].metric_count && i < COLUMNS_MAX; i++)
        out->items[out->count++] = &p->all.records[0].metrics[i];
}

static bool any_spark(const struct page *p)
{
    for (size_t i = 0; i < p->cell_count * p->c->count; i++) {
        const struct page_group *g = &p->groups[i];

        if (g->count > 0 &&
            p->documents[p->records[g->records[0]].run][p->records[g->records[0]].document].spark_count > 0)
            return true;
    }
    return false;
}

static void add_names(struct buf *out, const struct page *p, const struct columns *columns, bool cells, bool asked,
                      bool received)
{
    char text[PAGE_TEXT_MAX];

    buf_add_str(out, cells ? "cell|run|#samples" : "run");
    buf_add_str(out, asked ? "|#asked/s" : "");
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = page_column_name(text, columns->items[i]->name);

        if (asked && strcmp(columns->items[i]->name, "requests_per_s") == 0)
            name = "achieved/s";
        html_column(out, true, "%s", name);
    }
    buf_add_str(out, received ? "|#received/s" : "");
    buf_add_str(out, any_spark(p) ? "|p99 over time" : "");
}

/* Mean of what the group's documents say; field: its offset in struct page_document. */
static double document_mean(const struct page *p, const struct page_group *g, size_t field)
{
    double sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < g->count; i++) {
        const struct page_record *r = &p->records[g->records[i]];
        double value;

        memcpy(&value, (const char *)&p->documents[r->run][r->document] + field, sizeof(value));
        if (isnan(value))
            continue;
        sum += value;
        n++;
    }
    return n > 0 ? sum / (double)n : NAN;
}
#define DOCUMENT_MEAN(p, g, field) document_mean(p, g, offsetof(struct page_document, field))

static bool any_document(const struct page *p, size_t field)
{
    for (size_t i = 0; i < p->cell_count * p->c->count; i++)
        if (!isnan(document_mean(p, &p->groups[i], field)))
            return true;
    return false;
}

static void add_spark(struct page *p, const struct page_group *g)
{
    const struct page_record *r = g->count > 0 ? &p->records[g->records[0]] : NULL;
    const struct page_document *d = r != NULL ? &p->documents[r->run][r->document] : NULL;

    buf_add_str(&p->body, "<td>");
    if (d != NULL)
        html_spark(&p->body, d->spark, d->spark_count, "p99 of each second");
    buf_add_str(&p->body, "</td>");
}

/* A percentile that the sample is too small for is its maximum, and marked. */
static bool is_starred(const struct page *p, size_t run, const char *metric)
{
    static const double PERCENTILES[] = { 50, 90, 99, 99.9 };
    char key[SUMMARY_KEY_MAX];

    if (p->shown == NULL || strncmp(metric, "latency_", 8) != 0)
        return false;
    for (size_t i = 0; i < sizeof(PERCENTILES) / sizeof(PERCENTILES[0]); i++)
        if (strcmp(metric + 8, summary_percentile_key(key, PERCENTILES[i])) == 0)
            return section_percentile_is_max(p->shown[run]->latency, PERCENTILES[i]);
    return false;
}

static bool add_figures(struct page *p, const struct page_group *g, size_t run, const struct columns *columns)
{
    bool starred = false;

    for (size_t i = 0; i < columns->count; i++) {
        const struct metric *m = columns->items[i];
        const double value = page_figure(p, g, m->name, NULL);
        const bool star = !isnan(value) && is_starred(p, run, m->name);
        char text[PAGE_TEXT_MAX], shown[PAGE_TEXT_MAX + 2];

        snprintf(shown, sizeof(shown), "%s%s", page_value(text, m, value), star ? " *" : "");
        html_cell_number(&p->body, value, shown);
        starred = starred || star;
    }
    return starred;
}

static bool add_row(struct page *p, size_t cell, size_t run, const struct columns *columns, bool asked, bool received)
{
    const struct page_group *g = page_group(p, cell, run);
    const double rate = DOCUMENT_MEAN(p, g, rate_asked), bytes = DOCUMENT_MEAN(p, g, received_per_s);
    char text[UNITS_TEXT_MAX], per_s[UNITS_TEXT_MAX + 2];
    bool starred;

    html_row_open(&p->body);
    if (p->shown == NULL) {
        buf_printf(&p->body, "<th scope=\"row\"><a href=\"#cell-%zu\">", cell);
        html_text(&p->body, page_cell_label(p, cell)[0] != '\0' ? page_cell_label(p, cell) : "all");
        buf_add_str(&p->body, "</a></th>");
        html_cell(&p->body, p->c->runs[run].name);
        html_cell_number(&p->body, (double)g->count, units_format_count(text, g->count));
    } else {
        html_cell_head(&p->body, p->c->runs[run].name);
    }
    if (asked)
        html_cell_number(&p->body, rate, isnan(rate) ? "" : section_rate(text, rate));
    starred = add_figures(p, g, run, columns);
    if (received) {
        snprintf(per_s, sizeof(per_s), "%s", isnan(bytes) ? "" : units_format_size(text, bytes));
        html_cell_number(&p->body, bytes, per_s);
    }
    if (any_spark(p))
        add_spark(p, g);
    html_row_close(&p->body);
    return starred;
}

void html_part_headline(struct page *p)
{
    const bool asked = any_document(p, offsetof(struct page_document, rate_asked));
    const bool received = any_document(p, offsetof(struct page_document, received_per_s));
    struct columns columns;
    bool starred = false;
    struct buf names;

    pick(&columns, p);
    if (columns.count == 0 || (p->shown != NULL && p->shown[0]->rounds != NULL))
        return;
    page_section(p, "headline", "Headline");
    buf_init(&names, BUF_TEXT_MAX_BYTES);
    add_names(&names, p, &columns, p->shown == NULL, asked, received);
    html_table_open(&p->body, p->shown == NULL ? "Figures of each cell, means of its samples" : "Figures of each run",
                    buf_ok(&names) ? names.data : "");
    for (size_t cell = 0; cell < p->cell_count; cell++)
        for (size_t run = 0; run < p->c->count; run++)
            if (page_group(p, cell, run)->count > 0)
                starred = add_row(p, cell, run, &columns, asked, received) || starred;
    html_table_close(&p->body);
    buf_release(&names);
    if (starred)
        html_element(&p->body, "p", "note", "* the maximum: there are too few requests for this percentile");
}
