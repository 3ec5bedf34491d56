/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of concurrent commands: each round, failures, where the time goes by phase, how it scales. */
#include "report/html_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/html_rounds.h"
#include "report/rounds_parts.h"
#include "report/sections.h"
#include "result/rounds_scaling.h"

enum { FAILURES_MAX = 40, GROUPS_MAX = 8 };

static void add_time(struct page *p, double s)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, s, rounds_time(text, s));
}

static void add_number(struct page *p, double value, const char *format)
{
    char text[UNITS_TEXT_MAX];

    if (format == NULL)
        snprintf(text, sizeof(text), "%.0f", value);
    else
        snprintf(text, sizeof(text), "%.2f", value);
    html_cell_number(&p->body, value, text);
}

static const char *series_name(const struct rounds_result *r, uint32_t series)
{
    return series < r->series_count && r->series[series].name != NULL ? r->series[series].name : "";
}

/* ---- every round ---- */

static void add_round(struct page *p, const struct rounds_result *r, const struct rounds_round *round)
{
    char text[UNITS_TEXT_MAX];

    html_row_open(&p->body);
    snprintf(text, sizeof(text), "%" PRIu32, round->concurrency);
    buf_printf(&p->body, "<th scope=\"row\" class=\"n\" data-v=\"%s\">%s</th>", text, text);
    if (r->series_count > 1)
        html_cell(&p->body, series_name(r, round->series));
    add_number(p, round->sample, NULL);
    add_number(p, round->ok, NULL);
    add_number(p, round->failed, NULL);
    add_time(p, round->mean_s);
    add_time(p, round->mean_ok_s);
    add_time(p, round->mean_discounted_s);
    add_time(p, round->median_s);
    add_time(p, round->min_s);
    add_time(p, round->max_s);
    add_time(p, round->stddev_s);
    add_time(p, round->makespan_s);
    html_cell_number(&p->body, round->copies_per_s,
                     isnan(round->copies_per_s) ? "" : section_rate(text, round->copies_per_s * 60));
    html_cell(&p->body, round->completion == COMPLETION_UNKNOWN ? "" : completion_text(round->completion));
    html_row_close(&p->body);
}

static void add_rounds(struct page *p, const struct rounds_result *r)
{
    html_table_open(&p->body, "Every round; \"all time / ok\" is what one success cost",
                    r->series_count > 1 ? "#at once|series|#sample|#ok|#failed|#mean of all|#mean of ok|#all time / "
                                          "ok|#median|#min|#max|#stddev|#makespan|#copies/min|they ended"
                                        : "#at once|#sample|#ok|#failed|#mean of all|#mean of ok|#all time / "
                                          "ok|#median|#min|#max|#stddev|#makespan|#copies/min|they ended");
    for (size_t i = 0; i < r->round_count; i++)
        add_round(p, r, &r->rounds[i]);
    html_table_close(&p->body);
}

/* Every duration that the dots show. */
static void add_copies(struct page *p, const struct rounds_result *r)
{
    html_details_open(&p->body, NULL, "Every copy", false);
    html_table_open(&p->body, "Every copy; start and end from the release of its round",
                    "#at once|#round|#copy|#start|#duration|#end|outcome");
    for (size_t i = 0; i < r->round_count; i++)
        for (size_t k = 0; k < r->rounds[i].copy_count && k < ROUNDS_COPIES_MAX; k++) {
            const struct rounds_copy *c = &r->rounds[i].copies[k];

            html_row_open(&p->body);
            add_number(p, r->rounds[i].concurrency, NULL);
            add_number(p, r->rounds[i].number, NULL);
            add_number(p, c->index, NULL);
            add_time(p, c->start_s);
            add_time(p, c->duration_s);
            add_time(p, c->start_s + c->duration_s);
            html_cell(&p->body, c->ok                ? "ok"
                                : c->failure != NULL ? c->failure
                                : c->unfinished      ? "unfinished"
                                                     : "failed");
            html_row_close(&p->body);
        }
    html_table_close(&p->body);
    html_details_close(&p->body);
}

/* ---- failures ---- */

static void add_lines(struct page *p, const struct strlist *lines)
{
    if (lines->count == 0)
        return;
    buf_add_str(&p->body, "<pre>");
    for (size_t i = 0; i < lines->count; i++) {
        html_text(&p->body, lines->items[i]);
        buf_add_char(&p->body, '\n');
    }
    buf_add_str(&p->body, "</pre>\n");
}

static void add_failures(struct page *p, const struct rounds_result *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->round_count; i++)
        for (size_t k = 0; k < r->rounds[i].copy_count; k++) {
            const struct rounds_copy *c = &r->rounds[i].copies[k];
            char title[512];

            if (c->ok || count++ >= FAILURES_MAX)
                continue;
            if (count == 1)
                html_element(&p->body, "h3", NULL, "Failures");
            snprintf(title, sizeof(title), "%" PRIu32 " at once, round %" PRIu32 ", copy %" PRIu32 ": %.400s",
                     r->rounds[i].concurrency, r->rounds[i].number, c->index,
                     c->failure != NULL ? c->failure
                     : c->unfinished    ? "unfinished"
                                        : "failed");
            html_details_open(&p->body, NULL, title, false);
            add_lines(p, &c->last_lines);
            html_details_close(&p->body);
        }
    if (count > FAILURES_MAX)
        html_printf(&p->body, "and %zu more", count - FAILURES_MAX);
}

