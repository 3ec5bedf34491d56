/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MS UINT64_C(1000000)

static void need(bool ok)
{
    if (!ok)
        abort();
}

char *sample_dup(const char *text)
{
    char *copy = strdup(text);

    need(copy != NULL);
    return copy;
}

struct hist *sample_hist(uint64_t first_ns, uint64_t step_ns, size_t count)
{
    struct hist *h = NULL;

    need(hist_new(&h, NULL) == 0);
    for (size_t i = 0; i < count; i++)
        hist_record(h, first_ns + i * step_ns);
    return h;
}

static void add_text(struct strlist *list, const char *text)
{
    need(strlist_add(list, slice_str(text)));
}

static void replace_hist(struct hist **h, struct hist *by)
{
    hist_free(*h);
    *h = by;
}

struct result *sample_empty(void)
{
    struct result *r = NULL;

    need(result_new(&r, NULL) == 0);
    memcpy(r->id, "01234567-89ab-4cde-8f01-23456789abcd", sizeof(r->id));
    memcpy(r->started, "2026-03-01T12:34:56.789Z", sizeof("2026-03-01T12:34:56.789Z"));
    r->host = (struct host_info){ .hostname = "bench-1",
                                  .kernel = "Linux 6.1.0 x86_64",
                                  .cpu = "Test CPU",
                                  .cpus = 4,
                                  .memory_bytes = 8589934592u,
                                  .tool_version = "plimsoll 0.0.0" };
    return r;
}

static struct target_result *add_targets(struct result *r, size_t count)
{
    r->targets = calloc(count, sizeof(*r->targets));
    need(r->targets != NULL);
    r->target_count = count;
    return r->targets;
}

static void add_health(struct result *r)
{
    struct generator_health *g = &r->generator;

    g->workers = 2;
    g->cpu_per_worker = calloc(2, sizeof(double));
    need(g->cpu_per_worker != NULL);
    g->cpu_per_worker[0] = 0.41;
    g->cpu_per_worker[1] = 0.4;
    g->loop_lag = sample_hist(50000, 1000, 100);
    g->open_files_max = 62;
    g->open_files_limit = 1048576;
    g->ports_used = 10;
    g->ports_available = 28232;
    g->time_wait_start = 3;
    g->time_wait_end = 13;
}

struct result *sample_plain(void)
{
    struct result *r = sample_empty();
    struct target_result *t = add_targets(r, 1);

    r->duration_s = 10;
    r->ramp_s = 0.0125;
    r->totals = (struct totals){ .started = 1000,
                                 .sent = 1000,
                                 .ok = 1000,
                                 .ok_in_window = 1000,
                                 .requests_per_s = 100,
                                 .bytes_sent = 80000,
                                 .bytes_received = 1250000,
                                 .body_bytes_received = 1024000,
                                 .connections_opened = 50,
                                 .connections_reused = 950,
                                 .in_flight_mean = 49.75,
                                 .in_window_s = 500.5 };
    replace_hist(&r->latency, sample_hist(MS, MS, 1000));
    replace_hist(&r->service_time, sample_hist(MS, MS, 1000));
    r->by_class[CLASS_2XX] = sample_hist(MS, MS, 1000);
    r->status[200] = 1000;
    r->phases[PHASE_CONNECT] = sample_hist(100000, 1000, 50);
    r->phases[PHASE_SEND] = sample_hist(5000, 10, 1000);
    r->phases[PHASE_WAIT] = sample_hist(MS - 20000, MS, 1000);
    r->phases[PHASE_RECEIVE] = sample_hist(2000, 10, 1000);
    need(result_add_config(r, "connections", "%d", 50));
    add_text(&r->command, "plimsoll");
    add_text(&r->command, "load");
    add_text(&r->command, "http://127.0.0.1:8080/bytes/1024");
    t->url = sample_dup("http://127.0.0.1:8080/bytes/1024");
    t->method = sample_dup("GET");
    t->totals = r->totals;
    t->latency = sample_hist(MS, MS, 1000);
    t->service_time = sample_hist(MS, MS, 1000);
    t->status[200] = 1000;
    add_health(r);
    return r;
}

