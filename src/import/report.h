/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills one result from a foreign report. Private to import/.
 *
 * The first failure is sticky, as in result/json_in.h: later calls change nothing, so that a reader checks once, at
 * report_end(). Numbers are refused when they are not finite, or negative where they can not be. */
#ifndef PLIMSOLL_IMPORT_REPORT_H
#define PLIMSOLL_IMPORT_REPORT_H

#include "import/source.h"

struct report {
    struct source *source;
    struct result *r;
    unsigned line; /* where the reader is, for messages; 0: no lines to tell */
    bool failed;
};

/* tool: config "tool". */
void report_begin(struct report *p, struct source *s, const char *tool);
/* Gives the result away when nothing failed, else ends it and returns -1. */
MUST_CHECK int report_end(struct report *p, const char *suffix);

/* The same for a reader that has filled the targets itself. */
MUST_CHECK int report_end_many(struct report *p);

/* "NAME:LINE: " and the sentence. */
void report_fail(struct report *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_no_memory(struct report *p);
void report_warn(struct report *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void report_total(struct report *p, enum total part, uint64_t value);
void report_rate(struct report *p, double requests_per_s);
void report_duration(struct report *p, double seconds);
void report_metric(struct report *p, const char *name, double value, const char *unit, bool higher_is_better);
/* A time in seconds, less is better; "latency" and "p99" are put together. */
void report_time(struct report *p, const char *of, const char *what, double seconds);
/* "latency" and 99.9: latency_p999. */
void report_percentile(struct report *p, const char *of, double percentile, double seconds);
void report_seen(struct report *p, uint64_t count, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void report_status(struct report *p, unsigned status, uint64_t count);
void report_config_text(struct report *p, const char *name, struct slice value);
void report_config_number(struct report *p, const char *name, uint64_t value);
void report_config_double(struct report *p, const char *name, double value);
void report_dimension(struct report *p, const char *name, struct slice value);
/* The one target: gets the run's totals and histograms at report_end(). method may be empty: not known. */
void report_target(struct report *p, struct slice method, struct slice url);
/* RFC 3339, as the result has it. */
void report_started(struct report *p, struct slice time);

#endif
