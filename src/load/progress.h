/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of a run, read by the main thread from what the workers have published; it asks nothing of them. */
#ifndef PLIMSOLL_LOAD_PROGRESS_H
#define PLIMSOLL_LOAD_PROGRESS_H

#include "load/loader.h"

struct progress_reader {
    const struct load_plan *plan;
    struct loader *workers;
    uint32_t worker_count;
    size_t *cursors; /* NULL: progress is not wanted, or no memory */
    struct hist *latency;
    uint64_t started_ns, next_ns, ended, failed;
};

void progress_reader_init(struct progress_reader *r, const struct load_plan *plan, struct loader *workers,
                          uint32_t worker_count);
void progress_reader_release(struct progress_reader *r);
/* "connecting", …; *elapsed_s: of the window. Takes the run's lock. */
const char *run_stage(struct run *run, uint64_t now_ns, double *elapsed_s);
/* Calls the plan's on_progress when about a second has passed since the last call. */
void progress_reader_poll(struct progress_reader *r, struct run *run);

#endif
