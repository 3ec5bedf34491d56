/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/sheet.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/printed.h"
#include "result/router_names.h"

/* Two decimals are printed, of values with one: what they can be off at most. */
#define DEVIATION_SLACK 0.0051

void sheet_release(struct sheet *s)
{
    free(s->rows);
    s->rows = NULL;
    s->row_count = 0;
}

void sheet_fail(struct sheet *s, unsigned line, const char *fmt, ...)
{
    char what[256];
    va_list args;

    if (s->failed)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    s->failed = true;
    if (line > 0)
        err_set(s->source->err, ERR_CONFIG, 0, "%s:%u: %s", s->source->name, line, what);
    else
        err_set(s->source->err, ERR_CONFIG, 0, "%s: %s", s->source->name, what);
}

size_t sheet_run(struct sheet *s, struct slice name, unsigned line)
{
    for (size_t i = 0; i < s->run_count; i++)
        if (slice_eq(s->runs[i], name))
            return i;
    if (s->run_count == SHEET_RUNS) {
        sheet_fail(s, line, "more than %d runs", SHEET_RUNS);
        return 0;
    }
    s->runs[s->run_count] = name;
    return s->run_count++;
}

void sheet_add(struct sheet *s, const struct sheet_row *row)
{
    if (s->failed)
        return;
    if ((s->row_count & (s->row_count - 1)) == 0) {
        struct sheet_row *grown = reallocarray(s->rows, s->row_count > 0 ? 2 * s->row_count : 1, sizeof(*grown));

        if (grown == NULL) {
            s->failed = true;
            err_set(s->source->err, ERR_SYSTEM, ENOMEM, "cannot import %s", s->source->name);
            return;
        }
        s->rows = grown;
    }
    s->rows[s->row_count++] = *row;
}

bool sheet_deviation(struct slice text, double *percent)
{
    text = slice_trim(text);
    if (text.len > 0 && text.ptr[text.len - 1] == '%')
        text.len--;
    return printed_double(text, percent);
}

/* Whether the row's deviation is that of the second value from the first; or the other way round. */
static bool fits(const struct sheet_row *r, bool turned)
{
    const double base = r->at[turned ? 1 : 0], new = r->at[turned ? 0 : 1];

    if (!r->has_deviation || r->count < 2 || base == 0)
        return true;
    return fabs((new - base) / base * 100 - r->deviation) <= DEVIATION_SLACK + 1e-9 * fabs(r->deviation);
}

/* Rows name their runs in an order that YAML has sorted: each is turned to base, new by its deviation. */
static const struct sheet_row *first_misfit(const struct sheet *s, size_t base)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (!fits(&s->rows[i], s->rows[i].runs[0] != base))
            return &s->rows[i];
    return NULL;
}

static bool has_deviations(const struct sheet *s)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].has_deviation)
            return true;
    return false;
}

static size_t find_base(struct sheet *s)
{
    const struct sheet_row *wrong = first_misfit(s, 0);

    if (wrong == NULL)
        return 0;
    for (size_t i = 1; i < s->run_count; i++)
        if (first_misfit(s, i) == NULL)
            return i;
    sheet_fail(s, wrong->line, "the deviation of %.2f%% is not that of the values %g and %g", wrong->deviation,
               wrong->at[0], wrong->at[1]);
    return 0;
}

static bool same_cell(const struct sheet_row *a, const struct sheet_row *b)
{
    if (a->dimensions != b->dimensions)
        return false;
    for (size_t i = 0; i < a->dimensions; i++)
        if (!slice_eq(a->names[i], b->names[i]) || !slice_eq(a->values[i], b->values[i]))
            return false;
    return true;
}

static bool is_first_of_cell(const struct sheet *s, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_cell(&s->rows[i], &s->rows[at]))
            return false;
    return true;
}

/* Of a figure that we do not know: times and errors are better when less. */
static bool is_better_higher(struct slice name)
{
    static const char *const LESS[] = { "latency", "ltcy", "time", "error", "duration", "pctl", "cpu", "memory" };

    for (size_t i = 0; i < sizeof(LESS) / sizeof(LESS[0]); i++)
        if (printed_contain(name, LESS[i]))
            return false;
    return true;
}

static void add_figure(struct report *p, struct slice metric, double value)
{
    const struct slice plain = router_name_without_avg(metric);
    const struct router_name *known = router_name_of_field(plain);
    char name[128];

    snprintf(name, sizeof(name), "%.*s", SLICE_FMT(slice_take(plain, sizeof(name) - 1)));
    if (known == NULL)
        report_metric(p, name, value, "1", is_better_higher(plain));
    else if (known->in_us)
        report_metric(p, known->metric, value / 1e6, "s", false);
    else
        report_rate(p, value);
}

static void add_figures(struct sheet *s, struct report *p, const struct sheet_row *cell, size_t run)
{
    for (size_t i = 0; i < s->row_count; i++)
        for (size_t k = 0; k < s->rows[i].count; k++) {
            if (s->rows[i].runs[k] != run || !same_cell(&s->rows[i], cell))
                continue;
            p->line = s->rows[i].line;
            add_figure(p, s->rows[i].metric, s->rows[i].at[k]);
        }
}

/* One id for all cells of a run in this file. */
static void set_run(struct report *p, size_t run)
{
    struct fingerprint f = p->source->fingerprint;
    char number[32], id[UUID_TEXT_MAX];

    snprintf(number, sizeof(number), "run %zu", run);
    fingerprint_add(&f, slice_str(number));
    fingerprint_uuid(&f, id);
    if (p->failed)
        return;
    p->r->run = strdup(id);
    if (p->r->run == NULL)
        report_no_memory(p);
}

static int give_cell(struct sheet *s, const struct sheet_row *cell, size_t run, const char *suffix)
{
    struct report p;

    report_begin(&p, s->source, "touchstone");
    set_run(&p, run);
    report_config_text(&p, "uuid", s->runs[run]);
    for (size_t i = 0; i < cell->dimensions; i++) {
        char name[128];

        snprintf(name, sizeof(name), "%.*s", SLICE_FMT(slice_take(cell->names[i], sizeof(name) - 1)));
        report_dimension(&p, name, cell->values[i]);
    }
    add_figures(s, &p, cell, run);
    return report_end(&p, suffix);
}

static int give_run(struct sheet *s, size_t run, size_t base)
{
    char suffix[160];

    if (s->run_count == 1)
        suffix[0] = '\0';
    else if (run == base)
        snprintf(suffix, sizeof(suffix), ":base");
    else if (s->run_count == 2)
        snprintf(suffix, sizeof(suffix), ":new");
    else
        snprintf(suffix, sizeof(suffix), ":%.*s", SLICE_FMT(slice_take(s->runs[run], 120)));
    for (size_t i = 0; i < s->row_count; i++)
        if (is_first_of_cell(s, i) && give_cell(s, &s->rows[i], run, suffix) != 0)
            return -1;
    return 0;
}

int sheet_give(struct sheet *s)
{
    size_t base;

    if (!s->failed && s->row_count == 0)
        sheet_fail(s, 0, "no rows");
    base = s->failed ? 0 : find_base(s);
    if (s->failed || give_run(s, base, base) != 0)
        return -1;
    for (size_t i = 0; i < s->run_count; i++)
        if (i != base && give_run(s, i, base) != 0)
            return -1;
    if (s->run_count > 1 && !has_deviations(s) && s->source->out->count > 0)
        result_add_warning(s->source->out->results[0],
                           "the file does not say which run is the base: taken for it is %.*s",
                           SLICE_FMT(slice_take(s->runs[base], 100)));
    return 0;
}
