/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results with every part filled in, for the tests of result/ and report/. Nothing in them comes from the machine or
 * the clock, so that documents made of them can be compared byte by byte. All identities hold. */
#ifndef PLIMSOLL_TESTS_SAMPLE_H
#define PLIMSOLL_TESTS_SAMPLE_H

#include "result/result.h"

/* 1000 requests of 1 … 1000 ms to one target, all ok. */
struct result *sample_plain(void);
/* Two targets, TLS, every class and phase, failures with examples, an unfinished request, several addresses,
 * percentiles asked for. */
struct result *sample_full(void);
/* Many targets: each answers target_requests in (1 + index) ms; every third one fails once. */
struct result *sample_many(size_t targets, uint64_t target_requests);
/* Nothing started, nothing known. */
struct result *sample_empty(void);

char *sample_dup(const char *text);
struct hist *sample_hist(uint64_t first_ns, uint64_t step_ns, size_t count);

#endif
