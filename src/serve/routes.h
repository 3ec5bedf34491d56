/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of everything the target application answers. */
#ifndef PLIMSOLL_SERVE_ROUTES_H
#define PLIMSOLL_SERVE_ROUTES_H

#include "base/slice.h"
#include "http/request_reader.h"

struct exchange;

enum {
    ROUTE_READS_BODY = 1, /* start() comes with the head; the handler gets the content */
    ROUTE_LONG_ARG = 4,   /* the argument may have slashes */
    ROUTE_WRITES = 2,     /* changes something that outlives the request */
};

/* A path matches when it begins with prefix, ends with suffix, and what is between is one non-empty segment (or,
 * without `arg`, nothing). */
struct route {
    struct slice prefix, suffix;
    bool arg;
    unsigned methods; /* 1 << REQUEST_GET …; HEAD comes with GET */
    unsigned flags;
    void (*start)(struct exchange *x);
    const char *pattern; /* "/bytes/{n}", for people and for metrics */
    const char *text;    /* one line for the listing; NULL: not listed */
};

enum route_found { ROUTE_OK, ROUTE_NO_PATH, ROUTE_NO_METHOD };

/* ROUTE_OK: *out and *arg are set. ROUTE_NO_METHOD: *allowed has what the path knows. */
enum route_found route_find(enum request_method method, struct slice path, const struct route **out, struct slice *arg,
                            unsigned *allowed);
/* What a row takes, HEAD included: it comes with GET, but not where a GET writes. */
unsigned route_methods(const struct route *r);
/* "GET, HEAD, OPTIONS". */
#define ROUTE_ALLOW_MAX 64
struct slice route_allow(char out[ROUTE_ALLOW_MAX], unsigned methods);
const struct route *route_table(size_t *count);
/* 0: no route; a row's place in the table + 1; the last: a file. Below METRICS_ROUTES. */
size_t route_number(const struct route *r);
const char *route_name(size_t number); /* its pattern; "" for unused numbers */
/* For paths that no row has, when there is a folder of files. */
const struct route *route_static(void);

#endif
