/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>
#include <string.h>

#include "import/printed.h"
#include "import/report.h"

/* What hey prints. Its times are of all requests that had a reply, of whatever status; requests/s count errors too.
 * "NaN" and 0 below a heading without replies mean that there was nothing to measure. */

enum { WORDS_MAX = 16 };

enum section { HEY_NONE, HEY_SUMMARY, HEY_LATENCY, HEY_DETAILS, HEY_STATUS, HEY_ERRORS };

struct hey {
    struct report p;
    enum section section;
    double last_percentile, last_s;
    uint64_t replies, ok, errors;
    double fastest_s, slowest_s, average_s;
    bool has_average, has_rate, has_status;
};

bool hey_looks_like(struct slice head)
{
    return printed_line_begins(head, "Summary:") && printed_line_begins(head, "Requests/sec:") &&
           printed_line_begins(head, "Slowest:");
}

static double seconds(struct hey *h, struct slice value)
{
    double s = 0;

    if (!printed_double(printed_word(&value), &s) || s < 0)
        report_fail(&h->p, "expected a time in seconds");
    return s;
}

static bool is_nan(struct slice value)
{
    return slice_starts(slice_trim(value), SLICE("NaN"));
}

static void read_summary(struct hey *h, struct slice line)
{
    struct slice v;
    double number;

    if (printed_value(line, "Total", &v)) {
        report_duration(&h->p, seconds(h, v));
    } else if (printed_value(line, "Slowest", &v)) {
        h->slowest_s = seconds(h, v);
    } else if (printed_value(line, "Fastest", &v)) {
        h->fastest_s = seconds(h, v);
    } else if (printed_value(line, "Average", &v) && !is_nan(v)) {
        h->average_s = seconds(h, v);
        h->has_average = true;
    } else if (printed_value(line, "Requests/sec", &v)) {
        h->has_rate = printed_double(v, &number);
        if (!h->has_rate)
            report_fail(&h->p, "\"%.*s\" is not a rate", SLICE_FMT(slice_take(v, 40)));
        report_rate(&h->p, h->has_rate ? number : 0);
    } else if (printed_value(line, "Total data", &v)) {
        uint64_t bytes = 0;

        if (!printed_u64(printed_word(&v), &bytes))
            report_fail(&h->p, "\"Total data\" is not a count");
        report_total(&h->p, TOTAL_BODY_BYTES_RECEIVED, bytes);
    }
}

/* "99% in 0.0052 secs"; "0% in 0.0000 secs" stands where there were too few requests for it. */
static void read_percentile(struct hey *h, const struct slice *words, size_t n)
{
    double percentile, s;

    if (n != 4 || words[0].ptr[words[0].len - 1] != '%' || !slice_eq(words[1], SLICE("in")) ||
        !printed_double(slice_take(words[0], words[0].len - 1), &percentile) || percentile <= 0)
        return;
    s = seconds(h, words[2]);
    if (percentile <= h->last_percentile || s < h->last_s || percentile >= 100)
        report_fail(&h->p, "the percentiles do not rise");
    h->last_percentile = percentile;
    h->last_s = s;
    report_percentile(&h->p, "latency", percentile, s);
}

/* "resp wait: 0.0004 secs, 0.0001 secs, 0.0060 secs": average, fastest, slowest. */
static void read_details(struct hey *h, struct slice line)
{
    static const struct {
        const char *label, *of;
    } ROWS[] = { { "DNS+dialup", "connect" },
                 { "DNS-lookup", "dns" },
                 { "req write", "send" },
                 { "resp wait", "wait" },
                 { "resp read", "receive" } };
    static const char *const FIGURES[] = { "mean", "min", "max" };
    struct slice v;

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (!printed_value(line, ROWS[i].label, &v) || is_nan(v))
            continue;
        for (size_t k = 0; k < 3; k++)
            report_time(&h->p, ROWS[i].of, FIGURES[k], seconds(h, slice_split(&v, ',')));
    }
}

/* "[200]	400 responses" */
static void read_status(struct hey *h, struct slice line)
{
    struct slice rest = slice_trim(line), status;
    uint64_t code, count;

    if (!slice_starts(rest, SLICE("[")))
        return;
    rest = slice_drop(rest, 1);
    status = slice_split(&rest, ']');
    if (!slice_to_u64(status, &code) || code >= STATUS_MAX || !printed_u64(printed_word(&rest), &count)) {
        report_fail(&h->p, "expected \"[STATUS] COUNT responses\"");
        return;
    }
    report_status(&h->p, (unsigned)code, count);
    h->replies += count;
    h->ok += code >= 200 && code < 400 ? count : 0;
}

