/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_cell_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sections.h"

enum { EXAMPLE_MAX_BYTES = 600, ERRORS_MAX = 30, EXAMPLES_MAX = 3, REASONS_MAX = 8, KINDS_IN_A_ROW = 6 };
/* Cells times runs above which each has one row in place of tables. */
enum { COMPACT_FROM = 60 };
/* Of all cells together: a page of many cells that fail alike would be examples. */
enum { EXAMPLES_MAX_BYTES = 150000 };

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

int cell_sums_init(struct cell_sums *out, struct err *err)
{
    *out = (struct cell_sums){ 0 };
    return hist_new(&out->latency, err) != 0 || hist_new(&out->service_time, err) != 0 ? -1 : 0;
}

void cell_sums_release(struct cell_sums *s)
{
    hist_free(s->latency);
    hist_free(s->service_time);
    for (size_t i = 0; i < PHASES; i++)
        hist_free(s->phases[i]);
    for (size_t i = 0; i < s->error_count; i++) {
        free(s->errors[i].detail);
        free(s->errors[i].first);
    }
    free(s->errors);
    strlist_release(&s->reasons);
    *s = (struct cell_sums){ 0 };
}

/* ---- adding ---- */

static struct error_entry *entry_for(struct cell_sums *s, const struct error_entry *e)
{
    const struct slice detail = slice_str(e->detail);
    struct error_entry *grown, *added;

    for (size_t i = 0; i < s->error_count; i++)
        if (s->errors[i].kind == e->kind && slice_eq(slice_str(s->errors[i].detail), detail))
            return &s->errors[i];
    grown = reallocarray(s->errors, s->error_count + 1, sizeof(*grown));
    if (grown == NULL)
        return NULL;
    s->errors = grown;
    added = &grown[s->error_count];
    *added = (struct error_entry){ .kind = e->kind, .detail = slice_dup(detail), .first_at_s = INFINITY };
    if (added->detail == NULL)
        return NULL;
    if (e->first != NULL)
        added->first = slice_dup(slice_take(slice_str(e->first), EXAMPLE_MAX_BYTES));
    s->error_count++;
    return added;
}

static bool add_errors(struct cell_sums *s, const struct result *r)
{
    for (size_t i = 0; i < r->error_count; i++) {
        const struct error_entry *e = &r->errors[i];
        struct error_entry *sum = entry_for(s, e);

        if (sum == NULL)
            return false;
        sum->count += e->count;
        sum->first_at_s = fmin(sum->first_at_s, e->first_at_s);
        sum->last_at_s = fmax(sum->last_at_s, e->last_at_s);
    }
    return true;
}

static double p99_of(const struct hist *h)
{
    return hist_count(h) > 0 ? (double)hist_value_at(h, 99) / NS_PER_S : 0;
}

static bool add_health(struct cell_sums *s, const struct generator_health *g)
{
    if (g->workers == 0)
        return true;
    s->samples++;
    s->limited += g->limited;
    s->retransmits += g->retransmits;
    s->lag_p99_s = fmax(s->lag_p99_s, p99_of(g->loop_lag));
    s->lateness_p99_s = fmax(s->lateness_p99_s, p99_of(g->send_lateness));
    for (size_t i = 0; i < g->workers; i++)
        s->cpu_max = fmax(s->cpu_max, g->cpu_per_worker[i]);
    for (size_t i = 0; i < g->reasons.count; i++) {
        const struct slice reason = slice_str(g->reasons.items[i]);

        if (s->reasons.count < REASONS_MAX && !strlist_contains(&s->reasons, reason) &&
            !strlist_add(&s->reasons, reason))
            return false;
    }
    return true;
}

int cell_sums_add(struct cell_sums *s, const struct result *r, bool valid, struct err *err)
{
    s->started += r->totals.started;
    if (!add_errors(s, r) || !add_health(s, &r->generator))
        return no_memory(err);
    if (!valid)
        return 0;
    hist_merge(s->latency, r->latency);
    hist_merge(s->service_time, r->service_time);
    for (size_t i = 0; i < PHASES; i++) {
        if (hist_count(r->phases[i]) == 0)
            continue;
        if (s->phases[i] == NULL && hist_new(&s->phases[i], err) != 0)
            return -1;
        hist_merge(s->phases[i], r->phases[i]);
    }
    return 0;
}

/* ---- showing ---- */

/* Columns that begin with the run when there are several. */
static void open_table(struct page *p, const char *caption, const char *first, const char *rest)
{
    struct buf names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    buf_printf(&names, "%s|%s%s", first, p->c->count > 1 ? "run|" : "", rest);
    html_table_open(&p->body, caption, buf_ok(&names) ? names.data : "");
    buf_release(&names);
}

