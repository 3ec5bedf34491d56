/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "import/lines.h"
#include "import/printed.h"
#include "import/report.h"

/* The files that ab writes beside its report: -e, the time of each percent; -g, a row for each request with whole
 * milliseconds. Neither says how many requests failed, nor how long the run took. */

static const char E_HEADING[] = "Percentage served,Time in ms",
                  G_HEADING[] = "starttime\tseconds\tctime\tdtime\tttime\twait";
enum { PERCENTS = 101, G_COLUMNS = 6 };

static bool begins(struct slice head, const char *line)
{
    return slice_starts(head, slice_str(line));
}

bool ab_e_looks_like(struct slice head)
{
    return begins(head, E_HEADING);
}

bool ab_g_looks_like(struct slice head)
{
    return begins(head, G_HEADING);
}

static void add_percent(struct report *p, unsigned percent, double s)
{
    if (percent == 0)
        report_time(p, "latency", "min", s);
    else if (percent == 100)
        report_time(p, "latency", "max", s);
    else
        report_percentile(p, "latency", percent, s);
}

int ab_e_read(struct source *s)
{
    struct slice rest = s->text, line;
    struct report p;
    double last = 0;
    unsigned next = 0;

    report_begin(&p, s, "ab");
    while (!p.failed && printed_line(&rest, &line)) {
        uint64_t percent;
        double at_s = last;

        if (++p.line == 1 || line.len == 0)
            continue;
        if (!slice_to_u64(slice_split(&line, ','), &percent) || !printed_scaled(line, -3, &at_s))
            report_fail(&p, "expected \"PERCENT,MILLISECONDS\"");
        else if (percent != next || at_s < last)
            report_fail(&p, "the percentages do not rise one by one");
        else
            add_percent(&p, next, at_s);
        last = at_s;
        next++;
    }
    if (next != PERCENTS)
        report_fail(&p, "cut off: %u rows of %d", next, PERCENTS);
    return report_end(&p, NULL);
}

/* "Mon Nov 30 18:36:25 2026", seconds since the epoch, then connecting, processing, total, waiting. */
static bool read_row(struct slice line, uint64_t n[G_COLUMNS])
{
    (void)slice_split(&line, '\t');
    for (unsigned i = 1; i < G_COLUMNS; i++)
        if (!slice_to_u64(i + 1 < G_COLUMNS ? slice_split(&line, '\t') : line, &n[i]) || n[i] > UINT64_MAX / NS_PER_S)
            return false;
    return true;
}

static bool prepare(struct report *p)
{
    struct err *err = p->source->err;

    return !p->failed && hist_new(&p->r->phases[PHASE_CONNECT], err) == 0 &&
           hist_new(&p->r->phases[PHASE_WAIT], err) == 0;
}

static void add_row(struct report *p, const uint64_t n[G_COLUMNS], uint64_t *first_s)
{
    struct result *r = p->r;

    *first_s = n[1] < *first_s ? n[1] : *first_s;
    (void)hist_record(r->phases[PHASE_CONNECT], n[2] * NS_PER_MS);
    (void)hist_record(r->service_time, n[3] * NS_PER_MS);
    (void)hist_record(r->latency, n[4] * NS_PER_MS);
    (void)hist_record(r->phases[PHASE_WAIT], n[5] * NS_PER_MS);
    r->totals.started++;
}

static void read_rows(struct report *p, struct lines *l, uint64_t *first_s)
{
    uint64_t n[G_COLUMNS];
    struct slice line;

    while (!p->failed && lines_next(l, &line)) {
        p->line = (unsigned)l->number;
        if (l->number == 1)
            continue;
        if (!read_row(line, n))
            report_fail(p, "not a row of ab -g: \"%.*s\"", SLICE_FMT(slice_take(line, 60)));
        else if (n[4] + 1 < n[2] + n[3] || n[4] > n[2] + n[3] + 1)
            report_fail(p, "the total is not connecting and processing");
        else
            add_row(p, n, first_s);
    }
    p->failed = p->failed || l->failed;
}

int ab_g_read(struct source *s)
{
    struct lines lines = { 0 };
    uint64_t first_s = UINT64_MAX;
    struct report p;

    report_begin(&p, s, "ab");
    if (!prepare(&p) || !lines_init(&lines, s))
        p.failed = true;
    read_rows(&p, &lines, &first_s);
    if (!p.failed && p.r->totals.started == 0)
        report_fail(&p, "no rows");
    if (!p.failed) {
        clock_format_rfc3339(p.r->started, first_s * NS_PER_S);
        report_total(&p, TOTAL_STARTED, p.r->totals.started);
        report_config_text(&p, "resolution", SLICE("1 ms"));
    }
    lines_release(&lines);
    return report_end(&p, NULL);
}
