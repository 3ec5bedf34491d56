/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/clock_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/clock_edge.h"
#include "base/units.h"
#include "http/redact.h"
#include "watch/command.h"
#include "web/fetch.h"

enum { URL_MAX_BYTES = 4096, ASKED_MAX = 200 };
#define ENOUGH_NS UINT64_C(1000000)
#define COARSE_NS UINT64_C(30000000) /* below it, only the edges of seconds are asked about */
#define PAUSE_NS UINT64_C(20000000)
#define CALL_NS (2 * UINT64_C(1000000000))
#define LEAST_NS (UINT64_C(1200) * 1000000)

/* ---- chrony ---- */

/* What follows "NAME   : " of its line. */
static struct slice chrony_value(struct slice text, const char *name)
{
    while (text.len > 0) {
        struct slice line = slice_split(&text, '\n');
        const struct slice key = slice_trim(slice_split(&line, ':'));

        if (slice_eq(key, slice_str(name)))
            return slice_trim(line);
    }
    return (struct slice){ 0 };
}

/* "0.000006523 seconds …" */
static bool chrony_seconds(struct slice text, const char *name, double *out)
{
    const struct slice value = chrony_value(text, name);
    char number[32], *end;

    if (value.len == 0 || slice_find_slice(value, SLICE(" seconds")) < 0)
        return false;
    snprintf(number, sizeof(number), "%.*s", SLICE_FMT(slice_take(value, sizeof(number) - 1)));
    *out = strtod(number, &end);
    return end != number && *out >= 0 && *out < 1e9;
}

int clock_check_read_chrony(struct clock_estimate *out, struct slice text, struct err *err)
{
    const struct slice system = chrony_value(text, "System time"), leap = chrony_value(text, "Leap status");
    double offset, delay, dispersion;

    if (!chrony_seconds(text, "System time", &offset) || !chrony_seconds(text, "Root delay", &delay) ||
        !chrony_seconds(text, "Root dispersion", &dispersion))
        return err_set(err, ERR_PEER, 0, "chronyc tracking does not say how far the clock is off");
    if (slice_eq(leap, SLICE("Not synchronised"))) {
        err_set(err, ERR_PEER, 0, "chrony is not synchronised with any source");
        return err_hint(err, "chronyc sources; or --clock-check HOST with a server whose replies have a Date");
    }
    if (slice_find_slice(system, SLICE("fast")) >= 0)
        offset = -offset;
    *out = (struct clock_estimate){ .offset_ns = (int64_t)(offset * 1e9),
                                    .resolution_ns = (uint64_t)((delay / 2 + dispersion) * 1e9),
                                    .by = "chrony" };
    return 0;
}

static int ask_chrony(struct clock_estimate *out, struct err *err)
{
    static const char *const ARGV[] = { "chronyc", "-n", "tracking", NULL };
    struct buf text;
    int status;

    buf_init(&text, COMMAND_OUTPUT_MAX_BYTES);
    status = command_run(
        &text,
        &(struct command_call){ .name = "chronyc", .argv = ARGV, .timeout_ns = COMMAND_TIMEOUT_NS, .cancel_fd = -1 },
        err);
    if (status == 0)
        status = clock_check_read_chrony(out, buf_slice(&text), err);
    buf_release(&text);
    return status;
}

/* ---- the Date of replies ---- */

struct asking {
    struct fetch *fetch;
    const char *url;
    int64_t wall_minus_monotonic_ns;
    struct clock_edge edge;
    uint64_t round_trip_ns; /* of the last */
};

static bool read_date(struct slice text, int64_t *seconds)
{
    uint64_t ns;

    if (!clock_parse_http_date(text, &ns))
        return false;
    *seconds = (int64_t)(ns / NS_PER_S);
    return true;
}

static int ask(struct asking *a, struct err *err)
{
    const struct fetch_call call = {
        .method = "HEAD", .url = a->url, .connect_ns = CALL_NS, .total_ns = CALL_NS, .http1 = true
    };
    struct fetch_reply reply;
    const uint64_t before = clock_now_ns();
    const int failed = fetch_run(a->fetch, &call, &reply);
    const uint64_t after = clock_now_ns();
    int64_t date;

    if (failed != 0)
        return err_set(err, ERR_PEER, 0, "%s", reply.why);
    if (!read_date(fetch_header(a->fetch, "date"), &date))
        return err_set(err, ERR_PEER, 0, "its reply has no Date that can be read");
    a->round_trip_ns = after - before;
    if (clock_edge_add(&a->edge, (int64_t)before + a->wall_minus_monotonic_ns,
                       (int64_t)after + a->wall_minus_monotonic_ns, date))
        return 0;
    return err_set(err, ERR_PEER, 0, "the Dates of its replies contradict each other");
}

