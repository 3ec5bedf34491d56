/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_progress.h"

enum { TEXT_MAX_BYTES = 1024 };

void rounds_progress_line(struct buf *out, const struct rounds_progress *now)
{
    buf_printf(out, "%s %u of %u  %u %s  %s  %u ended", now->warmup ? "warm-up" : "round", (unsigned)now->round,
               (unsigned)now->rounds, (unsigned)now->concurrency, now->concurrency == 1 ? "copy" : "copies", now->stage,
               (unsigned)now->ended);
    if (now->failed > 0)
        buf_printf(out, "  %u failed", (unsigned)now->failed);
    buf_printf(out, "  %.0f s", now->elapsed_s);
}

void rounds_progress_json(struct buf *out, const struct rounds_progress *now)
{
    buf_printf(out, "{\"elapsed_s\": %.3f, \"stage\": \"%s\", \"round\": %u, \"rounds\": %u, \"warmup\": %s",
               now->elapsed_s, now->stage, (unsigned)now->round, (unsigned)now->rounds, now->warmup ? "true" : "false");
    buf_printf(out, ", \"series\": %u, \"concurrency\": %u, \"sample\": %u, \"ended\": %u, \"failed\": %u}",
               (unsigned)now->series, (unsigned)now->concurrency, (unsigned)now->sample, (unsigned)now->ended,
               (unsigned)now->failed);
}

void rounds_progress_show(struct progress *p, const struct rounds_progress *now)
{
    struct buf line;

    if (p->mode == PROGRESS_NONE)
        return;
    buf_init(&line, TEXT_MAX_BYTES);
    if (p->mode == PROGRESS_JSON)
        rounds_progress_json(&line, now);
    else
        rounds_progress_line(&line, now);
    progress_text(p, buf_slice(&line));
    buf_release(&line);
}
