/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <stdlib.h>
#include <string.h>

#include "import/printed.h"
#include "import/report.h"

/* What h2load prints. Its columns of times are told by their heading: they differ between versions. */

static const char BANNER[] = "starting benchmark";
enum { WORDS_MAX = 24, COLUMNS_MAX = 12 };

struct h2load {
    struct report p;
    char columns[COLUMNS_MAX][16]; /* "min", "p95" ...; "" is not kept */
    size_t column_count;
    uint64_t clients, done, ok, failed;
    bool has_requests, has_times;
};

bool h2load_looks_like(struct slice head)
{
    return printed_line_begins(head, BANNER) ||
           (printed_line_begins(head, "finished in ") && printed_line_begins(head, "requests:"));
}

static uint64_t count(struct h2load *h, struct slice word)
{
    uint64_t value = 0;

    if (!printed_u64(word, &value))
        report_fail(&h->p, "\"%.*s\" is not a count", SLICE_FMT(slice_take(word, 40)));
    return value;
}

/* "spawning thread #0: 4 total client(s). 1000 total requests" */
static bool read_clients(struct h2load *h, struct slice line)
{
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(line, words, WORDS_MAX);

    if (n < 6 || !slice_eq(words[0], SLICE("spawning")) || !slice_starts(words[5], SLICE("client")))
        return false;
    h->clients += count(h, words[3]);
    return true;
}

static bool read_config(struct h2load *h, struct slice line)
{
    struct slice v;

    if (printed_value(line, "Application protocol", &v))
        report_config_text(&h->p, "http_version", v);
    else if (printed_value(line, "TLS Protocol", &v))
        report_config_text(&h->p, "tls", v);
    else if (printed_value(line, "Cipher", &v))
        report_config_text(&h->p, "cipher", v);
    else
        return false;
    return true;
}

/* "finished in 38.89ms, 25714.21 req/s, 13.24MB/s" */
static bool read_rate(struct h2load *h, struct slice line)
{
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(line, words, WORDS_MAX);
    double s, rate;

    if (n < 5 || !slice_eq(words[0], SLICE("finished")) || !slice_eq(words[1], SLICE("in")))
        return false;
    if (!printed_seconds(slice_take(words[2], words[2].len - 1), &s) || !printed_double(words[3], &rate)) {
        report_fail(&h->p, "expected a time and requests per second");
        return true;
    }
    report_duration(&h->p, s);
    report_rate(&h->p, rate);
    return true;
}

/* "1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout" */
static void read_counts(struct h2load *h, struct slice value)
{
    uint64_t started = 0, errored = 0, timeouts = 0;

    while (value.len > 0) {
        struct slice part = slice_split(&value, ',');
        const uint64_t n = count(h, printed_word(&part));
        const struct slice what = printed_word(&part);

        if (slice_eq(what, SLICE("started")))
            started = n;
        else if (slice_eq(what, SLICE("done")))
            h->done = n;
        else if (slice_eq(what, SLICE("succeeded")))
            h->ok = n;
        else if (slice_eq(what, SLICE("failed")))
            h->failed = n;
        else if (slice_eq(what, SLICE("errored")))
            errored = n;
        else if (slice_eq(what, SLICE("timeout")))
            timeouts = n;
    }
    h->has_requests = true;
    if (h->ok > h->done || h->done > started || h->ok + h->failed < h->done)
        report_fail(&h->p, "%llu requests done are not those that succeeded and failed", (unsigned long long)h->done);
    report_total(&h->p, TOTAL_STARTED, started);
    report_total(&h->p, TOTAL_OK, h->ok);
    report_total(&h->p, TOTAL_FAILED, h->failed);
    /* When a connection is lost, requests that were under way or never begun fail without having been done. */
    if (h->ok + h->failed == h->done)
        report_total(&h->p, TOTAL_UNFINISHED, started - (h->done <= started ? h->done : started));
    else
        report_warn(&h->p, "h2load's failed requests hold some that were never begun, or never ended");
    report_seen(&h->p, errored, "errored requests");
    report_seen(&h->p, timeouts, "timed out requests");
    if (h->failed > 0)
        report_warn(&h->p, "h2load's times count failed requests too");
}

/* "1000 2xx, 0 3xx, 0 4xx, 0 5xx" */
static void read_statuses(struct h2load *h, struct slice value)
{
    while (value.len > 0) {
        struct slice part = slice_split(&value, ',');
        const uint64_t n = count(h, printed_word(&part));
        const struct slice class = slice_take(printed_word(&part), 8);

        report_seen(&h->p, n, "status %.*s", SLICE_FMT(class));
    }
}

