/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of other tools, and our own documents, as results.
 *
 * Always true: what a report does not say is absent in the result (bits of totals.absent, no metric, no histogram, ""
 * for started, 0 for duration_s), never zero; units are converted exactly; a report that is cut off or contradicts
 * itself is refused (ERR_CONFIG, "FILE:LINE: ..."), and so is one that could be of two formats. The same bytes always
 * give the same ids, so that a copy of a report is told from another run of the same.
 *
 * A foreign report becomes a result of kind "import": figures without the values behind them (a printed percentile) are
 * its `metrics`, named as comparisons name them (latency_mean, latency_p99, service_time_max, connect_p50 ...); single
 * values (mb's and hey's CSV, ab -g) fill histograms; what was counted without an exact status or kind of failure is
 * `seen`. config has "tool". Results with the same `run` are cells and samples of one run: the tables of touchstone
 * give two runs, NAME:base and NAME:new. Not thread-safe in one struct imported; keeps no state. */
#ifndef PLIMSOLL_IMPORT_IMPORT_H
#define PLIMSOLL_IMPORT_IMPORT_H

#include "base/strlist.h"
#include "result/result.h"

/* id, name on a command line, what it is. */
#define IMPORT_FORMATS(X)                                                                             \
    X(IMPORT_AUTO, "auto", "told by the content; refused when that is not certain")                   \
    X(IMPORT_PLIMSOLL, "plimsoll",                                                                    \
      "result documents of plimsoll, in JSON or YAML: one, a list, or one after the other")           \
    X(IMPORT_AB, "ab", "what ab prints, with its white space or without")                             \
    X(IMPORT_AB_E, "ab-e", "the file of ab -e: the time of each percent")                             \
    X(IMPORT_AB_G, "ab-g", "the file of ab -g: a row for each request")                               \
    X(IMPORT_MB, "mb", "mb's CSV: a row for each request")                                            \
    X(IMPORT_WRK, "wrk", "what wrk and wrk2 print, with --latency or without")                        \
    X(IMPORT_H2LOAD, "h2load", "what h2load prints")                                                  \
    X(IMPORT_HEY, "hey", "what hey prints")                                                           \
    X(IMPORT_HEY_CSV, "hey-csv", "hey -o csv: a row for each request")                                \
    X(IMPORT_OHA, "oha", "oha's JSON")                                                                \
    X(IMPORT_VEGETA, "vegeta", "vegeta report -type=json")                                            \
    X(IMPORT_K6, "k6", "k6's summary as JSON")                                                        \
    X(IMPORT_FORTIO, "fortio", "fortio's JSON")                                                       \
    X(IMPORT_HYPERFINE, "hyperfine", "hyperfine --export-json: a sample for each time")               \
    X(IMPORT_TOUCHSTONE, "touchstone", "touchstone's comparisons: tables, CSV, JSON, YAML; two runs") \
    X(IMPORT_ROUTER, "router", "documents that router benchmarks index: one, a list, lines, a bulk, a search")

enum import_format {
#define IMPORT_ENUM(id, name, what) id,
    IMPORT_FORMATS(IMPORT_ENUM)
#undef IMPORT_ENUM
        IMPORT_FORMAT_COUNT
};
const char *import_format_name(enum import_format f); /* "ab" */
const char *import_format_what(enum import_format f); /* a line for --help */
/* -1 when there is none of that name. */
MUST_CHECK int import_format_parse(enum import_format *out, struct slice name);

struct import_options {
    const char *name;             /* of the runs; NULL: the file's name without folder and ending */
    const struct strlist *labels; /* K=V, added to each; may be NULL */
};

/* {0} is empty. */
struct imported {
    struct result **results;
    size_t count;
    enum import_format format; /* what it was taken for */
};
void imported_release(struct imported *in);

/* Reads a file ("-": standard input) and appends its results. -1: nothing was appended; ERR_CONFIG for what the file
 * is, ERR_LIMIT when too large. Formats with a line per request are read as they come, in constant memory. */
MUST_CHECK int import_file(struct imported *out, const char *path, enum import_format format,
                           const struct import_options *options, struct err *err);
/* The same for a text in memory; name stands for the file's. */
MUST_CHECK int import_text(struct imported *out, const char *name, struct slice text, enum import_format format,
                           const struct import_options *options, struct err *err);

#endif
