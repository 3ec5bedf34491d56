/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/mb_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DURATION_S = 5, LONGEST_S = 366 * 24 * 3600, MOST_THREADS = 1024 };

static const struct option LONG_OPTIONS[] = {
    { "cookies", no_argument, NULL, 'c' },
    { "duration", required_argument, NULL, 'd' },
    { "request-file", required_argument, NULL, 'i' },
    { "response-file", required_argument, NULL, 'o' },
    { "quiet", no_argument, NULL, 'q' },
    { "ramp-up", required_argument, NULL, 'r' },
    { "ssl-version", required_argument, NULL, 's' },
    { "threads", required_argument, NULL, 't' },
    { "version", no_argument, NULL, 'v' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static void print_usage(void)
{
    fputs("Usage: mb OPTIONS\n"
          "Options:\n"
          "  -c, --cookies              send the cookies back that were set\n"
          "  -d, --duration N           seconds the run takes, its ramp-up included (5)\n"
          "  -i, --request-file FILE    what to send, as JSON; required\n"
          "  -o, --response-file FILE   a line of CSV for each reply\n"
          "  -q, --quiet                say nothing but the summary\n"
          "  -r, --ramp-up N            seconds over which the clients begin (0)\n"
          "  -s, --ssl-version N        0 any, 2 TLS 1.0, 3 TLS 1.1, 4 TLS 1.2 (0)\n"
          "  -t, --threads N            worker threads (one per processor)\n"
          "  -v, --version              show the version\n"
          "  -h, --help                 show this help\n"
          "\n"
          "More: man plimsoll-mb\n",
          stderr);
}

/* Also 0x10 and 010, as mb reads them. */
static int take_number(uint64_t *out, const char *what, const char *text, uint64_t min, uint64_t max)
{
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || strchr(text, '-') != NULL) {
        fprintf(stderr, "mb: %s: \"%s\" is no whole number\n", what, text);
        return -1;
    }
    if (errno != 0 || n < min || n > max) {
        fprintf(stderr, "mb: %s: \"%s\" is not from %" PRIu64 " to %" PRIu64 "\n", what, text, min, max);
        return -1;
    }
    *out = n;
    return 0;
}

static int take_tls(struct mb_options *o, const char *text)
{
    static const int VERSIONS[] = { 0, -1, 10, 11, 12 };
    uint64_t n;

    if (take_number(&n, "ssl-version", text, 0, 4) != 0)
        return -1;
    o->tls_version = VERSIONS[n];
    if (o->tls_version >= 0)
        return 0;
    fputs("mb: ssl-version: SSL 3 is not spoken any more: 2 to 4 are TLS 1.0 to 1.2\n", stderr);
    return -1;
}

static int take_option(struct mb_options *o, int option)
{
    switch (option) {
    case 'c':
        o->cookies = true;
        return 0;
    case 'd':
        return take_number(&o->duration_s, "duration", optarg, 1, LONGEST_S);
    case 'i':
        o->request_file = optarg;
        return 0;
    case 'o':
        o->response_file = optarg;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case 'r':
        return take_number(&o->ramp_up_s, "ramp-up", optarg, 0, LONGEST_S);
    case 's':
        return take_tls(o, optarg);
    case 't':
        return take_number(&o->threads, "threads", optarg, 1, MOST_THREADS);
    default:
        print_usage();
        return -1;
    }
}

static int check(const struct mb_options *o)
{
    if (o->ramp_up_s >= o->duration_s) {
        fprintf(stderr, "mb: ramp-up: %" PRIu64 " s are not less than the duration of %" PRIu64 " s\n", o->ramp_up_s,
                o->duration_s);
        return -1;
    }
    if (o->request_file != NULL)
        return 0;
    fputs("mb: a request file is needed: -i FILE\n", stderr);
    print_usage();
    return -1;
}

int mb_options_parse(struct mb_options *o, int argc, char **argv, int *exit_code)
{
    int option;

    *o = (struct mb_options){ .duration_s = DEFAULT_DURATION_S };
    *exit_code = 0;
    optind = 0; /* glibc: from the beginning */
    while ((option = getopt_long(argc, argv, "cd:i:o:qr:s:t:hv", LONG_OPTIONS, NULL)) != -1) {
        if (option == 'h') {
            print_usage();
            return -1;
        }
        if (option == 'v') {
            printf("mb as plimsoll %s has it\n", PLIMSOLL_VERSION);
            return -1;
        }
        if (take_option(o, option) != 0) {
            *exit_code = MB_EXIT_BAD;
            return -1;
        }
    }
    if (check(o) == 0)
        return 0;
    *exit_code = MB_EXIT_BAD;
    return -1;
}
