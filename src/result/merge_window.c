/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/merge_parts.h"
#include "stats/hist_codec.h"

/* ---- intervals ---- */

static int64_t second_of(const struct result *r, size_t i)
{
    return merge_first_second(r->started) + llround(r->intervals[i].t_s);
}

/* v of the part is put into the interval of the same second. */
static int join(struct interval *to, const struct interval *v, uint8_t *scratch, struct err *err)
{
    to->length_s = fmax(to->length_s, v->length_s);
    to->started += v->started;
    to->ok += v->ok;
    to->bytes += v->bytes;
    to->in_flight = merge_exact(to->in_flight) + merge_exact(v->in_flight);
    if (interval_add_failed(to, v->failed, v->by_kind, err) != 0)
        return -1;
    return interval_add_latency(to, v, scratch, err);
}

/* The seconds of both, those of sum at the places that they have in the whole. */
static int spread(struct result *sum, int64_t first, int64_t last, struct err *err)
{
    const size_t count = last >= first ? (size_t)(last - first + 1) : 0;
    struct interval *grown = calloc(count + 1, sizeof(*grown));

    if (grown == NULL)
        return merge_no_memory(err);
    for (size_t i = 0; i < count; i++)
        grown[i].t_s = (double)i;
    for (size_t i = 0; i < sum->interval_count; i++)
        if (sum->intervals[i].length_s > 0 || sum->intervals[i].latency != NULL || sum->intervals[i].by_kind != NULL) {
            const size_t at = (size_t)(second_of(sum, i) - first);

            grown[at] = sum->intervals[i];
            grown[at].t_s = (double)at;
        }
    free(sum->intervals);
    sum->intervals = grown;
    sum->interval_count = count;
    return 0;
}

enum { SECONDS_MAX = 1000000 }; /* of intervals: eleven days */

static int add_all(struct result *sum, const struct result *r, int64_t first, struct err *err)
{
    uint8_t *scratch = malloc(hist_pack_max());
    int failed = scratch != NULL ? 0 : merge_no_memory(err);

    for (size_t i = 0; i < r->interval_count && failed == 0; i++)
        failed = join(&sum->intervals[second_of(r, i) - first], &r->intervals[i], scratch, err);
    free(scratch);
    return failed;
}

static void drop_intervals(struct result *r)
{
    for (size_t i = 0; i < r->interval_count; i++)
        interval_release(&r->intervals[i]);
    free(r->intervals);
    r->intervals = NULL;
    r->interval_count = 0;
}

/* sum->started is still that of the parts before. */
int merge_intervals(struct result *sum, const struct result *r, struct err *err)
{
    const char *started = strcmp(r->started, sum->started) < 0 ? r->started : sum->started;
    const int64_t first = merge_first_second(started);
    int64_t last = first - 1;

    for (size_t i = 0; i < sum->interval_count; i++)
        last = second_of(sum, i) > last ? second_of(sum, i) : last;
    for (size_t i = 0; i < r->interval_count; i++) {
        const int64_t second = second_of(r, i);

        if (second < first || second > first + SECONDS_MAX)
            return err_set(err, ERR_CONFIG, 0, "the intervals of run %.8s lie outside of it", r->id);
        last = second > last ? second : last;
    }
    if (last - first > SECONDS_MAX) {
        drop_intervals(sum);
        return err_set(err, ERR_CONFIG, 0, "the parts were started more than %d s apart", SECONDS_MAX);
    }
    if (spread(sum, first, last, err) != 0)
        return -1;
    return add_all(sum, r, first, err);
}

/* ---- the common window ---- */

struct window {
    double length_s;
    uint64_t ok;
};

/* The whole seconds of a part's intervals, and what is left of the last one. */
static void seconds_of(const struct result_part *p, int64_t *from, int64_t *to, double *rest_s)
{
    const double whole = floor(p->duration_s + 1e-6);

    *from = merge_first_second(p->started);
    *to = *from + (int64_t)whole;
    *rest_s = p->duration_s - whole > 1e-6 ? p->duration_s - whole : 0;
}

static uint64_t ok_at(const struct result *r, int64_t second)
{
    const int64_t at = second - merge_first_second(r->started);

    return at >= 0 && (size_t)at < r->interval_count ? r->intervals[at].ok : 0;
}