static struct error_entry error_of(enum fail_kind kind, const char *detail, uint64_t count, const char *first,
                                   double first_at_s, double last_at_s)
{
    return (struct error_entry){ .kind = kind,
                                 .detail = sample_dup(detail),
                                 .count = count,
                                 .first = first != NULL ? sample_dup(first) : NULL,
                                 .first_at_s = first_at_s,
                                 .last_at_s = last_at_s };
}

#define EXAMPLE \
    "HTTP/1.1 503 Service Unavailable\r\nSet-Cookie: ***\r\nRetry-After: 1\r\n\r\n<h1>\"busy\" \\ \xc3\xa4</h1>\n"

static void add_errors(struct error_entry **errors, size_t *count)
{
    *errors = calloc(3, sizeof(**errors));
    need(*errors != NULL);
    (*errors)[0] = error_of(FAIL_TIMEOUT, "", 2, NULL, 1.25, 3.5);
    (*errors)[1] = error_of(FAIL_STATUS, "status 503", 4, EXAMPLE, 0.5, 4.75);
    (*errors)[2] = error_of(FAIL_STATUS, "status 404", 2, "HTTP/1.1 404 Not Found\r\n\r\n", 0.25, 0.75);
    *count = 3;
}

/* 92 ok of 101 started: 90 + 2 ok, 8 failed, 1 unfinished. The first target has all that went wrong. */
static void add_full_targets(struct result *r)
{
    struct target_result *t = add_targets(r, 2);

    t[0].url = sample_dup("https://a.test/one?token=***");
    t[0].method = sample_dup("GET");
    t[0].totals = (struct totals){ .started = 71,
                                   .sent = 71,
                                   .ok = 62,
                                   .failed = 8,
                                   .unfinished = 1,
                                   .ok_in_window = 62,
                                   .requests_per_s = 12.4,
                                   .unfinished_oldest_s = 2.5 };
    t[0].latency = sample_hist(2 * MS, 100000, 62);
    t[0].service_time = sample_hist(2 * MS - 1000, 100000, 62);
    t[0].status[200] = 60;
    t[0].status[301] = 2;
    t[0].status[404] = 2;
    t[0].status[503] = 4;
    add_errors(&t[0].errors, &t[0].error_count);
    t[1].url = sample_dup("https://b.test/two");
    t[1].method = sample_dup("POST");
    t[1].totals = (struct totals){ .started = 30, .sent = 30, .ok = 30, .ok_in_window = 28, .requests_per_s = 5.6 };
    t[1].latency = sample_hist(MS, 500000, 30);
    t[1].service_time = sample_hist(MS, 500000, 30);
    t[1].status[200] = 30;
}

static void add_full_histograms(struct result *r)
{
    for (size_t i = 0; i < r->target_count; i++) {
        hist_merge(r->latency, r->targets[i].latency);
        hist_merge(r->service_time, r->targets[i].service_time);
    }
    r->by_class[CLASS_2XX] = sample_hist(MS, 100000, 90);
    r->by_class[CLASS_3XX] = sample_hist(MS, 100000, 2);
    r->by_class[CLASS_4XX] = sample_hist(MS / 2, 100000, 2);
    r->by_class[CLASS_5XX] = sample_hist(MS / 4, 100000, 4);
    r->by_class[CLASS_ERROR] = sample_hist(1000 * MS, 100000, 2);
    for (unsigned i = 0; i < PHASES; i++)
        r->phases[i] = sample_hist(1000 * (i + 1), 1000, 10);
}

static void add_intervals(struct result *r)
{
    struct hist *latency;

    r->intervals = calloc(2, sizeof(*r->intervals));
    need(r->intervals != NULL);
    r->interval_count = 2;
    r->intervals[0] = (struct interval){
        .t_s = 0, .length_s = 1, .started = 101, .ok = 92, .failed = 8, .bytes = 12345, .in_flight = 1.5
    };
    latency = sample_hist(MS, MS, 92);
    need(interval_set_latency(&r->intervals[0], latency, NULL) == 0);
    hist_free(latency);
    r->intervals[0].by_kind = calloc(FAIL_KINDS, sizeof(*r->intervals[0].by_kind));
    need(r->intervals[0].by_kind != NULL);
    r->intervals[0].by_kind[FAIL_TIMEOUT] = 5;
    r->intervals[0].by_kind[FAIL_STATUS] = 3;
    r->intervals[1] = (struct interval){ .t_s = 1, .length_s = 0.25 };
}

