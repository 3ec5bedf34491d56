/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_import.h"

#include <string.h>

#include "cli/complain.h"
#include "cli/load_values.h"
#include "cli/option_values.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/rounds_forms.h"
#include "cli/rounds_import_files.h"
#include "cli/rounds_values.h"
#include "result/rounds_scaling.h"

#define FIELD(field) .offset = offsetof(struct import_options_read, field)

static const char WHO[] = "plimsoll rounds import";
enum { EXIT_INVALID = 3, HELP_MAX_BYTES = 1 << 16 };

struct import_options_read {
    struct strlist words;
    const char *phases, *name;
    struct strlist labels;
    struct slo slo;
    bool verbose;
    enum rounds_format format;
    struct load_outputs outputs;
    struct strlist command;
};

/* clang-format off */
static const struct option_row ROWS[] = {
    { .heading = "What to read" },
    { .name = "phases", .argument = "FILE|NAME", .shown_default = "cf-push, if it says anything of the logs", .example = "cf-push",
      .help = "phases of the command, told by the lines it printed: a YAML file, or a list that comes with plimsoll (cf-push)",
      .parse = option_path, FIELD(phases) },

    { .heading = "What counts as good" },
    { .name = "slo", .argument = "CLAUSE[,CLAUSE...]", .example = "'mean<45s'",
      .help = "a promise about the copies' durations (mean, max, p90 ...) and errors: the largest concurrency that keeps it is told; exit 1 when "
              "the smallest one does not",
      .parse = rounds_value_slo, FIELD(slo) },

    { .heading = "Output" },
    { .name = "verbose", .short_name = 'v',
      .help = "show every duration",
      .parse = option_flag, FIELD(verbose) },
    { .name = "format", .argument = "FORMAT", .shown_default = "text", .example = "roundup",
      .help = "form of the report: text; roundup, as shell scripts that loop over rounds print it; markdown; csv",
      .parse = rounds_value_format, FIELD(format) },
    { .name = "json", .argument = "FILE", .example = "rounds.json",
      .help = "write the result document; - is standard output, all text then goes to standard error",
      .parse = option_path, FIELD(outputs.json) },
    { .name = "csv", .argument = "FILE", .example = "rounds.csv",
      .help = "write the figures of the rounds as CSV; - as above",
      .parse = option_path, FIELD(outputs.csv) },
    { .name = "name", .argument = "TEXT", .example = "'push, 8 cells'",
      .help = "name of the run in every output",
      .parse = option_text, FIELD(name) },
    { .name = "label", .argument = "KEY=VALUE", .example = "cells=8",
      .help = "label of the run in every output, may be repeated with other keys",
      .parse = load_value_label, FIELD(labels) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] =
    "What a file is, its content tells: a log whose lines begin with stamps of time (one\n"
    "copy), durations a line, what scripts print round by round, CSV with a row per copy or\n"
    "per round, hyperfine's JSON, results of plimsoll rounds. N=FILE says how many ran at\n"
    "once; logs of the same N are the copies of one round, as are those without N.\n"
    "\n"
    "Examples:\n"
    "  plimsoll rounds import 1=alone.log 32=one-of-32.log\n"
    "      where the time of one push goes, and of one among 32\n"
    "  plimsoll rounds import --slo 'mean<45s' rounds.csv\n"
    "      concurrency,average_s,failed and other columns, which tell platforms apart\n"
    "  plimsoll rounds import four-cells.json eight-cells.json\n"
    "      side by side\n"
    "\n"
    "Exit status: 0 ok; 1 a promise is broken; 2 wrong usage or unreadable files; 3 nothing\n"
    "in them succeeded. More: man plimsoll-rounds\n";

static const struct option_table TABLE = {
    .command = "plimsoll rounds import",
    .usage = "[OPTION...] [N=]FILE|DIRECTORY...",
    .summary = "Analyses rounds that were timed elsewhere as plimsoll rounds does its own: averages with and without "
               "failures, how rounds ended, phases, scaling, platforms side by side.",
    .rows = ROWS,
    .argument = option_list,
    .argument_offset = offsetof(struct import_options_read, words),
    .epilogue = EPILOGUE,
};

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    options_help(&TABLE, &text);
    cli_print(stdout, &text);
    return 0;
}

/* Nothing is known of where it was measured. */
static int make_result(struct result **out, const struct import_options_read *o, struct err *err)
{
    struct host_info *host;
    bool ok = true;

    if (result_new(out, err) != 0 || result_make_rounds(*out, err) != 0)
        return -1;
    host = &(*out)->host;
    host->hostname[0] = host->kernel[0] = host->cpu[0] = '\0';
    host->cpus = 0;
    host->memory_bytes = 0;
    if (o->name != NULL)
        ok = ((*out)->name = slice_dup(slice_str(o->name))) != NULL;
    for (size_t i = 0; i < o->labels.count; i++)
        ok = strlist_add(&(*out)->labels, slice_str(o->labels.items[i])) && ok;
    for (size_t i = 0; i < o->command.count; i++)
        ok = strlist_add(&(*out)->command, slice_str(o->command.items[i])) && ok;
    ok = result_add_config_string(*out, "tool", "plimsoll rounds import") && ok;
    return ok ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int read_all(struct result *r, const struct import_options_read *o, struct err *err)
{
    struct phases *phases = NULL;
    struct import_files files = { 0 };
    int failed = o->phases != NULL ? phases_load(&phases, o->phases, err) : 0;

    if (failed == 0)
        failed = import_files_read(&files, &o->words, err);
    if (failed == 0)
        failed = rounds_import(r, files.inputs, files.count, phases, err);
    if (failed == 0 && (rounds_scale(r->rounds, err) != 0 || rounds_judge(r, &o->slo, err) != 0))
        failed = -1;
    import_files_release(&files);
    phases_free(phases);
    return failed;
}

static int publish(const struct result *r, const struct import_options_read *o)
{
    const struct report_form form = rounds_form(o->format, o->verbose);
    bool written = outputs_report_as(&o->outputs, r, &form, WHO);
    int code;

    written = outputs_write(&o->outputs, r, WHO) && written;
    code = result_exit_code(r);
    return code == 0 && !written ? EXIT_INVALID : code;
}

static int with_options(const struct import_options_read *o)
{
    struct result *r = NULL;
    struct err err = { 0 };
    int code;

    if (o->words.count == 0) {
        err_set(&err, ERR_USAGE, 0, "no file was given");
        err_hint(&err, "for example plimsoll rounds import 1=alone.log 32=one-of-32.log");
        return cli_complain(WHO, &err);
    }
    if (make_result(&r, o, &err) != 0 || read_all(r, o, &err) != 0 || outputs_check(&o->outputs, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = publish(r, o);
    result_free(r);
    return code;
}

int rounds_import_run(int argc, char **argv)
{
    struct import_options_read options = { 0 };
    struct err err = { 0 };
    bool help;
    int code;

    if (options_parse(&TABLE, &options, argc, argv, &help, &options.command, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    strlist_release(&options.words);
    strlist_release(&options.labels);
    strlist_release(&options.command);
    slo_release(&options.slo);
    return code;
}
