/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <math.h>
#include <string.h>

#include "report/table.h"
#include "stats/summary.h"

static const double SHOWN[] = { 50, 90, 99, 99.9 };
#define SHOWN_COUNT (sizeof(SHOWN) / sizeof(SHOWN[0]))

static void add_label(struct table *t, double percentile)
{
    char label[SUMMARY_KEY_MAX];

    table_cell(t, "%s", summary_percentile_label(label, percentile));
}

static void add_percentiles(struct section *s, struct table *t, const struct hist *h, const double *percentiles,
                            size_t count)
{
    char text[SECTION_CELL_MAX];

    for (size_t i = 0; i < count; i++)
        table_cell(t, "%s", section_percentile(s, text, h, percentiles[i]));
}

static void add_row(struct section *s, struct table *t, const char *name, const struct hist *h)
{
    char text[SECTION_CELL_MAX];

    table_cell(t, "%s", name);
    table_cell(t, "%s", section_duration(text, h, (double)hist_min_ns(h)));
    add_percentiles(s, t, h, SHOWN, SHOWN_COUNT);
    table_cell(t, "%s", section_duration(text, h, (double)hist_max_ns(h)));
    table_cell(t, "%s", section_duration(text, h, hist_mean_ns(h)));
}

/* The clocks differ where the table would show it. */
static bool differ(struct section *s, const struct hist *a, const struct hist *b)
{
    char x[SECTION_CELL_MAX], y[SECTION_CELL_MAX];

    for (size_t i = 0; i < SHOWN_COUNT; i++)
        if (strcmp(section_percentile(s, x, a, SHOWN[i]), section_percentile(s, y, b, SHOWN[i])) != 0)
            return true;
    section_duration(x, a, hist_mean_ns(a));
    section_duration(y, b, hist_mean_ns(b));
    return hist_count(a) != hist_count(b) || strcmp(x, y) != 0;
}

static void add_main_table(struct section *s, bool both)
{
    const struct result *r = s->result;
    struct table t;

    table_init(&t, "lrrrrrrr");
    table_cell(&t, "ok requests");
    table_cell(&t, "min");
    for (size_t i = 0; i < SHOWN_COUNT; i++)
        add_label(&t, SHOWN[i]);
    table_cell(&t, "max");
    table_cell(&t, "mean");
    add_row(s, &t, "latency", r->latency);
    if (both)
        add_row(s, &t, "service time", r->service_time);
    table_print(&t, s->out, s->width);
    table_release(&t);
}

#define ASKED_PER_TABLE 6u

static void add_asked(struct section *s, bool both)
{
    static const char *const ALIGN[ASKED_PER_TABLE + 1] = { "l", "lr", "lrr", "lrrr", "lrrrr", "lrrrrr", "lrrrrrr" };
    const struct result *r = s->result;

    for (size_t from = 0; from < r->percentile_count; from += ASKED_PER_TABLE) {
        const size_t left = r->percentile_count - from;
        const size_t count = left < ASKED_PER_TABLE ? left : ASKED_PER_TABLE;
        struct table t;

        table_init(&t, ALIGN[count]);
        table_cell(&t, "asked for");
        for (size_t i = 0; i < count; i++)
            add_label(&t, r->percentiles[from + i]);
        table_cell(&t, "latency");
        add_percentiles(s, &t, r->latency, r->percentiles + from, count);
        if (both) {
            table_cell(&t, "service time");
            add_percentiles(s, &t, r->service_time, r->percentiles + from, count);
        }
        table_print(&t, s->out, s->width);
        table_release(&t);
    }
}

void section_latency(struct section *s)
{
    const struct result *r = s->result;
    const bool both = differ(s, r->latency, r->service_time);

    if (hist_count(r->latency) == 0)
        return;
    buf_add_char(s->out, '\n');
    add_main_table(s, both);
    if (r->percentile_count > 0) {
        buf_add_char(s->out, '\n');
        add_asked(s, both);
    }
    if (!both)
        buf_add_str(s->out, "  (the service time is the same)\n");
}

#define BINS 10
#define BAR_MAX 36
#define SPREAD_MIN 1.02 /* a narrower spread has no shape worth drawing */

/* One more than the widest '#' bar can say: a dot for what is there but less than half a mark. */
static void add_bar(struct table *t, uint64_t count, uint64_t largest)
{
    static const char MARKS[BAR_MAX + 1] = "####################################";
    const int marks = (int)(0.5 + BAR_MAX * (double)count / (double)largest);

    if (count > 0 && marks == 0)
        table_cell(t, ".");
    else
        table_cell(t, "%.*s", marks, MARKS);
}

/* Bins of the same ratio between min and max, so that a tail a thousand times slower still has a shape. */
static void fill_bins(const struct hist *h, uint64_t edges[BINS], uint64_t counts[BINS])
{
    const double low = (double)(hist_min_ns(h) > 0 ? hist_min_ns(h) : 1);
    const double ratio = (double)hist_max_ns(h) / low;
    uint64_t before = 0;

    for (int i = 0; i < BINS; i++) {
        const uint64_t edge = hist_highest_equivalent((uint64_t)(low * pow(ratio, (i + 1.0) / BINS)));
        const bool last = i + 1 == BINS;
        const uint64_t below = last ? hist_count(h) : hist_count_at_or_below(h, edge);

        edges[i] = last || edge > hist_max_ns(h) ? hist_max_ns(h) : edge;
        counts[i] = below - before;
        before = below;
    }
}

void section_histogram(struct section *s)
{
    const struct hist *h = s->result->latency;
    uint64_t edges[BINS], counts[BINS], largest = 1;
    struct table t;

    if (hist_count(h) < 2 || (double)hist_max_ns(h) < SPREAD_MIN * (double)hist_min_ns(h))
        return;
    fill_bins(h, edges, counts);
    for (int i = 0; i < BINS; i++)
        largest = counts[i] > largest ? counts[i] : largest;
    buf_add_char(s->out, '\n');
    table_init(&t, "rrrl");
    table_cell(&t, "latency up to");
    table_cell(&t, "requests");
    table_cell(&t, "share");
    table_cell(&t, "%s", "");
    for (int i = 0; i < BINS; i++) {
        char text[SECTION_CELL_MAX];

        table_cell(&t, "%s", section_duration(text, h, (double)edges[i]));
        table_cell(&t, "%s", units_format_count(text, counts[i]));
        table_cell(&t, "%s", section_share(text, counts[i], hist_count(h)));
        add_bar(&t, counts[i], largest);
    }
    table_print(&t, s->out, s->width);
    table_release(&t);
}