/* Means and maxima as given; two seconds, the second unknown. */
static void add_figure(struct watched *w, const char *name, double mean, double max)
{
    struct watched_figure *f;

    w->figures = realloc(w->figures, (w->figure_count + 1) * sizeof(*f));
    need(w->figures != NULL);
    f = &w->figures[w->figure_count++];
    *f = (struct watched_figure){ .name = sample_dup(name), .mean = mean, .max = max, .count = 2 };
    f->series = calloc(2, sizeof(*f->series));
    need(f->series != NULL);
    f->series[0] = max;
    f->series[1] = NAN;
}

/* One that was the limit, one that did nothing, one that says only things of its own. */
static void add_watched(struct result *r)
{
    r->watched = calloc(3, sizeof(*r->watched));
    need(r->watched != NULL);
    r->watched_count = 3;
    r->watched[0] = (struct watched){
        .name = sample_dup("gateway"), .spec = sample_dup("cgroup:/gateway"), .capacity_cores = 1, .readings = 3
    };
    add_figure(&r->watched[0], "cpu_cores", 0.9975, 1);
    add_figure(&r->watched[0], "throttled_s_per_s", 0.25, 0.5);
    add_figure(&r->watched[0], "rss_bytes", 12582912, 13631488);
    add_figure(&r->watched[0], "read_bytes_per_s", 0, 0);
    add_figure(&r->watched[0], "net_sent_bytes_per_s", 1234567, 2345678);
    r->watched[1] = (struct watched){
        .name = sample_dup("store"), .spec = sample_dup("pid:77"), .capacity_cores = 8, .readings = 2, .missed = 1
    };
    add_figure(&r->watched[1], "cpu_cores", 0.0125, 0.02);
    add_figure(&r->watched[1], "threads", 2, 2);
    r->watched[2] = (struct watched){ .name = sample_dup("queue"), .spec = sample_dup("cmd:./depth"), .readings = 3 };
    add_figure(&r->watched[2], "depth", 17.25, 40);
    add_figure(&r->watched[2], "jobs_per_s{kind=\"mail\"}", 3.5, NAN);
}

static void add_addresses(struct result *r)
{
    r->addresses = calloc(2, sizeof(*r->addresses));
    need(r->addresses != NULL);
    r->address_count = 2;
    r->addresses[0] = (struct address_entry){ .address = sample_dup("192.0.2.1:443"),
                                              .connections = 5,
                                              .requests = 71 };
    r->addresses[1] = (struct address_entry){
        .address = sample_dup("[2001:db8::1]:443"), .connections = 5, .requests = 30, .failed_connects = 1
    };
}

static void add_full_config(struct result *r)
{
    need(result_add_config(r, "connections", "%d", 5));
    need(result_add_config(r, "duration_s", "%.17g", 0.1));
    need(result_add_config(r, "nested", "{\"a\":[1,2.50,null,true],\"b\":{}}"));
    need(result_add_config_string(r, "user_agent", "quote \" and \\ and \n"));
    need(result_add_config_string(r, "source", NULL));
    r->percentiles = calloc(2, sizeof(double));
    need(r->percentiles != NULL);
    r->percentiles[0] = 99.95;
    r->percentiles[1] = 25;
    r->percentile_count = 2;
}

struct result *sample_full(void)
{
    struct result *r = sample_empty();

