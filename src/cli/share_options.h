/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --share, --of, --start-at and --clock-check: this process carries out one share of a plan, and begins at an agreed
 * moment. The same four rows for every command that has them. */
#ifndef PLIMSOLL_CLI_SHARE_OPTIONS_H
#define PLIMSOLL_CLI_SHARE_OPTIONS_H

#include "cli/options.h"
#include "load/share.h"
#include "result/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum share_start_kind { SHARE_START_NONE, SHARE_START_AT, SHARE_START_AFTER, SHARE_START_FILE };

/* Texts point into the command line. */
struct share_options {
    bool given, is_auto;
    bool is_started; /* whoever carries the plan out gives the start: --clock-check may stand without one */
    struct load_share share;
    uint64_t of; /* 0: not given */
    enum share_start_kind start;
    uint64_t start_ns; /* wall clock of SHARE_START_AT; of SHARE_START_AFTER from now on */
    const char *start_file, *clock_check;
};

option_parser share_option_share; /* struct share_options: "2/4", "auto" */
option_parser share_option_start; /* struct share_options: RFC 3339, "+30s", "@FILE" */

/* For a table whose struct has a struct share_options at this member. */
#define SHARE_OPTION_ROWS(config, member)                                                                              \
    { .heading = "A share of a plan, one of several processes" },                                                      \
        { .name = "share",                                                                                             \
          .argument = "I/N|auto",                                                                                      \
          .example = "2/4",                                                                                            \
          .help = "carry out the I-th of N shares, I from 1 to N: connections, requests, rate, feed and {seq} are "    \
                  "dealt out exactly; auto asks the scheduler's variables (Open MPI, PMI, Kubernetes, GNU parallel, "  \
                  "Slurm). Merge the parts with plimsoll results merge",                                               \
          .parse = share_option_share,                                                                                 \
          .offset = offsetof(config, member) },                                                                        \
        { .name = "of",                                                                                                \
          .argument = "N",                                                                                             \
          .example = "4",                                                                                              \
          .help = "with --share auto: how many shares there are, where the scheduler does not say (Kubernetes, GNU "   \
                  "parallel)",                                                                                         \
          .parse = option_count,                                                                                       \
          .offset = offsetof(config, member.of),                                                                       \
          .min = 1,                                                                                                    \
          .max = SHARES_MAX },                                                                                         \
        { .name = "start-at",                                                                                          \
          .argument = "TIME",                                                                                          \
          .example = "2026-03-01T12:00:30Z",                                                                           \
          .help = "wait, with everything resolved and nothing connected, until this moment: RFC 3339, +30s, or @FILE " \
                  "that holds one",                                                                                    \
          .parse = share_option_start,                                                                                 \
          .offset = offsetof(config, member) },                                                                        \
    {                                                                                                                  \
        .name = "clock-check", .argument = "HOST|chrony", .example = "http://10.0.0.1:3000/",                          \
        .help = "correct --start-at by how far this machine's clock is off, measured from the Date of HOST's replies " \
                "(a URL or HOST:PORT), or as chrony estimates it",                                                     \
        .parse = option_text, .offset = offsetof(config, member.clock_check)                                           \
    }

/* After parsing: asks the scheduler, reads the file. Errors are ERR_USAGE or ERR_CONFIG. */
MUST_CHECK int share_options_resolve(struct share_options *o, struct err *err);
/* A copy of text with the share's number, from 1, for every {share}; NULL when out of memory. The caller frees it. */
char *share_options_expand(const struct share_options *o, const char *text);
/* The same for texts that are there (not NULL): what they point to becomes the copies, which kept owns. */
MUST_CHECK int share_options_expand_all(const struct share_options *o, const char **texts[], size_t count,
                                        struct strlist *kept, struct err *err);

#endif
