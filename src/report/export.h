/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as files for other programs: one after the other in, one text out.
 *
 * What a result does not know is left out, empty or null, never zero. Texts of others are escaped as each form asks.
 * The forms that need all results at once (columns, families of metrics) keep figures of them, not the results. */
#ifndef PLIMSOLL_REPORT_EXPORT_H
#define PLIMSOLL_REPORT_EXPORT_H

#include "result/side.h"

/* id, name on a command line, what it is. */
#define EXPORT_FORMATS(X)                                                                                   \
    X(EXPORT_JSON, "json", "the documents themselves; several are a list")                                  \
    X(EXPORT_CSV, "csv", "a row for each cell and sample, its figures in columns")                          \
    X(EXPORT_TARGETS, "targets", "CSV with a row for each target, and a total, as load --csv writes it")    \
    X(EXPORT_MARKDOWN, "markdown", "a table for a pull request")                                            \
    X(EXPORT_YAML, "yaml", "the documents as YAML, one behind the other")                                   \
    X(EXPORT_JUNIT, "junit", "JUnit XML: a test case for each run, failed by its broken promises")          \
    X(EXPORT_OPENMETRICS, "openmetrics", "OpenMetrics text: a gauge for each figure")                       \
    X(EXPORT_HDR, "hdr", "HdrHistogram's percentile text, of the latency in milliseconds; one run")         \
    X(EXPORT_HDR_LOG, "hdr-log", "HdrHistogram's log: an interval's histogram in each line; one run")       \
    X(EXPORT_GNUPLOT, "gnuplot", "data for gnuplot: a line for each run, then a curve of percentiles each") \
    X(EXPORT_ELASTICSEARCH, "elasticsearch", "a bulk request with documents as router benchmarks index them")

enum export_format {
#define EXPORT_ENUM(id, name, what) id,
    EXPORT_FORMATS(EXPORT_ENUM)
#undef EXPORT_ENUM
        EXPORT_FORMAT_COUNT
};
const char *export_format_name(enum export_format f);
const char *export_format_what(enum export_format f);
/* -1 when there is none of that name. */
MUST_CHECK int export_format_parse(enum export_format *out, struct slice name);

/* A column: a figure or a dimension that at least one result has. */
struct export_column {
    char *name;
    char unit[8]; /* of figures: "s", "1/s", "share", "B", "1" ... */
};
struct export_columns {
    struct export_column *items;
    size_t count;
};
/* What a record of the side does not hold. */
struct export_line {
    char *run, *name, *kind;
    double duration_s; /* 0: not known */
    bool has_sample;
    uint32_t sample;
};

struct exporting {
    enum export_format format;
    size_t count; /* results so far */
    struct buf text;
    struct side side; /* a record for each line, of the forms that need them */
    struct export_line *lines;
    size_t line_count;
    struct export_columns dimensions, figures;
    size_t failed, broken; /* of JUnit's cases */
};

void export_begin(struct exporting *e, enum export_format format);
/* json: the document, when the caller has it; else {0}. ERR_CONFIG when the result has not what the form is made of. */
MUST_CHECK int export_add(struct exporting *e, const struct result *r, struct slice json, const char *source,
                          struct err *err);
/* Appends the whole text to out. */
MUST_CHECK int export_end(struct exporting *e, struct buf *out, struct err *err);
void export_release(struct exporting *e);

#endif
