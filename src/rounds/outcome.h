/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of a process, in the words and figures of a result. */
#ifndef PLIMSOLL_ROUNDS_OUTCOME_H
#define PLIMSOLL_ROUNDS_OUTCOME_H

#include "result/rounds.h"
#include "rounds/batch.h"
#include "rounds/end_record.h"

/* Of either stream, in a failure. */
#define OUTCOME_LAST_LINES 4u

struct outcome_rules {
    const uint8_t *expect_exit; /* 256 flags; NULL: 0 alone */
    uint64_t timeout_ns;
};

/* Whether it did what was expected; else *failure says what it did, and the caller frees it (NULL: no memory). */
bool outcome_judge(const struct batch_process *p, const struct outcome_rules *rules, char **failure);
/* The same, for its log. The caller frees *words, to which out->words point (NULL: no memory). */
void outcome_end(struct end_record *out, char **words, const struct batch_process *p,
                 const struct outcome_rules *rules);
/* Fills a copy. False: no memory. */
bool outcome_fill(struct rounds_copy *c, const struct batch_process *p, const struct outcome_rules *rules,
                  uint64_t release_ns);
/* The last lines of its output, then of its errors. */
bool outcome_last_lines(const struct batch_process *p, struct strlist *out);

#endif
