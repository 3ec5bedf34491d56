/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How it scales, what promises are kept, and series side by side. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fit.h"
#include "report/rounds_parts.h"
#include "report/table.h"
#include "result/rounds_scaling.h"

#define COLUMNS_MAX 8u /* series side by side */
#define ROWS_MAX 30u

static uint32_t largest_size(const struct rounds_report *p, uint32_t series)
{
    size_t count;
    const struct rounds_size *sizes = rounds_sizes_of_series(&p->sizes, series, &count);

    return count > 0 ? sizes[count - 1].concurrency : 0;
}

static void say_peak(const struct rounds_report *p, const struct rounds_scaling *s, uint32_t largest)
{
    const double duration_s = rounds_scaling_duration_s(s, s->peak_concurrency);
    char rate[UNITS_TEXT_MAX], each[UNITS_TEXT_MAX];

    if (isnan(s->peak_concurrency)) {
        section_line(&p->s, "  Peak", "none: more at once always get more done%s",
                     s->sigma > 0 ? ", though less and less" : "");
        return;
    }
    section_line(&p->s, "  Peak", "%.1f at once%s: %s a minute, %s each", s->peak_concurrency,
                 s->extrapolated ? " (extrapolated)" : "", section_rate(rate, s->peak_concurrency / duration_s * 60),
                 rounds_time(each, duration_s));
    if (s->extrapolated)
        section_line(&p->s, "", "It lies beyond the %" PRIu32 " at once that were measured: it may lie elsewhere.",
                     largest);
    if (!isnan(s->peak_interval.low) && isfinite(s->peak_interval.high))
        section_line(&p->s, "", "95 %%: %.1f ... %.1f", s->peak_interval.low, s->peak_interval.high);
    else if (!isnan(s->peak_interval.low))
        section_line(&p->s, "", "95 %%: %.1f or more", s->peak_interval.low);
    else
        section_line(&p->s, "", "No interval: a size with one round says nothing about chance.");
}

static void say_law(const struct rounds_report *p, const struct rounds_scaling *s, uint32_t largest)
{
    section_line(&p->s, "  Law", "N at once do %.4g N / (1 + %.4g (N-1) + %.4g N (N-1)) a second (off by %.1f %%)",
                 s->lambda, s->sigma, s->kappa, s->rms * 100);
    section_line(&p->s, "  Waiting",
                 "%.2g %% of the work has to wait its turn (sigma), and each pair costs another "
                 "%.2g %% (kappa)",
                 s->sigma * 100, s->kappa * 100);
    say_peak(p, s, largest);
}

static void say_promise(const struct rounds_report *p, const struct rounds_promise *promise)
{
    struct buf say;

    if (promise->clauses == NULL)
        return;
    buf_init(&say, 4096);
    if (promise->largest == 0)
        buf_add_str(&say, "kept by no size");
    else
        buf_printf(&say, "kept up to %" PRIu32 " at once", promise->largest);
    if (promise->broken > 0)
        buf_printf(&say, "; %" PRIu32 " at once break%s it", promise->broken, promise->broken == 1 ? "s" : "");
    else
        buf_add_str(&say, ", the largest that was measured");
    if (isinf(promise->by_law))
        buf_add_str(&say, "; by the law by any number");
    else if (!isnan(promise->by_law) && promise->by_law > 0)
        buf_printf(&say, "; by the law up to %.0f%s", promise->by_law, promise->extrapolated ? " (extrapolated)" : "");
    section_line(&p->s, "  Promise", "%s: %s", promise->clauses, buf_ok(&say) ? say.data : "");
    buf_release(&say);
}

void rounds_part_scaling(const struct rounds_report *p, uint32_t series)
{
    const struct rounds_series *s = &p->rounds->series[series];
    size_t count;

    (void)rounds_sizes_of_series(&p->sizes, series, &count);
    if (count < 2 && s->promise.clauses == NULL)
        return;
    buf_add_str(p->s.out, "\nScaling\n");
    if (s->scaling.verdict == SCALING_FITS)
        say_law(p, &s->scaling, largest_size(p, series));
    else if (count > 1 && s->scaling.verdict != SCALING_NONE)
        section_line(&p->s, "  Law", "%s", scaling_verdict_text(s->scaling.verdict));
    if (s->scaling.note != NULL && count > 1)
        section_line(&p->s, "  Note", "%s", s->scaling.note);
    say_promise(p, &s->promise);
}

