/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/live_rounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/rounds_inputs.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

enum { BY_SIZE_DONE, BY_SIZE_MEAN, BY_SIZE_MIN, BY_SIZE_MAX, BY_SIZE_FAILED, BY_SIZE_COLUMNS };
static const struct live_column OF_SIZES[BY_SIZE_COLUMNS] = {
    [BY_SIZE_DONE] = { "rounds", "rounds", LIVE_COUNT, true },
    [BY_SIZE_MEAN] = { "mean", "duration_mean", LIVE_SECONDS, false },
    [BY_SIZE_MIN] = { "min", "duration_min", LIVE_SECONDS, false },
    [BY_SIZE_MAX] = { "max", "duration_max", LIVE_SECONDS, false },
    [BY_SIZE_FAILED] = { "failed", "failed", LIVE_COUNT, true },
};

static void add_rows(struct live_table *t, const struct rounds_plan *plan)
{
    t->what = "size";
    memcpy(t->columns, OF_SIZES, sizeof(OF_SIZES));
    t->column_count = BY_SIZE_COLUMNS;
    for (size_t s = 0; s < plan->command_count; s++)
        for (size_t i = 0; i < plan->size_count; i++) {
            char name[64];
            struct live_row *row;

            snprintf(name, sizeof(name), "%s%u cop%s",
                     plan->command_count == 1 ? ""
                     : s == 0                 ? "a: "
                                              : "b: ",
                     (unsigned)plan->sizes[i], plan->sizes[i] == 1 ? "y" : "ies");
            row = live_row_add(t, slice_str(name));
            if (row != NULL)
                row->values[BY_SIZE_DONE] = row->values[BY_SIZE_FAILED] = 0;
        }
}

int live_rounds_init(struct live_rounds *l, struct live *live, const struct rounds_plan *plan, struct err *err)
{
    struct live_figures *f;
    struct buf text;

    *l = (struct live_rounds){ .live = live, .plan = plan };
    if (live == NULL)
        return 0;
    if (hist_new(&l->whole, err) != 0 || hist_new(&l->last, err) != 0)
        return -1;
    buf_init(&text, TEXT_MAX_BYTES);
    rounds_command_line(&text, &plan->commands[0]);
    f = live_board_take(live_board_of(live));
    live_text_set(f->title, sizeof(f->title), buf_slice(&text));
    f->unit = "copies";
    f->second = "last round";
    f->whole = "all rounds";
    f->step_word = "round";
    add_rows(&f->table, plan);
    live_board_give(live_board_of(live));
    buf_release(&text);
    return 0;
}

void live_rounds_release(struct live_rounds *l)
{
    hist_free(l->whole);
    hist_free(l->last);
}

void live_rounds_show(struct live_rounds *l, const struct rounds_progress *now)
{
    const bool is_running = strcmp(now->stage, "running") == 0;
    struct live_figures *f;

    if (l->live == NULL)
        return;
    f = live_board_take(live_board_of(l->live));
    live_text_set(f->stage, sizeof(f->stage), slice_str(now->stage));
    f->is_stopping = interrupt_is_asked();
    f->elapsed_s = now->elapsed_s;
    f->step = now->round;
    f->steps = now->rounds;
    snprintf(f->step_name, sizeof(f->step_name), "%s%u cop%s, %u ended", now->warmup ? "warm-up, " : "",
             (unsigned)now->concurrency, now->concurrency == 1 ? "y" : "ies", (unsigned)now->ended);
    f->in_flight = is_running && now->concurrency > now->ended ? now->concurrency - now->ended : 0;
    if (!now->warmup && is_running) {
        f->started = l->started + now->concurrency;
        f->ok = l->ok + now->ended - now->failed;
        f->failed = l->failed + now->failed;
    }
    live_board_give(live_board_of(l->live));
}

static size_t row_of(const struct rounds_plan *plan, const struct rounds_round *round)
{
    for (size_t i = 0; i < plan->size_count; i++)
        if (plan->sizes[i] == round->concurrency)
            return round->series * plan->size_count + i;
    return SIZE_MAX;
}

static void show_row(struct live_row *row, const struct rounds_round *round)
{
    const double before = row->values[BY_SIZE_DONE];

    row->values[BY_SIZE_DONE] = before + 1;
    row->values[BY_SIZE_FAILED] += round->failed;
    row->alarming = row->values[BY_SIZE_FAILED] > 0;
    if (isnan(round->mean_ok_s))
        return;
    row->values[BY_SIZE_MEAN] = isnan(row->values[BY_SIZE_MEAN])
                                    ? round->mean_ok_s
                                    : (row->values[BY_SIZE_MEAN] * before + round->mean_ok_s) / (before + 1);
    row->values[BY_SIZE_MIN] = fmin(row->values[BY_SIZE_MIN], round->min_s);
    row->values[BY_SIZE_MAX] = fmax(row->values[BY_SIZE_MAX], round->max_s);
}

static void add_durations(struct live_rounds *l, const struct rounds_round *round)
{
    hist_reset(l->last);
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        if (c->ok && c->duration_s >= 0)
            (void)hist_record(l->last, (uint64_t)(c->duration_s * NS_PER_S));
    }
    hist_merge(l->whole, l->last);
    l->started += round->copy_count;
    l->ok += round->ok;
    l->failed += round->failed;
    l->unfinished += round->unfinished;
}

static void add_errors(struct live_figures *f, const struct rounds_round *round)
{
    for (size_t i = 0; i < round->copy_count; i++)
        if (!round->copies[i].ok && !round->copies[i].unfinished && round->copies[i].failure != NULL)
            live_error_add(f, round->copies[i].failure, 1);
}

void live_rounds_round(struct live_rounds *l, const struct rounds_round *round)
{
    const size_t row = row_of(l->plan, round);
    struct live_figures *f;

    if (l->live == NULL)
        return;
    add_durations(l, round);
    f = live_board_take(live_board_of(l->live));
    f->started = l->started;
    f->ok = l->ok;
    f->failed = l->failed;
    f->unfinished = l->unfinished;
    f->in_flight = 0;
    f->step_name[0] = '\0';
    f->achieved_per_s = round->copies_per_s;
    live_latency_set(&f->of_second, l->last);
    live_latency_set(&f->of_whole, l->whole);
    add_errors(f, round);
    if (row < f->table.row_count)
        show_row(&f->table.rows[row], round);
    live_add_point(f, &(struct live_point){ .achieved_per_s = isnan(round->copies_per_s) ? 0 : round->copies_per_s,
                                            .asked_per_s = NAN,
                                            .p50_ns = f->of_second.p50_ns,
                                            .p99_ns = f->of_second.p99_ns,
                                            .max_ns = f->of_second.max_ns,
                                            .failed = round->failed });
    live_board_give(live_board_of(l->live));
}
