/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests before any load: does each target answer as it should? */
#ifndef PLIMSOLL_SUITE_VERIFY_H
#define PLIMSOLL_SUITE_VERIFY_H

#include "suite/question.h"
#include "suite/runner.h"

/* ERR_CONFIG for the first answer that is not as expected, with the beginning of what it was. The runner's on_bytes
 * hears of each when it asks for them. */
MUST_CHECK int verify_all(const struct runner *runner, const struct names *names, struct err *err);

/* What an answer must be. */
struct verify_expect {
    const char *status; /* "200", "200,404", "2xx"; NULL: any 2xx or 3xx */
    const char *body;   /* a pattern; NULL: any */
    bool has_size;
    uint64_t size_bytes;
};
/* Asks, shows the bytes, judges. where: "suite.yaml:7". */
MUST_CHECK int verify_ask(const struct runner *runner, struct question *q, const struct verify_expect *expect,
                          const char *where, struct err *err);
/* Every target of the files that a pattern names, once. */
MUST_CHECK int verify_targets(const struct runner *runner, struct fetch *fetch, const char *pattern, bool insecure,
                              const char *where, struct err *err);

#endif
