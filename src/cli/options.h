/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options as data: one row per option. The same rows parse the command line (over glibc's argp), check ranges, print
 * --help and hide secrets in the stored command line; the check compares them with the manual.
 *
 *     static const struct option_row ROWS[] = {
 *         { .heading = "How much load" },
 *         { .name = "duration", .short_name = 'd', .argument = "TIME", .help = "how long to offer load",
 *           .shown_default = "10s", .parse = option_duration, .offset = offsetof(struct config, duration_ns), .min = 1
 * }, { 0 },
 *     };
 *
 * Options and arguments may stand in any order; "--" ends the options. An option given twice: the last one counts,
 * unless its row collects into a list. Nothing here prints or exits. */
#ifndef PLIMSOLL_CLI_OPTIONS_H
#define PLIMSOLL_CLI_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strlist.h"

#include <stdint.h>

struct option_row;

/* Reads text (NULL for a flag) into the row's field. The error's sentence quotes the value, unless it is a secret, and
 * its hint shows a right one; the option's name is put before it by options_parse(). */
typedef int option_parser(void *field, const char *text, const struct option_row *row, struct err *err);
/* Appends the value as it may be stored. */
typedef void option_redactor(struct buf *out, struct slice value);

struct option_row {
    const char *heading;  /* a row that only begins a group of the help */
    const char *name;     /* long form, without dashes */
    char short_name;      /* 0: none */
    const char *argument; /* "N", "TIME"; NULL: a flag */
    const char *help;
    const char *shown_default; /* said in the help; NULL: there is none */
    option_parser *parse;      /* NULL: --help */
    size_t offset;             /* of the field in the command's struct */
    uint64_t min, max;         /* of numbers; max 0: no upper bound */
    const char *example;       /* a right value, for hints */
    option_redactor *redact;   /* NULL: URLs in it lose their secrets, nothing else is hidden */
};

struct option_table {
    const char *command;           /* "plimsoll load" */
    const char *usage;             /* what follows the command: "[OPTION]... URL..." */
    const char *summary;           /* a paragraph */
    const struct option_row *rows; /* ends with an empty row */
    option_parser *argument;       /* takes each word that is no option; NULL: none are allowed */
    size_t argument_offset;
    const char *epilogue; /* examples and explanations below the options */
};

/* Fills config (the command's struct, its defaults already in it). *help is set when --help was seen; the rest of the
 * line is then not judged. words, unless NULL, gets argv without its secrets. Errors are ERR_USAGE. */
MUST_CHECK int options_parse(const struct option_table *t, void *config, int argc, char **argv, bool *help,
                             struct strlist *words, struct err *err);

/* The text of --help, at most 80 columns wide. */
void options_help(const struct option_table *t, struct buf *out);
/* "-d/--duration", "--seed": how a row is called in messages. */
#define OPTION_LABEL_MAX 48
const char *options_label(char out[OPTION_LABEL_MAX], const struct option_row *row);

#endif
