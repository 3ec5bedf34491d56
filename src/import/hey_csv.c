/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>

#include "base/units.h"
#include "import/lines.h"
#include "import/printed.h"
#include "import/report.h"

/* hey -o csv: a row for each request that had a reply, seconds with four decimals. Errors are not in it, so that what
 * failed without a reply is not known. */

static const char HEADING[] =
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset";
enum column { HEY_TOTAL, HEY_DIALUP, HEY_DNS, HEY_WRITE, HEY_DELAY, HEY_READ, HEY_STATUS_CODE, HEY_OFFSET, COLUMNS };

bool hey_csv_looks_like(struct slice head)
{
    return slice_starts(head, slice_str(HEADING));
}

static bool read_row(struct slice line, double out[COLUMNS])
{
    for (unsigned i = 0; i < COLUMNS; i++)
        if (!printed_double(i + 1 < COLUMNS ? slice_split(&line, ',') : line, &out[i]) || out[i] < 0 || out[i] > 1e9)
            return false;
    return out[HEY_STATUS_CODE] < STATUS_MAX && floor(out[HEY_STATUS_CODE]) == out[HEY_STATUS_CODE];
}

static void record(struct hist *h, double s)
{
    (void)hist_record(h, (uint64_t)llround(s * (double)NS_PER_S));
}

static void add_row(struct result *r, const double n[COLUMNS], double *end_s)
{
    const unsigned status = (unsigned)n[HEY_STATUS_CODE];
    const bool ok = status >= 200 && status < 400;

    r->totals.started++;
    r->totals.ok += ok;
    r->status[status]++;
    if (ok)
        record(r->latency, n[HEY_TOTAL]);
    record(r->by_class[status >= 100 && status < 600 ? status / 100 - 1 : CLASS_ERROR], n[HEY_TOTAL]);
    record(r->phases[PHASE_DNS], n[HEY_DNS]);
    record(r->phases[PHASE_SEND], n[HEY_WRITE]);
    record(r->phases[PHASE_WAIT], n[HEY_DELAY]);
    record(r->phases[PHASE_RECEIVE], n[HEY_READ]);
    *end_s = fmax(*end_s, n[HEY_OFFSET] + n[HEY_TOTAL]);
}

static bool prepare(struct report *p)
{
    static const enum phase USED[] = { PHASE_DNS, PHASE_SEND, PHASE_WAIT, PHASE_RECEIVE };
    bool ok = !p->failed;

    for (unsigned i = 0; i < CLASSES && ok; i++)
        ok = hist_new(&p->r->by_class[i], p->source->err) == 0;
    for (unsigned i = 0; i < sizeof(USED) / sizeof(USED[0]) && ok; i++)
        ok = hist_new(&p->r->phases[USED[i]], p->source->err) == 0;
    return ok;
}

static void read_rows(struct report *p, struct lines *l, double *end_s)
{
    double n[COLUMNS];
    struct slice line;

    while (!p->failed && lines_next(l, &line)) {
        p->line = (unsigned)l->number;
        if (l->number == 1)
            continue;
        if (read_row(line, n))
            add_row(p->r, n, end_s);
        else
            report_fail(p, "not a row of hey's CSV: \"%.*s\"", SLICE_FMT(slice_take(line, 60)));
    }
    p->failed = p->failed || l->failed;
}

int hey_csv_read(struct source *s)
{
    struct lines lines = { 0 };
    double end_s = 0;
    struct report p;

    report_begin(&p, s, "hey");
    if (!prepare(&p) || !lines_init(&lines, s))
        p.failed = true;
    read_rows(&p, &lines, &end_s);
    if (!p.failed && p.r->totals.started == 0)
        report_fail(&p, "no rows");
    if (!p.failed) {
        report_total(&p, TOTAL_STARTED, p.r->totals.started);
        report_total(&p, TOTAL_OK, p.r->totals.ok);
        report_duration(&p, end_s);
        if (end_s > 0)
            report_rate(&p, (double)p.r->totals.ok / end_s);
        report_config_text(&p, "resolution", SLICE("100 us"));
    }
    lines_release(&lines);
    return report_end(&p, NULL);
}
