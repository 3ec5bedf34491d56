/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_words.h"
#include "report/sections.h"
#include "result/side.h"

#define PAGE_MAX_BYTES (UINT64_C(1) << 28)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* ---- what a document leaves behind ---- */

static void fill_spark(struct page_document *d, const struct result *r)
{
    const size_t points = r->interval_count < HTML_SPARK_MAX ? r->interval_count : HTML_SPARK_MAX;
    struct hist *h = NULL;

    if (points < 3 || hist_new(&h, NULL) != 0)
        return;
    for (size_t i = 0; i < points; i++) {
        const size_t from = i * r->interval_count / points, to = (i + 1) * r->interval_count / points;
        float *value = &d->spark[i];

        *value = NAN;
        for (size_t k = from; k < to; k++) {
            hist_reset(h);
            if (interval_get_latency(&r->intervals[k], h, NULL) != 0 || hist_count(h) == 0)
                continue;
            if (isnan(*value) || (double)*value < (double)hist_value_at(h, 99) / NS_PER_S)
                *value = (float)((double)hist_value_at(h, 99) / NS_PER_S);
        }
    }
    d->spark_count = points;
    hist_free(h);
}

static void fill_document(struct page_document *d, const struct result *r)
{
    const bool received = totals_has(&r->totals, TOTAL_BYTES_RECEIVED) && r->duration_s > 0 && r->rounds == NULL;

    d->rate_asked = r->generator.rate_asked > 0 ? r->generator.rate_asked : NAN;
    d->received_per_s = received ? (double)r->totals.bytes_received / r->duration_s : NAN;
    d->limited = r->generator.limited;
    d->promised = r->promise_count > 0;
    d->broken = !result_promises_kept(r);
    fill_spark(d, r);
}

/* ---- reading ---- */

static int take_document(struct page *p, size_t run, size_t document, struct err *err)
{
    const struct collection_run *from = &p->c->runs[run];
    const size_t before = p->all.count;
    struct page_record *grown;
    struct result *r = NULL;

    if (collection_read(&from->documents[document], &r, err) != 0)
        return -1;
    fill_document(&p->documents[run][document], r);
    if (!side_add_result(&p->all, r, from->documents[document].source)) {
        result_free(r);
        return no_memory(err);
    }
    if (p->shown != NULL)
        p->shown[run] = r;
    else
        result_free(r);
    grown = reallocarray(p->records, p->all.count + 1, sizeof(*grown));
    if (grown == NULL)
        return no_memory(err);
    p->records = grown;
    for (size_t i = before; i < p->all.count; i++)
        grown[i] = (struct page_record){ run, document };
    return 0;
}

static int read_documents(struct page *p, struct err *err)
{
    bool single = true;

    for (size_t i = 0; i < p->c->count; i++)
        single = single && p->c->runs[i].count == 1;
    p->documents = calloc(p->c->count + 1, sizeof(*p->documents));
    p->shown = single ? calloc(p->c->count + 1, sizeof(struct result *)) : NULL;
    if (p->documents == NULL || (single && p->shown == NULL))
        return no_memory(err);
    for (size_t i = 0; i < p->c->count; i++) {
        p->documents[i] = calloc(p->c->runs[i].count + 1, sizeof(**p->documents));
        if (p->documents[i] == NULL)
            return no_memory(err);
        for (size_t k = 0; k < p->c->runs[i].count; k++)
            if (take_document(p, i, k, err) != 0)
                return -1;
    }
    return 0;
}

/* ---- comparing and grouping ---- */

/* A suite's samples say themselves which cell they are of; nothing else then makes cells. */
static int find_dimensions(struct page *p, struct err *err)
{
    for (size_t i = 0; i < p->all.count; i++) {
        const struct record *r = &p->all.records[i];
        size_t found = 0;

        for (size_t k = 0; k < r->fact_count; k++) {
            const struct slice name = slice_str(r->facts[k].name);

            if (r->facts[k].role != FACT_CELL)
                continue;
            found++;
            if (i == 0 && !strlist_add(&p->dimensions, name))
                return no_memory(err);
            if (!strlist_contains(&p->dimensions, name))
                found = SIZE_MAX;
        }
        if (found != p->dimensions.count) { /* not all of one suite */
            strlist_release(&p->dimensions);
            return 0;
        }
    }
    return 0;
}