/* How many there are, percentiles, the maximum. */
static void add_hist(struct page *p, const struct hist *h, const double *percentiles, size_t count)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, (double)hist_count(h), units_format_count(text, hist_count(h)));
    for (size_t i = 0; i < count; i++) {
        const bool known = hist_count(h) > 0 && !section_percentile_is_max(h, percentiles[i]);
        const double ns = known ? (double)hist_value_at(h, percentiles[i]) : NAN;

        html_cell_number(&p->body, ns / NS_PER_S, known ? units_format_duration(text, ns) : "");
    }
    html_cell_number(&p->body, hist_count(h) > 0 ? (double)hist_max_ns(h) / NS_PER_S : NAN,
                     units_format_duration(text, (double)hist_max_ns(h)));
}

static void add_percentiles(struct page *p, size_t run, const char *name, const struct hist *h)
{
    static const double SHOWN[] = { 50, 90, 99, 99.9 };
    char text[UNITS_TEXT_MAX];

    if (hist_count(h) == 0)
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, name);
    if (p->c->count > 1)
        html_cell(&p->body, p->c->runs[run].name);
    add_hist(p, h, SHOWN, sizeof(SHOWN) / sizeof(SHOWN[0]));
    html_cell_number(&p->body, hist_mean_ns(h) / NS_PER_S, units_format_duration(text, hist_mean_ns(h)));
    html_row_close(&p->body);
}

static bool any_latency(const struct page *p, const struct cell_sums *sums)
{
    for (size_t run = 0; run < p->c->count; run++)
        if (hist_count(sums[run].latency) > 0)
            return true;
    return false;
}

static void show_latency(struct page *p, const struct cell_sums *sums)
{
    if (!any_latency(p, sums))
        return;
    open_table(p, "Valid samples together", "time", "#requests|#p50|#p90|#p99|#p99.9|#max|#mean");
    for (size_t run = 0; run < p->c->count; run++) {
        add_percentiles(p, run, "latency", sums[run].latency);
        add_percentiles(p, run, "service time", sums[run].service_time);
    }
    html_table_close(&p->body);
}

static void show_phases(struct page *p, const struct cell_sums *sums)
{
    if (!any_latency(p, sums))
        return;
    open_table(p, "Where the time went, valid samples together", "phase", "#times|#p50|#p99|#max|#mean");
    for (size_t i = 0; i < PHASES; i++)
        for (size_t run = 0; run < p->c->count; run++)
            page_phase(p, run, phase_text((enum phase)i), sums[run].phases[i], NULL);
    html_table_close(&p->body);
}

static int by_count(const void *a, const void *b)
{
    const struct error_entry *x = a, *y = b;

    return x->count < y->count ? 1 : x->count > y->count ? -1 : (int)x->kind - (int)y->kind;
}

static void add_errors_of(struct page *p, size_t run, const struct cell_sums *s)
{
    if (s->error_count > 1)
        qsort(s->errors, s->error_count, sizeof(*s->errors), by_count);
    for (size_t i = 0; i < s->error_count && i < ERRORS_MAX; i++)
        page_error(p, run, &s->errors[i], s->started);
}

static void add_examples(struct page *p, size_t run, const struct cell_sums *s)
{
    for (size_t i = 0; i < s->error_count && i < EXAMPLES_MAX && p->example_bytes < EXAMPLES_MAX_BYTES; i++) {
        const size_t before = p->body.len;

        page_error_example(p, run, &s->errors[i]);
        p->example_bytes += p->body.len - before;
    }
}

static void show_errors(struct page *p, const struct cell_sums *sums)
{
    size_t count = 0;

    for (size_t run = 0; run < p->c->count; run++)
        count += sums[run].error_count;
    if (count == 0)
        return;
    open_table(p, "Failed requests of all samples by cause; times from the start of a window", "kind",
               "detail|#requests|#of started|#first at|#last at");
    for (size_t run = 0; run < p->c->count; run++)
        add_errors_of(p, run, &sums[run]);
    html_table_close(&p->body);
    for (size_t run = 0; run < p->c->count; run++)
        add_examples(p, run, &sums[run]);
}

static void add_health_of(struct page *p, size_t run, const struct cell_sums *s)
{
    const double times[] = { s->lag_p99_s, s->lateness_p99_s };
    char text[UNITS_TEXT_MAX];

    html_row_open(&p->body);
    buf_add_str(&p->body, "<th scope=\"row\">");
    if (s->limited > 0)
        html_printf(&p->body, "yes, in %zu of %zu samples", s->limited, s->samples);
    else
        buf_add_str(&p->body, "no sign of it");
    buf_add_str(&p->body, "</th>");
    if (p->c->count > 1)
        html_cell(&p->body, p->c->runs[run].name);
    snprintf(text, sizeof(text), "%.0f %%", 100 * s->cpu_max);
    html_cell_number(&p->body, s->cpu_max, text);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        html_cell_number(&p->body, times[i] > 0 ? times[i] : NAN, page_duration(text, times[i]));
    html_cell_number(&p->body, (double)s->retransmits, units_format_count(text, s->retransmits));
    buf_add_str(&p->body, "<td>");
    for (size_t i = 0; i < s->reasons.count; i++)
        html_printf(&p->body, "%s%s", i > 0 ? "; " : "", s->reasons.items[i]);
    buf_add_str(&p->body, "</td>");
    html_row_close(&p->body);
}

