/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ApacheBench's command line: the options of ab 2.3, their defaults, and its complaints with their exit codes.
 *
 * ab reads numbers leniently (text is 0), stops at the first word that is no option, and goes on after an unknown
 * option; scripts live with that, so it is kept. */
#ifndef PLIMSOLL_CLI_AB_OPTIONS_H
#define PLIMSOLL_CLI_AB_OPTIONS_H

#include "base/buf.h"
#include "base/strlist.h"

#include <stdint.h>

enum { AB_EXIT_USAGE = 22, AB_EXIT_BAD = 1 };

struct ab_options {
    uint64_t requests, concurrency;
    uint64_t time_limit_s; /* 0: none */
    uint64_t timeout_s;
    int verbosity;
    const char *method;
    bool keep_alive, html, quiet, no_confidence, no_percentiles, variable_length, keep_going, no_sni;
    struct buf body;
    bool has_body;
    const char *content_type;
    const char *source; /* -B */
    unsigned proxy_port;
    char *proxy;                                        /* "HOST:PORT", owned; NULL: none */
    uint64_t window_bytes;                              /* 0: the system's */
    const char *url;                                    /* as given */
    char *cookie, *authorization, *proxy_authorization; /* whole lines, owned */
    struct strlist headers;
    const char *csv_file, *gnuplot_file;
    const char *table_attributes, *tr_attributes, *td_attributes;
    const char *ciphers, *certificate;
    int tls_min, tls_max;

    /* The URL in ab's parts: hostname as given, without brackets; path with the leading slash, query and all. */
    bool https;
    char *hostname, *path; /* owned */
    unsigned port;
    bool hostname_is_ipv6;
};

/* 0: run. -1: *exit_code says how the process ends; everything was said. To be released either way. */
int ab_options_parse(struct ab_options *o, int argc, char **argv, int *exit_code);
void ab_options_release(struct ab_options *o);
void ab_print_banner(const struct ab_options *o);

#endif