    r->name = sample_dup("nightly \xe2\x82\xac");
    add_text(&r->labels, "branch=main");
    add_text(&r->labels, "note=a=b");
    add_text(&r->command, "plimsoll");
    add_text(&r->command, "load");
    add_text(&r->command, "-H");
    add_text(&r->command, "Authorization: ***");
    r->duration_s = 5;
    r->ramp_s = 0.004200001;
    r->warmup = (struct warmup_totals){
        .duration_s = 1.5, .started = 30, .sent = 29, .ok = 27, .failed = 1, .unfinished = 2, .retried = 1
    };
    r->totals = (struct totals){ .started = 101,
                                 .sent = 101,
                                 .ok = 92,
                                 .failed = 8,
                                 .unfinished = 1,
                                 .ok_in_window = 90,
                                 .requests_per_s = 18,
                                 .unfinished_oldest_s = 2.5,
                                 .not_sent = 7,
                                 .retried = 3,
                                 .interim_replies = 11,
                                 .bytes_sent = 9999,
                                 .bytes_received = 123456789,
                                 .body_bytes_received = 120000000,
                                 .connections_opened = 12,
                                 .connections_reused = 92,
                                 .tls_handshakes = 11,
                                 .tls_resumed = 6,
                                 .in_flight_mean = 1.55,
                                 .in_window_s = 7.5 };
    r->status[200] = 90;
    r->status[301] = 2;
    r->status[404] = 2;
    r->status[503] = 4;
    r->tls_version = sample_dup("TLSv1.3");
    r->tls_cipher = sample_dup("TLS_AES_256_GCM_SHA384");
    r->tls_full = sample_hist(4000, 1000, 5);
    r->tls_resumed = sample_hist(2000, 1000, 6);
    add_full_config(r);
    add_full_targets(r);
    add_full_histograms(r);
    add_errors(&r->errors, &r->error_count);
    add_intervals(r);
    add_addresses(r);
    add_watched(r);
    add_health(r);
    r->generator.limited = true;
    add_text(&r->generator.reasons, "client CPU was full: worker 0 used 99 % of a core");
    r->generator.send_lateness = sample_hist(1000, 1000, 101);
    r->generator.rate_asked = 25;
    r->generator.rate_achieved = 20.2;
    r->generator.retransmits = 4;
    r->generator.log_waits = 2;
    return r;
}

static void fill_target(struct target_result *t, size_t i, uint64_t requests)
{
    char url[96];
    const uint64_t failed = i % 3 == 0;

    snprintf(url, sizeof(url), "http://host-%zu.example.test/a/path/that/is/rather/long/%zu", i, i);
    t->url = sample_dup(url);
    t->method = sample_dup("GET");
    t->totals.started = t->totals.sent = requests + failed;
    t->totals.ok = t->totals.ok_in_window = requests;
    t->totals.failed = failed;
    t->latency = sample_hist((i + 1) * MS, 0, requests);
    t->service_time = sample_hist((i + 1) * MS, 0, requests);
    t->status[200] = requests;
    if (failed == 0)
        return;
    t->errors = calloc(1, sizeof(*t->errors));
    need(t->errors != NULL);
    t->errors[0] = error_of(FAIL_RESET, "", 1, NULL, 0.1, 0.1);
    t->error_count = 1;
}

struct result *sample_many(size_t targets, uint64_t target_requests)
{
    struct result *r = sample_empty();
    struct target_result *t = add_targets(r, targets);

    r->by_class[CLASS_ERROR] = sample_hist(MS, 0, 0);
    for (size_t i = 0; i < targets; i++) {
        fill_target(&t[i], i, target_requests + i % 2);
        r->totals.started += t[i].totals.started;
        r->totals.ok += t[i].totals.ok;
        r->totals.failed += t[i].totals.failed;
        hist_merge(r->latency, t[i].latency);
        if (t[i].totals.failed > 0)
            hist_record(r->by_class[CLASS_ERROR], MS);
    }
    replace_hist(&r->service_time, NULL);
    need(hist_copy(&r->service_time, r->latency, NULL) == 0);
    need(hist_copy(&r->by_class[CLASS_2XX], r->latency, NULL) == 0);
    r->status[200] = r->totals.ok;
    r->totals.sent = r->totals.started;
    r->totals.ok_in_window = r->totals.ok;
    r->duration_s = 2;
    r->totals.requests_per_s = (double)r->totals.ok / 2;
    r->totals.in_flight_mean = (double)hist_sum_ns(r->latency) / NS_PER_S / 2;
    r->totals.in_window_s = (double)hist_sum_ns(r->latency) / NS_PER_S;
    r->errors = calloc(1, sizeof(*r->errors));
    need(r->errors != NULL);
    r->errors[0] = error_of(FAIL_RESET, "", r->totals.failed, NULL, 0.1, 0.1);
    r->error_count = 1;
    return r;
}
