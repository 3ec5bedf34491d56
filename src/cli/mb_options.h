/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's command line: its options, their defaults, and its one exit code for what is wrong. Numbers are seconds and have
 * no units, as mb has them. */
#ifndef PLIMSOLL_CLI_MB_OPTIONS_H
#define PLIMSOLL_CLI_MB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MB_EXIT_BAD = 1 };

struct mb_options {
    bool cookies, quiet;
    uint64_t duration_s, ramp_up_s;
    uint64_t threads;                         /* 0: one per processor */
    int tls_version;                          /* 10 … 12; 0: any */
    const char *request_file, *response_file; /* NULL: no responses */
};

/* 0: run. -1: *exit_code says how the process ends; everything was said. Texts point into argv. */
int mb_options_parse(struct mb_options *o, int argc, char **argv, int *exit_code);

#endif
