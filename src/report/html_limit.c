/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for a limit: the level that is safe, why it goes no further, and every trial on the way. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/limit.h"
#include "report/sections.h"
#include "result/slo.h"

enum { ROWS_MAX = 400, PARTS_ROWS_MAX = 400 };

/* ---- verdict ---- */

static void open_line(struct page *p, enum page_tone tone, const char *word, const struct collection_limit *l)
{
    page_verdict_open(p, tone, word);
    if (p->c->limit_count + p->c->count > 1)
        html_printf(&p->body, "%s: ", l->name);
}

/* A line of what `say` says; none when it says nothing. */
static void add_said(struct page *p, enum page_tone tone, const char *word, const struct collection_limit *l,
                     void (*say)(struct buf *out, const struct limit_report *r))
{
    struct buf sentence;

    buf_init(&sentence, BUF_TEXT_MAX_BYTES);
    say(&sentence, l->report);
    if (sentence.len > 0) {
        open_line(p, tone, word, l);
        html_slice(&p->body, buf_slice(&sentence));
        page_verdict_close(p);
    }
    buf_release(&sentence);
}

static void add_promise(struct page *p, const struct collection_limit *l)
{
    buf_add_str(&p->body, "<p>Promised: <code>");
    html_text(&p->body, l->report->promise);
    buf_add_str(&p->body, "</code></p>");
}

static void add_safe(struct page *p, const struct collection_limit *l)
{
    const struct limit_report *r = l->report;
    struct buf sentence;

    buf_init(&sentence, BUF_TEXT_MAX_BYTES);
    limit_say_safe(&sentence, r);
    open_line(p, r->safe > 0 ? TONE_GOOD : TONE_BAD, "Safe:", l);
    html_slice(&p->body, buf_slice(&sentence));
    add_promise(p, l);
    page_verdict_close(p);
    buf_release(&sentence);
}

static void add_generator(struct page *p, const struct collection_limit *l)
{
    const struct limit_report *r = l->report;

    if (limit_report_connections_were_limit(r)) {
        open_line(p, TONE_WARN, "The connections were the limit", l);
        buf_add_str(&p->body, LIMIT_CONNECTIONS_SENTENCE);
        page_verdict_close(p);
    }
    if (!limit_report_generator_was_limit(r)) {
        open_line(p, TONE_GOOD, "The load generator", l);
        buf_add_str(&p->body, "was not the limit");
        page_verdict_close(p);
        return;
    }
    open_line(p, TONE_WARN, "The load generator was the limit", l);
    buf_add_str(&p->body, "the target may carry more");
    page_verdict_list(p, &r->generator_reasons);
    page_verdict_close(p);
}

void html_limit_verdict(struct page *p)
{
    for (size_t i = 0; i < p->c->limit_count; i++) {
        const struct collection_limit *l = &p->c->limits[i];

        if (l->report->trial_count == 0) {
            open_line(p, TONE_BAD, "Nothing", l);
            buf_add_str(&p->body, "was tried");
            page_verdict_close(p);
            continue;
        }
        add_safe(p, l);
        if (l->report->safe > 0)
            add_said(p, l->report->confirmed ? TONE_GOOD : TONE_WARN, "Confirmed", l, limit_say_confirmed);
        add_said(p, TONE_WARN, "Broke first", l, limit_say_broke);
        add_generator(p, l);
    }
}

/* ---- charts ---- */

static void add_promises(struct buf *out, const struct limit_report *r)
{
    struct slo slo = { 0 };
    bool first = true;

    /* What a document of others promises may be no promise: then there is no line. */
    if (slo_parse(&slo, slice_str(r->promise), NULL) == 0)
        for (size_t i = 0; i < slo.count; i++) {
            const struct slo_clause *c = &slo.clauses[i];

            if (c->figure > SLO_STDDEV || !(c->limit > 0))
                continue;
            buf_add_str(out, first ? "{\"clause\":" : ",{\"clause\":");
            html_json_string(out, c->text);
            buf_add_str(out, ",\"limit\":");
            html_json_number(out, c->limit);
            buf_add_char(out, '}');
            first = false;
        }
    slo_release(&slo);
}

/* [level, p50, p99, ok/s, errors, kept, confirms] */
static void add_point(struct buf *out, const struct limit_trial *t)
{
    const double values[] = { t->level, t->has_latency ? t->p50_s : NAN, t->has_latency ? t->p99_s : NAN,
                              t->requests_per_s, t->errors };

    buf_add_char(out, '[');
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        html_json_number(out, values[i]);
        buf_add_char(out, ',');
    }
    buf_printf(out, "%d,%d]", t->kept ? 1 : 0,
               strcmp(t->stage, "confirm") == 0 || strcmp(t->stage, "prove") == 0 ? 1 : 0);
}

