/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

/* Times are in seconds; "duration" is what a suite calls that of a command. */
static bool is_time(const struct comparison_metric *m)
{
    return strcmp(m->name, "duration") == 0 || (ends(m->name, "_s") && !ends(m->name, "_per_s")) ||
           starts(m->name, "latency_") || starts(m->name, "service_time_") || starts(m->name, "cpu_s_per_request@");
}

const char *words_value(char out[WORDS_MAX], const struct comparison_metric *m, double value)
{
    char text[UNITS_TEXT_MAX];

    if (isnan(value))
        snprintf(out, WORDS_MAX, "-");
    else if (m->is_share)
        snprintf(out, WORDS_MAX, "%.3g %%", 100 * value);
    else if (is_time(m))
        snprintf(out, WORDS_MAX, "%s", units_format_duration(text, value * 1e9));
    else if (value >= 10000 && value < 1e15)
        snprintf(out, WORDS_MAX, "%s", units_format_count(text, (uint64_t)llround(value)));
    else
        snprintf(out, WORDS_MAX, "%.*f", value < 10 ? 3 : value < 1000 ? 2 : 1, value);
    return out;
}

static const char *unit_of(const struct comparison_metric *m)
{
    return m->is_share ? "points" : "%";
}

const char *words_change(char out[WORDS_MAX], const struct comparison_metric *m, double change)
{
    if (isnan(change))
        snprintf(out, WORDS_MAX, "-");
    else
        snprintf(out, WORDS_MAX, "%+.*f %s", m->is_share ? 2 : 1, 100 * change, unit_of(m));
    return out;
}

const char *words_interval(char out[WORDS_MAX], const struct comparison_metric *m, const double interval[2])
{
    const int decimals = m->is_share ? 2 : 1;

    if (isnan(interval[0]) || isnan(interval[1]))
        snprintf(out, WORDS_MAX, "-");
    else if (fabs(interval[0]) >= 10 || fabs(interval[1]) >= 10)
        snprintf(out, WORDS_MAX, "%+.0f ... %+.0f %s", 100 * interval[0], 100 * interval[1], unit_of(m));
    else
        snprintf(out, WORDS_MAX, "%+.*f ... %+.*f %s", decimals, 100 * interval[0], decimals, 100 * interval[1],
                 unit_of(m));
    return out;
}

const char *words_p(char out[WORDS_MAX], double p)
{
    if (isnan(p))
        snprintf(out, WORDS_MAX, "-");
    else if (p < 0.001)
        snprintf(out, WORDS_MAX, "<0.001");
    else
        snprintf(out, WORDS_MAX, "%.3f", p);
    return out;
}

const char *words_metric(char out[WORDS_MAX], const char *name)
{
    if (strcmp(name, "requests_per_s") == 0)
        snprintf(out, WORDS_MAX, "requests/s");
    else if (strcmp(name, "error_share") == 0)
        snprintf(out, WORDS_MAX, "failed requests");
    else
        snprintf(out, WORDS_MAX, "%s", name);
    for (char *c = out; starts(name, "latency_") || starts(name, "service_time_"); c++) {
        if (*c == '\0')
            break;
        if (*c == '_')
            *c = ' ';
    }
    return out;
}

struct ordering {
    const struct comparison *c;
    const struct comparison_metric *m;
};

static int by_verdict(const void *a, const void *b, void *arg)
{
    const struct ordering *o = arg;
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct compare_result *x = &o->m->out.cells[i], *y = &o->m->out.cells[k];
    const double size_x = isnan(x->change) ? 0 : fabs(x->change), size_y = isnan(y->change) ? 0 : fabs(y->change);

    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (size_x != size_y)
        return size_x > size_y ? -1 : 1;
    return (i > k) - (i < k);
}

size_t *words_order(const struct comparison *c, const struct comparison_metric *m)
{
    size_t *order = calloc(c->cell_count + 1, sizeof(*order));
    struct ordering o = { c, m };

    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < c->cell_count; i++)
        order[i] = i;
    qsort_r(order, c->cell_count, sizeof(*order), by_verdict, &o);
    return order;
}

static void add_worst(struct buf *out, const struct comparison *c, const struct comparison_metric *m)
{
    char change[WORDS_MAX], interval[WORDS_MAX];
    size_t *order = words_order(c, m);
    const struct compare_result *worst = order != NULL ? &m->out.cells[order[0]] : NULL;

    if (worst == NULL)
        (void)buf_reserve(out, SIZE_MAX); /* can not be had: the report fails */
    else
        buf_printf(out, ", worst %s: %s (%s)", c->cells[order[0]].label, words_change(change, m, worst->change),
                   words_interval(interval, m, worst->interval));
    free(order);
}