/* "527.34KB (540000) total, 188.48KB (193000) headers (space savings 0.00%), 292.97KB (300000) data": exact ones in
 * brackets. */
static void read_traffic(struct h2load *h, struct slice value)
{
    while (value.len > 0) {
        struct slice part = slice_split(&value, ',');
        struct slice exact = part, what;

        (void)slice_split(&exact, '(');
        what = exact;
        exact = slice_split(&what, ')');
        what = printed_word(&what);
        if (slice_eq(what, SLICE("total")))
            report_total(&h->p, TOTAL_BYTES_RECEIVED, count(h, exact));
        else if (slice_eq(what, SLICE("data")))
            report_total(&h->p, TOTAL_BODY_BYTES_RECEIVED, count(h, exact));
    }
}

/* "min max mean sd +/- sd" */
static bool read_columns(struct h2load *h, struct slice line)
{
    static const struct {
        const char *printed, *ours;
    } NAMES[] = { { "min", "min" }, { "max", "max" }, { "mean", "mean" }, { "sd", "stddev" }, { "median", "p50" } };
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(line, words, WORDS_MAX);

    if (n < 4 || !slice_eq(words[0], SLICE("min")) || !slice_eq(words[1], SLICE("max")))
        return false;
    for (size_t i = 0; i < n && h->column_count < COLUMNS_MAX; i++) {
        char *name = h->columns[h->column_count++];

        if (slice_eq(words[i], SLICE("+/-")))
            break;
        if (words[i].len < sizeof(h->columns[0]) && words[i].ptr[0] == 'p')
            snprintf(name, sizeof(h->columns[0]), "%.*s", SLICE_FMT(words[i]));
        for (size_t k = 0; k < sizeof(NAMES) / sizeof(NAMES[0]); k++)
            if (slice_eq(words[i], slice_str(NAMES[k].printed)))
                snprintf(name, sizeof(h->columns[0]), "%s", NAMES[k].ours);
    }
    return true;
}

static void read_times(struct h2load *h, const char *of, struct slice value)
{
    struct slice words[WORDS_MAX];
    const size_t n = printed_split(value, words, WORDS_MAX);

    if (h->column_count == 0 || n < h->column_count) {
        report_fail(&h->p, "%zu times below %zu columns", n, h->column_count);
        return;
    }
    for (size_t i = 0; i < h->column_count; i++) {
        double s;

        if (h->columns[i][0] == '\0')
            continue;
        if (!printed_seconds(words[i], &s))
            report_fail(&h->p, "\"%.*s\" is not a time", SLICE_FMT(slice_take(words[i], 40)));
        else if (h->done > 0)
            report_time(&h->p, of, h->columns[i], s);
    }
}

static bool read_figures(struct h2load *h, struct slice line)
{
    struct slice v;

    if (printed_value(line, "requests", &v))
        read_counts(h, v);
    else if (printed_value(line, "status codes", &v))
        read_statuses(h, v);
    else if (printed_value(line, "traffic", &v))
        read_traffic(h, v);
    else if (printed_value(line, "time for request", &v) || printed_value(line, "request", &v))
        read_times(h, "latency", v);
    else if (printed_value(line, "time for connect", &v) || printed_value(line, "connect", &v))
        read_times(h, "connect", v);
    else if (printed_value(line, "time to 1st byte", &v) || printed_value(line, "TTFB", &v))
        read_times(h, "first_byte", v);
    else if (printed_value(line, "req/s", &v))
        h->has_times = true;
    else
        return false;
    return true;
}

static int read_one(struct source *s, struct slice *rest, unsigned *line_number)
{
    struct h2load h = { .clients = 0 };
    struct slice line, next = *rest;
    bool begun = false;

    report_begin(&h.p, s, "h2load");
    while (printed_line(&next, &line)) {
        const bool banner = slice_starts(slice_trim(line), SLICE("starting benchmark"));

        if (begun && banner)
            break;
        begun = begun || banner;
        *rest = next;
        h.p.line = ++*line_number;
        if (!read_clients(&h, line) && !read_config(&h, line) && !read_rate(&h, line) && !read_columns(&h, line))
            (void)read_figures(&h, line);
    }
    if (!h.has_requests || !h.has_times)
        report_fail(&h.p, "cut off: no \"%s\"", h.has_requests ? "req/s" : "requests:");
    if (h.clients > 0)
        report_config_number(&h.p, "connections", h.clients);
    return report_end(&h.p, NULL);
}

int h2load_read(struct source *s)
{
    return source_each(s, read_one);
}
