/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_forms.h"

#include <math.h>

#include "report/csv_cells.h"

static void number(struct buf *out, double value)
{
    buf_add_char(out, ',');
    if (isfinite(value))
        buf_printf(out, "%.10g", value);
}

static void row(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];

    for (size_t k = 0; k < c->dimensions.count; k++) {
        csv_add_text(out, c->cells[i].values[k]);
        buf_add_char(out, ',');
    }
    buf_add_str(out, m->name);
    number(out, r->base);
    number(out, r->new);
    number(out, r->change);
    number(out, r->interval[0]);
    number(out, r->interval[1]);
    number(out, r->p_adjusted);
    number(out, r->q);
    buf_printf(out, ",%s,", compare_verdict_text(r->verdict));
    csv_add_text(out, compare_reason_text(r->reason));
    buf_printf(out, ",%s,%zu,%zu,",
               m->rule[i] == NULL      ? ""
               : m->tolerance_holds[i] ? "pass"
                                       : "fail",
               r->samples_base, r->samples_new);
    if (r->samples_needed > 0)
        buf_printf(out, "%zu", r->samples_needed);
    buf_add_char(out, '\n');
}

void compare_csv(struct buf *out, const struct comparison *c)
{
    for (size_t k = 0; k < c->dimensions.count; k++) {
        csv_add_text(out, c->dimensions.items[k]);
        buf_add_char(out, ',');
    }
    buf_add_str(out, "metric,base,new,change,interval_low,interval_high,p_adjusted,q,verdict,reason,tolerance,"
                     "samples_base,samples_new,samples_needed\n");
    for (size_t k = 0; k < c->metric_count; k++)
        for (size_t i = 0; i < c->cell_count; i++)
            row(out, c, &c->metrics[k], i);
}
