/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "report/export_forms.h"
#include "report/hdr.h"
#include "stats/hist_codec.h"

static int check(const struct exporting *e, const struct result *r, struct err *err)
{
    if (e->count > 0) {
        err_set(err, ERR_CONFIG, 0, "%s holds one run", export_format_name(e->format));
        return err_hint(err, "export each run by itself");
    }
    if (hist_count(r->latency) > 0)
        return 0;
    err_set(err, ERR_CONFIG, 0, "the run has no histogram of latencies");
    return err_hint(err, "reports that print percentiles only do not carry one");
}

int export_hdr_add(struct exporting *e, const struct result *r, struct err *err)
{
    if (check(e, r, err) != 0)
        return -1;
    report_hdr(&e->text, r->latency);
    return 0;
}

/* Start and length in seconds, the maximum in milliseconds, the histogram in nanoseconds. */
static int add_line(struct buf *out, double t_s, double length_s, const struct hist *h, struct err *err)
{
    if (hist_count(h) == 0)
        return 0;
    buf_printf(out, "%.3f,%.3f,%.3f,", t_s, length_s, (double)hist_max_ns(h) / 1e6);
    if (hist_encode_v2(h, out, err) != 0)
        return -1;
    buf_add_char(out, '\n');
    return 0;
}

static int add_intervals(struct buf *out, const struct result *r, struct err *err)
{
    struct hist *h = NULL;
    int failed = hist_new(&h, err);

    for (size_t i = 0; i < r->interval_count && failed == 0; i++) {
        hist_reset(h);
        failed = interval_get_latency(&r->intervals[i], h, err);
        if (failed == 0)
            failed = add_line(out, r->intervals[i].t_s, r->intervals[i].length_s, h, err);
    }
    hist_free(h);
    return failed;
}

int export_hdr_log_add(struct exporting *e, const struct result *r, struct err *err)
{
    if (check(e, r, err) != 0)
        return -1;
    buf_add_str(&e->text, "#[Histogram log format version 1.3]\n");
    buf_printf(&e->text, "#[Logged by plimsoll, latency in ns; started %s]\n", r->started);
    buf_add_str(&e->text,
                "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    return r->interval_count > 0 ? add_intervals(&e->text, r, err)
                                 : add_line(&e->text, 0, r->duration_s, r->latency, err);
}
