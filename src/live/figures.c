/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

#define FIRST_BOUND_NS UINT64_C(10000)
#define CPU_FULL 0.95
#define LATE_NS (UINT64_C(10) * NS_PER_MS)

uint64_t live_bucket_bound_ns(size_t i)
{
    static const uint64_t STEPS[] = { 1, 2, 5 };
    uint64_t bound = FIRST_BOUND_NS;

    if (i + 1 >= LIVE_BUCKETS)
        return UINT64_MAX;
    for (size_t k = 0; k < i / 3; k++)
        bound *= 10;
    return bound * STEPS[i % 3];
}

void live_latency_set(struct live_latency *l, const struct hist *h)
{
    uint64_t below = 0;

    *l = (struct live_latency){ .count = hist_count(h) };
    if (l->count == 0)
        return;
    l->sum_ns = hist_sum_ns(h);
    l->p50_ns = hist_value_at(h, 50);
    l->p99_ns = hist_value_at(h, 99);
    l->max_ns = hist_max_ns(h);
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        const uint64_t upto = i + 1 < LIVE_BUCKETS ? hist_count_at_or_below(h, live_bucket_bound_ns(i)) : l->count;

        l->buckets[i] = upto - below;
        below = upto;
    }
}

void live_figures_init(struct live_figures *f, const char *command)
{
    memset(f, 0, sizeof(*f));
    f->command = command;
    f->left_s = NAN;
    f->asked_per_s = NAN;
    f->achieved_per_s = NAN;
    f->unit = "requests";
    f->second = "last second";
    f->whole = "run";
    live_text_set(f->stage, sizeof(f->stage), SLICE("starting"));
}

void live_text_set(char *out, size_t size, struct slice text)
{
    size_t used = 0;

    while (used < text.len && text.ptr[used] != '\0') {
        const size_t n = utf8_length(slice_drop(text, used));
        const size_t step = n > 0 ? n : 1;

        if (used + step >= size)
            break;
        used += step;
    }
    if (used > 0)
        memcpy(out, text.ptr, used);
    out[used] = '\0';
}

void live_add_point(struct live_figures *f, const struct live_point *p)
{
    f->points[f->point_count++ % LIVE_POINTS] = *p;
}

size_t live_points_kept(const struct live_figures *f)
{
    return f->point_count < LIVE_POINTS ? (size_t)f->point_count : LIVE_POINTS;
}

const struct live_point *live_point_at(const struct live_figures *f, size_t k)
{
    return &f->points[(f->point_count - live_points_kept(f) + k) % LIVE_POINTS];
}

void live_error_add(struct live_figures *f, const char *kind, uint64_t count)
{
    for (size_t i = 0; i < f->error_count; i++)
        if (strcmp(f->errors[i].kind, kind) == 0) {
            f->errors[i].count += count;
            return;
        }
    if (f->error_count == LIVE_ERRORS || count == 0)
        return;
    live_text_set(f->errors[f->error_count].kind, sizeof(f->errors[0].kind), slice_str(kind));
    f->errors[f->error_count++].count = count;
}

struct live_row *live_row_add(struct live_table *t, struct slice name)
{
    struct live_row *row;

    t->total++;
    if (t->row_count == LIVE_ROWS)
        return NULL;
    row = &t->rows[t->row_count++];
    memset(row, 0, sizeof(*row));
    for (size_t i = 0; i < LIVE_COLUMNS; i++)
        row->values[i] = NAN;
    live_text_set(row->name, sizeof(row->name), name);
    return row;
}

void live_health_judge(struct live_health *h)
{
    char time[UNITS_TEXT_MAX];

    h->limit[0] = '\0';
    if (h->workers > 0 && h->cpu_busiest >= CPU_FULL)
        snprintf(h->limit, sizeof(h->limit), "a worker uses %.0f %% of a core", 100 * h->cpu_busiest);
    else if (h->send_lateness_p99_ns > LATE_NS)
        snprintf(h->limit, sizeof(h->limit), "requests leave late: p99 %s",
                 units_format_duration(time, (double)h->send_lateness_p99_ns));
    else if (h->loop_lag_p99_ns > LATE_NS)
        snprintf(h->limit, sizeof(h->limit), "the event loop is late: p99 %s",
                 units_format_duration(time, (double)h->loop_lag_p99_ns));
}
