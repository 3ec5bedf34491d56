/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/live_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/interrupt.h"
#include "cli/run_progress.h"
#include "doc/doc.h"

enum { TEXT_MAX_BYTES = 8192 };

enum { CELL_DONE, CELL_OF, CELL_RATE, CELL_P99, CELL_LOST, CELL_COLUMNS };
static const struct live_column OF_CELLS[CELL_COLUMNS] = {
    [CELL_DONE] = { "samples", "samples", LIVE_COUNT, true },
    [CELL_OF] = { "of", "samples_planned", LIVE_COUNT, false },
    [CELL_RATE] = { "per s", "rate", LIVE_PER_S, false },
    [CELL_P99] = { "p99", "latency_p99", LIVE_SECONDS, false },
    [CELL_LOST] = { "lost", "samples_lost", LIVE_COUNT, true },
};

void live_run_init(struct live_run *l, struct live *live, const struct plan *plan, const char *name)
{
    struct live_figures *f;

    *l = (struct live_run){ .live = live, .plan = plan, .last_s = NAN };
    if (live == NULL)
        return;
    f = live_board_take(live_board_of(live));
    live_text_set(f->title, sizeof(f->title), slice_str(name));
    f->step_word = "sample";
    f->whole = "sample";
    f->table.what = "cell";
    memcpy(f->table.columns, OF_CELLS, sizeof(OF_CELLS));
    f->table.column_count = CELL_COLUMNS;
    for (size_t i = 0; i < plan->cell_count; i++) {
        struct live_row *row = live_row_add(&f->table, slice_str(plan->cells[i].name));

        if (row == NULL)
            continue;
        row->values[CELL_DONE] = row->values[CELL_LOST] = 0;
        row->values[CELL_OF] = plan->samples * plan->sides;
    }
    live_board_give(live_board_of(live));
}

/* ---- a sample's own line ---- */

/* NAN: it has none. */
static double number_of(struct doc_node *map, const char *key)
{
    const struct slice text = doc_text(doc_find(map, key));
    char copy[64];
    char *end;
    double value;

    if (text.len == 0 || text.len >= sizeof(copy))
        return NAN;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    value = strtod(copy, &end);
    return *end == '\0' && isfinite(value) && value >= 0 ? value : NAN;
}

static uint64_t count_of(struct doc_node *map, const char *key)
{
    const double value = number_of(map, key);

    return isnan(value) || value > 1e18 ? 0 : (uint64_t)value;
}

static uint64_t ns_of(struct doc_node *map, const char *key)
{
    const double value = number_of(map, key);

    return isnan(value) || value > 1e8 ? 0 : (uint64_t)(value * NS_PER_S);
}

static void read_errors(struct live_figures *f, struct doc_node *map)
{
    void *cursor = NULL;
    struct doc_node *key, *value;

    f->error_count = 0;
    if (doc_kind(map) != DOC_MAP)
        return;
    while ((value = doc_next_pair(map, &cursor, &key)) != NULL) {
        char kind[32];
        uint64_t count;

        live_text_set(kind, sizeof(kind), doc_text(key));
        if (slice_to_u64(doc_text(value), &count))
            live_error_add(f, kind, count);
    }
}

/* A load's: see progress_json(). */
static void read_load(struct live_run *l, struct live_figures *f, struct doc_node *root)
{
    struct doc_node *whole = doc_find(root, "run");
    const double at_s = number_of(root, "elapsed_s");

    f->failed = count_of(root, "failed");
    f->ok = count_of(root, "done") >= f->failed ? count_of(root, "done") - f->failed : 0;
    f->in_flight = count_of(root, "in_flight");
    f->started = f->ok + f->failed + f->in_flight;
    f->planned = count_of(root, "planned");
    f->planned_s = isnan(number_of(root, "planned_s")) ? 0 : number_of(root, "planned_s");
    f->elapsed_s = isnan(at_s) ? 0 : at_s;
    f->achieved_per_s = number_of(root, "requests_per_s");
    f->asked_per_s = number_of(root, "rate_asked");
    f->of_second = (struct live_latency){ .p50_ns = ns_of(root, "p50"),
                                          .p99_ns = ns_of(root, "p99"),
                                          .max_ns = ns_of(root, "max") };
    f->of_second.count = f->of_second.p99_ns > 0 ? (uint64_t)f->achieved_per_s : 0;
    f->of_whole = (struct live_latency){ .count = count_of(whole, "count"),
                                         .p50_ns = ns_of(whole, "p50"),
                                         .p99_ns = ns_of(whole, "p99"),
                                         .max_ns = ns_of(whole, "max") };
    read_errors(f, doc_find(root, "errors"));
    if (isnan(at_s) || at_s == l->last_s || isnan(f->achieved_per_s))
        return;
    l->last_s = at_s;
    live_add_point(f, &(struct live_point){ .achieved_per_s = f->achieved_per_s,
                                            .asked_per_s = f->asked_per_s,
                                            .p50_ns = f->of_second.p50_ns,
                                            .p99_ns = f->of_second.p99_ns,
                                            .max_ns = f->of_second.max_ns });
}