/* ---- phases ---- */

static void add_size_row(struct page *p, const struct rounds_result *r, const struct rounds_size *size)
{
    html_row_open(&p->body);
    add_number(p, size->concurrency, NULL);
    if (r->series_count > 1)
        html_cell(&p->body, series_name(r, size->series));
    for (size_t i = 0; i < r->phase_count; i++)
        add_time(p, size->phases[i]);
    add_time(p, size->other_s);
    add_time(p, size->followed_s);
    html_row_close(&p->body);
}

static void add_phases(struct page *p, const struct rounds_result *r, const struct rounds_sizes *sizes)
{
    struct buf names;
    bool any = false;

    for (size_t i = 0; i < sizes->count; i++)
        any = any || sizes->items[i].phases != NULL;
    if (!any)
        return;
    buf_init(&names, BUF_TEXT_MAX_BYTES);
    html_column(&names, true, "at once");
    if (r->series_count > 1)
        html_column(&names, false, "series");
    for (size_t i = 0; i < r->phase_count; i++)
        html_column(&names, true, "%s", r->phases[i].name);
    html_column(&names, true, "in none of them");
    html_column(&names, true, "whole");
    html_table_open(&p->body, "Where the time goes: mean of the copies that were ok", buf_ok(&names) ? names.data : "");
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->items[i].phases != NULL)
            add_size_row(p, r, &sizes->items[i]);
    html_table_close(&p->body);
    buf_release(&names);
}

/* ---- scaling ---- */

static void add_parameter(struct page *p, const char *name, double value, const struct rounds_interval *interval,
                          const char *meaning)
{
    char text[96];

    if (isnan(value))
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, name);
    snprintf(text, sizeof(text), "%.4g", value);
    html_cell_number(&p->body, value, text);
    snprintf(text, sizeof(text), "%.4g ... %.4g", interval->low, interval->high);
    html_cell(&p->body, isnan(interval->low) ? "" : text);
    html_cell(&p->body, meaning);
    html_row_close(&p->body);
}

static void add_scaling(struct page *p, const struct rounds_series *s)
{
    const struct rounds_scaling *law = &s->scaling;

    if (law->verdict == SCALING_NONE)
        return;
    if (law->note != NULL)
        html_element(&p->body, "p", NULL, law->note);
    if (s->promise.clauses != NULL) {
        buf_add_str(&p->body, "<p>");
        html_printf(&p->body, "Promise %s: ", s->promise.clauses);
        if (s->promise.largest > 0)
            buf_printf(&p->body, "kept up to %" PRIu32 " at once.</p>\n", s->promise.largest);
        else
            buf_add_str(&p->body, "kept by no size.</p>\n");
    }
    if (law->verdict != SCALING_FITS) {
        buf_printf(&p->body, "<p>The scaling law: %s.</p>\n", scaling_verdict_text(law->verdict));
        return;
    }
    html_table_open(&p->body, "The scaling law: N at once do lambda N / (1 + sigma (N-1) + kappa N (N-1)) a second",
                    "what|#value|95 % interval|meaning");
    add_parameter(p, "lambda", law->lambda, &law->lambda_interval, "what one alone does a second");
    add_parameter(p, "sigma", law->sigma, &law->sigma_interval, "the share that waits for its turn");
    add_parameter(p, "kappa", law->kappa, &law->kappa_interval, "what each pair costs besides");
    add_parameter(p, "peak", law->peak_concurrency, &law->peak_interval,
                  law->extrapolated ? "at once; beyond what was measured" : "at once: more get less done");
    html_table_close(&p->body);
}

/* ---- the whole ---- */

static void add_run(struct page *p, size_t run)
{
    const struct rounds_result *r = p->shown[run]->rounds;
    struct rounds_sizes sizes;

    if (rounds_sizes_of(&sizes, r, NULL) != 0) {
        (void)buf_reserve(&p->body, SIZE_MAX); /* can not be had: the page fails */
        rounds_sizes_release(&sizes);
        return;
    }
    if (p->c->count > 1)
        html_element(&p->body, "h3", NULL, p->c->runs[run].name);
    html_rounds_charts(p, run, &sizes);
    add_rounds(p, r);
    add_phases(p, r, &sizes);
    for (size_t i = 0; i < r->series_count; i++)
        add_scaling(p, &r->series[i]);
    add_failures(p, r);
    add_copies(p, r);
    rounds_sizes_release(&sizes);
}

void html_part_rounds(struct page *p)
{
    bool any = false;

    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        any = any || p->shown[i]->rounds != NULL;
    if (!any)
        return;
    page_section(p, "rounds", "Rounds");
    for (size_t i = 0; i < p->c->count; i++)
        if (p->shown[i]->rounds != NULL)
            add_run(p, i);
}
