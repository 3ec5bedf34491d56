/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/limit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/sections.h"
#include "report/table.h"

#define SENTENCE_MAX_BYTES (1u << 20)

const char *limit_level_text(char out[LIMIT_LEVEL_MAX], const struct limit_report *r, double level)
{
    char text[UNITS_TEXT_MAX];

    if (r->of_connections)
        snprintf(out, LIMIT_LEVEL_MAX, "%s connection%s", units_format_count(text, (uint64_t)level),
                 level > 1 ? "s" : "");
    else
        snprintf(out, LIMIT_LEVEL_MAX, "%s/s", section_rate(text, level));
    return out;
}

static const char *time_text(char out[SECTION_CELL_MAX], const struct limit_trial *t, double s)
{
    if (t->has_latency)
        snprintf(out, SECTION_CELL_MAX, "%s", units_format_duration((char[UNITS_TEXT_MAX]){ 0 }, s * NS_PER_S));
    else
        snprintf(out, SECTION_CELL_MAX, "-");
    return out;
}

void limit_say_safe(struct buf *out, const struct limit_report *r)
{
    char safe[LIMIT_LEVEL_MAX], broken[LIMIT_LEVEL_MAX];

    if (!(r->safe > 0) && !isfinite(r->broken))
        buf_add_str(out, "nothing was found");
    else if (!(r->safe > 0))
        buf_printf(out, "nothing: not even %s keeps the promise", limit_level_text(broken, r, r->broken));
    else if (!isfinite(r->broken))
        buf_printf(out, "at least %s, the highest that was tried", limit_level_text(safe, r, r->safe));
    else
        buf_printf(out, "%s; the limit lies between it and %s", limit_level_text(safe, r, r->safe),
                   limit_level_text(broken, r, r->broken));
}

void limit_say_confirmed(struct buf *out, const struct limit_report *r)
{
    if (r->confirmed)
        buf_printf(out, "in %u more round%s", r->confirm_rounds, r->confirm_rounds > 1 ? "s" : "");
    else
        buf_printf(out, "no: %s", r->interrupted ? "the search was interrupted" : "the trials contradict each other");
}

void limit_say_broke(struct buf *out, const struct limit_report *r)
{
    const struct limit_trial *first = limit_report_first_broken(r);
    char level[LIMIT_LEVEL_MAX];

    if (first != NULL && first->broke != NULL)
        buf_printf(out, "at %s: %s", limit_level_text(level, r, first->level), first->broke);
}

void limit_say_parts(struct buf *out, const struct limit_report *r, const struct limit_trial *t)
{
    char level[LIMIT_LEVEL_MAX];
    struct buf sentence;

    if (t == NULL)
        return;
    buf_init(&sentence, SENTENCE_MAX_BYTES);
    section_watched_sentence(&sentence, t->watched, t->watched_count);
    if (sentence.len > 0)
        buf_printf(out, "at %s %s", limit_level_text(level, r, t->level), sentence.data);
    buf_release(&sentence);
}

const struct limit_trial *limit_safe_trial(const struct limit_report *r)
{
    const struct limit_trial *safe = NULL;

    for (size_t i = 0; i < r->trial_count; i++)
        if (r->trials[i].kept && r->trials[i].level == r->safe)
            safe = &r->trials[i];
    return safe;
}

/* A line of the sentence that is made for it; none when the sentence is empty. */
static void add_said(struct section *s, const char *label, struct buf *sentence)
{
    if (sentence->len > 0)
        section_line(s, label, "%s", sentence->data);
    buf_clear(sentence);
}

static void add_safe(struct section *s, const struct limit_report *r)
{
    struct buf sentence;

    buf_init(&sentence, SENTENCE_MAX_BYTES);
    limit_say_safe(&sentence, r);
    add_said(s, "Safe", &sentence);
    if (r->safe > 0)
        limit_say_confirmed(&sentence, r);
    add_said(s, "Confirmed", &sentence);
    limit_say_broke(&sentence, r);
    add_said(s, "Broke first", &sentence);
    buf_release(&sentence);
}

static void add_why(struct section *s, const struct limit_report *r)
{
    if (limit_report_connections_were_limit(r))
        section_line(s, "Connections", LIMIT_CONNECTIONS_SENTENCE);
    if (!limit_report_generator_was_limit(r)) {
        section_line(s, "Generator", "was not the limit");
        return;
    }
    section_line(s, "Generator", "WAS THE LIMIT: the target may carry more");
    for (size_t i = 0; i < r->generator_reasons.count; i++)
        section_line(s, "", "%s", r->generator_reasons.items[i]);
}

