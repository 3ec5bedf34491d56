/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>
#include <string.h>

#include "import/printed.h"
#include "import/report.h"

/* What wrk and wrk2 print. Both count requests that ended, whatever their status; sizes are rounded, so that they are
 * figures and not counts. wrk2's "Uncorrected Latency" is the service time: it leaves out how late a request was sent.
 */

static const char BANNER[] = "Running ";
enum { WORDS_MAX = 16 };

struct wrk {
    struct report p;
    const char *of; /* what the percentiles in hand are of; NULL: none */
    double last_percentile, last_s;
    uint64_t complete, failed;
    double duration_s;
    bool has_requests, has_rate;
    bool has_none; /* no reply was timed: the zeroes that follow are none */
};

static bool is_banner(struct slice line)
{
    line = slice_trim(line);
    return slice_starts(line, slice_str(BANNER)) && printed_contain(line, " test @ ");
}

bool wrk_looks_like(struct slice head)
{
    struct slice line;

    while (printed_line(&head, &line))
        if (is_banner(line))
            return true;
    return false;
}

static double seconds(struct wrk *w, struct slice word)
{
    double value = 0;

    if (!printed_seconds(word, &value))
        report_fail(&w->p, "\"%.*s\" is not a time", SLICE_FMT(slice_take(word, 40)));
    return value;
}

static uint64_t count(struct wrk *w, struct slice word)
{
    uint64_t value = 0;

    if (word.len > 0 && word.ptr[word.len - 1] == ',')
        word.len--;
    if (!printed_u64(word, &value))
        report_fail(&w->p, "\"%.*s\" is not a count", SLICE_FMT(slice_take(word, 40)));
    return value;
}

/* "Running 10s test @ http://host/path" */
static void read_banner(struct wrk *w, struct slice line)
{
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(line, words, WORDS_MAX);

    report_config_double(&w->p, "duration_s", seconds(w, words[1]));
    report_target(&w->p, slice_take(line, 0), words[n - 1]);
}

/* "2 threads and 4 connections" */
static bool read_load(struct wrk *w, const struct slice *words, size_t n)
{
    if (n != 5 || !slice_starts(words[1], SLICE("thread")) || !slice_starts(words[4], SLICE("connection")))
        return false;
    report_config_number(&w->p, "threads", count(w, words[0]));
    report_config_number(&w->p, "connections", count(w, words[3]));
    return true;
}

/* "Latency 0.90ms 2.07ms 20.37ms 90.01%": average, deviation, maximum; a share of "-nan%" says that there are none. */
static bool read_latency(struct wrk *w, const struct slice *words, size_t n)
{
    if (n != 5 || !slice_eq(words[0], SLICE("Latency")))
        return false;
    w->has_none = printed_contain(words[1], "nan") || printed_contain(words[4], "nan");
    if (w->has_none)
        return true;
    report_time(&w->p, "latency", "mean", seconds(w, words[1]));
    report_time(&w->p, "latency", "stddev", seconds(w, words[2]));
    report_time(&w->p, "latency", "max", seconds(w, words[3]));
    return true;
}

/* "99.900% 12.34ms" */
static bool read_percentile(struct wrk *w, const struct slice *words, size_t n)
{
    double percentile, s;

    if (w->of == NULL || n != 2 || words[0].ptr[words[0].len - 1] != '%' ||
        !printed_double(slice_take(words[0], words[0].len - 1), &percentile))
        return false;
    s = seconds(w, words[1]);
    if (percentile <= w->last_percentile || s < w->last_s || percentile > 100)
        report_fail(&w->p, "the percentiles do not rise");
    w->last_percentile = percentile;
    w->last_s = s;
    if (w->has_none)
        return true;
    if (percentile < 100)
        report_percentile(&w->p, w->of, percentile, s);
    else
        report_time(&w->p, w->of, "max", s);
    return true;
}

/* "#[Mean = 9.747, StdDeviation = 1.5]" and "#[Max = 22.719, Total count = 29740]", in milliseconds. */
static bool read_exact(struct wrk *w, struct slice line)
{
    static const struct {
        const char *key, *what;
    } FIGURES[] = { { "#[Mean", "mean" }, { "StdDeviation", "stddev" }, { "#[Max", "max" } };
    struct slice rest = line;
    bool any = false;

    if (w->of == NULL || !slice_starts(slice_trim(line), SLICE("#[")))
        return false;
    while (rest.len > 0) {
        struct slice value = slice_split(&rest, ',');
        const struct slice key = slice_trim(slice_split(&value, '='));
        double at_s;

        value = slice_trim(value);
        if (value.len > 0 && value.ptr[value.len - 1] == ']')
            value.len--;
        for (size_t i = 0; i < sizeof(FIGURES) / sizeof(FIGURES[0]); i++)
            if (slice_eq(key, slice_str(FIGURES[i].key)) && printed_scaled(value, -3, &at_s)) {
                report_time(&w->p, w->of, FIGURES[i].what, at_s);
                any = true;
            }
    }
    return any;
}

