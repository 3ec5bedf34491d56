/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A promise about a run: clauses such as p99<50ms, errors<0.1% or requests_per_s>=100, read from text and held against
 * a result. The promise is kept when every clause is.
 *
 *   clause     FIGURE[@SCOPE] OP VALUE        OP is <, <=, > or >=; clauses are separated by commas
 *   figure     p50 p99 p99.9 mean min max stddev     of the latency, or with a prefix of another histogram:
 *              service_p99 dns_ connect_ tls_ send_ wait_ receive_
 *              errors            failed / started
 *              requests_per_s    completions inside the window / its length
 *   scope      2xx 3xx 4xx 5xx error   a class: its latency; errors is its share of what was started, requests_per_s
 *              how many ended a second
 *              2, or http://…          a target, by its number from 1 or by its URL as the document has it
 *   scope      *                   every target: the worst of them counts, and one without the figure breaks the
 * promise *xx                 every class of replies that occurred value      durations with a unit, shares as 0.1% or
 * 0.001, rates as 100, 2k or 2k/s
 *
 * A figure that a run does not have (the p99 of no request) keeps no promise, but for a class: no 5xx is no slow 5xx.
 */
#ifndef PLIMSOLL_RESULT_SLO_H
#define PLIMSOLL_RESULT_SLO_H

#include "result/result.h"

enum slo_figure {
    SLO_PERCENTILE,
    SLO_MEAN,
    SLO_MIN,
    SLO_MAX,
    SLO_STDDEV,        /* up to here: seconds, of `source` */
    SLO_ERRORS,        /* a share */
    SLO_REQUESTS_PER_S /* a rate */
};
enum slo_op { SLO_BELOW, SLO_AT_MOST, SLO_ABOVE, SLO_AT_LEAST };
enum slo_scope { SLO_ALL, SLO_CLASS, SLO_TARGET, SLO_EACH_TARGET, SLO_EACH_CLASS };
enum { SLO_LATENCY = -2, SLO_SERVICE_TIME = -1 }; /* the other sources are phases */

struct slo_clause {
    char *text; /* as given, without spaces */
    enum slo_figure figure;
    int source;        /* SLO_LATENCY, SLO_SERVICE_TIME or an enum phase */
    double percentile; /* 0 … 100 */
    enum slo_op op;
    double limit; /* seconds, a share, or per second */
    enum slo_scope scope;
    enum reply_class class; /* SLO_CLASS */
    char *target;           /* SLO_TARGET: its URL; NULL: by number */
    size_t target_number;   /* from 1 */
};

struct slo {
    struct slo_clause *clauses;
    size_t count;
};

struct slo_outcome {
    bool known; /* the run has the figure */
    bool kept;
    double value; /* 0 when not known */
    size_t worst; /* of each: the number of the target, from 1; 1 … 5: the class 1xx … 5xx; 0: does not apply */
};

/* The caller ends *out with slo_release(), also after -1. ERR_USAGE quotes the clause and says what is possible. */
MUST_CHECK int slo_parse(struct slo *out, struct slice text, struct err *err);
void slo_release(struct slo *s); /* a zeroed one is fine */

/* outcomes: s->count of them, or NULL. True when every clause is kept. */
bool slo_evaluate(const struct slo *s, const struct result *r, struct slo_outcome *outcomes);

/* Judges a finished run by the clauses: fills r->promises. Whether the run is valid is another matter and stays. */
MUST_CHECK int result_judge_slo(struct result *r, const struct slo *slo, struct err *err);

/* value OP limit */
bool slo_op_holds(enum slo_op op, double value, double limit);

/* A value of a clause's figure as people read it: "49.8 ms", "0.0812 %", "2,004/s". */
#define SLO_TEXT_MAX 48
const char *slo_format_value(char out[SLO_TEXT_MAX], const struct slo_clause *c, double value);

#endif
