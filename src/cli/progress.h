/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person or a script sees on standard error while a run goes on. */
#ifndef PLIMSOLL_CLI_PROGRESS_H
#define PLIMSOLL_CLI_PROGRESS_H

#include "cli/load_options.h"
#include "load/load.h"

struct progress {
    enum progress_mode mode; /* auto: becomes none where standard error is no terminal */
    size_t shown;            /* characters of the line that is there now */
};

void progress_init(struct progress *p, enum progress_mode mode);
/* Shows one moment: rewrites the line, or prints one JSON object. */
void progress_show(struct progress *p, const struct load_progress *now);
/* A line (or, with json, an object) of another kind of run. */
void progress_text(struct progress *p, struct slice line);
/* Takes the line away, so that the report begins in a clean column. */
void progress_end(struct progress *p);

/* The two forms, for tests: one line without its end. */
void progress_line(struct buf *out, const struct load_progress *now);
void progress_json(struct buf *out, const struct load_progress *now);

#endif
