/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One side of a comparison: samples, each a run's figures without the run.
 *
 * Whoever has results fills it: from result documents (side_add_result()), or record by record from a store or a
 * foreign format (side_add(), then the record_ calls). comparison.h sets two sides against each other. A record owns
 * its texts; side_release() ends them all. False or -1 means out of memory and nothing else, unless said. */
#ifndef PLIMSOLL_RESULT_SIDE_H
#define PLIMSOLL_RESULT_SIDE_H

#include "result/result.h"

/* What a fact about a run is for. */
enum fact_role {
    FACT_CELL,     /* says which cell it is, always: a suite's dimension, a column of a table */
    FACT_WORKLOAD, /* what was offered; another one on the other side can not be compared */
    FACT_PLACE,    /* where to: host, path */
    FACT_LABEL,    /* what the user said of the run */
    FACT_SETTING,  /* how it was measured; a difference is told */
    FACT_HOST,     /* the machine that measured; a difference is told */
};

struct fact {
    enum fact_role role;
    char *name, *value;
};

struct metric {
    char *name;
    double value;
    bool higher_is_better;
    bool is_share; /* 0 ... 1, as of failed requests */
};

/* Something that was seen and counted: "error status 503", "status 4xx". */
struct sighting {
    char *what;
    uint64_t count;
};

struct record {
    char id[UUID_TEXT_MAX]; /* of the run; "" when it has none */
    char *source;           /* for messages: a file's name */
    char *session;          /* NULL: the side is one session */
    char started[40];       /* RFC 3339, UTC; "" when not known */
    bool has_round;
    uint32_t round;
    bool valid;
    char *reason; /* why not, or a warning; NULL */
    uint64_t requests, failures;
    struct fact *facts;
    size_t fact_count;
    struct metric *metrics;
    size_t metric_count;
    struct sighting *sightings;
    size_t sighting_count;
};

struct side {
    char *name;
    struct record *records;
    size_t count;
};

/* {0} is an empty side; name may stay NULL. */
void side_release(struct side *s);
bool side_set_name(struct side *s, const char *name);
/* A new empty valid record at the end, or NULL. Valid until the next call. */
struct record *side_add(struct side *s, const char *source);
bool record_add_fact(struct record *r, enum fact_role role, const char *name, const char *value);
bool record_add_metric(struct record *r, const char *name, double value, bool higher_is_better, bool is_share);
bool record_add_sighting(struct record *r, const char *what, uint64_t count);
bool record_set_session(struct record *r, const char *session);
bool record_set_reason(struct record *r, const char *reason);

/* NULL when it has none of that name. */
const char *record_fact(const struct record *r, const char *name);
const struct metric *record_metric(const struct record *r, const char *name);
/* The same for many records in a row: *at is where the last one had it, which is where most have it. Begin with 0. */
const char *record_fact_near(const struct record *r, const char *name, size_t *at);
const struct metric *record_metric_near(const struct record *r, const char *name, size_t *at);

/* A run's figures. The labels "round" (a number) and "session" say where the sample belongs. Metrics: requests_per_s,
 * latency_mean, latency_min, latency_max, latency_p50 ... and the same of service_time (in seconds), error_share; of a
 * watched part "cpu_s_per_request@NAME", "cpu_cores@NAME" and the means of its other figures. */
bool side_add_result(struct side *s, const struct result *result, const char *source);
/* Kind "rounds", one series (--compare: A is 0, B is 1): a record per round, all of one session, and of one round of
 * the comparison when they are the same sample. side_add_result() adds the rounds of all series, each a sample of the
 * cell that its concurrency (and its series, if there are several) names. Metrics: mean_ok_s, mean_discounted_s,
 * mean_s, median_s, max_s, makespan_s, copies_per_s, user_s, sys_s, error_share. */
bool side_add_rounds(struct side *s, const struct result *result, uint32_t series, const char *source);

/* A run's targets, each a cell of its own, named by its path where that tells it from the others, else by method and
 * URL. The generator's own figures and watched parts are of no target. */
bool side_add_targets(struct side *s, const struct result *result, const char *source);

#endif
