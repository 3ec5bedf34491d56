/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/escapes.h"
#include "report/export_forms.h"

static void add_time(struct buf *out, double s)
{
    char text[UNITS_TEXT_MAX];

    buf_printf(out, " %s |", isnan(s) ? "–" : units_format_duration(text, s * 1e9));
}

static const char *outcome(const struct result *r)
{
    if (r->interrupted)
        return "interrupted";
    if (!r->valid)
        return "**invalid**";
    return result_promises_kept(r) ? "valid" : "**promise broken**";
}

static void add_what(struct buf *out, const struct result *r)
{
    char *cell = export_cell_label(r);

    buf_add_str(out, "| ");
    escape_markdown(out, r->name != NULL && r->name[0] != '\0' ? r->name : r->id);
    buf_add_str(out, " | ");
    if (cell != NULL)
        escape_markdown(out, cell);
    else if (r->target_count > 0 && r->targets[0].url != NULL)
        escape_markdown(out, r->targets[0].url);
    free(cell);
    buf_add_str(out, " |");
}

void export_markdown_add(struct exporting *e, const struct result *r)
{
    static const char *const TIMES[] = { "latency_mean", "latency_p50", "latency_p99", "latency_max" };
    const double rate = export_figure(r, "requests_per_s"), errors = export_figure(r, "error_share");
    struct buf *out = &e->text;

    if (e->count == 0)
        buf_add_str(out, "| run | cell | requests/s | mean | p50 | p99 | max | errors | |\n"
                         "|---|---|---:|---:|---:|---:|---:|---:|---|\n");
    add_what(out, r);
    if (isnan(rate))
        buf_add_str(out, " – |");
    else
        buf_printf(out, " %.*f |", rate < 100 ? 2 : 0, rate);
    for (size_t i = 0; i < sizeof(TIMES) / sizeof(TIMES[0]); i++)
        add_time(out, export_figure(r, TIMES[i]));
    if (isnan(errors))
        buf_add_str(out, " – |");
    else
        buf_printf(out, " %.3g %% |", errors * 100);
    buf_printf(out, " %s |\n", outcome(r));
}