static void add_data(struct page *p, const struct collection_limit *l, const struct limit_trial *sorted)
{
    const struct limit_report *r = l->report;
    struct buf *out = &p->data;

    buf_add_str(out, "{\"name\":");
    html_json_string(out, l->name);
    buf_printf(out, ",\"of\":\"%s\",\"safe\":", r->of_connections ? "connections" : "rate");
    html_json_number(out, r->safe > 0 ? r->safe : NAN);
    buf_add_str(out, ",\"broken\":");
    html_json_number(out, r->broken);
    buf_add_str(out, ",\"promises\":[");
    add_promises(out, r);
    buf_add_str(out, "],\"trials\":[");
    for (size_t i = 0; i < r->trial_count && i < ROWS_MAX; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        add_point(out, &sorted[i]);
    }
    buf_add_str(out, "]}");
}

/* ---- tables ---- */

static const char *meaning_of(const char *stage)
{
    static const char *const MEANINGS[][2] = { { "expand", "looking for where it breaks" },
                                               { "bisect", "between kept and broken" },
                                               { "confirm", "the answer, again" },
                                               { "prove", "10 % above the answer" },
                                               { "retreat", "the answer did not stand: lower" } };

    for (size_t i = 0; i < sizeof(MEANINGS) / sizeof(MEANINGS[0]); i++)
        if (strcmp(MEANINGS[i][0], stage) == 0)
            return MEANINGS[i][1];
    return "";
}

static void add_level(struct page *p, const struct limit_report *r, double level)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, level,
                     r->of_connections ? units_format_count(text, (uint64_t)level) : section_rate(text, level));
}

static void add_count(struct page *p, uint64_t count)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, (double)count, units_format_count(text, count));
}

static void add_trial(struct page *p, const struct limit_report *r, const struct limit_trial *t)
{
    const double latencies[] = { t->p50_s, t->p99_s };
    char text[UNITS_TEXT_MAX], share[SECTION_CELL_MAX];

    html_row_open(&p->body);
    add_level(p, r, t->level);
    buf_printf(&p->body, "<td class=\"t\">%s</td>", meaning_of(t->stage));
    html_cell_number(&p->body, t->requests_per_s, section_rate(text, t->requests_per_s));
    for (size_t i = 0; i < 2; i++)
        html_cell_number(&p->body, t->has_latency ? latencies[i] : NAN, page_duration(text, latencies[i]));
    html_cell_number(&p->body, t->errors, section_share(share, t->failed, t->started));
    add_count(p, t->unfinished);
    add_count(p, t->not_sent);
    html_cell_number(&p->body, t->in_flight_mean, section_rate(text, t->in_flight_mean));
    buf_add_str(&p->body, t->kept ? "<td>kept" : "<td class=\"w worse-text\">broken: ");
    html_text(&p->body, t->kept ? "" : t->broke);
    buf_add_str(&p->body, t->generator_limited ? " (the load generator was the limit)</td>" : "</td>");
    html_row_close(&p->body);
}

static void add_trials(struct page *p, const struct collection_limit *l, const struct limit_trial *sorted)
{
    const struct limit_report *r = l->report;
    char step[UNITS_TEXT_MAX];
    struct buf caption;

    buf_init(&caption, BUF_TEXT_MAX_BYTES);
    buf_printf(&caption, "%s: %zu trials of %s each, in rising order", l->name, r->trial_count,
               units_format_duration(step, r->step_s * NS_PER_S));
    html_table_open(&p->body, buf_ok(&caption) ? caption.data : "",
                    r->of_connections ? "#connections|trial|#ok/s|#p50|#p99|#errors|#unfinished|#not sent|#in "
                                        "flight|promise"
                                      : "#asked/s|trial|#ok/s|#p50|#p99|#errors|#unfinished|#not sent|#in "
                                        "flight|promise");
    for (size_t i = 0; i < r->trial_count && i < ROWS_MAX; i++)
        add_trial(p, r, &sorted[i]);
    html_table_close(&p->body);
    if (r->trial_count > ROWS_MAX)
        html_printf(&p->body, "The first %d are shown; the document has all.", ROWS_MAX);
    buf_release(&caption);
}

static void add_part(struct page *p, const struct limit_report *r, const struct limit_trial *t, const struct watched *w)
{
    for (size_t k = 0; k < w->figure_count; k++) {
        const struct watched_figure *f = &w->figures[k];
        char text[SECTION_FIGURE_MAX];

        html_row_open(&p->body);
        add_level(p, r, t->level);
        html_cell(&p->body, w->name);
        html_cell(&p->body, section_figure_name(f->name));
        html_cell_number(&p->body, f->mean, section_figure_value(text, f->name, f->mean));
        html_cell_number(&p->body, f->max, section_figure_value(text, f->name, f->max));
        html_row_close(&p->body);
    }
}

static void say_parts(struct page *p, const struct limit_report *r, const struct limit_trial *t)
{
    struct buf sentence;

    buf_init(&sentence, BUF_TEXT_MAX_BYTES);
    limit_say_parts(&sentence, r, t);
    if (sentence.len > 0)
        html_printf(&p->body, "%s. ", sentence.data);
    buf_release(&sentence);
}

