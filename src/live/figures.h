/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of one moment of something that runs: what a person sees while it goes on, on a terminal, as a page, as
 * metrics. Plain data of a fixed size (it is copied whole); who fills it knows what runs, who shows it does not.
 *
 * Nanoseconds and bytes are exact integers, rates doubles; NAN and a count of 0 mean "not known". Texts are without
 * secrets and may hold any other bytes: who shows them makes them harmless. */
#ifndef PLIMSOLL_LIVE_FIGURES_H
#define PLIMSOLL_LIVE_FIGURES_H

#include "base/slice.h"
#include "stats/hist.h"

/* Upper bounds 1, 2, 5 · 10^k from 10 us to 50 s, and one bucket above. */
#define LIVE_BUCKETS 22
uint64_t live_bucket_bound_ns(size_t i); /* UINT64_MAX for the last */

struct live_latency {
    uint64_t count, sum_ns, p50_ns, p99_ns, max_ns; /* count 0: the rest is nothing */
    uint64_t buckets[LIVE_BUCKETS];
};
void live_latency_set(struct live_latency *l, const struct hist *h);

/* A second (or round) that is over. */
struct live_point {
    double achieved_per_s, asked_per_s; /* asked NAN: none */
    uint64_t p50_ns, p99_ns, max_ns;
    uint64_t failed;
};
#define LIVE_POINTS 600

enum live_unit { LIVE_COUNT, LIVE_PER_S, LIVE_SECONDS };
struct live_column {
    const char *title;  /* "ok" */
    const char *metric; /* "requests_ok": of the JSON and, with its unit, of the metrics */
    enum live_unit unit;
    bool only_grows;
};
#define LIVE_COLUMNS 6
#define LIVE_ROWS 100
#define LIVE_NAME_MAX 160
#define LIVE_NOTE_MAX 48

struct live_row {
    char name[LIVE_NAME_MAX];
    double values[LIVE_COLUMNS];
    char note[LIVE_NOTE_MAX]; /* "kept", "running"; "": none */
    bool alarming;            /* something failed there */
};

struct live_table {
    const char *what; /* "target", "trial", "size", "cell"; NULL: there is none */
    struct live_column columns[LIVE_COLUMNS];
    size_t column_count;
    struct live_row rows[LIVE_ROWS];
    size_t row_count, total; /* shown here, of how many */
    bool newest_first;
};

#define LIVE_ERRORS 24
struct live_error {
    char kind[32];
    uint64_t count;
};

struct live_health {
    uint32_t workers; /* 0: not known */
    double cpu_cores, cpu_busiest;
    uint64_t loop_lag_p99_ns, send_lateness_p99_ns, open_files;
    char limit[96]; /* why this machine may be the limit; "": it is not */
};

struct live_figures {
    const char *command; /* "load", "limit", "rounds", "run" */
    char title[LIVE_NAME_MAX];
    char stage[40];
    bool is_stopping, is_over;
    double elapsed_s, planned_s, left_s; /* planned 0, left NAN: not known */
    uint64_t planned;                    /* requests; 0: by time */
    /* Of a whole of several parts: trials, rounds, samples. steps 0: there are none, or nobody knows how many. */
    const char *step_word; /* "round"; NULL: no parts */
    uint64_t step, steps;
    char step_name[LIVE_NAME_MAX];

    const char *unit;                   /* "requests", "copies" */
    const char *second, *whole;         /* what the two latencies cover: "last second", "run" */
    double achieved_per_s, asked_per_s; /* of the last second; asked NAN: none */
    uint64_t started, ok, failed, unfinished, retried, in_flight, connections, bytes_received;
    struct live_latency of_second, of_whole;
    struct live_error errors[LIVE_ERRORS];
    size_t error_count;
    struct live_health health;
    struct live_table table;

    struct live_point points[LIVE_POINTS]; /* a ring */
    uint64_t point_count;                  /* ever; the last LIVE_POINTS of them are kept */
    char message[LIVE_NAME_MAX];
};

void live_figures_init(struct live_figures *f, const char *command);
void live_text_set(char *out, size_t size, struct slice text); /* cut, never inside a character of UTF-8 */
void live_add_point(struct live_figures *f, const struct live_point *p);
/* The k-th of those that are kept, the oldest first. */
const struct live_point *live_point_at(const struct live_figures *f, size_t k);
size_t live_points_kept(const struct live_figures *f);
/* Adds to the kind's count, or sets it. */
void live_error_add(struct live_figures *f, const char *kind, uint64_t count);
/* A new row, zeroed and with values of NAN; NULL: the table is full, the row is counted in total alone. */
struct live_row *live_row_add(struct live_table *t, struct slice name);
/* Names why the machine may be the limit, by the rules of the result's own health. */
void live_health_judge(struct live_health *h);

#endif
