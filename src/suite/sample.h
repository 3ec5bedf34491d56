/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes one sample: runs what the suite says a sample is, and reads its document. */
#ifndef PLIMSOLL_SUITE_SAMPLE_H
#define PLIMSOLL_SUITE_SAMPLE_H

#include "suite/runner.h"

#define SAMPLE_NOTE_MAX 512

struct sampler {
    const struct runner *runner;
    const struct plan_step *step;
    const struct names *names;
    const char *json_path, *log_path;
    void (*on_line)(void *arg, const char *line); /* of the doer's own progress */
    void *arg;
};

/* *out: the document, with run, cell, sample, side and metrics; NULL when there is none, and then note says why (a
 * crash, a refusal, a time-out, a stop). -1: the suite is wrong (ERR_CONFIG) or the machine fails (ERR_SYSTEM). */
MUST_CHECK int sample_make(const struct sampler *x, struct result **out, char note[SAMPLE_NOTE_MAX], struct err *err);

/* The words of the process that makes the sample (load, rounds); also for --dry-run. */
MUST_CHECK int sample_words(const struct sampler *x, struct strlist *out, struct err *err);

/* By the recorded rules: what the document itself says, a missed rate, and the suite's invalid_when. False with the
 * reason in note. */
bool sample_is_valid(const struct suite *s, const struct result *r, char note[SAMPLE_NOTE_MAX]);

#endif