static void add_parts(struct page *p, const struct collection_limit *l, const struct limit_trial *sorted)
{
    const struct limit_report *r = l->report;
    size_t watched = 0;

    for (size_t i = 0; i < r->trial_count; i++)
        watched += sorted[i].watched_count;
    if (watched == 0)
        return;
    buf_add_str(&p->body, "<p>The target's parts: ");
    say_parts(p, r, limit_safe_trial(r));
    say_parts(p, r, limit_report_first_broken(r));
    buf_add_str(&p->body, "</p>");
    html_details_open(&p->body, NULL, "The target's parts in each trial", false);
    html_table_open(&p->body, "Watched parts, over each trial",
                    r->of_connections ? "#connections|part|figure|#mean|#max" : "#asked/s|part|figure|#mean|#max");
    watched = 0;
    for (size_t i = 0; i < r->trial_count; i++)
        for (size_t k = 0; k < sorted[i].watched_count && watched < PARTS_ROWS_MAX; k++, watched++)
            add_part(p, r, &sorted[i], &sorted[i].watched[k]);
    html_table_close(&p->body);
    html_details_close(&p->body);
}

static void add_said_cell(struct page *p, const struct limit_report *r,
                          void (*say)(struct buf *out, const struct limit_report *r))
{
    struct buf sentence;

    buf_init(&sentence, BUF_TEXT_MAX_BYTES);
    buf_add_str(&sentence, "");
    say(&sentence, r);
    html_cell(&p->body, sentence.data);
    buf_release(&sentence);
}

static void add_summary(struct page *p)
{
    html_table_open(&p->body, "What was found", "limit|promise|safe|confirmed|broke first");
    for (size_t i = 0; i < p->c->limit_count; i++) {
        const struct limit_report *r = p->c->limits[i].report;

        html_row_open(&p->body);
        html_cell_head(&p->body, p->c->limits[i].name);
        html_cell(&p->body, r->promise);
        add_said_cell(p, r, limit_say_safe);
        add_said_cell(p, r, limit_say_confirmed);
        add_said_cell(p, r, limit_say_broke);
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
}

static void add_limit(struct page *p, const struct collection_limit *l)
{
    struct limit_trial *sorted = limit_sorted_trials(l->report);

    if (sorted == NULL) {
        (void)buf_reserve(&p->body, SIZE_MAX); /* can not be had: the page fails */
        return;
    }
    add_data(p, l, sorted);
    add_trials(p, l, sorted);
    add_parts(p, l, sorted);
    free(sorted);
}

void html_part_limits(struct page *p)
{
    if (p->c->limit_count == 0)
        return;
    page_section(p, "limit", p->c->limit_count > 1 ? "Limits" : "The limit");
    if (p->c->limit_count > 1)
        add_summary(p);
    html_chart(
        &p->body, "limit-latency", "limits",
        "Latency of each trial: crosses broke the promise, diamonds are rounds that confirm the answer; dashed what "
        "was promised, upright the safe level and the lowest that broke");
    html_chart(
        &p->body, "limit-rate", "limits",
        "What came of it: ok replies a second, and the share of errors where there were any; dashed: all that was "
        "asked for");
    page_data(p, "limits");
    buf_add_str(&p->data, "{\"limits\":[");
    for (size_t i = 0; i < p->c->limit_count; i++) {
        buf_add_str(&p->data, i > 0 ? "," : "");
        add_limit(p, &p->c->limits[i]);
    }
    buf_add_str(&p->data, "]}");
}

/* ---- how it was measured ---- */

static void add_search(struct page *p, const struct limit_report *r)
{
    char level[LIMIT_LEVEL_MAX], step[UNITS_TEXT_MAX], text[32];

    page_fact(p, "started", r->started);
    page_fact(p, "target", r->url);
    page_fact(p, "promise", r->promise);
    page_fact(p, "searched for", r->of_connections ? "the most connections" : "the highest rate");
    page_fact(p, "from", limit_level_text(level, r, r->from));
    page_fact(p, "to at most", limit_level_text(level, r, r->to));
    snprintf(text, sizeof(text), "%.3g %%", 100 * r->precision);
    page_fact(p, "precision", text);
    page_fact(p, "length of a trial", units_format_duration(step, r->step_s * NS_PER_S));
    snprintf(text, sizeof(text), "%u", r->confirm_rounds);
    page_fact(p, "rounds to confirm", text);
    page_host(p, &r->host);
}

void html_limit_about(struct page *p)
{
    for (size_t i = 0; i < p->c->limit_count; i++) {
        const struct collection_limit *l = &p->c->limits[i];

        html_element(&p->body, "h3", NULL, l->name);
        html_table_open(&p->body, "Search and environment", "what|value");
        add_search(p, l->report);
        html_table_close(&p->body);
        page_command(p, &l->report->command);
    }
}
