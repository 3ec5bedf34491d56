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
};

void section_verdict(const struct section *s);
void section_throughput(const struct section *s);
void section_latency(const struct section *s);
void section_histogram(const struct section *s);
void section_errors(const struct section *s);
void section_statuses(const struct section *s);
void section_phases(const struct section *s);
void section_traffic(const struct section *s); /* connections, TLS, bytes */
void section_addresses(const struct section *s);
void section_targets(const struct section *s);
void section_generator(const struct section *s);
void section_meaning(const struct section *s);

/* Text of others on one line of at most width columns: control characters become '?', what does not fit becomes "...".
 * Both ends of a long text are kept when keep_end. */
#define SECTION_TEXT_MAX 256
const char *section_text(char out[SECTION_TEXT_MAX], const char *text, size_t width, bool keep_end);

/* A paragraph folded at the width: first goes before the first line, as many spaces before the others. */
void section_paragraph(const struct section *s, const char *first, const char *text);
/* "Label         sentence". */
void section_line(const struct section *s, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A histogram's percentile as a duration; with a star when it is the maximum because there are too few values
 * for it (fewer than 1 / (1 - q)). "-" when empty. */
#define SECTION_CELL_MAX (UNITS_TEXT_MAX + 2)
const char *section_percentile(char out[SECTION_CELL_MAX], const struct hist *h, double percentile);
bool section_percentile_is_max(const struct hist *h, double percentile);
const char *section_duration(char out[SECTION_CELL_MAX], const struct hist *h, double ns); /* "-" when h is empty */
/* "12.3 %"; never "0 %" or "100 %" for what only rounds to it. */
const char *section_share(char out[SECTION_CELL_MAX], uint64_t part, uint64_t whole);

#endif
