/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of `plimsoll results`: a command of its own, then that one's options. */
#ifndef PLIMSOLL_CLI_RESULTS_OPTIONS_H
#define PLIMSOLL_CLI_RESULTS_OPTIONS_H

#include "cli/options.h"
#include "report/export.h"

/* Texts point into the command line. */
struct results_options {
    struct strlist words; /* runs, files, a tag, a text: as the command has them */
    const char *name, *kind, *tag, *since, *until;
    struct strlist labels;
    uint64_t limit; /* 0: all */
    bool json, same_code, yes, no_store;
    enum export_format format;
    const char *push, *index, *uuid; /* a server of documents; NULL: none */
    bool insecure;
    uint64_t wait_ns;
    const char *output; /* NULL: standard output */
};

struct results_command {
    const char *name;
    const char *usage; /* what follows the name */
    const char *summary;
    int (*run)(const struct results_options *o);
    const struct option_row *rows;
    size_t words_min, words_max; /* 0: as many as you like */
    const char *epilogue;
};
/* Ends with a row without a name. */
extern const struct results_command RESULTS_COMMANDS[];

void results_options_release(struct results_options *o);
/* argv[0] is the command's name. */
MUST_CHECK int results_options_parse(struct results_options *o, const struct results_command *command, int argc,
                                     char **argv, bool *help, struct err *err);
void results_command_help(const struct results_command *command, struct buf *out);
/* All of them. */
void results_help(struct buf *out);

#endif
