/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/report.h"
#include "import/printed.h"

/* What ab prints after a run. Its "Failed requests" are those of another length than the first reply too, and its
 * "Requests per second" counts failed ones: both are kept as ab counts. Times are whole milliseconds but for the means
 * over all requests. */

static const char BANNER[] = "This is ApacheBench";
enum { WORDS_MAX = 16, URL_MAX = 8192 };

/* What stands on several lines, until all of it was read. */
struct ab {
    struct report p;
    struct slice host, port, path;
    bool tls;
    bool has_rate, has_times, has_total, has_percentages, has_longest;
    double percentile, at_s; /* the last one read */
    uint64_t complete, failed, parts;
};

bool ab_looks_like(struct slice head)
{
    return printed_line_begins(head, BANNER) ||
           (printed_line_begins(head, "Concurrency Level:") && printed_line_begins(head, "Server Hostname:"));
}

static double scaled(struct ab *a, struct slice word, int ten, const char *of)
{
    double value = 0;

    if (!printed_scaled(word, ten, &value) || value < 0)
        report_fail(&a->p, "%s: \"%.*s\" is not a number", of, SLICE_FMT(slice_take(word, 40)));
    return value;
}

static double number(struct ab *a, struct slice word, const char *of)
{
    return scaled(a, word, 0, of);
}

/* Printed in milliseconds. */
static double seconds(struct ab *a, struct slice word, const char *of)
{
    return scaled(a, word, -3, of);
}

static uint64_t count(struct ab *a, struct slice text, const char *of)
{
    struct slice rest = text;
    const struct slice word = printed_word(&rest);
    uint64_t value = 0;

    if (!printed_u64(word, &value))
        report_fail(&a->p, "%s: \"%.*s\" is not a count", of, SLICE_FMT(slice_take(text, 40)));
    return value;
}

static void read_count(struct ab *a, struct slice text, const char *of, enum total part, uint64_t *also)
{
    const uint64_t value = count(a, text, of);

    if (also != NULL)
        *also = value;
    report_total(&a->p, part, value);
}

/* "(Connect: 0, Receive: 0, Length: 209, Exceptions: 0)" */
static bool read_parts(struct ab *a, struct slice line)
{
    static const char *const PARTS[] = { "Connect", "Receive", "Length", "Exceptions" };

    line = slice_trim(line);
    if (!slice_starts(line, SLICE("(Connect:")))
        return false;
    line = slice_drop(line, 1);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++) {
        struct slice part = slice_split(&line, ','), value;

        if (part.len > 0 && part.ptr[part.len - 1] == ')')
            part.len--;
        if (!printed_value(part, PARTS[i], &value)) {
            report_fail(&a->p, "expected \"%s:\" among the failures", PARTS[i]);
            return true;
        }
        a->parts += count(a, value, PARTS[i]);
        report_seen(&a->p, count(a, value, PARTS[i]), "ab failure %s", PARTS[i]);
    }
    if (a->parts > a->failed)
        report_fail(&a->p, "the parts add up to more than the failed requests");
    return true;
}

/* "Time per request: 45.915 [ms] (mean)" and "... (mean, across all concurrent requests)" */
static void read_time_per_request(struct ab *a, struct slice value)
{
    const bool across = printed_contain(value, "across");

    report_metric(&a->p, across ? "time_per_request_across" : "time_per_request",
                  seconds(a, printed_word(&value), "Time per request"), "s", false);
}

static bool read_config(struct ab *a, struct slice line)
{
    struct slice v;

    if (printed_value(line, "Server Software", &v)) {
        if (v.len > 0)
            report_config_text(&a->p, "server", v);
    } else if (printed_value(line, "Server Hostname", &v)) {
        a->host = v;
    } else if (printed_value(line, "Server Port", &v)) {
        a->port = v;
    } else if (printed_value(line, "Document Path", &v)) {
        a->path = v;
    } else if (printed_value(line, "SSL/TLS Protocol", &v)) {
        a->tls = true;
        report_config_text(&a->p, "tls", v);
    } else if (printed_value(line, "Document Length", &v)) {
        if (!slice_starts(v, SLICE("Variable")))
            report_config_number(&a->p, "document_bytes", count(a, v, "Document Length"));
    } else if (printed_value(line, "Concurrency Level", &v)) {
        report_config_number(&a->p, "connections", count(a, v, "Concurrency Level"));
    } else {
        return false;
    }
    return true;
}

