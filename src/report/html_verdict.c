/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The box that answers first: can the figures be relied on, were promises kept, did anything change. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>

#include "report/compare_words.h"
#include "report/sections.h"

enum { SENTENCE_MAX_BYTES = 1 << 26, LIST_MAX = 8 };

void page_verdict_open(struct page *p, enum page_tone tone, const char *word)
{
    static const char *const TONES[] = { "good", "warn", "bad" };
    static const char *const MARKS[] = { "\xe2\x9c\x93", "!", "\xe2\x9c\x97" };

    buf_printf(&p->body, "<li class=\"%s\"><span class=\"mark\" aria-hidden=\"true\">%s</span><div><strong>",
               TONES[tone], MARKS[tone]);
    html_text(&p->body, word);
    buf_add_str(&p->body, "</strong> ");
}

void page_verdict_close(struct page *p)
{
    buf_add_str(&p->body, "</div></li>\n");
}

void page_verdict_list(struct page *p, const struct strlist *list)
{
    if (list->count == 0)
        return;
    buf_add_str(&p->body, "<ul>");
    for (size_t i = 0; i < list->count && i < LIST_MAX; i++)
        html_element(&p->body, "li", NULL, list->items[i]);
    if (list->count > LIST_MAX)
        buf_printf(&p->body, "<li>and %zu more</li>", list->count - LIST_MAX);
    buf_add_str(&p->body, "</ul>");
}

static void add_name(struct page *p, size_t run)
{
    if (p->c->count > 1)
        html_printf(&p->body, "%s: ", p->c->runs[run].name);
}

static void add_counts(struct buf *out, const struct result *r)
{
    const struct totals *t = &r->totals;
    char ok[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX], unfinished[UNITS_TEXT_MAX];

    if (r->rounds != NULL || !totals_has(t, TOTAL_STARTED) || !totals_has(t, TOTAL_OK) || t->started == 0)
        return;
    units_format_count(ok, t->ok);
    units_format_count(started, t->started);
    units_format_count(failed, t->failed);
    units_format_count(unfinished, t->unfinished);
    if (t->ok == t->started)
        buf_printf(out, t->ok == 1 ? "%s request ok" : "all %s requests ok", ok);
    else
        buf_printf(out, "%s of %s requests ok, %s failed, %s unfinished", ok, started, failed, unfinished);
}

static void add_result(struct page *p, size_t run)
{
    const struct result *r = p->shown[run];
    struct buf *out = &p->body;

    page_verdict_open(p, r->valid ? TONE_GOOD : TONE_BAD, r->valid ? "Valid" : "Invalid");
    add_name(p, run);
    add_counts(out, r);
    if (!r->valid) {
        buf_add_str(out, "<p>Do not rely on these figures:</p>");
        page_verdict_list(p, &r->reasons);
    }
    page_verdict_close(p);
    if (r->interrupted) {
        page_verdict_open(p, TONE_WARN, "Interrupted");
        add_name(p, run);
        buf_add_str(out, "figures up to then");
        page_verdict_close(p);
    }
    if (r->warnings.count > 0) {
        page_verdict_open(p, TONE_WARN, r->warnings.count == 1 ? "Warning" : "Warnings");
        add_name(p, run);
        page_verdict_list(p, &r->warnings);
        page_verdict_close(p);
    }
}

static void add_kept(struct page *p, size_t run)
{
    const size_t count = p->c->runs[run].count;
    size_t promised = 0, broken = 0;

    for (size_t i = 0; i < count; i++) {
        promised += p->documents[run][i].promised;
        broken += p->documents[run][i].broken;
    }
    if (promised == 0)
        return;
    page_verdict_open(p, broken == 0 ? TONE_GOOD : TONE_BAD, broken == 0 ? "Promises kept" : "A promise is broken");
    add_name(p, run);
    if (broken == 0)
        buf_printf(&p->body, promised == 1 ? "in %zu sample" : "in all %zu samples", promised);
    else
        buf_printf(&p->body, "in %zu of %zu sample%s", broken, promised, units_plural(promised));
    page_verdict_close(p);
}

/* Of a run of many samples. */
static void add_samples(struct page *p, size_t run)
{
    const struct side *s = &p->c->runs[run].side;
    size_t invalid = 0, limited = 0;
    struct strlist reasons = STRLIST_INIT;

    for (size_t i = 0; i < s->count; i++)
        if (!s->records[i].valid) {
            invalid++;
            if (s->records[i].reason != NULL && !strlist_contains(&reasons, slice_str(s->records[i].reason)))
                (void)strlist_add(&reasons, slice_str(s->records[i].reason));
        }
    for (size_t i = 0; i < p->c->runs[run].count; i++)
        limited += p->documents[run][i].limited;
    page_verdict_open(p, invalid == 0 ? TONE_GOOD : TONE_BAD, invalid == 0 ? "Valid" : "Invalid");
    add_name(p, run);
    if (invalid == 0)
        buf_printf(&p->body, s->count == 1 ? "%zu sample" : "all %zu samples", s->count);
    else
        buf_printf(&p->body, "%zu of %zu samples; they are in no mean and no comparison", invalid, s->count);
    page_verdict_list(p, &reasons);
    page_verdict_close(p);
    if (limited > 0) {
        page_verdict_open(p, TONE_WARN, "The load generator was the limit");
        add_name(p, run);
        buf_printf(&p->body, "in %zu of %zu samples: the target may be faster there", limited, p->c->runs[run].count);
        page_verdict_close(p);
    }
    strlist_release(&reasons);
    add_kept(p, run);
}