/* Until the second changes every few milliseconds; then where the change is looked for. */
static uint64_t next_moment(const struct asking *a)
{
    const uint64_t now = clock_now_ns();

    if (clock_edge_resolution_ns(&a->edge) > COARSE_NS)
        return now + PAUSE_NS;
    return (
        uint64_t)(clock_edge_next_ns(&a->edge, (int64_t)now + a->wall_minus_monotonic_ns, (int64_t)a->round_trip_ns) -
                  a->wall_minus_monotonic_ns);
}

/* As soon as anything is known of the offset, so is about when the start will be. */
static uint64_t last_moment(const struct asking *a, const struct clock_frame *frame, uint64_t least)
{
    const uint64_t now = clock_now_ns();
    const int64_t left = (int64_t)frame->start_ns - clock_edge_offset_ns(&a->edge) - a->wall_minus_monotonic_ns -
                         (int64_t)now;
    const uint64_t half = now + (left > 0 ? (uint64_t)left / 2 : 0);
    const uint64_t until = frame->start_ns > 0 && half < frame->until_ns ? half : frame->until_ns;

    return until > least ? until : least;
}

static int ask_until(struct asking *a, const struct clock_frame *frame, struct err *err)
{
    const uint64_t least = clock_now_ns() + LEAST_NS;
    uint64_t until = 0;

    for (unsigned asked = 0; asked < ASKED_MAX; asked++) {
        uint64_t at;

        if (ask(a, err) != 0)
            return -1;
        if (clock_edge_resolution_ns(&a->edge) <= ENOUGH_NS)
            break;
        if (asked == 0)
            until = last_moment(a, frame, least);
        at = next_moment(a);
        if (at > until)
            break;
        clock_sleep_until_ns(at);
    }
    return 0;
}

/* "host", "host:80" and "[::1]:80" are of http. */
static bool make_url(char out[URL_MAX_BYTES], const char *what)
{
    const bool is_url = strncmp(what, "http://", 7) == 0 || strncmp(what, "https://", 8) == 0;
    const int n = snprintf(out, URL_MAX_BYTES, is_url ? "%s" : "http://%s/", what);

    return n > 0 && n < URL_MAX_BYTES;
}

static int ask_host(struct clock_estimate *out, const char *what, const struct clock_frame *frame, struct err *err)
{
    char url[URL_MAX_BYTES];
    struct asking a = { .url = url, .wall_minus_monotonic_ns = frame->wall_minus_monotonic_ns };
    struct buf shown;
    int status = -1;

    if (!make_url(url, what))
        return err_set(err, ERR_USAGE, 0, "\"%.60s...\" is too long", what);
    if (fetch_new(&a.fetch, err) != 0)
        return -1;
    status = ask_until(&a, frame, err);
    fetch_free(a.fetch);
    buf_init(&shown, URL_MAX_BYTES);
    redact_url(&shown, slice_str(url));
    if (status == 0) {
        *out = (struct clock_estimate){ .offset_ns = clock_edge_offset_ns(&a.edge),
                                        .resolution_ns = clock_edge_resolution_ns(&a.edge) };
        snprintf(out->by, sizeof(out->by), "Date of %.*s", SLICE_FMT(slice_take(buf_slice(&shown), 140)));
    } else {
        err_prefix(err, "%.*s", SLICE_FMT(slice_take(buf_slice(&shown), 140)));
        err_hint(err, "name a server that answers with a Date, as nearly all do");
    }
    buf_release(&shown);
    return status;
}

int clock_check(struct clock_estimate *out, const char *what, const struct clock_frame *frame, struct err *err)
{
    const int status = strcmp(what, "chrony") == 0 ? ask_chrony(out, err) : ask_host(out, what, frame, err);

    return status == 0 ? 0 : err_prefix(err, "--clock-check");
}
