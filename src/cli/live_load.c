/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/live_load.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/interrupt.h"
#include "http/redact.h"

enum { TEXT_MAX_BYTES = 1 << 16 };

enum { TARGET_RATE, TARGET_OK, TARGET_FAILED, TARGET_MEAN, TARGET_MAX, TARGET_COLUMNS };
static const struct live_column OF_TARGETS[TARGET_COLUMNS] = {
    [TARGET_RATE] = { "per s", "rate", LIVE_PER_S, false },
    [TARGET_OK] = { "ok", "ok", LIVE_COUNT, true },
    [TARGET_FAILED] = { "failed", "failed", LIVE_COUNT, true },
    [TARGET_MEAN] = { "mean", "latency_mean", LIVE_SECONDS, false },
    [TARGET_MAX] = { "max", "latency_max", LIVE_SECONDS, false },
};

enum { TRIAL_RATE, TRIAL_P50, TRIAL_P99, TRIAL_OK, TRIAL_FAILED, TRIAL_COLUMNS };
static const struct live_column OF_TRIALS[TRIAL_COLUMNS] = {
    [TRIAL_RATE] = { "per s", "rate", LIVE_PER_S, false },
    [TRIAL_P50] = { "p50", "latency_p50", LIVE_SECONDS, false },
    [TRIAL_P99] = { "p99", "latency_p99", LIVE_SECONDS, false },
    [TRIAL_OK] = { "ok", "ok", LIVE_COUNT, false },
    [TRIAL_FAILED] = { "failed", "failed", LIVE_COUNT, false },
};

static void set_columns(struct live_table *t, const char *what, const struct live_column *columns, size_t count)
{
    t->what = what;
    memcpy(t->columns, columns, count * sizeof(*columns));
    t->column_count = count;
}

static void add_name(struct buf *out, const struct load_target *t)
{
    if (strcmp(t->method, "GET") != 0)
        buf_printf(out, "%s ", t->method);
    redact_url(out, slice_str(t->url));
}

void live_load_init(struct live_load *l, struct live *live, const struct load_plan *plan, bool of_trials)
{
    struct live_figures *f;
    struct buf text;

    *l = (struct live_load){ .live = live, .of_trials = of_trials, .trial_is_over = of_trials };
    if (live == NULL)
        return;
    buf_init(&text, TEXT_MAX_BYTES);
    f = live_board_take(live_board_of(live));
    add_name(&text, &plan->targets[0]);
    if (plan->target_count > 1)
        buf_printf(&text, " and %zu more", plan->target_count - 1);
    live_text_set(f->title, sizeof(f->title), buf_slice(&text));
    if (of_trials) {
        f->step_word = "trial";
        f->whole = "trial";
        set_columns(&f->table, "trial", OF_TRIALS, TRIAL_COLUMNS);
        f->table.newest_first = true;
    } else {
        set_columns(&f->table, "target", OF_TARGETS, TARGET_COLUMNS);
    }
    for (size_t i = 0; !of_trials && i < plan->target_count; i++) {
        buf_clear(&text);
        add_name(&text, &plan->targets[i]);
        (void)live_row_add(&f->table, buf_slice(&text));
    }
    live_board_give(live_board_of(live));
    buf_release(&text);
}

/* "starts at 12:00:00Z, in 9.2 s; share 2/4; the clock is 1.2 ms behind by HOST" */
static void add_wait(struct buf *out, const struct share_start *s, const char *share, uint64_t left_ns)
{
    const double offset_ns = (double)s->start.clock_offset_ns;
    char text[UNITS_TEXT_MAX];

    buf_printf(out, "starts at %s, in %.0f s", s->facts.at, ceil((double)left_ns / NS_PER_S));
    if (share != NULL)
        buf_printf(out, "; share %s", share);
    if (s->facts.clock[0] != '\0')
        buf_printf(out, "; the clock is %s %s by %s", units_format_duration(text, fabs(offset_ns)),
                   offset_ns >= 0 ? "behind" : "ahead", s->facts.clock);
}

void live_load_wait(struct live_load *l, const struct share_start *s, const char *share, uint64_t left_ns)
{
    struct live_figures *f;
    struct buf text;

    if (l->live == NULL)
        return;
    buf_init(&text, TEXT_MAX_BYTES);
    add_wait(&text, s, share, left_ns);
    f = live_board_take(live_board_of(l->live));
    live_text_set(f->stage, sizeof(f->stage), left_ns > 0 ? SLICE("waiting") : SLICE("starting"));
    f->left_s = left_ns > 0 ? (double)left_ns / NS_PER_S : NAN;
    live_board_give(live_board_of(l->live));
    if (left_ns > 0)
        live_board_message(live_board_of(l->live), "%.*s", SLICE_FMT(buf_slice(&text)));
    else
        live_say_where(l->live);
    buf_release(&text);
}

static void show_counts(struct live_figures *f, const struct load_pulse *p)
{
    f->started = p->started;
    f->ok = p->ok;
    f->failed = p->failed;
    f->unfinished = p->unfinished;
    f->retried = p->retried;
    f->in_flight = p->in_flight;
    f->connections = p->connections;
    f->bytes_received = p->bytes_received;
    f->error_count = 0;
    for (unsigned k = 0; k < FAIL_KINDS; k++)
        live_error_add(f, fail_kind_text((enum fail_kind)k), p->failed_by_kind[k]);
}

