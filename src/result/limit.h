/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search for the limit found: the highest rate (or number of connections) that keeps a promise, and every trial
 * on the way. Plain data between load/limit.h, which fills it, and report/limit.h, which shows it. As a document it is
 * of no kind of result: nothing in it can be merged or compared sample by sample. */
#ifndef PLIMSOLL_RESULT_LIMIT_H
#define PLIMSOLL_RESULT_LIMIT_H

#include "result/slo.h"
#include "result/watched.h"

struct limit_trial {
    double level;          /* asked: requests/s, or connections */
    const char *stage;     /* of the search: "expand", … */
    double requests_per_s; /* ok completions */
    double sent_per_s;
    double window_s;
    bool has_latency;
    double p50_s, p99_s;
    double errors; /* share of what was started */
    uint64_t started, ok, failed, unfinished, not_sent;
    double in_flight_mean;
    bool kept;
    char *broke;             /* the clauses that broke with their values: "p99<50ms (83.2 ms)"; NULL: none */
    bool generator_limited;  /* this machine was the limit */
    struct watched *watched; /* parts of the target */
    size_t watched_count;
    bool connections_limited; /* every connection was busy, and none of them slow: more could carry more */
};

struct limit_report {
    bool of_connections;
    char *url;        /* redacted; the first of several */
    char *promise;    /* its clauses, with commas */
    char started[40]; /* RFC 3339 */
    struct strlist command;
    struct host_info host; /* hostname "": not known */
    double from, to, precision, step_s;
    unsigned confirm_rounds;
    struct limit_trial *trials;
    size_t trial_count;
    double safe;   /* 0: none was found */
    double broken; /* the lowest that broke the promise; INFINITY: none did */
    bool confirmed, interrupted;
    struct strlist generator_reasons; /* of trials that broke, each once */
};

MUST_CHECK int limit_report_new(struct limit_report **out, struct err *err);
void limit_report_free(struct limit_report *r); /* NULL is fine */
/* Room for one more trial, zeroed; NULL when out of memory. Valid until the next call. */
struct limit_trial *limit_report_add(struct limit_report *r);

/* The trial that says why it goes no further: the lowest that broke; NULL when none did. */
const struct limit_trial *limit_report_first_broken(const struct limit_report *r);
/* Whether what was found may be the generator's limit, or the connections', instead of the target's. */
bool limit_report_generator_was_limit(const struct limit_report *r);
bool limit_report_connections_were_limit(const struct limit_report *r);

/* {"format": "plimsoll-limit", "version": 1, …}, ends with a line break. */
MUST_CHECK int limit_report_to_json(const struct limit_report *r, struct buf *out, struct err *err);
/* Whether a text begins as one of these, before anything is said about the rest of it. */
bool limit_report_looks_like(struct slice text);
/* Reads one back (hostile input allowed: sizes and depth are bounded). The caller frees *out. */
MUST_CHECK int limit_report_from_json(struct limit_report **out, struct slice json, struct err *err);

#endif