/* "24470 requests in 1.10s, 12.60MB read" */
static bool read_requests(struct wrk *w, const struct slice *words, size_t n)
{
    double bytes;

    if (n != 6 || !slice_eq(words[1], SLICE("requests")) || !slice_eq(words[2], SLICE("in")))
        return false;
    w->complete = count(w, words[0]);
    w->duration_s = seconds(w, slice_take(words[3], words[3].len - 1));
    w->has_requests = true;
    report_total(&w->p, TOTAL_STARTED, w->complete);
    report_duration(&w->p, w->duration_s);
    if (printed_bytes(words[4], &bytes))
        report_metric(&w->p, "bytes_received", bytes, "B", true);
    return true;
}

/* "Socket errors: connect 0, read 5, write 0, timeout 17" */
static bool read_errors(struct wrk *w, struct slice line)
{
    struct slice value;

    if (printed_value(line, "Non-2xx or 3xx responses", &value)) {
        w->failed = count(w, value);
        report_seen(&w->p, w->failed, "replies that are not 2xx or 3xx");
        return true;
    }
    if (!printed_value(line, "Socket errors", &value))
        return false;
    while (value.len > 0) {
        struct slice part = slice_split(&value, ',');
        const struct slice kind = printed_word(&part);

        report_seen(&w->p, count(w, printed_word(&part)), "socket error %.*s", SLICE_FMT(slice_take(kind, 20)));
    }
    return true;
}

static bool read_rate(struct wrk *w, struct slice line)
{
    struct slice value;
    double rate = 0, bytes;

    if (printed_value(line, "Requests/sec", &value)) {
        if (!printed_double(value, &rate))
            report_fail(&w->p, "\"%.*s\" is not a rate", SLICE_FMT(slice_take(value, 40)));
        report_rate(&w->p, rate);
        w->has_rate = true;
        return true;
    }
    if (!printed_value(line, "Transfer/sec", &value))
        return false;
    if (printed_bytes(value, &bytes))
        report_metric(&w->p, "bytes_received_per_s", bytes, "B/s", true);
    return true;
}

/* Headings: what follows is of which clock. */
static bool read_heading(struct wrk *w, struct slice line)
{
    line = slice_trim(line);
    if (slice_starts(line, SLICE("Latency Distribution"))) {
        w->of = printed_contain(line, "Uncorrected") ? "service_time" : "latency";
        w->last_percentile = -1;
        w->last_s = 0;
        if (printed_contain(line, "HdrHistogram"))
            report_config_text(&w->p, "tool", SLICE("wrk2"));
        return true;
    }
    return slice_starts(line, SLICE("Detailed Percentile"));
}

static void read_line(struct wrk *w, struct slice line)
{
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(line, words, WORDS_MAX);

    if (n == 0 || read_heading(w, line) || read_exact(w, line) || read_errors(w, line) || read_rate(w, line))
        return;
    if (is_banner(line))
        read_banner(w, line);
    else if (!read_load(w, words, n) && !read_percentile(w, words, n) && !read_requests(w, words, n))
        (void)read_latency(w, words, n);
}

static void check_whole(struct wrk *w)
{
    const double rate = w->duration_s > 0 ? (double)w->complete / w->duration_s : 0;

    if (!w->has_requests || !w->has_rate) {
        report_fail(&w->p, "cut off: no \"%s\"", w->has_requests ? "Requests/sec" : "requests in");
        return;
    }
    if (w->failed > w->complete)
        report_fail(&w->p, "more replies that are not 2xx or 3xx than requests");
    /* The duration has three digits: up to 1 % off in minutes. */
    if (!w->p.failed && fabs(rate - w->p.r->totals.requests_per_s) > 0.03 * rate + 1)
        report_fail(&w->p, "%g requests/s, but %llu requests in %g s are %g", w->p.r->totals.requests_per_s,
                    (unsigned long long)w->complete, w->duration_s, rate);
    if (w->failed > w->complete)
        return;
    report_total(&w->p, TOTAL_FAILED, w->failed);
    report_total(&w->p, TOTAL_OK, w->complete - w->failed);
    if (w->failed > 0)
        report_warn(&w->p, "wrk's requests/s and times count failed requests too");
}

static int read_one(struct source *s, struct slice *rest, unsigned *line_number)
{
    struct wrk w = { .of = NULL };
    struct slice line, next = *rest;
    bool begun = false;

    report_begin(&w.p, s, "wrk");
    while (printed_line(&next, &line)) {
        if (begun && is_banner(line))
            break;
        begun = begun || is_banner(line);
        *rest = next;
        w.p.line = ++*line_number;
        read_line(&w, line);
    }
    check_whole(&w);
    return report_end(&w.p, NULL);
}

int wrk_read(struct source *s)
{
    return source_each(s, read_one);
}
