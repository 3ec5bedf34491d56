/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last record of a copy's two logs: how it ended. Written behind everything that it printed, read by the import.
 *
 *   NAME.jsonl  {"t": 12.345678901, "end": "exit 3", "ok": false, "exit": 3}
 *   NAME.log    #plimsoll ended after 12.345678901 s: failed: exit 3
 *
 * No output can pass for it: in JSON what was printed is the string "line", which an end does not have; in the other
 * log every line of output begins with a stamp of time, and only the very last line is looked at. t is the time from
 * the copy's exec to its exit. "signal" stands for "exit" when it was one; "timed_out", "stopped" and "exec_failed" are
 * there when true; the text log tells these by their words. */
#ifndef PLIMSOLL_ROUNDS_END_RECORD_H
#define PLIMSOLL_ROUNDS_END_RECORD_H

#include "base/buf.h"
#include "doc/doc.h"

struct end_record {
    uint64_t duration_ns;
    bool ok, timed_out, stopped, exec_failed;
    int exit;           /* -1: none, or not known */
    int signal;         /* 0: none */
    struct slice words; /* "exit 3", "signal 9 (Killed)", "timed out after 5 s", "stopped", … */
};

/* A line each, with its end. */
void end_record_add_json(struct buf *out, const struct end_record *e);
void end_record_add_text(struct buf *out, const struct end_record *e);

/* False when it is none; words then belong to the document or the line. */
bool end_record_read_json(struct end_record *out, struct doc_node *record);
bool end_record_read_text(struct end_record *out, struct slice line);
/* The end in the last line of a log, which is taken off it. */
bool end_record_take_last(struct end_record *out, struct slice *log);

#endif
