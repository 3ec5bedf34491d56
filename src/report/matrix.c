/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/matrix.h"

#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "report/compare_words.h"
#include "report/escapes.h"
#include "report/fit.h"

enum { LINE_WIDTH = 100, COLLAPSES_MAX = 10, NOTES_MAX = 20, METRICS_SHOWN = 8 };

/* A metric as the words of comparisons want it. */
static struct comparison_metric described(const struct matrix *m, const char *name)
{
    struct comparison_metric out = { .name = (char *)(uintptr_t)name, .higher_is_better = true };

    for (unsigned side = 0; side < 2; side++)
        for (size_t k = 0; k < m->sides[side].count; k++) {
            const struct metric *found = record_metric(&m->sides[side].records[k], name);

            if (found != NULL) {
                out.higher_is_better = found->higher_is_better;
                out.is_share = found->is_share;
                return out;
            }
        }
    return out;
}

struct counts {
    uint32_t planned, valid, pending, not_run, broken;
    const char *why_not; /* of one that was not run */
};

static struct counts count_samples(const struct matrix *m, uint32_t cell, uint32_t side)
{
    struct counts c = { 0 };

    for (size_t k = 0; k < m->sample_count; k++) {
        const struct matrix_sample *s = &m->samples[k];

        if (s->cell != cell || s->side != side)
            continue;
        c.planned++;
        c.valid += s->outcome == MATRIX_VALID;
        c.pending += s->outcome == MATRIX_PENDING;
        c.not_run += s->outcome == MATRIX_NOT_RUN;
        c.why_not = s->outcome == MATRIX_NOT_RUN ? s->note : c.why_not;
        c.broken += s->broke_promise;
    }
    return c;
}

static const char *state_of(const struct counts *c, char out[32])
{
    if (c->not_run == c->planned)
        return c->why_not != NULL ? c->why_not : "not run";
    if (c->pending == c->planned)
        return "not run";
    if (c->valid < c->planned - c->pending - c->not_run)
        return "invalid samples";
    if (c->broken > 0)
        return "promise broken";
    snprintf(out, 32, "%s", c->pending > 0 ? "part" : "ok");
    return out;
}

static size_t shown_metrics(const struct matrix *m)
{
    return m->metrics.count < METRICS_SHOWN ? m->metrics.count : METRICS_SHOWN;
}

/* ---- the table of cells ---- */

static int add_columns(struct libscols_table *t, const struct matrix *m)
{
    bool good = true;
    char heading[WORDS_MAX];

    for (size_t d = 0; d < m->dimensions.count; d++)
        good = good && scols_table_new_column(t, m->dimensions.items[d], 0.1, 0) != NULL;
    if (m->side_count > 1)
        good = good && scols_table_new_column(t, "side", 1, 0) != NULL;
    good = good && scols_table_new_column(t, "samples", 3, SCOLS_FL_RIGHT) != NULL;
    for (size_t k = 0; k < shown_metrics(m); k++)
        good = good &&
               scols_table_new_column(t, words_metric(heading, m->metrics.items[k]), 0.1, SCOLS_FL_RIGHT) != NULL;
    return good && scols_table_new_column(t, "state", 0.1, 0) != NULL ? 0 : -1;
}

static int add_row(struct libscols_table *t, const struct matrix *m, uint32_t cell, uint32_t side)
{
    struct libscols_line *line = scols_table_new_line(t, NULL);
    const struct counts c = count_samples(m, cell, side);
    char text[WORDS_MAX], state[32];
    size_t column = 0;
    int failed = line == NULL;

    for (size_t d = 0; !failed && d < m->dimensions.count; d++)
        failed |= scols_line_set_data(line, column++, m->cells[cell].values[d]);
    if (!failed && m->side_count > 1)
        failed |= scols_line_set_data(line, column++, side == 0 ? "a" : "b");
    snprintf(text, sizeof(text), "%u of %u", c.valid, c.planned);
    if (!failed)
        failed |= scols_line_set_data(line, column++, text);
    for (size_t k = 0; !failed && k < shown_metrics(m); k++) {
        const struct comparison_metric words = described(m, m->metrics.items[k]);

        failed |= scols_line_set_data(
            line, column++, words_value(text, &words, matrix_figure(m, cell, side, m->metrics.items[k]).mean));
    }
    if (!failed)
        failed |= scols_line_set_data(line, column, state_of(&c, state));
    return failed ? -1 : 0;
}