/* From the latest start to the earliest end, and from the earliest start to the latest end. */
struct span {
    double common_s, all_s;
};

static struct span span_of(const struct result *r)
{
    uint64_t first = UINT64_MAX, last_start = 0, first_end = UINT64_MAX, last = 0;

    for (size_t i = 0; i < r->part_count; i++) {
        const uint64_t start = merge_start_ns(r->parts[i].started);
        const uint64_t end = start + (uint64_t)llround(fmax(r->parts[i].duration_s, 0) * NS_PER_S);

        first = start < first ? start : first;
        last_start = start > last_start ? start : last_start;
        first_end = end < first_end ? end : first_end;
        last = end > last ? end : last;
    }
    return (struct span){ first_end > last_start ? (double)(first_end - last_start) / NS_PER_S : 0,
                          (double)(last - first) / NS_PER_S };
}

/* Seconds that every part has; and the rest behind them when all have it at the same time. */
static struct window by_intervals(const struct result *r, const struct span *span)
{
    struct window w = { 0 };
    int64_t from, to, first = INT64_MIN, last = INT64_MAX;
    double rest, shortest = INFINITY, longest = 0;
    bool same_end = span->all_s - span->common_s <= 0.02 * span->all_s;

    for (size_t i = 0; i < r->part_count; i++) {
        seconds_of(&r->parts[i], &from, &to, &rest);
        same_end = same_end && (i == 0 || to == last);
        first = from > first ? from : first;
        last = to < last ? to : last;
        shortest = fmin(shortest, rest);
        longest = fmax(longest, rest);
    }
    w.length_s = last > first ? (double)(last - first) : 0;
    for (size_t i = 0; i < r->interval_count; i++) {
        const int64_t second = merge_first_second(r->started) + (int64_t)i;

        w.ok += second >= first && second < last ? r->intervals[i].ok : 0;
    }
    if (same_end && last >= first && shortest > 0 && longest <= 1.01 * shortest) {
        w.ok += ok_at(r, last);
        w.length_s += longest;
    }
    return w;
}

/* Too short for intervals: each part at its own mean rate. */
static struct window by_rates(const struct result *r, double common_s)
{
    struct window w = { .length_s = common_s };

    for (size_t i = 0; i < r->part_count; i++)
        w.ok += (uint64_t)llround(fmax(r->parts[i].requests_per_s, 0) * common_s);
    return w;
}

static void set_targets(struct result *r)
{
    uint64_t all = 0;

    for (size_t i = 0; i < r->target_count; i++)
        all += r->targets[i].totals.ok_in_window;
    for (size_t i = 0; i < r->target_count; i++) {
        struct totals *t = &r->targets[i].totals;

        t->requests_per_s = all > 0 ? r->totals.requests_per_s * ((double)t->ok_in_window / (double)all) : 0;
        t->in_window_s = t->in_flight_mean * r->duration_s;
    }
}

static void warn(struct result *r, const struct span *span)
{
    char common[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

    if (r->duration_s <= 0 && r->totals.ok > 0)
        result_add_warning(r, "the parts did not run at the same time: there is no rate");
    else if (span->all_s - span->common_s > fmax(1, 0.01 * span->all_s))
        result_add_warning(r, "all parts ran together for %s of %s only: requests/s counts this time",
                           units_format_duration(common, span->common_s * NS_PER_S),
                           units_format_duration(all, span->all_s * NS_PER_S));
}

void merge_window(struct result *r)
{
    const struct span span = span_of(r);
    struct window w = { 0 };
    double in_flight = 0, in_window = 0;

    if (span.common_s > 0 && r->interval_count > 0)
        w = by_intervals(r, &span);
    if (span.common_s > 0 && !(w.length_s > 0))
        w = by_rates(r, span.common_s);
    for (size_t i = 0; i < r->part_count && w.length_s > 0; i++) {
        in_flight += r->parts[i].in_flight_mean;
        in_window += r->parts[i].in_window_mean;
    }
    r->duration_s = w.length_s;
    r->totals.ok_in_window = w.ok < r->totals.ok ? w.ok : r->totals.ok;
    r->totals.requests_per_s = w.length_s > 0 ? (double)r->totals.ok_in_window / w.length_s : 0;
    r->totals.in_flight_mean = in_flight;
    r->totals.in_window_s = in_window * w.length_s;
    set_targets(r);
    warn(r, &span);
}