static int compare(struct page *p, struct err *err)
{
    const struct collection *c = p->c;
    const struct comparison_options options = { .by = &p->dimensions,
                                                .metrics = p->options->metrics,
                                                .min_change = p->options->min_change,
                                                .same_session = p->options->same_session };

    p->comparisons = calloc(c->count + 1, sizeof(*p->comparisons));
    if (p->comparisons == NULL)
        return no_memory(err);
    for (size_t i = 1; i < c->count; i++, p->comparison_count++) {
        struct comparison_options one = options;

        /* The two sides of an interleaved suite were measured in one session, in turn. */
        one.same_session = one.same_session || c->runs[i].word == c->runs[0].word;
        if (comparison_make(&p->comparisons[i - 1], &c->runs[0].side, &c->runs[i].side, p->options->history, &one,
                            err) != 0) {
            comparison_release(&p->comparisons[i - 1]);
            return -1;
        }
    }
    return 0;
}

static bool put_record(struct page_group *g, size_t record)
{
    size_t *grown = reallocarray(g->records, g->count + 1, sizeof(*grown));

    if (grown == NULL)
        return false;
    g->records = grown;
    grown[g->count++] = record;
    return true;
}

/* Runs of one document each are alike for the page, whatever they did: their differences are told by the comparison. */
static bool is_one_cell(const struct page *p)
{
    bool rounds = false;

    for (size_t i = 0; i < p->c->count && p->shown != NULL; i++)
        rounds = rounds || p->shown[i]->rounds != NULL;
    return (p->shown != NULL && !rounds) || p->all.count < 2 ||
           (p->comparison_count > 0 && p->comparisons[0].dimensions.count == 0);
}

static int find_cells(struct page *p, struct err *err)
{
    const struct comparison_options options = { .by = p->comparison_count > 0 ? &p->comparisons[0].dimensions : NULL,
                                                .metrics = p->options->metrics };

    p->cell_count = 1;
    if (is_one_cell(p))
        return 0;
    if (comparison_make(&p->cells, &p->all, &p->all, NULL, &options, err) != 0)
        return -1;
    p->cell_count = p->cells.cell_count > 0 ? p->cells.cell_count : 1;
    return 0;
}

static int group(struct page *p, struct err *err)
{
    bool ok = true;

    if (find_cells(p, err) != 0)
        return -1;
    p->groups = calloc(p->cell_count * p->c->count + 1, sizeof(*p->groups));
    if (p->groups == NULL)
        return no_memory(err);
    if (p->cells.cell_count == 0) {
        for (size_t i = 0; i < p->all.count && ok; i++)
            ok = put_record(&p->groups[p->records[i].run], i);
        return ok ? 0 : no_memory(err);
    }
    for (size_t cell = 0; cell < p->cell_count; cell++)
        for (size_t i = 0; i < p->cells.cells[cell].base_count && ok; i++) {
            const size_t record = p->cells.cells[cell].base[i];

            ok = put_record(&p->groups[cell * p->c->count + p->records[record].run], record);
        }
    return ok ? 0 : no_memory(err);
}

int page_init(struct page *p, const struct collection *c, const struct html_options *o, struct err *err)
{
    *p = (struct page){ .c = c, .options = o };
    buf_init(&p->body, PAGE_MAX_BYTES);
    buf_init(&p->data, PAGE_MAX_BYTES);
    if (c->count + c->limit_count == 0)
        return err_set(err, ERR_CONFIG, 0, "no result was given");
    if (read_documents(p, err) != 0 || find_dimensions(p, err) != 0 || compare(p, err) != 0)
        return -1;
    return group(p, err);
}

void page_release(struct page *p)
{
    for (size_t i = 0; p->c != NULL && i < p->c->count; i++) {
        if (p->documents != NULL)
            free(p->documents[i]);
        if (p->shown != NULL)
            result_free(p->shown[i]);
    }
    for (size_t i = 0; p->groups != NULL && i < p->cell_count * p->c->count; i++)
        free(p->groups[i].records);
    for (size_t i = 0; i < p->comparison_count; i++)
        comparison_release(&p->comparisons[i]);
    comparison_release(&p->cells);
    strlist_release(&p->dimensions);
    free(p->documents);
    free(p->shown);
    free(p->groups);
    free(p->records);
    free(p->comparisons);
    side_release(&p->all);
    buf_release(&p->body);
    buf_release(&p->data);
}

