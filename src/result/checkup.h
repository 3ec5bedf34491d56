/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a look at this machine found: what would spoil a measurement here, why, and the command that mends it. Plain
 * data between machine/, which fills it, and report/checkup.h, which shows it. */
#ifndef PLIMSOLL_RESULT_CHECKUP_H
#define PLIMSOLL_RESULT_CHECKUP_H

#include "result/result.h"

/* id, text */
#define FINDING_LEVELS(X)                                                                                           \
    X(FINDING_SPOILS, "spoils") /* some figure measured now would be wrong, or of something else than the target */ \
    X(FINDING_NOTE, "note")     /* spoils some kinds of measurement, or makes two runs differ a little */           \
    X(FINDING_UNKNOWN, "unknown")                                                                                   \
    X(FINDING_FINE, "fine")

enum finding_level {
#define FINDING_ENUM(id, text) id,
    FINDING_LEVELS(FINDING_ENUM)
#undef FINDING_ENUM
        FINDING_LEVEL_COUNT
};
const char *finding_level_text(enum finding_level level);

struct finding {
    const char *check, *title; /* "cpu-governor", "CPU governor" */
    enum finding_level level;
    char *found;      /* "powersave on 4 of 4 processors"; NULL only when memory ran out */
    const char *why;  /* what it does to a measurement; NULL: nothing to explain */
    const char *mend; /* a command, or what to do where no command helps; NULL: nothing to mend */
    bool is_accepted; /* the user knows: it does not count */
};

struct checkup {
    struct host_info host;
    struct finding *findings; /* in the order of the checks */
    size_t count;
};

void checkup_release(struct checkup *c);
/* A new finding, zeroed but for its check and title; valid until the next call. NULL: out of memory. */
struct finding *checkup_add(struct checkup *c, const char *check, const char *title);
/* Gives the finding its level and sentences; found is formatted. */
void finding_set(struct finding *f, enum finding_level level, const char *why, const char *mend, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* How many of that level count. */
size_t checkup_count(const struct checkup *c, enum finding_level level);
/* 0, or 1: something spoils and is not accepted. */
int checkup_exit_code(const struct checkup *c);

/* {"format": "plimsoll-doctor", "version": 1, …}, ends with a line break. */
MUST_CHECK int checkup_to_json(const struct checkup *c, struct buf *out, struct err *err);

#endif
