/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the text report, in the order in which they are printed. Each prints nothing when it has nothing to say,
 * else an empty line and itself. Private to report/. */
#ifndef PLIMSOLL_REPORT_SECTIONS_H
#define PLIMSOLL_REPORT_SECTIONS_H

#include "base/buf.h"
#include "base/units.h"
#include "result/result.h"

struct section {
    struct buf *out;
    const struct result *result;
    bool colours;
    size_t width;
    bool starred; /* a percentile was marked as being the maximum */
};

/* The verdict alone, of so many things ("request", "requests"); section_verdict() is it and what was run. */
void section_judgement(struct section *s, const char *thing, const char *things);
void section_verdict(struct section *s);
void section_slo(struct section *s);
void section_throughput(struct section *s);
void section_latency(struct section *s);
void section_histogram(struct section *s);
void section_errors(struct section *s);
void section_statuses(struct section *s);
void section_phases(struct section *s);
void section_traffic(struct section *s); /* connections, TLS, bytes */
void section_addresses(struct section *s);
void section_targets(struct section *s);
void section_parts(struct section *s); /* of a merged result */
void section_watch(struct section *s);
void section_generator(struct section *s);
void section_meaning(struct section *s);

/* "Label         sentence", folded at the width. */
void section_line(const struct section *s, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* "gateway was busy (1.00 of 1 core), store was idle (0.01 of 2 cores)"; parts whose CPU is not known are left out. */
void section_watched_sentence(struct buf *out, const struct watched *parts, size_t count);

#define SECTION_CELL_MAX (UNITS_TEXT_MAX + 2)
/* A watched figure for people: "CPU, cores"; names that are not known stay as they are. */
const char *section_figure_name(const char *name);
/* Its value in the unit that the name says; "-" when it is not known. */
#define SECTION_FIGURE_MAX (SECTION_CELL_MAX + 8)
const char *section_figure_value(char out[SECTION_FIGURE_MAX], const char *name, double value);
/* A histogram's percentile as a duration; "-" when it is empty. With a star (and the report says what that means) when
 * it is the maximum because there are too few values for it: fewer than 1 / (1 - q). */
const char *section_percentile(struct section *s, char out[SECTION_CELL_MAX], const struct hist *h, double percentile);
bool section_percentile_is_max(const struct hist *h, double percentile);
const char *section_duration(char out[SECTION_CELL_MAX], const struct hist *h, double ns); /* "-" when h is empty */
/* 62,469 or 123.4 or 0.05. */
const char *section_rate(char out[UNITS_TEXT_MAX], double per_s);
/* "12.3 %"; never "0.00 %" or "100.0 %" for what only rounds to it. */
const char *section_share(char out[SECTION_CELL_MAX], uint64_t part, uint64_t whole);

#endif
