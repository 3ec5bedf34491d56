/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_progress.h"

#include <math.h>

#include "base/units.h"

enum { LINE_MAX_BYTES = 8192 };

void run_add_step(struct buf *out, const struct plan *p, const struct plan_step *step)
{
    buf_printf(out, "%s sample %u of %u%s", p->cells[step->cell].name, step->sample + 1, p->samples,
               p->sides == 1     ? ""
               : step->side == 0 ? " (a)"
                                 : " (b)");
}

static void as_line(struct buf *out, const struct plan *p, const struct runner_progress *now)
{
    char left[UNITS_TEXT_MAX];

    buf_printf(out, "%zu of %zu  ", now->step + (now->now != NULL), now->steps);
    if (now->now != NULL) {
        run_add_step(out, p, now->now);
        buf_add_str(out, "  ");
    }
    buf_add_str(out, now->stage);
    if (now->attempt > 1)
        buf_printf(out, " (attempt %u)", now->attempt);
    if (!isnan(now->left_s))
        buf_printf(out, "  %s left", units_format_duration(left, now->left_s * 1e9));
}

static void as_json(struct buf *out, const struct runner_progress *now)
{
    buf_printf(out,
               "{\"elapsed_s\": %.3f, \"stage\": \"%s\", \"step\": %zu, \"steps\": %zu, \"cell\": ", now->elapsed_s,
               now->stage, now->step, now->steps);
    if (now->now != NULL)
        buf_printf(out, "%u, \"sample\": %u, \"side\": %u", now->now->cell, now->now->sample + 1, now->now->side);
    else
        buf_add_str(out, "null, \"sample\": null, \"side\": null");
    if (!isnan(now->left_s))
        buf_printf(out, ", \"left_s\": %.1f", now->left_s);
    if (now->live != NULL && now->live[0] == '{')
        buf_printf(out, ", \"live\": %s", now->live);
    buf_add_char(out, '}');
}

void run_progress_show(struct progress *progress, const struct plan *p, const struct runner_progress *now)
{
    struct buf line;

    if (progress->mode == PROGRESS_NONE)
        return;
    buf_init(&line, LINE_MAX_BYTES);
    if (progress->mode == PROGRESS_JSON)
        as_json(&line, now);
    else
        as_line(&line, p, now);
    progress_text(progress, buf_slice(&line));
    buf_release(&line);
}