static void add_letters(const struct rounds_report *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rounds_series *s = &p->rounds->series[i];

        buf_printf(p->s.out, "  %c  ", (char)('A' + i));
        fit_line(p->s.out, slice_str(s->name != NULL ? s->name : s->command), p->s.width - 5, FIT_BOTH_ENDS);
        buf_add_char(p->s.out, '\n');
    }
}

static const struct rounds_size *size_of(const struct rounds_report *p, uint32_t series, uint32_t concurrency)
{
    for (size_t i = 0; i < p->sizes.count; i++)
        if (p->sizes.items[i].series == series && p->sizes.items[i].concurrency == concurrency)
            return &p->sizes.items[i];
    return NULL;
}

/* The sizes of all series, rising. */
static size_t all_sizes(const struct rounds_report *p, uint32_t out[ROWS_MAX])
{
    size_t count = 0;

    while (count < ROWS_MAX) {
        uint32_t next = 0;

        for (size_t k = 0; k < p->sizes.count; k++)
            if ((count == 0 || p->sizes.items[k].concurrency > out[count - 1]) &&
                (next == 0 || p->sizes.items[k].concurrency < next))
                next = p->sizes.items[k].concurrency;
        if (next == 0)
            break;
        out[count++] = next;
    }
    return count;
}

static void add_size_row(const struct rounds_report *p, struct table *t, uint32_t concurrency, size_t columns)
{
    char text[UNITS_TEXT_MAX];

    table_cell(t, "%" PRIu32, concurrency);
    for (uint32_t i = 0; i < columns; i++) {
        const struct rounds_size *size = size_of(p, i, concurrency);

        if (size == NULL)
            table_cell(t, "-");
        else if (size->failed > 0)
            table_cell(t, "%s*", rounds_time(text, size->counts_failures ? size->discounted_s : size->duration_s));
        else
            table_cell(t, "%s", rounds_time(text, size->duration_s));
    }
}

static void add_peak_row(const struct rounds_report *p, struct table *t, size_t columns)
{
    table_cell(t, "peak at");
    for (size_t i = 0; i < columns; i++) {
        const struct rounds_scaling *s = &p->rounds->series[i].scaling;

        if (s->verdict != SCALING_FITS)
            table_cell(t, "%s", s->verdict == SCALING_DOES_NOT_FIT ? "no fit" : "-");
        else if (isnan(s->peak_concurrency))
            table_cell(t, "none");
        else
            table_cell(t, "%.1f%s", s->peak_concurrency, s->extrapolated ? "?" : "");
    }
}

static void say_marks(const struct rounds_report *p)
{
    bool failed = false, extrapolated = false;

    for (size_t i = 0; i < p->sizes.count; i++)
        failed = failed || p->sizes.items[i].failed > 0;
    for (size_t i = 0; i < p->rounds->series_count; i++)
        extrapolated = extrapolated || p->rounds->series[i].scaling.extrapolated;
    if (failed)
        buf_add_str(p->s.out, "  * some failed; the figure is without them\n");
    if (extrapolated)
        buf_add_str(p->s.out, "  ? extrapolated beyond what was measured\n");
}

void rounds_part_series(const struct rounds_report *p)
{
    const size_t columns = p->rounds->series_count < COLUMNS_MAX ? p->rounds->series_count : COLUMNS_MAX;
    char align[COLUMNS_MAX + 2] = "rrrrrrrrr";
    uint32_t sizes[ROWS_MAX];
    const size_t count = all_sizes(p, sizes);
    struct table t;

    if (p->rounds->series_count < 2 || count == 0)
        return;
    buf_add_str(p->s.out, "\nSide by side: mean time of a copy\n");
    add_letters(p, columns);
    align[columns + 1] = '\0';
    table_init(&t, align);
    table_cell(&t, "at once");
    for (size_t i = 0; i < columns; i++)
        table_cell(&t, "%c", (char)('A' + i));
    for (size_t i = 0; i < count; i++)
        add_size_row(p, &t, sizes[i], columns);
    add_peak_row(p, &t, columns);
    table_print(&t, p->s.out, p->s.width);
    table_release(&t);
    say_marks(p);
    if (columns < p->rounds->series_count)
        buf_printf(p->s.out, "  %zu of %zu series are shown; --json has all\n", columns, p->rounds->series_count);
}