/* "[20]	Get "http://host/": dial tcp ...: connection refused": what follows the URL. */
static void read_error(struct hey *h, struct slice line)
{
    struct slice rest = slice_trim(line);
    const struct slice url_end = SLICE("\": ");
    uint64_t count;
    ptrdiff_t at;

    if (!slice_starts(rest, SLICE("[")))
        return;
    rest = slice_drop(rest, 1);
    if (!slice_to_u64(slice_split(&rest, ']'), &count)) {
        report_fail(&h->p, "expected \"[COUNT] ERROR\"");
        return;
    }
    at = slice_find_slice(rest, url_end);
    rest = slice_trim(at >= 0 ? slice_drop(rest, (size_t)at + url_end.len) : rest);
    report_seen(&h->p, count, "error: %.*s", SLICE_FMT(slice_take(rest, 200)));
    h->errors += count;
}

static bool read_heading(struct hey *h, struct slice line)
{
    static const struct {
        const char *text;
        enum section section;
    } HEADINGS[] = {
        { "Summary:", HEY_SUMMARY },
        { "Response time histogram:", HEY_NONE },
        { "Latency distribution:", HEY_LATENCY },
        { "Details (average", HEY_DETAILS },
        { "Status code distribution:", HEY_STATUS },
        { "Error distribution:", HEY_ERRORS },
    };

    for (size_t i = 0; i < sizeof(HEADINGS) / sizeof(HEADINGS[0]); i++)
        if (slice_starts(slice_trim(line), slice_str(HEADINGS[i].text))) {
            h->section = HEADINGS[i].section;
            h->has_status = h->has_status || h->section == HEY_STATUS;
            return true;
        }
    return false;
}

static void read_line(struct hey *h, struct slice line)
{
    struct slice words[WORDS_MAX];

    if (read_heading(h, line))
        return;
    switch (h->section) {
    case HEY_SUMMARY:
        read_summary(h, line);
        break;
    case HEY_LATENCY:
        read_percentile(h, words, printed_split(line, words, WORDS_MAX));
        break;
    case HEY_DETAILS:
        read_details(h, line);
        break;
    case HEY_STATUS:
        read_status(h, line);
        break;
    case HEY_ERRORS:
        read_error(h, line);
        break;
    case HEY_NONE:
        break;
    }
}

/* All requests over the total time: rounded to 0.1 ms, which tells when statuses are missing. */
static void check_count(struct hey *h)
{
    const struct result *r = h->p.r;
    const double count = h->p.failed ? 0 : r->totals.requests_per_s * r->duration_s;
    const double slack = h->p.failed || r->duration_s <= 0 ? 1 : 1e-4 / r->duration_s + 1e-3;

    if (fabs(count - (double)(h->replies + h->errors)) > 1 + slack * count)
        report_fail(&h->p, "%.0f requests, but %llu statuses and errors", count,
                    (unsigned long long)(h->replies + h->errors));
}

static void finish(struct hey *h)
{
    if (!h->has_rate || !h->has_status)
        report_fail(&h->p, "cut off: no \"%s\"", h->has_rate ? "Status code distribution" : "Requests/sec");
    if (h->replies + h->errors == 0)
        report_fail(&h->p, "cut off: neither statuses nor errors");
    check_count(h);
    if (h->has_average && (h->fastest_s > h->average_s + 1e-4 || h->average_s > h->slowest_s + 1e-4))
        report_fail(&h->p, "the average is not between the fastest and the slowest");
    if (h->has_average) {
        report_time(&h->p, "latency", "mean", h->average_s);
        report_time(&h->p, "latency", "min", h->fastest_s);
        report_time(&h->p, "latency", "max", h->slowest_s);
    }
    report_total(&h->p, TOTAL_STARTED, h->replies + h->errors);
    report_total(&h->p, TOTAL_OK, h->ok);
    report_total(&h->p, TOTAL_FAILED, h->replies - h->ok + h->errors);
    if (h->ok < h->replies + h->errors)
        report_warn(&h->p, "hey's requests/s count failed requests too");
}

static int read_one(struct source *s, struct slice *rest, unsigned *line_number)
{
    struct hey h = { .section = HEY_NONE };
    struct slice line, next = *rest;
    bool begun = false;

    report_begin(&h.p, s, "hey");
    while (printed_line(&next, &line)) {
        const bool banner = slice_eq(slice_trim(line), SLICE("Summary:"));

        if (begun && banner)
            break;
        begun = begun || banner;
        *rest = next;
        h.p.line = ++*line_number;
        read_line(&h, line);
    }
    finish(&h);
    return report_end(&h.p, NULL);
}

int hey_read(struct source *s)
{
    return source_each(s, read_one);
}