/* Of rounds: see rounds_progress_json(). */
static void read_rounds(struct live_figures *f, struct doc_node *root)
{
    const uint64_t ended = count_of(root, "ended"), size = count_of(root, "concurrency");

    f->unit = "copies";
    f->failed = count_of(root, "failed");
    f->ok = ended >= f->failed ? ended - f->failed : 0;
    f->in_flight = size > ended ? size - ended : 0;
    f->started = size;
    f->elapsed_s = isnan(number_of(root, "elapsed_s")) ? 0 : number_of(root, "elapsed_s");
}

/* Any program may have written it: what is no such line changes nothing. */
static void read_line(struct live_run *l, struct live_figures *f, const char *line)
{
    struct doc *doc = NULL;
    struct doc_node *root;

    if (line[0] != '{' || doc_parse(&doc, "progress", slice_str(line), NULL) != 0)
        return;
    root = doc_root(doc);
    if (doc_find(root, "requests_per_s") != NULL)
        read_load(l, f, root);
    else if (doc_find(root, "concurrency") != NULL)
        read_rounds(f, root);
    doc_free(doc);
}

static void forget_sample(struct live_figures *f)
{
    f->ok = f->failed = f->started = f->in_flight = 0;
    f->error_count = 0;
    f->planned = 0;
    f->planned_s = 0;
    f->achieved_per_s = f->asked_per_s = NAN;
    f->of_second = f->of_whole = (struct live_latency){ 0 };
}

void live_run_show(struct live_run *l, const struct runner_progress *now)
{
    struct live_figures *f;
    struct buf name;

    if (l->live == NULL)
        return;
    buf_init(&name, TEXT_MAX_BYTES);
    if (now->now != NULL)
        run_add_step(&name, l->plan, now->now);
    if (now->attempt > 1)
        buf_printf(&name, " (attempt %u)", now->attempt);
    f = live_board_take(live_board_of(l->live));
    live_text_set(f->stage, sizeof(f->stage), slice_str(now->stage));
    f->is_stopping = interrupt_is_asked();
    live_text_set(f->step_name, sizeof(f->step_name), buf_slice(&name));
    f->step = now->step + (now->now != NULL);
    f->steps = now->steps;
    f->left_s = now->left_s;
    if (now->live != NULL) {
        read_line(l, f, now->live);
    } else {
        forget_sample(f);
        f->elapsed_s = now->elapsed_s;
    }
    live_board_give(live_board_of(l->live));
    buf_release(&name);
}

static void count_samples(const struct matrix *m, uint32_t cell, double *done, double *lost)
{
    *done = *lost = 0;
    for (size_t i = 0; i < m->sample_count; i++) {
        const struct matrix_sample *s = &m->samples[i];

        if (s->cell != cell || s->outcome == MATRIX_PENDING)
            continue;
        ++*done;
        *lost += s->outcome != MATRIX_VALID;
    }
}

void live_run_sample(struct live_run *l, const struct matrix *m, uint32_t cell)
{
    struct live_figures *f;
    struct live_row *row;

    if (l->live == NULL)
        return;
    f = live_board_take(live_board_of(l->live));
    if (cell < f->table.row_count) {
        row = &f->table.rows[cell];
        count_samples(m, cell, &row->values[CELL_DONE], &row->values[CELL_LOST]);
        row->values[CELL_RATE] = matrix_figure(m, cell, 0, "requests_per_s").mean;
        row->values[CELL_P99] = matrix_figure(m, cell, 0, "latency_p99").mean;
        row->alarming = row->values[CELL_LOST] > 0;
    }
    live_board_give(live_board_of(l->live));
}
