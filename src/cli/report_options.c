/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_options.h"

#include <stddef.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/option_values.h"

#define FIELD(name) .offset = offsetof(struct report_options, name)

static int parse_format(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct suggestion near;

    suggest_init(&near, slice_str(text));
    for (size_t i = 0; i < REPORT_FORMAT_COUNT; i++) {
        if (strcmp(REPORT_FORMATS[i].name, text) == 0) {
            *(const struct report_format **)field = &REPORT_FORMATS[i];
            return 0;
        }
        suggest_consider(&near, REPORT_FORMATS[i].name);
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no form", text);
    return near.word != NULL ? err_hint(err, "did you mean %s?", near.word)
                             : err_hint(err, "for example %s", row->example);
}

static int parse_plot(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct report_options *o = field;
    struct suggestion near;

    o->has_plot = svg_plot_parse(&o->plot, slice_str(text));
    if (o->has_plot)
        return 0;
    suggest_init(&near, slice_str(text));
    for (unsigned i = 0; i < SVG_PLOT_COUNT; i++)
        suggest_consider(&near, svg_plot_name((enum svg_plot)i));
    err_set(err, ERR_USAGE, 0, "\"%s\" is no picture", text);
    return near.word != NULL ? err_hint(err, "did you mean %s?", near.word)
                             : err_hint(err, "percentiles, time, matrix, rounds or limit");
}

/* clang-format off */
static const struct option_row ROWS[] = {
    { .heading = "What is written" },
    { .name = "output", .short_name = 'o', .argument = "FILE", .shown_default = "report.html, or report.svg", .example = "report.html",
      .help = "write the report there, at once when it is whole; - is standard output",
      .parse = option_path, FIELD(output) },
    { .name = "format", .argument = "FORM", .shown_default = "html", .example = "html",
      .help = "the form: html, one page that needs no network; svg, a picture for a README or a wiki",
      .parse = parse_format, FIELD(format) },
    { .name = "plot", .argument = "PICTURE", .shown_default = "what fits", .example = "percentiles",
      .help = "with svg: percentiles, a curve for each run; time, second by second, a line for each sample; matrix, a square for each "
              "cell of a suite, or what changed in it; rounds, durations of copies at once, of all samples; limit, latency by rate",
      .parse = parse_plot, .offset = 0 },
    { .name = "title", .argument = "TEXT", .example = "'checkout, before and after'",
      .help = "title of the page, in place of the runs' names",
      .parse = option_text, FIELD(title) },
    { .name = "alias", .argument = "NAME,NAME...", .example = "v1.2,v1.3",
      .help = "what the runs are called, in their order",
      .parse = option_names, FIELD(aliases) },

    { .heading = "How runs are compared (with the first)" },
    { .name = "metric", .argument = "NAME,...", .example = "latency_p99",
      .help = "figures that are compared, the first one gates; without it as plimsoll compare chooses",
      .parse = option_names, FIELD(metrics) },
    { .name = "min-change", .argument = "SHARE", .shown_default = "3%", .example = "5%",
      .help = "the least change that matters",
      .parse = option_change, FIELD(min_change) },
    { .name = "same-session",
      .help = "the runs were measured within one session, whatever their times say",
      .parse = option_flag, FIELD(same_session) },
    { .name = "no-store",
      .help = "do not ask the store for sessions of unchanged code",
      .parse = option_flag, FIELD(no_store) },

    { .heading = "Other" },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] =
    "RUN is a result document, a report of another tool, a folder or a quoted pattern of\n"
    "them, or a stored run: its id, a tag, a name, NAME@latest. Also a document that\n"
    "plimsoll limit --json wrote.\n"
    "\n"
    "Examples:\n"
    "  plimsoll report run.json\n"
    "      writes report.html\n"
    "  plimsoll report baseline api@latest -o api.html\n"
    "      two runs side by side, and what changed\n"
    "  plimsoll report ingress@latest -o - | gzip > report.html.gz\n"
    "      a suite: the matrix of its cells, each with its own figures\n"
    "  plimsoll report baseline api@latest --format svg --plot percentiles -o latency.svg\n"
    "      a picture, light or dark as its surroundings\n"
    "  plimsoll report 'before/*.json' 'after/*.json' --alias v1,v2 --metric latency_p99\n"
    "\n"
    "Exit status: 0 the report was written, whatever it says; 2 wrong usage, or a run that\n"
    "can not be read; 3 it could not be written. plimsoll compare judges by its exit status.\n"
    "More: man plimsoll-report, docs/report.md\n";

static const struct option_table TABLE = {
    .command = "plimsoll report",
    .usage = "[OPTION]... RUN...",
    .summary =
        "Writes one self-contained HTML page of runs: whether they are valid, the figures, what changed against the "
        "first run, charts, and how it was measured. It opens without a network. Or one picture of them (--format "
        "svg).",
    .rows = ROWS,
    .argument = option_list,
    .argument_offset = offsetof(struct report_options, words),
    .epilogue = EPILOGUE,
};

void report_options_init(struct report_options *o)
{
    memset(o, 0, sizeof(*o));
    o->format = &REPORT_FORMATS[0];
}

void report_options_release(struct report_options *o)
{
    strlist_release(&o->words);
    strlist_release(&o->aliases);
    strlist_release(&o->metrics);
    memset(o, 0, sizeof(*o));
}

void report_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}

int report_options_parse(struct report_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, NULL, err) != 0)
        return -1;
    if (*help)
        return 0;
    if (o->words.count == 0) {
        err_set(err, ERR_USAGE, 0, "no run was given");
        return err_hint(err, "plimsoll report RUN..., each a file, a folder, a quoted pattern or a stored run");
    }
    if (o->has_plot && strcmp(o->format->name, "svg") != 0) {
        err_set(err, ERR_USAGE, 0, "--plot is for pictures, and a page has them all");
        return err_hint(err, "add --format svg, or leave --plot out");
    }
    if (o->aliases.count > o->words.count) {
        err_set(err, ERR_USAGE, 0, "--alias: %zu names for %zu runs", o->aliases.count, o->words.count);
        return err_hint(err, "one name for each run, for example --alias v1.2,v1.3");
    }
    return 0;
}
