/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/calibration.h"

#include <math.h>

#include "report/compare_words.h"
#include "report/table.h"

enum { WIDTH = 100 };

static const char *design(const struct calibration *c)
{
    if (c->sessions < 2)
        return "dealt to two sides at random, within one session";
    if (c->sessions < 5)
        return "one session against another, with too few others to tell how much sessions differ: "
               "a change is suspect at most";
    return "one session against another, with all others as the history";
}

static void add_metric(struct table *t, const struct calibration_metric *m)
{
    const double n = m->comparisons > 0 ? (double)m->comparisons : NAN;
    char name[WORDS_MAX];

    table_cell(t, "%s", words_metric(name, m->name));
    table_cell(t, "%zu", m->comparisons);
    table_cell(t, "%.1f %%", 100 * (double)m->alarms / n);
    table_cell(t, "%.1f %%", 100 * (double)m->suspects / n);
    if (isnan(m->found_change))
        table_cell(t, "none");
    else
        table_cell(t, "%.1f %% worse", 100 * m->found_change);
}

void report_calibration(struct buf *out, const struct calibration *c)
{
    struct table t;

    buf_printf(out, "%zu samples of unchanged code, %zu session%s, %zu cell%s: %s.\n\n", c->runs, c->sessions,
               c->sessions == 1 ? "" : "s", c->cells, c->cells == 1 ? "" : "s", design(c));
    table_init(&t, "lrrrr");
    table_cell(&t, "metric");
    table_cell(&t, "comparisons");
    table_cell(&t, "cried wolf");
    table_cell(&t, "suspect");
    table_cell(&t, "found 9 of 10");
    for (size_t i = 0; i < c->metric_count && i + 1 < TABLE_ROWS_MAX; i++)
        add_metric(&t, &c->metrics[i]);
    table_print(&t, out, WIDTH);
    table_release(&t);
    buf_printf(out,
               "\n  cried wolf     comparisons of unchanged code in which a cell would have been called regressed or "
               "improved\n"
               "  suspect        those without such a cell, but with a suspect one\n"
               "  found 9 of 10  the least change of one cell that nine of ten comparisons would have called "
               "regressed\n");
}
