/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user said on the command line of `plimsoll load`, value by value; load_inputs.h makes a plan of it. */
#ifndef PLIMSOLL_CLI_LOAD_OPTIONS_H
#define PLIMSOLL_CLI_LOAD_OPTIONS_H

#include "cli/options.h"
#include "cli/share_options.h"
#include "load/load.h"
#include "result/result.h"
#include "result/slo.h"

#include <stdbool.h>
#include <stdint.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_JSON };

/* --live, --live-http (cli/live.h). */
struct live_options {
    bool screen;
    const char *http; /* NULL: not given */
};

/* Where results go; NULL: nowhere; "-": standard output. */
struct load_outputs {
    const char *json, *csv, *hdr, *log, *html;
};

/* Texts point into the command line. A number of 0 means "not given" where 0 is no legal value. */
struct load_options {
    struct strlist urls;
    const char *targets_file; /* instead of them */
    const char *targets_filter;

    uint64_t connections, threads, requests;
    uint64_t duration_ns, warmup_ns, drain_ns;
    uint64_t requests_per_connection;
    bool has_close;
    enum load_close close;
    bool no_retry;
    bool has_seed;
    uint64_t seed;

    double rate_per_s;
    bool has_arrivals;
    enum load_arrivals arrivals;
    struct load_stage *stages;
    size_t stage_count;
    uint64_t burst_size, burst_period_ns;
    uint64_t grow, max_in_flight;
    struct load_connection_stage *connection_stages; /* then connections is the largest of them */
    size_t connection_stage_count;
    uint64_t ramp_up_ns, think_min_ns, think_max_ns;

    uint64_t timeout_ns, connect_timeout_ns;

    const char *method;
    struct strlist fields;
    const char *body, *upload_file;
    struct strlist form;
    uint64_t body_random; /* 0: not given */
    bool chunked, expect_continue;
    bool cookies;
    const char *feed;
    bool has_feed_order;
    enum load_feed_order feed_order;
    const char *user, *bearer;
    bool http10, http11, http2, h2c;
    uint64_t streams, pipeline; /* 0: not given */

    struct strlist overrides, sources;
    const char *unix_socket, *connect_to, *proxy;
    bool ipv4, ipv6, re_resolve;

    bool insecure;
    const char *ca_file, *sni;
    const char *cert_file, *key_file;
    const char *ciphers, *groups, *alpn;
    int tls_min, tls_max; /* 10 … 13; 0: not given */
    double tls_resume;

    bool has_expect_status;
    uint8_t expect_status[STATUS_MAX];
    bool has_expect_body_size, has_expect_sha256;
    uint64_t expect_body_size;
    uint8_t expect_sha256[LOAD_SHA256_BYTES];
    const char *expect_body; /* a pattern */
    struct strlist expect_fields;
    double max_errors;
    bool strict;
    struct slo slo;

    struct strlist watches; /* NAME=SPEC */

    struct load_outputs outputs;
    double *percentiles;
    size_t percentile_count;
    char *failures_dir;
    uint64_t failures_max;
    enum progress_mode progress;
    struct live_options live;
    const char *name;
    struct strlist labels;
    bool no_store, dry_run;

    struct share_options share;

    struct strlist command;   /* the words as typed, without secrets */
    struct strlist _expanded; /* outputs and name with the share's number in them */
};

void load_options_init(struct load_options *o); /* the defaults */
void load_options_release(struct load_options *o);
/* Every value is checked by itself, then those that exclude each other. The URLs are parsed. */
MUST_CHECK int load_options_parse(struct load_options *o, int argc, char **argv, bool *help, struct err *err);
/* The second half of it, for other commands whose tables have rows of this one: what excludes each other. */
MUST_CHECK int load_options_check(struct load_options *o, struct err *err);
/* The first option given that is about TLS, or NULL. */
const char *load_options_about_tls(const struct load_options *o);
void load_options_help(struct buf *out);
/* The table, for tests. */
const struct option_table *load_options_table(void);

#endif