static bool read_figure(struct ab *a, struct slice line)
{
    struct slice v;

    if (printed_value(line, "Time taken for tests", &v)) {
        report_duration(&a->p, number(a, printed_word(&v), "Time taken for tests"));
    } else if (printed_value(line, "Complete requests", &v)) {
        read_count(a, v, "Complete requests", TOTAL_STARTED, &a->complete);
    } else if (printed_value(line, "Failed requests", &v)) {
        read_count(a, v, "Failed requests", TOTAL_FAILED, &a->failed);
    } else if (printed_value(line, "Write errors", &v)) {
        report_seen(&a->p, count(a, v, "Write errors"), "ab write errors");
    } else if (printed_value(line, "Non-2xx responses", &v)) {
        report_seen(&a->p, count(a, v, "Non-2xx responses"), "replies that are not 2xx");
    } else if (printed_value(line, "Keep-Alive requests", &v)) {
        report_config_text(&a->p, "keep_alive", SLICE("true"));
        report_metric(&a->p, "keep_alive_requests", (double)count(a, v, "Keep-Alive requests"), "1", true);
    } else if (printed_value(line, "Total transferred", &v)) {
        read_count(a, v, "Total transferred", TOTAL_BYTES_RECEIVED, NULL);
    } else if (printed_value(line, "Total body sent", &v) || printed_value(line, "Total PUT", &v) ||
               printed_value(line, "Total POSTed", &v)) {
        read_count(a, v, "Total body sent", TOTAL_BYTES_SENT, NULL);
    } else if (printed_value(line, "HTML transferred", &v)) {
        read_count(a, v, "HTML transferred", TOTAL_BODY_BYTES_RECEIVED, NULL);
    } else if (printed_value(line, "Requests per second", &v)) {
        report_rate(&a->p, number(a, printed_word(&v), "Requests per second"));
        a->has_rate = true;
    } else if (printed_value(line, "Time per request", &v)) {
        read_time_per_request(a, v);
    } else {
        return false;
    }
    return true;
}

/* "Total: 32 46 24.7 39 417": min, mean, deviation, median, max, or with -S min, mean, max. */
static void read_times_row(struct ab *a, const char *of, struct slice value)
{
    struct slice w[WORDS_MAX];
    const size_t n = printed_split(value, w, WORDS_MAX);
    double times_s[5] = { 0 };

    if (n != 5 && n != 3) {
        report_fail(&a->p, "expected min, mean, deviation, median and max");
        return;
    }
    for (size_t i = 0; i < n; i++)
        times_s[i] = seconds(a, w[i], of);
    if (times_s[0] > times_s[n - 1])
        report_fail(&a->p, "the least is above the most");
    report_time(&a->p, of, "min", times_s[0]);
    report_time(&a->p, of, "mean", times_s[1]);
    if (n == 5) {
        report_time(&a->p, of, "stddev", times_s[2]);
        report_time(&a->p, of, "p50", times_s[3]);
    }
    report_time(&a->p, of, "max", times_s[n - 1]);
}

static bool read_times(struct ab *a, struct slice line)
{
    static const struct {
        const char *label, *of;
    } ROWS[] = {
        { "Connect", "connect" }, { "Processing", "service_time" }, { "Waiting", "wait" }, { "Total", "latency" }
    };
    struct slice value;

    if (!a->has_times || a->has_total)
        return false;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (printed_value(line, ROWS[i].label, &value)) {
            read_times_row(a, ROWS[i].of, value);
            a->has_total = strcmp(ROWS[i].of, "latency") == 0;
            return true;
        }
    return false;
}

/* "50% 39", "100% 417 (longest request)" */
static bool read_percentage(struct ab *a, struct slice line)
{
    struct slice w[WORDS_MAX];
    const size_t n = printed_split(line, w, WORDS_MAX);
    double percentile, at_s;

    if (!a->has_percentages || a->has_longest || n < 2 || w[0].ptr[w[0].len - 1] != '%')
        return false;
    percentile = number(a, slice_take(w[0], w[0].len - 1), "percentage");
    at_s = seconds(a, w[1], "percentage");
    if (percentile <= a->percentile || at_s < a->at_s || percentile > 100)
        report_fail(&a->p, "the percentages do not rise");
    a->percentile = percentile;
    a->at_s = at_s;
    if (percentile >= 100) {
        const struct named_figure *max = a->p.failed ? NULL : result_metric(a->p.r, "latency_max");

        a->has_longest = true;
        if (max != NULL && fabs(max->value - a->at_s) > 1.5e-3)
            report_fail(&a->p, "the longest request is not the maximum above");
    }
    if (percentile >= 100)
        report_time(&a->p, "latency", "max", a->at_s);
    else
        report_percentile(&a->p, "latency", percentile, a->at_s);
    return true;
}

