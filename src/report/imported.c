/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/imported.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "stats/summary.h"

enum { LABEL_WIDTH = 26 };

static void add_label(struct buf *out, const char *label)
{
    buf_printf(out, "  %-*s ", LABEL_WIDTH, label);
}

static void add_totals(struct buf *out, const struct result *r)
{
    const struct totals *t = &r->totals;
    const struct {
        enum total part;
        const char *label;
        uint64_t value;
    } COUNTS[] = {
        { TOTAL_STARTED, "requests", t->started },
        { TOTAL_OK, "ok", t->ok },
        { TOTAL_FAILED, "failed", t->failed },
        { TOTAL_UNFINISHED, "unfinished", t->unfinished },
        { TOTAL_CONNECTIONS_OPENED, "connections opened", t->connections_opened },
        { TOTAL_BYTES_SENT, "bytes sent", t->bytes_sent },
        { TOTAL_BYTES_RECEIVED, "bytes received", t->bytes_received },
    };
    char text[UNITS_TEXT_MAX];

    for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++)
        if (totals_has(t, COUNTS[i].part)) {
            add_label(out, COUNTS[i].label);
            buf_printf(out, "%s\n", units_format_count(text, COUNTS[i].value));
        }
    if (totals_has(t, TOTAL_REQUESTS_PER_S)) {
        add_label(out, "requests/s");
        buf_printf(out, "%.2f\n", t->requests_per_s);
    }
    if (r->duration_s > 0) {
        add_label(out, "duration");
        buf_printf(out, "%s\n", units_format_duration(text, r->duration_s * NS_PER_S));
    }
}

static void add_figure(struct buf *out, const struct named_figure *m)
{
    char text[UNITS_TEXT_MAX];

    add_label(out, m->name);
    if (strcmp(m->unit, "s") == 0)
        buf_printf(out, "%s\n", units_format_duration(text, m->value * NS_PER_S));
    else if (strcmp(m->unit, "B") == 0)
        buf_printf(out, "%s\n", units_format_size(text, m->value));
    else
        buf_printf(out, "%.6g%s%s\n", m->value, strcmp(m->unit, "1") == 0 ? "" : " ",
                   strcmp(m->unit, "1") == 0 ? "" : m->unit);
}

static void add_times(struct buf *out, const char *of, const struct hist *h)
{
    static const double SHOWN[] = { 50, 90, 99, 99.9 };
    char text[UNITS_TEXT_MAX], key[SUMMARY_KEY_MAX];

    if (hist_count(h) == 0)
        return;
    add_label(out, of);
    buf_printf(out, "mean %s", units_format_duration(text, hist_mean_ns(h)));
    for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++)
        buf_printf(out, ", %s %s", summary_percentile_label(key, SHOWN[i]),
                   units_format_duration(text, (double)hist_value_at(h, SHOWN[i])));
    buf_printf(out, ", max %s\n", units_format_duration(text, (double)hist_max_ns(h)));
}

static void add_statuses(struct buf *out, const struct result *r)
{
    char label[32], text[UNITS_TEXT_MAX];

    for (unsigned i = 0; i < STATUS_MAX; i++)
        if (r->status[i] > 0) {
            snprintf(label, sizeof(label), "status %u", i);
            add_label(out, label);
            buf_printf(out, "%s\n", units_format_count(text, r->status[i]));
        }
    for (size_t i = 0; i < r->seen_count; i++) {
        add_label(out, r->seen[i].what);
        buf_printf(out, "%s\n", units_format_count(text, r->seen[i].count));
    }
}

void report_imported(struct buf *out, const struct result *r)
{
    for (size_t i = 0; i < r->cell_count; i++) {
        add_label(out, r->cell[i].name);
        buf_printf(out, "%s\n", r->cell[i].value);
    }
    if (r->has_sample)
        buf_printf(out, "  %-*s %u\n", LABEL_WIDTH, "sample", r->sample);
    add_totals(out, r);
    add_times(out, "latency", r->latency);
    add_times(out, "service time", r->service_time);
    for (size_t i = 0; i < r->metric_count; i++)
        add_figure(out, &r->metrics[i]);
    add_statuses(out, r);
    for (size_t i = 0; i < r->warnings.count; i++)
        buf_printf(out, "  note: %s\n", r->warnings.items[i]);
}