static void show_health(struct page *p, const struct cell_sums *sums)
{
    size_t samples = 0;

    for (size_t run = 0; run < p->c->count; run++)
        samples += sums[run].samples;
    if (samples == 0)
        return;
    open_table(p, "The load generator, the worst of the samples; its limits: 95 % of a core, 10 ms, 10 ms",
               "it was the limit", "#busiest thread's CPU|#loop lag p99|#lateness p99|#segments sent again|because");
    for (size_t run = 0; run < p->c->count; run++)
        if (sums[run].samples > 0)
            add_health_of(p, run, &sums[run]);
    html_table_close(&p->body);
}

/* ---- in one row: pages of many cells have to stay small ---- */

static void say_phases(struct buf *out, const struct cell_sums *s)
{
    for (size_t i = 0; i < PHASES; i++) {
        char text[UNITS_TEXT_MAX];

        if (hist_count(s->phases[i]) > 0)
            buf_printf(out, "%s%s %s", out->len > 0 ? ", " : "", phase_text((enum phase)i),
                       units_format_duration(text, hist_mean_ns(s->phases[i])));
    }
}

static void say_errors(struct buf *out, const struct cell_sums *s)
{
    if (s->error_count > 1)
        qsort(s->errors, s->error_count, sizeof(*s->errors), by_count);
    for (size_t i = 0; i < s->error_count && i < KINDS_IN_A_ROW; i++) {
        const struct error_entry *e = &s->errors[i];
        char count[UNITS_TEXT_MAX];

        buf_printf(out, "%s%.80s: %s", i > 0 ? ", " : "", e->detail[0] != '\0' ? e->detail : fail_kind_text(e->kind),
                   units_format_count(count, e->count));
    }
    if (s->error_count > KINDS_IN_A_ROW)
        buf_printf(out, " and %zu more causes", s->error_count - KINDS_IN_A_ROW);
}

static void say_health(struct buf *out, const struct cell_sums *s)
{
    char text[UNITS_TEXT_MAX];

    if (s->samples == 0)
        return;
    if (s->limited > 0)
        buf_printf(out, "the limit in %zu of %zu samples, ", s->limited, s->samples);
    buf_printf(out, "CPU %.0f %%", 100 * s->cpu_max);
    if (s->lag_p99_s > 0)
        buf_printf(out, ", lag %s", page_duration(text, s->lag_p99_s));
    if (s->lateness_p99_s > 0)
        buf_printf(out, ", lateness %s", page_duration(text, s->lateness_p99_s));
}

static void add_sentence(struct page *p, const struct cell_sums *s,
                         void (*say)(struct buf *out, const struct cell_sums *s))
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    say(&text, s);
    html_cell(&p->body, text.len > 0 ? text.data : "");
    buf_release(&text);
}

static void show_compact(struct page *p, const struct cell_sums *sums)
{
    static const double SHOWN[] = { 50, 90, 99, 99.9 };

    html_table_open(&p->body,
                    "Samples together: latency of the valid ones, means of their phases; failures of all; the "
                    "generator's worst",
                    "run|#requests|#p50|#p90|#p99|#p99.9|#max|phases|failed|load generator");
    for (size_t run = 0; run < p->c->count; run++) {
        const struct hist *h = sums[run].latency;

        if (sums[run].samples == 0 && hist_count(h) == 0)
            continue;
        html_row_open(&p->body);
        html_cell_head(&p->body, p->c->runs[run].name);
        add_hist(p, h, SHOWN, sizeof(SHOWN) / sizeof(SHOWN[0]));
        add_sentence(p, &sums[run], say_phases);
        add_sentence(p, &sums[run], say_errors);
        add_sentence(p, &sums[run], say_health);
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
    for (size_t run = 0; run < p->c->count; run++)
        add_examples(p, run, &sums[run]);
}

void cell_sums_show(struct page *p, const struct cell_sums *sums)
{
    if (p->cell_count * p->c->count > COMPACT_FROM) {
        show_compact(p, sums);
        return;
    }
    show_latency(p, sums);
    show_phases(p, sums);
    show_errors(p, sums);
    show_health(p, sums);
}
