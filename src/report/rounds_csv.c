/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "report/csv_cells.h"
#include "report/rounds.h"

static bool has_averages_alone(const struct rounds_result *r)
{
    for (size_t i = 0; i < r->round_count; i++)
        if (r->rounds[i].copy_count == 0)
            return true;
    return false;
}

static void add_header(struct buf *out, const struct rounds_result *r, bool averages)
{
    buf_add_str(out, "series,round,concurrency,sample");
    if (averages)
        buf_add_str(out, ",average_s,failed");
    buf_add_str(out, ",copy,ok,start_s,duration_s,exit,signal,user_s,sys_s,max_rss_bytes,failure");
    for (size_t i = 0; i < r->phase_count; i++) {
        struct buf name;

        buf_init(&name, 256);
        buf_printf(&name, "phase %s_s", r->phases[i].name);
        buf_add_char(out, ',');
        csv_add_text(out, buf_ok(&name) ? name.data : NULL);
        buf_release(&name);
    }
    buf_add_char(out, '\n');
}

static void add_round(struct buf *out, const struct rounds_result *r, const struct rounds_round *round, bool averages)
{
    const struct rounds_series *s = &r->series[round->series];

    csv_add_text(out, s->name != NULL ? s->name : s->command);
    buf_printf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, round->number, round->concurrency, round->sample);
    if (averages && round->copy_count == 0) {
        csv_add_decimal(out, true, round->mean_s);
        buf_printf(out, ",%" PRIu32, round->failed);
    } else if (averages) {
        buf_add_str(out, ",,");
    }
}

static void add_whole(struct buf *out, bool known, double value)
{
    buf_add_char(out, ',');
    if (known && isfinite(value))
        buf_printf(out, "%.0f", value);
}

static void add_copy(struct buf *out, const struct rounds_result *r, const struct rounds_copy *c)
{
    buf_printf(out, ",%" PRIu32 ",%d", c->index, c->ok);
    csv_add_decimal(out, true, c->start_s);
    csv_add_decimal(out, true, c->duration_s);
    add_whole(out, c->exit >= 0, c->exit);
    add_whole(out, c->signal > 0, c->signal);
    csv_add_decimal(out, true, c->user_s);
    csv_add_decimal(out, true, c->sys_s);
    add_whole(out, true, c->max_rss_bytes);
    buf_add_char(out, ',');
    csv_add_text(out, c->failure);
    for (size_t i = 0; i < r->phase_count; i++)
        csv_add_decimal(out, c->phases != NULL, c->phases != NULL ? c->phases[i] : NAN);
}

static void add_no_copy(struct buf *out, const struct rounds_result *r)
{
    static const unsigned COLUMNS = 10; /* from copy to failure */

    for (size_t i = 0; i < COLUMNS + r->phase_count; i++)
        buf_add_char(out, ',');
}

void rounds_csv(struct buf *out, const struct result *result)
{
    const struct rounds_result *r = result->rounds;
    const bool averages = has_averages_alone(r);

    add_header(out, r, averages);
    for (size_t i = 0; i < r->round_count; i++) {
        const struct rounds_round *round = &r->rounds[i];

        for (size_t k = 0; k < round->copy_count; k++) {
            add_round(out, r, round, averages);
            add_copy(out, r, &round->copies[k]);
            buf_add_char(out, '\n');
        }
        if (round->copy_count == 0) {
            add_round(out, r, round, averages);
            add_no_copy(out, r);
            buf_add_char(out, '\n');
        }
    }
}