/* How busy the target's parts were at the answer, and where it broke. */
static void add_parts(struct section *s, const struct limit_report *r)
{
    const struct limit_trial *safe = limit_safe_trial(r);
    struct buf sentence;

    buf_init(&sentence, SENTENCE_MAX_BYTES);
    limit_say_parts(&sentence, r, safe);
    add_said(s, "Parts", &sentence);
    limit_say_parts(&sentence, r, limit_report_first_broken(r));
    add_said(s, safe != NULL ? "" : "Parts", &sentence);
    buf_release(&sentence);
}

static int by_level(const void *a, const void *b)
{
    const struct limit_trial *x = a, *y = b;

    if (x->level != y->level)
        return x->level > y->level ? 1 : -1;
    return y->kept - x->kept;
}

static void add_head(struct table *t, const struct limit_report *r)
{
    table_cell(t, r->of_connections ? "connections" : "asked/s");
    table_cell(t, "ok/s");
    table_cell(t, "p50");
    table_cell(t, "p99");
    table_cell(t, "errors");
    table_cell(t, "promise");
}

static void add_row(struct table *t, const struct limit_report *r, const struct limit_trial *trial)
{
    char text[SECTION_CELL_MAX];

    if (r->of_connections)
        table_cell(t, "%s", units_format_count(text, (uint64_t)trial->level));
    else
        table_cell(t, "%s", section_rate(text, trial->level));
    table_cell(t, "%s", section_rate(text, trial->requests_per_s));
    table_cell(t, "%s", time_text(text, trial, trial->p50_s));
    table_cell(t, "%s", time_text(text, trial, trial->p99_s));
    table_cell(t, "%s", section_share(text, trial->failed, trial->started));
    table_cell(t, "%s%s", trial->kept ? "kept" : trial->broke, trial->generator_limited ? " [generator limited]" : "");
}

struct limit_trial *limit_sorted_trials(const struct limit_report *r)
{
    struct limit_trial *sorted = calloc(r->trial_count + 1, sizeof(*sorted));

    for (size_t i = 0; sorted != NULL && i < r->trial_count; i++)
        sorted[i] = r->trials[i];
    if (sorted != NULL)
        qsort(sorted, r->trial_count, sizeof(*sorted), by_level);
    return sorted;
}

/* In rising order; when there are more trials than a table holds, those nearest to the answer. */
static void add_curve(struct section *s, const struct limit_report *r)
{
    const size_t room = TABLE_ROWS_MAX - 1;
    struct limit_trial *sorted = limit_sorted_trials(r);
    size_t first = 0;
    struct table t;

    if (sorted == NULL) {
        (void)buf_reserve(s->out, SIZE_MAX); /* can not be had: the report fails */
        return;
    }
    while (r->trial_count - first > room && sorted[first + room / 2].level < r->safe)
        first++;
    buf_add_str(s->out, "\nCurve\n");
    table_init(&t, "rrrrrh");
    add_head(&t, r);
    for (size_t i = first; i < r->trial_count && i - first < room; i++)
        add_row(&t, r, &sorted[i]);
    table_print(&t, s->out, s->width);
    table_release(&t);
    if (r->trial_count > room)
        buf_printf(s->out, "  %zu of %zu trials are shown; --json has all\n", room, r->trial_count);
    free(sorted);
}

void report_limit(struct buf *out, const struct limit_report *r, unsigned width)
{
    struct section s = { .out = out, .width = width > 0 ? width : 80 };
    char step[UNITS_TEXT_MAX];

    section_line(&s, "Target", "%s", r->url != NULL ? r->url : "");
    section_line(&s, "Promise", "%s", r->promise != NULL ? r->promise : "");
    section_line(&s, "Trials", "%zu of %s each%s", r->trial_count, units_format_duration(step, r->step_s * NS_PER_S),
                 r->interrupted ? ", interrupted" : "");
    buf_add_char(out, '\n');
    if (r->trial_count > 0) {
        add_safe(&s, r);
        add_why(&s, r);
        add_parts(&s, r);
        add_curve(&s, r);
    }
}

void report_limit_trial(struct buf *out, const struct limit_report *r, const struct limit_trial *t)
{
    char level[LIMIT_LEVEL_MAX], p50[SECTION_CELL_MAX], p99[SECTION_CELL_MAX];

    buf_printf(out, "%s: %s, p50 %s, p99 %s", limit_level_text(level, r, t->level), t->kept ? "kept" : "broken",
               time_text(p50, t, t->p50_s), time_text(p99, t, t->p99_s));
    if (!t->kept && t->broke != NULL)
        buf_printf(out, "; %s", t->broke);
}
