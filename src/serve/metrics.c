/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/metrics.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "serve/routes.h"
#include "serve/worker.h"

/* Upper bounds in ns, each about three times the one before: 30 us to 300 s. */
static const uint64_t BOUNDS_NS[METRICS_BUCKETS - 1] = { 30000,        100000,        300000,       1000000,
                                                         3000000,      10000000,      30000000,     100000000,
                                                         300000000,    1000000000,    3000000000u,  10000000000u,
                                                         30000000000u, 100000000000u, 300000000000u };

void metrics_add(struct metrics *m, const struct route *route, uint16_t status, uint64_t ns)
{
    struct metrics_row *row = &m->rows[route_number(route)];
    unsigned bucket = 0;

    while (bucket < METRICS_BUCKETS - 1 && ns > BOUNDS_NS[bucket]) {
        bucket++;
    }
    count_add(&row->by_class[status / 100 >= 2 && status / 100 <= 5 ? status / 100 - 2 : 3], 1);
    count_add(&row->buckets[bucket], 1);
    count_add(&row->sum_ns, ns);
}

static uint64_t load(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static struct metrics_row sum_row(const struct metrics *const *workers, unsigned n, size_t number)
{
    struct metrics_row sum = { 0 };

    for (unsigned i = 0; i < n; i++) {
        const struct metrics_row *row = &workers[i]->rows[number];
        for (size_t k = 0; k < METRICS_CLASSES; k++) {
            sum.by_class[k] += load(&row->by_class[k]);
        }
        for (size_t k = 0; k < METRICS_BUCKETS; k++) {
            sum.buckets[k] += load(&row->buckets[k]);
        }
        sum.sum_ns += load(&row->sum_ns);
    }
    return sum;
}

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP plimsoll_serve_%s %s\n# TYPE plimsoll_serve_%s %s\n", name, help, name, type);
}

static void value(struct buf *out, const char *name, const char *type, const char *help, double v)
{
    head(out, name, type, help);
    buf_printf(out, "plimsoll_serve_%s %.17g\n", name, v);
}

static void write_requests(struct buf *out, const struct metrics *const *workers, unsigned n)
{
    head(out, "requests_total", "counter", "Answers by route and class of status.");
    for (size_t r = 0; r < METRICS_ROUTES; r++) {
        struct metrics_row row = sum_row(workers, n, r);
        for (unsigned k = 0; k < METRICS_CLASSES; k++) {
            if (row.by_class[k] > 0) {
                buf_printf(out, "plimsoll_serve_requests_total{route=\"%s\",status=\"%uxx\"} %llu\n", route_name(r),
                           k + 2, (unsigned long long)row.by_class[k]);
            }
        }
    }
}

static void write_histogram(struct buf *out, const struct metrics_row *row, const char *route)
{
    uint64_t count = 0;

    for (size_t k = 0; k < METRICS_BUCKETS; k++) {
        char bound[32] = "+Inf";
        count += row->buckets[k];
        if (k < METRICS_BUCKETS - 1) {
            snprintf(bound, sizeof(bound), "%g", (double)BOUNDS_NS[k] / 1e9);
        }
        buf_printf(out, "plimsoll_serve_request_seconds_bucket{route=\"%s\",le=\"%s\"} %llu\n", route, bound,
                   (unsigned long long)count);
    }
    buf_printf(out, "plimsoll_serve_request_seconds_sum{route=\"%s\"} %.9f\n", route, (double)row->sum_ns / 1e9);
    buf_printf(out, "plimsoll_serve_request_seconds_count{route=\"%s\"} %llu\n", route, (unsigned long long)count);
}

static void write_histograms(struct buf *out, const struct metrics *const *workers, unsigned n)
{
    head(out, "request_seconds", "histogram",
         "From the event that brought the head of a request to the end of its answer.");
    for (size_t r = 0; r < METRICS_ROUTES; r++) {
        struct metrics_row row = sum_row(workers, n, r);
        uint64_t count = 0;
        for (size_t k = 0; k < METRICS_BUCKETS; k++) {
            count += row.buckets[k];
        }
        if (count > 0) {
            write_histogram(out, &row, route_name(r));
        }
    }
}

static double resident_bytes(void)
{
    struct buf text;
    uint64_t pages = 0;

    buf_init(&text, 4096);
    if (file_read("/proc/self/statm", &text, NULL) == 0) {
        struct slice rest = buf_slice(&text);
        slice_split(&rest, ' ');
        if (!slice_to_u64(slice_split(&rest, ' '), &pages)) {
            pages = 0;
        }
    }
    buf_release(&text);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

void metrics_write(struct buf *out, const struct metrics *const *workers, const struct serve_counts *counts, unsigned n)
{
    uint64_t cut_off = 0;

    for (unsigned i = 0; i < n; i++) {
        cut_off += load(&workers[i]->cut_off);
    }
    write_requests(out, workers, n);
    write_histograms(out, workers, n);
    value(out, "cut_off_total", "counter", "Answers that did not reach their end: the client left, or a time limit.",
          (double)cut_off);
    value(out, "connections_total", "counter", "Connections accepted.", (double)counts->connections);
    value(out, "connections", "gauge", "Connections open now.", (double)counts->open);
    value(out, "received_bytes_total", "counter", "Bytes read from clients, framing included.",
          (double)counts->bytes_received);
    value(out, "sent_bytes_total", "counter", "Bytes written to clients, framing included.",
          (double)counts->bytes_sent);
    value(out, "threads", "gauge", "Threads that serve.", n);
    value(out, "cpu_seconds_total", "counter", "CPU time of the process, user and system.",
          (double)clock_process_cpu_ns() / 1e9);
    value(out, "resident_bytes", "gauge", "Memory of the process in RAM.", resident_bytes());
}