static int fill(struct libscols_table *t, const struct matrix *m)
{
    uint32_t rows = 0;

    if (add_columns(t, m) != 0)
        return -1;
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        for (uint32_t side = 0; side < m->side_count && rows < MATRIX_ROWS_MAX; side++, rows++)
            if (add_row(t, m, cell, side) != 0)
                return -1;
    return 0;
}

static int print_table(struct buf *out, struct libscols_table *t, unsigned width)
{
    char *text = NULL;
    struct slice rest;

    scols_table_set_termforce(t, width > 0 ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
    if (width > 0)
        scols_table_set_termwidth(t, width);
    if (scols_print_table_to_string(t, &text) != 0 || text == NULL)
        return -1;
    rest = slice_str(text);
    while (rest.len > 0) {
        struct slice line = slice_split(&rest, '\n');

        while (line.len > 0 && line.ptr[line.len - 1] == ' ')
            line.len--;
        buf_printf(out, "  %.*s\n", SLICE_FMT(line));
    }
    free(text);
    return 0;
}

/* Many metrics: a row for each of a cell's instead of a column. */
static int add_metric_rows(struct libscols_table *t, const struct matrix *m, uint32_t cell, uint32_t side,
                           uint32_t *rows)
{
    for (size_t k = 0; k < m->metrics.count && *rows < MATRIX_ROWS_MAX; k++, ++*rows) {
        const struct comparison_metric words = described(m, m->metrics.items[k]);
        const struct matrix_figure f = matrix_figure(m, cell, side, m->metrics.items[k]);
        struct libscols_line *line = scols_table_new_line(t, NULL);
        char text[WORDS_MAX], range[2 * WORDS_MAX + 8], high[WORDS_MAX];
        int failed = line == NULL;

        if (!failed)
            failed |= scols_line_set_data(line, 0, m->cells[cell].name);
        if (!failed)
            failed |= scols_line_set_data(line, 1, m->side_count == 1 ? "" : side == 0 ? "a" : "b");
        if (!failed)
            failed |= scols_line_set_data(line, 2, words_metric(text, m->metrics.items[k]));
        if (!failed)
            failed |= scols_line_set_data(line, 3, words_value(text, &words, f.mean));
        snprintf(range, sizeof(range), "%s ... %s", words_value(text, &words, f.min), words_value(high, &words, f.max));
        if (!failed)
            failed |= scols_line_set_data(line, 4, range);
        snprintf(text, sizeof(text), "%u", f.count);
        if (failed || scols_line_set_data(line, 5, text) != 0)
            return -1;
    }
    return 0;
}

static int fill_long(struct libscols_table *t, const struct matrix *m)
{
    static const char *const HEADINGS[] = { "cell", "side", "metric", "mean", "range", "samples" };
    uint32_t rows = 0;

    for (size_t k = 0; k < sizeof(HEADINGS) / sizeof(HEADINGS[0]); k++)
        if (scols_table_new_column(t, HEADINGS[k], 0.1, k >= 3 ? SCOLS_FL_RIGHT : 0) == NULL)
            return -1;
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        for (uint32_t side = 0; side < m->side_count; side++)
            if (add_metric_rows(t, m, cell, side, &rows) != 0)
                return -1;
    return 0;
}

static int cells_table(struct buf *out, const struct matrix *m, unsigned width)
{
    struct libscols_table *t = scols_new_table();
    int rc = t == NULL ? -1 : m->metrics.count > METRICS_SHOWN ? fill_long(t, m) : fill(t, m);

    if (rc == 0)
        rc = print_table(out, t, width > 2 ? width - 2 : 0);
    scols_unref_table(t);
    if (m->cell_count * m->side_count > MATRIX_ROWS_MAX)
        buf_printf(out, "  and %zu more: --json has them all\n", m->cell_count * m->side_count - MATRIX_ROWS_MAX);
    return rc;
}

/* ---- below it ---- */

static void effects_text(struct buf *out, const struct matrix *m, const struct comparison_metric *metric,
                         const struct matrix_effects *e)
{
    char words[WORDS_MAX], change[WORDS_MAX];
    size_t last = SIZE_MAX;

    if (e->effect_count <= m->dimensions.count) /* one value each */
        return;
    buf_printf(out, "\nEffect of each dimension on %s (geometric mean over its cells)\n",
               words_metric(words, metric->name));
    for (size_t k = 0; k < e->effect_count; k++) {
        const struct matrix_effect *x = &e->effects[k];
        const bool is_first = x->dimension != last;

        if (x->cells == 0)
            continue;
        buf_printf(out, "  %-16s %-16s %14s", is_first ? m->dimensions.items[x->dimension] : "", x->value,
                   words_value(words, metric, x->mean));
        if (!is_first)
            buf_printf(out, "  %s", words_change(change, metric, x->change));
        buf_add_char(out, '\n');
        last = x->dimension;
    }
}

static void collapses_text(struct buf *out, const struct matrix *m, const struct comparison_metric *metric,
                           const struct matrix_effects *e)
{
    char before[WORDS_MAX], after[WORDS_MAX], name[WORDS_MAX];

    for (size_t k = 0; k < e->collapse_count && k < COLLAPSES_MAX; k++) {
        const struct matrix_collapse *c = &e->collapses[k];
        struct buf text;

        buf_init(&text, (size_t)1 << 16);
        buf_printf(&text, "%s collapses from %s to %s when %s goes from %s to %s (%s)",
                   words_metric(name, metric->name), words_value(before, metric, c->before),
                   words_value(after, metric, c->after), m->dimensions.items[c->dimension],
                   m->cells[c->from].values[c->dimension], m->cells[c->to].values[c->dimension], m->cells[c->to].name);
        fit_paragraph(out, "Collapse  ", buf_slice(&text), LINE_WIDTH);
        buf_release(&text);
    }
    if (e->collapse_count > COLLAPSES_MAX)
        buf_printf(out, "          and %zu more\n", e->collapse_count - COLLAPSES_MAX);
}

static void add_sample(struct buf *out, const struct matrix *m, const struct matrix_sample *s)
{
    buf_printf(out, "%s sample %u%s", m->cells[s->cell].name, s->number + 1,
               m->side_count == 1 ? ""
               : s->side == 0     ? " of a"
                                  : " of b");
}

static void losses_text(struct buf *out, const struct matrix *m)
{
    size_t told = 0, all = 0;

    for (size_t k = 0; k < m->sample_count; k++) {
        const struct matrix_sample *s = &m->samples[k];
        struct buf text;

        if (s->outcome != MATRIX_INVALID && s->outcome != MATRIX_FAILED)
            continue;
        if (all++ >= NOTES_MAX)
            continue;
        told++;
        buf_init(&text, (size_t)1 << 16);
        add_sample(&text, m, s);
        buf_printf(&text, ": %s", s->note != NULL ? s->note : "");
        fit_paragraph(out, s->outcome == MATRIX_INVALID ? "Invalid   " : "Failed    ", buf_slice(&text), LINE_WIDTH);
        buf_release(&text);
    }
    if (all > told)
        buf_printf(out, "          and %zu more\n", all - told);
}

static void warnings_text(struct buf *out, const struct matrix *m)
{
    struct matrix_warning all[NOTES_MAX];
    size_t more;
    const size_t count = matrix_warnings(m, all, NOTES_MAX, &more);

    for (size_t k = 0; k < count; k++) {
        struct buf text;

        buf_init(&text, (size_t)1 << 16);
        add_sample(&text, m, all[k].first);
        if (all[k].others > 0)
            buf_printf(&text, " and %" PRIu32 " more", all[k].others);
        buf_printf(&text, ": %s", all[k].text);
        fit_paragraph(out, "Warning   ", buf_slice(&text), LINE_WIDTH);
        buf_release(&text);
    }
    if (more > 0)
        buf_printf(out, "          and %zu more\n", more);
}

static void lists_text(struct buf *out, const struct matrix *m)
{
    for (size_t k = 0; k < m->facts.count; k++)
        fit_paragraph(out, "Fact      ", slice_str(m->facts.items[k]), LINE_WIDTH);
    for (size_t k = 0; k < m->notes.count; k++)
        fit_paragraph(out, "Note      ", slice_str(m->notes.items[k]), LINE_WIDTH);
}

int report_matrix(struct buf *out, const struct matrix *m, unsigned width, struct err *err)
{
    struct matrix_effects e = { 0 };

    buf_printf(out, "%s%s\n", m->name, m->interrupted ? " (interrupted)" : "");
    if (cells_table(out, m, width) != 0)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (m->metrics.count > 0) {
        const struct comparison_metric metric = described(m, m->metrics.items[0]);

        if (matrix_find_effects(m, metric.name, metric.higher_is_better, &e, err) != 0)
            return -1;
        effects_text(out, m, &metric, &e);
        collapses_text(out, m, &metric, &e);
        matrix_effects_release(&e);
    }
    losses_text(out, m);
    warnings_text(out, m);
    lists_text(out, m);
    if (m->summary.len > 0)
        buf_printf(out, "\n%.*s", SLICE_FMT(buf_slice(&m->summary)));
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* ---- Markdown ---- */

static void markdown_cell(struct buf *out, const char *text)
{
    buf_add_str(out, " ");
    escape_markdown(out, text);
    buf_add_str(out, " |");
}

static void markdown_row(struct buf *out, const struct matrix *m, uint32_t cell, uint32_t side)
{
    const struct counts c = count_samples(m, cell, side);
    char text[WORDS_MAX], state[32];

    buf_add_char(out, '|');
    for (size_t d = 0; d < m->dimensions.count; d++)
        markdown_cell(out, m->cells[cell].values[d]);
    if (m->side_count > 1)
        markdown_cell(out, side == 0 ? "a" : "b");
    snprintf(text, sizeof(text), "%u of %u", c.valid, c.planned);
    markdown_cell(out, text);
    for (size_t k = 0; k < m->metrics.count; k++) {
        const struct comparison_metric words = described(m, m->metrics.items[k]);

        markdown_cell(out, words_value(text, &words, matrix_figure(m, cell, side, m->metrics.items[k]).mean));
    }
    markdown_cell(out, state_of(&c, state));
    buf_add_char(out, '\n');
}

/* Backticks for a fence that no line of the text ends. */
static size_t fence_of(struct slice text)
{
    size_t run = 0, longest = 2;

    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void add_fence(struct buf *out, size_t length)
{
    while (length-- > 0)
        buf_add_char(out, '`');
    buf_add_char(out, '\n');
}

/* Markdown as it is, but no HTML. */
static void add_own(struct buf *out, struct slice line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '<' && (i == 0 || line.ptr[i - 1] != '\\'))
            buf_add_char(out, '\\');
        buf_add_char(out, line.ptr[i]);
    }
    buf_add_char(out, '\n');
}

/* Its tables are Markdown's already (lines with | in front), and notes (> in front); all else is shown as it is. */
static void summary_markdown(struct buf *out, struct slice text)
{
    const size_t fence = fence_of(text);
    bool is_fenced = false;

    while (text.len > 0) {
        const struct slice line = slice_split(&text, '\n');
        const bool is_own = slice_starts(line, SLICE("|")) || slice_starts(line, SLICE("> ")) || line.len == 0;

        if (is_own == is_fenced && line.len > 0) {
            if (!is_fenced)
                buf_add_char(out, '\n');
            add_fence(out, fence);
            if (is_fenced)
                buf_add_char(out, '\n');
            is_fenced = !is_fenced;
        }
        if (is_fenced)
            buf_printf(out, "%.*s\n", SLICE_FMT(line));
        else
            add_own(out, line);
    }
    if (is_fenced)
        add_fence(out, fence);
}

void report_matrix_markdown(struct buf *out, const struct matrix *m)
{
    char heading[WORDS_MAX];
    size_t columns = m->dimensions.count + (m->side_count > 1) + 2 + m->metrics.count;

    buf_add_str(out, "**");
    escape_markdown(out, m->name);
    buf_add_str(out, "**\n\n|");
    for (size_t d = 0; d < m->dimensions.count; d++)
        markdown_cell(out, m->dimensions.items[d]);
    if (m->side_count > 1)
        markdown_cell(out, "side");
    markdown_cell(out, "samples");
    for (size_t k = 0; k < m->metrics.count; k++)
        markdown_cell(out, words_metric(heading, m->metrics.items[k]));
    markdown_cell(out, "state");
    buf_add_str(out, "\n|");
    while (columns-- > 0)
        buf_add_str(out, " --- |");
    buf_add_char(out, '\n');
    for (uint32_t cell = 0; cell < m->cell_count; cell++)
        for (uint32_t side = 0; side < m->side_count; side++)
            markdown_row(out, m, cell, side);
    summary_markdown(out, buf_slice(&m->summary));
}