static void show_health(struct live_health *h, const struct load_pulse *p)
{
    h->workers = p->workers;
    h->cpu_cores = p->cpu_cores;
    h->cpu_busiest = p->cpu_busiest;
    h->loop_lag_p99_ns = p->loop_lag_p99_ns;
    h->send_lateness_p99_ns = p->send_lateness_p99_ns;
    h->open_files = p->open_files;
    live_health_judge(h);
}

/* Rates are of the last second; a mean too, or of the whole run where the second had none. */
static void show_targets(struct live_load *l, struct live_figures *f, const struct load_pulse *p, bool is_second)
{
    const double passed = p->copied_s - l->at_s;

    for (size_t i = 0; i < f->table.row_count && i < p->target_count; i++) {
        const struct load_pulse_target *t = &p->targets[i];
        struct live_row *row = &f->table.rows[i];
        const uint64_t ok = t->ok - l->before[i].ok;

        row->values[TARGET_OK] = (double)t->ok;
        row->values[TARGET_FAILED] = (double)t->failed;
        row->values[TARGET_MAX] = t->ok > 0 ? (double)t->latency_max_ns / NS_PER_S : NAN;
        row->alarming = t->failed > 0;
        if (!is_second && !p->is_last)
            continue;
        if (is_second && passed > 0)
            row->values[TARGET_RATE] = (double)ok / passed;
        if (is_second && ok > 0)
            row->values[TARGET_MEAN] = (double)(t->latency_sum_ns - l->before[i].sum_ns) / (double)ok / NS_PER_S;
        else if (t->ok > 0)
            row->values[TARGET_MEAN] = (double)t->latency_sum_ns / (double)t->ok / NS_PER_S;
        l->before[i] = (struct live_load_before){ t->ok, t->latency_sum_ns };
    }
}

static void show_second(struct live_figures *f, const struct load_pulse *p)
{
    live_latency_set(&f->of_second, p->second);
    f->achieved_per_s = p->second_s > 0 ? (double)p->second_ok / p->second_s : NAN;
    f->asked_per_s = p->has_schedule && p->second_s > 0 ? p->second_due / p->second_s : NAN;
    live_add_point(f, &(struct live_point){ .achieved_per_s = f->achieved_per_s,
                                            .asked_per_s = f->asked_per_s,
                                            .p50_ns = f->of_second.p50_ns,
                                            .p99_ns = f->of_second.p99_ns,
                                            .max_ns = f->of_second.max_ns,
                                            .failed = p->second_failed });
}

void live_load_show(struct live_load *l, const struct load_pulse *p)
{
    const bool is_second = p->seconds != l->seconds;
    struct live_figures *f;

    if (l->live == NULL)
        return;
    f = live_board_take(live_board_of(l->live));
    f->step += l->trial_is_over;
    l->trial_is_over = false;
    live_text_set(f->stage, sizeof(f->stage), slice_str(p->stage));
    f->is_stopping = interrupt_is_asked();
    f->elapsed_s = p->elapsed_s;
    f->planned_s = p->planned_s;
    f->planned = p->planned;
    f->left_s = p->planned_s > p->elapsed_s && !l->of_trials ? p->planned_s - p->elapsed_s : NAN;
    show_counts(f, p);
    show_health(&f->health, p);
    if (!l->of_trials)
        show_targets(l, f, p, is_second);
    if (is_second)
        show_second(f, p);
    if (is_second || p->is_last)
        live_latency_set(&f->of_whole, p->whole);
    live_board_give(live_board_of(l->live));
    if (is_second)
        l->at_s = p->copied_s;
    l->seconds = p->seconds;
}

static void show_trial(struct live_row *row, const struct limit_trial *t)
{
    row->values[TRIAL_RATE] = t->requests_per_s;
    row->values[TRIAL_P50] = t->has_latency ? t->p50_s : NAN;
    row->values[TRIAL_P99] = t->has_latency ? t->p99_s : NAN;
    row->values[TRIAL_OK] = (double)t->ok;
    row->values[TRIAL_FAILED] = (double)t->failed;
    row->alarming = !t->kept;
    live_text_set(row->note, sizeof(row->note), t->kept ? SLICE("kept") : slice_str(t->broke));
}

void live_load_trial(struct live_load *l, const struct limit_report *so_far)
{
    const struct limit_trial *t = &so_far->trials[so_far->trial_count - 1];
    char level[UNITS_TEXT_MAX], name[UNITS_TEXT_MAX + 32];
    struct live_figures *f;
    struct live_row *row;

    if (l->live == NULL)
        return;
    snprintf(name, sizeof(name), "%zu: %s%s", so_far->trial_count, units_format_number(level, t->level),
             so_far->of_connections ? " connections" : "/s");
    f = live_board_take(live_board_of(l->live));
    row = live_row_add(&f->table, slice_str(name));
    if (row != NULL)
        show_trial(row, t);
    f->step = so_far->trial_count;
    live_board_give(live_board_of(l->live));
    l->seconds = 0;
    l->at_s = 0;
    l->trial_is_over = true;
}