/* ---- sections ---- */

void page_end_sections(struct page *p)
{
    buf_add_str(&p->body, p->in_section ? "</section>\n" : "");
    p->in_section = false;
}

void page_section(struct page *p, const char *id, const char *title)
{
    page_end_sections(p);
    if (p->section_count < HTML_SECTIONS_MAX) {
        p->sections[p->section_count].id = id;
        p->sections[p->section_count++].title = title;
    }
    buf_printf(&p->body, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">", id, id, id);
    html_text(&p->body, title);
    buf_add_str(&p->body, "</h2>\n");
    p->in_section = true;
}

void page_data(struct page *p, const char *key)
{
    buf_printf(&p->data, "%s\"%s\":", p->data.len > 0 ? ",\n" : "", key);
}

void page_chart(struct page *p, const char *kind, const char *key, const char *label)
{
    html_chart(&p->body, kind, key, label);
    page_data(p, key);
}

/* ---- figures ---- */

const char *page_cell_label(const struct page *p, size_t cell)
{
    return p->cells.cell_count > 0 ? p->cells.cells[cell].label : "";
}

double page_figure(const struct page *p, const struct page_group *g, const char *metric, size_t *count)
{
    double sum = 0, logs = 0;
    bool positive = true;
    size_t n = 0;

    for (size_t i = 0; i < g->count; i++) {
        const struct record *r = &p->all.records[g->records[i]];
        const struct metric *m = r->valid || g->count == 1 ? record_metric(r, metric) : NULL;

        if (m == NULL || !isfinite(m->value))
            continue;
        positive = positive && m->value > 0;
        sum += m->value;
        logs += m->value > 0 ? log(m->value) : 0;
        n++;
    }
    if (count != NULL)
        *count = n;
    if (n == 0)
        return NAN;
    return positive ? exp(logs / (double)n) : sum / (double)n;
}

const struct metric *page_metric(const struct page *p, const char *name)
{
    for (size_t i = 0; i < p->all.count; i++) {
        const struct metric *m = record_metric(&p->all.records[i], name);

        if (m != NULL)
            return m;
    }
    return NULL;
}

const char *page_metric_name(char out[PAGE_TEXT_MAX], const char *name)
{
    char *digits;

    words_metric(out, name);
    digits = strstr(out, " p99");
    if (digits != NULL && digits[4] >= '0' && digits[4] <= '9') { /* p999: two digits stand before the point */
        memmove(&digits[5], &digits[4], strlen(&digits[4]) + 1);
        digits[4] = '.';
    }
    return out;
}

const char *page_column_name(char out[PAGE_TEXT_MAX], const char *name)
{
    const char *whole = page_metric_name(out, name);

    if (strcmp(name, "error_share") == 0)
        return "failed";
    return strncmp(whole, "latency ", 8) == 0 ? whole + 8 : whole;
}

/* Three digits, as durations have them. */
static const char *share_text(char out[PAGE_TEXT_MAX], double share)
{
    const double percent = 100 * share;
    const int digits = percent >= 99.95 || percent == 0 ? 0 : percent >= 9.995 ? 1 : percent >= 0.9995 ? 2 : 3;

    snprintf(out, PAGE_TEXT_MAX, percent > 0 && percent < 0.0005 ? "%.*e %%" : "%.*f %%", digits, percent);
    return out;
}

const char *page_value(char out[PAGE_TEXT_MAX], const struct metric *m, double value)
{
    const struct comparison_metric shown = { .name = m->name, .is_share = m->is_share };

    if (m->is_share && isfinite(value))
        return share_text(out, value);
    if (isfinite(value) && slice_ends(slice_str(m->name), SLICE("_per_s"))) {
        char rate[UNITS_TEXT_MAX];

        snprintf(out, PAGE_TEXT_MAX, "%s", section_rate(rate, value));
        return out;
    }
    return words_value(out, &shown, value);
}

const char *page_duration(char out[UNITS_TEXT_MAX], double seconds)
{
    if (isnan(seconds))
        return "-";
    return units_format_duration(out, seconds * NS_PER_S);
}
