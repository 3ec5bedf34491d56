/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `plimsoll report`. */
#ifndef PLIMSOLL_CLI_REPORT_OPTIONS_H
#define PLIMSOLL_CLI_REPORT_OPTIONS_H

#include "cli/options.h"
#include "report/collection.h"
#include "report/svg.h"

struct report_options;

/* A form of report: what it is called, where it goes unless said, who makes it. */
struct report_format {
    const char *name, *what;
    const char *output; /* a file, or "-" */
    int (*render)(struct buf *out, const struct collection *c, const struct report_options *o,
                  const struct side *history, struct err *err);
};
extern const struct report_format REPORT_FORMATS[];
extern const size_t REPORT_FORMAT_COUNT;

/* Texts point into the command line. */
struct report_options {
    struct strlist words; /* at least one */
    struct strlist aliases, metrics;
    const char *title;  /* NULL: made of the runs' names */
    const char *output; /* NULL: as the format has it */
    const struct report_format *format;
    bool has_plot; /* else what fits */
    enum svg_plot plot;
    double min_change; /* 0: as comparisons have it */
    bool same_session, no_store;
};

void report_options_init(struct report_options *o);
void report_options_release(struct report_options *o);
MUST_CHECK int report_options_parse(struct report_options *o, int argc, char **argv, bool *help, struct err *err);
void report_options_help(struct buf *out);

#endif