static bool all_one_sample(const struct comparison_metric *m)
{
    for (size_t i = 0; i < m->out.cell_count; i++)
        if (m->out.cells[i].reason != COMPARE_WHY_ONE_SAMPLE)
            return false;
    return m->out.cell_count > 0;
}

void words_summary(struct buf *out, const struct comparison *c)
{
    const struct comparison_metric *m = &c->metrics[0];
    const size_t regressed = m->out.counts[COMPARE_REGRESSED];
    bool first = true;

    if (c->cell_count == 0) {
        buf_add_str(out, "Nothing to compare.");
        return;
    }
    if (all_one_sample(m)) {
        buf_printf(out, "One sample a side: cannot tell (%zu of %zu cell%s).", c->cell_count, c->cell_count,
                   units_plural(c->cell_count));
        return;
    }
    if (regressed > 0) {
        buf_printf(out, "%zu of %zu cells regressed", regressed, c->cell_count);
        add_worst(out, c, m);
    } else {
        buf_printf(out,
                   c->cell_count == 1 ? "The cell has not been shown to regress"
                                      : "None of %zu cells has been shown to regress",
                   c->cell_count);
    }
    for (unsigned v = 0; v < COMPARE_VERDICT_COUNT; v++)
        if (v != COMPARE_REGRESSED && m->out.counts[v] > 0) {
            buf_printf(out, "%s %zu %s", first ? ":" : ",", m->out.counts[v],
                       compare_verdict_text((enum compare_verdict)v));
            first = false;
        }
    buf_add_char(out, '.');
}

void words_overall(struct buf *out, const struct comparison_metric *m)
{
    const struct compare_overall *o = &m->out.overall;
    char change[WORDS_MAX], interval[WORDS_MAX], p[WORDS_MAX];

    if (o->cells < 2 || isnan(o->change)) /* of one cell it says the same again */
        return;
    buf_printf(out, "Overall shift: %s", words_change(change, m, o->change));
    if (isnan(o->p))
        buf_printf(out, " (geometric mean of %zu ratios; how sure that is cannot be told%s)", o->cells,
                   m->out.capped ? ": sessions differ by an unknown amount" : "");
    else
        buf_printf(out, " (%s, p %s; geometric mean of %zu ratios)", words_interval(interval, m, o->interval),
                   words_p(p, o->p), o->cells);
}

static const char *design_text(const struct comparison *c)
{
    switch (c->design) {
    case COMPARE_INTERLEAVED:
        return "Base and new were measured in turn: what a round shares has been taken out.";
    case COMPARE_ONE_SESSION:
        return "Base and new were measured within one session.";
    case COMPARE_SESSIONS:
        return c->metrics[0].out.capped
                   ? "Base and new were measured in separate sessions, and how much sessions of unchanged code differ "
                     "is "
                     "not known: a change is suspect at most, the intervals hold the noise within a session only."
                   : "Base and new were measured in separate sessions: changes are held against how much sessions of "
                     "unchanged code differ.";
    }
    return "";
}

void words_method(struct buf *out, const struct comparison *c, const char *before)
{
    buf_printf(out, "%s%s\n", before, design_text(c));
    if (c->design == COMPARE_SESSIONS && c->metrics[0].out.capped)
        buf_printf(
            out,
            "%sTo know: measure both in turn (base, new, base, new ...), or give at least 3 sessions of unchanged "
            "code with --history, or mark stored runs of it: plimsoll results tag --same-code; --same-session "
            "vouches for one session.\n",
            before);
    if (c->metrics[0].out.moderated)
        buf_printf(out, "%sCells lend each other what they know of the noise (moderated variances).\n", before);
}

void words_reason(struct buf *out, const struct compare_result *r, enum compare_design design)
{
    const char *what = design == COMPARE_INTERLEAVED ? "rounds"
                       : design == COMPARE_SESSIONS  ? "sessions a side"
                                                     : "samples a side";

    buf_add_str(out, compare_reason_text(r->reason));
    if (r->samples_needed > 0)
        buf_printf(out, "%sabout %zu %s would settle it", r->reason != COMPARE_WHY_PLAIN ? "; " : "", r->samples_needed,
                   what);
}
