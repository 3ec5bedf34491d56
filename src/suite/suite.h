/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A suite as it is written: YAML (or JSON) read into plain data. docs/suites.md and `plimsoll run --schema` are made
 * from the same table of keys (keys.h).
 *
 * Texts may hold names, {name}: a parameter, a dimension of the matrix, or one of {cell} {sample} {side} {run} {dir}
 * {port:NAME} {pid:NAME} (of the service NAME). They are filled in per sample (names.h), so a text
 * here is still as written. Every node keeps its line for messages.
 *
 * suite_read() owns nothing but *out; the text may go after the call. Errors are ERR_CONFIG, "FILE:LINE: …", with the
 * key, what is allowed, and the nearest known word as hint. */
#ifndef PLIMSOLL_SUITE_SUITE_H
#define PLIMSOLL_SUITE_SUITE_H

#include "base/err.h"
#include "base/strlist.h"

#define SUITE_CELLS_MAX 100000u
#define SUITE_SAMPLES_MAX 100000u

/* A name with its text; lists of them keep the order of the file. */
struct suite_pair {
    char *name, *value;
    unsigned line;
};
struct suite_pairs {
    struct suite_pair *items;
    size_t count;
};

/* matrix: a dimension and its values in order. */
struct suite_dimension {
    char *name;
    struct strlist values; /* a value with places is split at its commas when they are filled */
    unsigned line;
};

/* setup, teardown, before_each, after_each, facts: a command for the shell. */
struct suite_command {
    char *name; /* of a fact; "" else */
    char *run;
    uint64_t timeout_ns;
    bool may_fail;
    unsigned line;
};
struct suite_commands {
    struct suite_command *items;
    size_t count;
};

/* What becomes of a run whose service has ended by itself; the sample in hand is invalid in any case. */
enum suite_if_it_dies { DIES_RESTART, DIES_STOP, DIES_LEAVE };
enum suite_ready { READY_AT_ONCE, READY_PORT, READY_URL, READY_LOG };

/* services: started before the setup, in order, each waited for, stopped by its own pid in the end. */
struct suite_service {
    char *name;
    char *run;
    enum suite_ready ready;
    char *ready_at; /* "[HOST:]PORT", a URL, a pattern for a line of its output */
    uint64_t timeout_ns;
    bool each_cell; /* restarted for every cell instead of once for the run */
    int if_it_dies; /* enum suite_if_it_dies */
    unsigned line;
};

/* What a sample is. */
enum suite_doer { DOER_LOAD, DOER_ROUNDS, DOER_CHECKS, DOER_COMMAND };

/* checks: a GET whose JSON fields become metrics. */
struct suite_check {
    char *name, *url, *method, *body;
    char *each; /* "NAME=TEXT,NAME=TEXT": asked for each of them, {each} is the text; NULL: once */
    struct suite_pairs headers;
    struct suite_pairs metrics; /* name: path of the field ("filesPerSecond", "result.p99") */
    uint32_t repeat;            /* best or mean of so many */
    bool best;                  /* else the mean */
    bool once;                  /* asked in the first sample of a cell alone */
    bool may_fail;              /* another status than 2xx is a warning: not every application has it */
    uint64_t timeout_ns;
    unsigned line;
};

/* A metric of a `command`, or one that is made from others. */
struct suite_metric {
    char *name, *unit;
    bool higher_is_better;
    char *json, *regex; /* path of a field, or a pattern whose first group is the number; neither: its time */
    unsigned line;
};

/* verify: one request to every target before any load. */
struct suite_verify {
    char *url, *method, *body, *body_regex;
    char *targets; /* instead of url: a file as of --targets, each target of which is asked */
    struct suite_pairs headers;
    uint32_t status; /* 0: any 2xx */
    bool insecure;
    unsigned line;
};

/* routes: what a cluster says of its routes, made into target lists (routes.h). */
struct suite_routes {
    bool present;
    char *from;                             /* a file of it; a number: there is none, nothing is made */
    char *to;                               /* the folder of the lists */
    char *path;                             /* what is asked of a route that names none; NULL: "/" */
    char *address, *http_port, *https_port; /* where the router listens, when it is not where the names lead to */
    char *cacert;
    bool insecure;
    unsigned line;
};

/* Connections that a cell needs against what the routers carry. */
struct suite_budget {
    bool present;
    char *clients, *routes, *termination; /* texts with names; termination may be "mix" or a text such as "edge" */
    char *routers, *maxconn;
    double imbalance;           /* default 1.25 */
    struct suite_pairs factors; /* termination: connections that one client's needs in the router */
    bool skip;                  /* over_budget: skip (else stop) */
};

enum suite_order { ORDER_INTERLEAVED, ORDER_SHUFFLED, ORDER_AS_WRITTEN };

struct suite {
    char *file; /* as given, for messages */
    char *dir;  /* of the file: relative paths start here */
    char *name, *about;
    struct suite_pairs parameters; /* defaults, then overridden */
    struct suite_dimension *dimensions;
    size_t dimension_count;
    struct suite_pairs *exclude, *include; /* each a set of name: values parted by commas */
    size_t exclude_count, include_count;
    char *samples, *quiet; /* texts, since parameters may set them */
    int order;             /* enum suite_order */
    uint64_t timeout_ns;   /* of a sample; 0: by its own length */
    uint32_t retries;      /* of an invalid sample */
    bool has_doer;
    enum suite_doer doer;
    struct suite_pairs options; /* load, rounds: option and value, in order; a flag has the value "true" */
    struct suite_check *checks;
    size_t check_count;
    char *command; /* of DOER_COMMAND */
    struct suite_metric *metrics;
    size_t metric_count;
    struct suite_commands setup, teardown, before_each, after_each, facts;
    struct suite_commands verify_each; /* after a sample; one that fails makes it invalid */
    struct suite_commands summary;     /* in the end; their output is shown */
    struct suite_service *services;
    size_t service_count;
    struct suite_verify *verify;
    size_t verify_count;
    struct suite_budget budget;
    struct suite_routes routes;
    struct suite_pairs watch;
    struct strlist slo;
    struct strlist invalid_when; /* "errors", "rate", "client_limited" and clauses as of slo */
    struct suite_scale {
        char *name;
        struct suite_pairs values;
    } * scales; /* sets of parameters, picked by -s scale=NAME or by the parameter "scale" itself */
    size_t scale_count;
    char *gate_metric;                 /* NULL: the comparison's default */
    double gate_min_change;            /* 0: its default */
    char *baseline;                    /* a tag or a name, with places of parameters; NULL: none */
    char *tolerance;                   /* a file as of compare --tolerance; NULL: none */
    char *warmup, *runtime, *requests; /* options of the load, said for the whole suite; NULL: not said */
    struct suite_pairs against;        /* the second side's parameters; empty: one side */
    struct suite_pairs keys;           /* the file's own keys, without values: for their lines */
};

/* Of one of the file's own keys ("slo"); 0: it does not stand there. */
unsigned suite_line(const struct suite *s, const char *key);

/* sets: "NAME=VALUE", parameters from the command line; "scale=large" also picks a set of `scales`. */
MUST_CHECK int suite_read(struct suite **out, const char *path, const struct strlist *sets, struct err *err);
void suite_free(struct suite *s); /* NULL is fine */
/* ERR_CONFIG that there is no parameter of that name, with the nearest one; returns -1. */
int suite_unknown_parameter(const struct suite *s, struct slice name, struct err *err);

#endif
