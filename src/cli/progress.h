/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person or a script sees on standard error while a run goes on. */
#ifndef PLIMSOLL_CLI_PROGRESS_H
#define PLIMSOLL_CLI_PROGRESS_H

#include "cli/load_options.h"
#include "load/load.h"

/* What the engine's pulse knows beside its progress: more for the JSON form. */
struct progress_more {
    bool is_known;
    uint64_t ok, max_ns; /* max_ns: of the last second */
    double asked_per_s;  /* NAN: no schedule */
    uint64_t failed_by_kind[FAIL_KINDS];
    uint64_t whole_count, whole_p50_ns, whole_p99_ns, whole_max_ns; /* of the run so far */
};

struct progress {
    struct progress_more more;
    enum progress_mode mode; /* auto: becomes none where standard error is no terminal */
    size_t shown;            /* characters of the line that is there now */
};

void progress_init(struct progress *p, enum progress_mode mode);
/* Shows one moment: rewrites the line, or prints one JSON object. */
void progress_show(struct progress *p, const struct load_progress *now);
/* For the next progress_show(). */
void progress_take_pulse(struct progress *p, const struct load_pulse *pulse);
/* A line (or, with json, an object) of another kind of run. */
void progress_text(struct progress *p, struct slice line);
/* Takes the line away, so that the report begins in a clean column. */
void progress_end(struct progress *p);

/* The two forms, for tests: one line without its end. */
void progress_line(struct buf *out, const struct load_progress *now);
void progress_json(struct buf *out, const struct load_progress *now, const struct progress_more *more);

#endif