static void set_target(struct ab *a)
{
    char url[URL_MAX];
    const bool usual = slice_eq(a->port, a->tls ? SLICE("443") : SLICE("80")) || a->port.len == 0;
    int n;

    if (a->host.len == 0)
        return;
    n = snprintf(url, sizeof(url), "%s://%.*s%s%.*s%.*s", a->tls ? "https" : "http", SLICE_FMT(a->host),
                 usual ? "" : ":", SLICE_FMT(usual ? slice_take(a->port, 0) : a->port), SLICE_FMT(a->path));
    if (n > 0 && (size_t)n < sizeof(url))
        report_target(&a->p, slice_take(a->host, 0), slice_from(url, (size_t)n));
}

/* ab may count one request as two failures (its length, and an exception). */
static void set_ok(struct ab *a)
{
    if (a->failed <= a->complete)
        report_total(&a->p, TOTAL_OK, a->complete - a->failed);
    else
        report_warn(&a->p, "ab counts more failures than requests");
    if (a->failed > 0)
        report_warn(&a->p, "ab's requests/s and times count failed requests too");
}

static void check_rate(struct ab *a)
{
    const struct result *r = a->p.r;
    const double rate = r->duration_s > 0 ? (double)a->complete / r->duration_s : 0;

    /* Both are printed rounded: 0.0005 s and 0.005 requests/s. */
    if (rate > 0 && fabs(rate - r->totals.requests_per_s) > 0.01 + rate * (0.001 / r->duration_s + 1e-6))
        report_fail(&a->p, "%g requests/s, but %llu requests in %g s are %g", r->totals.requests_per_s,
                    (unsigned long long)a->complete, r->duration_s, rate);
}

static void check_whole(struct ab *a)
{
    if (!a->has_rate)
        report_fail(&a->p, "cut off: no \"Requests per second\"");
    else if (a->complete > 0 && !a->has_total)
        report_fail(&a->p, "cut off: no row \"Total\" of the connection times");
    else if (a->has_percentages && !a->has_longest)
        report_fail(&a->p, "cut off: the percentages do not reach 100%%");
    if (!a->p.failed)
        check_rate(a);
}

/* "This is ApacheBench, Version 2.3 <$Revision: 1706008 $>" */
static bool read_banner(struct ab *a, struct slice line)
{
    struct slice w[WORDS_MAX];
    const size_t n = printed_split(line, w, WORDS_MAX);

    if (n < 5 || !slice_starts(slice_trim(line), slice_str(BANNER)))
        return false;
    report_config_text(&a->p, "tool_version", w[4]);
    return true;
}

static void read_line(struct ab *a, struct slice line)
{
    if (slice_starts(slice_trim(line), SLICE("Connection Times")))
        a->has_times = true;
    else if (slice_starts(slice_trim(line), SLICE("Percentage of the requests")))
        a->has_percentages = true;
    else if (!read_banner(a, line) && !read_times(a, line) && !read_percentage(a, line) && !read_parts(a, line) &&
             !read_config(a, line))
        (void)read_figure(a, line);
}

/* A file may hold what several runs printed, each with its banner. */
static int read_one(struct source *s, struct slice *rest, unsigned *line_number)
{
    struct ab a = { .host = { 0 } };
    struct slice line, next = *rest;
    bool begun = false;

    report_begin(&a.p, s, "ab");
    while (printed_line(&next, &line)) {
        if (begun && a.has_rate && slice_starts(slice_trim(line), slice_str(BANNER)))
            break;
        begun = true;
        *rest = next;
        a.p.line = ++*line_number;
        read_line(&a, line);
    }
    if (!a.p.failed) {
        check_whole(&a);
        set_target(&a);
        set_ok(&a);
    }
    return report_end(&a.p, NULL);
}

int ab_read(struct source *s)
{
    return source_each(s, read_one);
}
