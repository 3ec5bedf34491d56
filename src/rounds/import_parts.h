/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of import.h. Private to rounds/. Each adds series and rounds with their copies to the result; the figures
 * of rounds are summed later. */
#ifndef PLIMSOLL_ROUNDS_IMPORT_PARTS_H
#define PLIMSOLL_ROUNDS_IMPORT_PARTS_H

#include "doc/doc.h"
#include "rounds/import.h"

#define IMPORT_SIZE_MAX 1000000u

struct rounds_import {
    struct result *result;
    struct rounds_result *r; /* its rounds */
    const struct phases *phases;
    struct phases *own; /* the list that was found to fit */
    bool has_documents; /* of ours, in which the copies' starts are known */
    size_t coarse;      /* logs with stamps of whole seconds, whose times are not exact */
    size_t open_ends;   /* logs that do not tell how their copy ended */
};

/* A series of that name: the one that is there, or a new one. */
MUST_CHECK int import_series(struct rounds_import *im, const char *name, uint32_t *index, struct err *err);
/* The phase of that name: the one that is there, or a new one, of which all copies so far know nothing. */
MUST_CHECK int import_phase(struct rounds_import *im, const char *name, const char *group, size_t *index,
                            struct err *err);
/* "push" of "logs/push.csv". The caller frees; NULL when out of memory. */
char *import_stem(const char *path);
int import_no_memory(struct err *err);

/* All logs at once: those of a size are the copies of one round. */
MUST_CHECK int import_logs(struct rounds_import *im, const struct rounds_input *const *logs, size_t count,
                           struct err *err);
bool import_is_log(struct slice text);
bool import_is_json_lines(struct slice text);

bool import_is_durations(struct slice text);
bool import_is_roundup(struct slice text);
MUST_CHECK int import_durations(struct rounds_import *im, const struct rounds_input *in, struct err *err);
MUST_CHECK int import_roundup(struct rounds_import *im, const struct rounds_input *in, struct err *err);

bool import_is_csv(struct slice text);
MUST_CHECK int import_csv(struct rounds_import *im, const struct rounds_input *in, struct err *err);

MUST_CHECK int import_hyperfine(struct rounds_import *im, const struct rounds_input *in, struct err *err);
MUST_CHECK int import_document(struct rounds_import *im, const struct rounds_input *in, struct err *err);

/* A line without its end. */
struct slice import_line(struct slice *rest);
/* The whole of text as a number of seconds that may be: finite, not below 0. */
bool import_seconds(struct slice text, double *out);
/* What GNU time says of a failure; *exit is -1 for a signal, *signal 0 for an exit. */
bool import_failure(struct slice line, int *exit, int *signal);

#endif