static const char *observed(char out[PAGE_TEXT_MAX], const struct promise *m)
{
    char text[UNITS_TEXT_MAX];

    if (!m->known)
        snprintf(out, PAGE_TEXT_MAX, "no such figure");
    else if (m->unit == PROMISE_SECONDS)
        snprintf(out, PAGE_TEXT_MAX, "%s", units_format_duration(text, m->observed * NS_PER_S));
    else if (m->unit == PROMISE_SHARE)
        snprintf(out, PAGE_TEXT_MAX, "%.3g %%", m->observed * 100);
    else
        snprintf(out, PAGE_TEXT_MAX, "%s/s", section_rate(text, m->observed));
    return out;
}

static void add_promises(struct page *p, size_t run)
{
    const struct result *r = p->shown[run];
    const bool kept = result_promises_kept(r);
    char text[PAGE_TEXT_MAX];

    if (r->promise_count == 0)
        return;
    page_verdict_open(p, kept ? TONE_GOOD : TONE_BAD, kept ? "Promises kept" : "A promise is broken");
    add_name(p, run);
    buf_add_str(&p->body, "<ul>");
    for (unsigned pass = 0; pass < 2; pass++) /* the broken ones first */
        for (size_t i = 0; i < r->promise_count; i++) {
            const struct promise *m = &r->promises[i];

            if (m->kept != (pass == 1))
                continue;
            buf_add_str(&p->body, m->kept ? "<li>kept: <code>" : "<li>broken: <code>");
            html_text(&p->body, m->clause);
            buf_add_str(&p->body, "</code>, observed ");
            html_text(&p->body, observed(text, m));
            buf_add_str(&p->body, "</li>");
        }
    buf_add_str(&p->body, "</ul>");
    page_verdict_close(p);
}

static enum page_tone tone_of(const struct comparison *c)
{
    const size_t *counts = c->metrics[0].out.counts;

    if (counts[COMPARE_REGRESSED] > 0 || c->tolerance_broken)
        return TONE_BAD;
    if (c->cell_count > 0 && counts[COMPARE_UNCHANGED] + counts[COMPARE_IMPROVED] == c->cell_count)
        return TONE_GOOD;
    return TONE_WARN;
}

static const char *word_of(const struct comparison *c)
{
    const size_t *counts = c->metrics[0].out.counts;

    if (counts[COMPARE_REGRESSED] > 0)
        return "Regressed";
    if (c->tolerance_broken)
        return "A tolerance is broken";
    if (counts[COMPARE_INVALID] + counts[COMPARE_MISSING] + counts[COMPARE_NOT_COMPARABLE] > 0)
        return "Not all can be compared";
    if (tone_of(c) == TONE_WARN)
        return "Inconclusive";
    return counts[COMPARE_IMPROVED] > 0 ? "Improved" : "Unchanged";
}

static void add_comparison(struct page *p, size_t i)
{
    const struct comparison *c = &p->comparisons[i];
    char metric[WORDS_MAX];
    struct buf text;

    if (c->metric_count == 0)
        return;
    buf_init(&text, SENTENCE_MAX_BYTES);
    page_verdict_open(p, tone_of(c), word_of(c));
    html_printf(&p->body, "%s against %s, by %s: ", p->c->runs[i + 1].name, p->c->runs[0].name,
                words_metric(metric, c->metrics[0].name));
    words_summary(&text, c);
    buf_add_char(&text, ' ');
    words_overall(&text, &c->metrics[0]);
    html_slice(&p->body, buf_slice(&text));
    page_verdict_close(p);
    buf_release(&text);
}

void html_part_verdict(struct page *p)
{
    page_section(p, "verdict", "Verdict");
    buf_add_str(&p->body, "<ul class=\"verdict\">\n");
    for (size_t run = 0; run < p->c->count; run++) {
        if (p->shown != NULL)
            add_result(p, run);
        else
            add_samples(p, run);
        if (p->shown != NULL)
            add_promises(p, run);
    }
    for (size_t i = 0; i < p->comparison_count; i++)
        add_comparison(p, i);
    html_limit_verdict(p);
    buf_add_str(&p->body, "</ul>\n");
}
