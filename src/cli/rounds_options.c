/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/live.h"
#include "cli/load_values.h"
#include "cli/option_values.h"
#include "cli/rounds_values.h"
#include "http/redact.h"

#define DEFAULT_KILL_AFTER_NS (UINT64_C(2) * NS_PER_S)
#define DEFAULT_SETUP_TIMEOUT_NS (UINT64_C(600) * NS_PER_S)
#define DEFAULT_MAX_ERRORS 0.01
#define LONGEST_NS (UINT64_C(366) * 24 * 3600 * NS_PER_S)

/* clang-format off */
#define FIELD(name) .offset = offsetof(struct rounds_options, name)

static const struct option_row ROWS[] = {
    { .heading = "Rounds" },
    { .name = "concurrency", .short_name = 'c', .argument = "N[,N...]", .shown_default = "1", .example = "1,2,4,8,16,32",
      .help = "copies that run at once: a round of each of these sizes",
      .parse = rounds_value_sizes },
    { .name = "samples", .argument = "N", .shown_default = "1", .example = "5",
      .help = "rounds of each size; intervals and comparisons need at least 3",
      .parse = option_count, FIELD(samples), .min = 1, .max = 100000 },
    { .name = "order", .argument = "interleaved|as-written", .shown_default = "interleaved", .example = "as-written",
      .help = "every size once, and then all of them again, so that what drifts falls on all alike; or all rounds of a size before the next",
      .parse = rounds_value_order, FIELD(order) },
    { .name = "warmup", .argument = "N", .shown_default = "0", .example = "2",
      .help = "rounds of the first size before, which are in no figure",
      .parse = option_count, FIELD(warmup), .max = 10000 },
    { .name = "pause", .argument = "TIME", .shown_default = "none", .example = "30s",
      .help = "quiet time between two rounds",
      .parse = option_duration, FIELD(pause_ns), .max = LONGEST_NS },
    { .name = "rate", .argument = "RATE", .example = "2/s",
      .help = "start the copies of a round one after another on this schedule instead of all at once: 2/s, 30/min",
      .parse = rounds_value_rate, FIELD(rate_per_s) },
    { .name = "compare", .argument = "COMMAND", .example = "'cf push app{i} --strategy rolling'",
      .help = "a second command (B), whose rounds alternate with those of the first (A); the verdict per size is that of plimsoll compare",
      .parse = option_bytes, FIELD(compare), .redact = redact_command },
    { .name = "keep-going",
      .help = "go on after a round in which no copy succeeded, or whose set-up failed",
      .parse = option_flag, FIELD(keep_going) },

    { .heading = "Copies ({i} is the copy, {round}, {n} copies of the round, {uuid}: in words, files and --env)" },
    { .name = "setup", .argument = "COMMAND", .example = "'cf delete -f -r app{i}'",
      .help = "run this for each copy before its round, all at once; not timed",
      .parse = option_bytes, FIELD(setup), .redact = redact_command },
    { .name = "cleanup", .argument = "COMMAND", .example = "'cf delete -f -r app{i}'",
      .help = "run this for each copy after its round, also after Ctrl-C",
      .parse = option_bytes, FIELD(cleanup), .redact = redact_command },
    { .name = "ignore-setup",
      .help = "a set-up may fail: its copy runs all the same",
      .parse = option_flag, FIELD(ignore_setup) },
    { .name = "setup-timeout", .argument = "TIME", .shown_default = "10m", .example = "1m",
      .help = "longest time for a set-up or a clean-up",
      .parse = option_duration, FIELD(setup_timeout_ns), .min = NS_PER_MS, .max = LONGEST_NS },
    { .name = "shell",
      .help = "give all commands to a shell: bash with pipefail, so that a pipe fails when any part of it does; else sh",
      .parse = option_flag, FIELD(shell) },
    { .name = "timeout", .argument = "TIME", .shown_default = "none", .example = "5m",
      .help = "stop a copy and its process group after this time; it has failed",
      .parse = option_duration, FIELD(timeout_ns), .min = NS_PER_MS, .max = LONGEST_NS },
    { .name = "kill-after", .argument = "TIME", .shown_default = "2s", .example = "10s",
      .help = "from TERM to KILL, for what has to be stopped",
      .parse = option_duration, FIELD(kill_after_ns), .max = LONGEST_NS },
    { .name = "input", .argument = "FILE", .shown_default = "/dev/null", .example = "answers.txt",
      .help = "standard input of every copy",
      .parse = option_path, FIELD(input) },
    { .name = "env", .argument = "NAME=VALUE", .example = "CF_HOME=/tmp/cf{i}",
      .help = "a variable of the copies' environment, may be repeated; its value is never shown in any output",
      .parse = rounds_value_env, FIELD(env), .redact = rounds_redact_env },
    { .name = "cwd", .argument = "DIR", .example = "app",
      .help = "directory that the copies begin in",
      .parse = option_path, FIELD(cwd) },

    { .heading = "What counts as good" },
    { .name = "expect-exit", .argument = "LIST", .shown_default = "0", .example = "0,3,10-12",
      .help = "exit codes that are ok",
      .parse = rounds_value_expect_exit },
    { .name = "slo", .argument = "CLAUSE[,CLAUSE...]", .example = "'mean<45s'",
      .help = "a promise about the copies' durations (mean, max, p90 ...) and errors: the largest concurrency that keeps it is told; exit 1 when "
              "the smallest one does not",
      .parse = rounds_value_slo, FIELD(slo) },
    { .name = "max-errors", .argument = "SHARE", .shown_default = "1%", .example = "10%",
      .help = "the run is invalid (exit 3) when more than this share of the copies failed",
      .parse = option_share, FIELD(max_errors) },
    { .name = "strict",
      .help = "warnings make the run invalid too; with --compare, exit 4 when it is inconclusive",
      .parse = option_flag, FIELD(strict) },

    { .heading = "Output" },
    { .name = "phases", .argument = "FILE|NAME", .example = "cf-push",
      .help = "phases of the command, told by the lines it prints: a YAML file, or a list that comes with plimsoll (cf-push)",
      .parse = option_path, FIELD(phases) },
    { .name = "log-dir", .argument = "DIR", .example = "logs",
      .help = "keep all output there, a line at a time with its moment: as ts(1) stamps it, and as JSON lines",
      .parse = option_path, FIELD(log_dir) },
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
    { .name = "progress", .argument = "auto|none|json", .shown_default = "auto", .example = "json",
      .help = "on standard error while running: auto shows a line on a terminal, json writes an object at every change",
      .parse = load_value_progress, FIELD(progress) },
    LIVE_OPTION_ROWS(struct rounds_options, live),
    { .name = "name", .argument = "TEXT", .example = "'push, 8 cells'",
      .help = "name of the run in every output",
      .parse = option_text, FIELD(name) },
    { .name = "label", .argument = "KEY=VALUE", .example = "cells=8",
      .help = "label of the run in every output, may be repeated with other keys",
      .parse = load_value_label, FIELD(labels) },
    { .name = "no-store",
      .help = "do not keep the result in the local store of results",
      .parse = option_flag, FIELD(no_store) },

    { .heading = "Other" },
    { .name = "dry-run",
      .help = "check everything, say what would be run, and run nothing",
      .parse = option_flag, FIELD(dry_run) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] = "Examples:\n"
                               "  plimsoll rounds -c 1 --samples 20 -- ./unzip.sh archive.zip\n"
                               "      one at a time: mean, deviation, range\n"
                               "  plimsoll rounds -c 1,2,4,8,16,32 --setup 'cf delete -f -r app{i}' --ignore-setup \\\n"
                               "      --cleanup 'cf delete -f -r app{i}' --phases cf-push -- cf push app{i}\n"
                               "      where the time goes as more push at once, and how it scales\n"
                               "  plimsoll rounds --shell -c 4 -- 'curl -sf http://127.0.0.1:3000/ | wc -c'\n"
                               "      a pipe; the copy fails when curl does\n"
                               "  plimsoll rounds -c 8 --samples 10 --compare './new {i}' -- ./old {i}\n"
                               "      A and B in turn, and a verdict\n"
                               "\n"
                               "All copies of a round wait at one gate and are released together. A copy's time\n"
                               "is from its exec to its exit. mean_ok_s is the mean of the successes;\n"
                               "mean_discounted_s is all time, that of failures too, divided by the successes.\n"
                               "The command stands behind --, or is one quoted word.\n"
                               "plimsoll rounds import --help: the same of what was timed elsewhere.\n"
                               "\n"
                               "Exit status: 0 ok; 1 a promise is broken, or B is worse than A; 2 wrong usage,\n"
                               "nothing was run; 3 the run is invalid; 4 under --strict, inconclusive; 130\n"
                               "interrupted.\n"
                               "More: man plimsoll-rounds\n";

static const struct option_table TABLE = {
    .command = "plimsoll rounds",
    .usage = "[OPTION]... -- COMMAND [ARGUMENT]...",
    .summary = "Runs rounds of concurrent copies of a command and times every copy: how long they take, how many "
               "fail, where the time goes, and what becomes of it as their number grows.",
    .rows = ROWS,
    .argument = rounds_value_word,
    .argument_offset = offsetof(struct rounds_options, words),
    .epilogue = EPILOGUE,
};

void rounds_options_init(struct rounds_options *o)
{
    memset(o, 0, sizeof(*o));
    o->sizes[0] = 1;
    o->size_count = 1;
    o->samples = 1;
    o->kill_after_ns = DEFAULT_KILL_AFTER_NS;
    o->setup_timeout_ns = DEFAULT_SETUP_TIMEOUT_NS;
    o->max_errors = DEFAULT_MAX_ERRORS;
}

void rounds_options_release(struct rounds_options *o)
{
    strlist_release(&o->words);
    strlist_release(&o->env);
    strlist_release(&o->labels);
    strlist_release(&o->command);
    slo_release(&o->slo);
    memset(o, 0, sizeof(*o));
}

void rounds_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}

/* Without --, a word like -f may be the command's or ours: not guessed. */
static bool has_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return true;
    return false;
}

static int check(const struct rounds_options *o, int argc, char **argv, struct err *err)
{
    if (o->words.count == 0) {
        err_set(err, ERR_USAGE, 0, "no command was given");
        return err_hint(err, "it stands behind --, for example plimsoll rounds -c 1,2,4 -- sleep 1");
    }
    if (o->words.count > 1 && !has_dashes(argc, argv)) {
        err_set(err, ERR_USAGE, 0, "\"%s\" begins a command of %zu words, but no -- stands before it",
                o->words.items[0], o->words.count);
        return err_hint(err, "write -- %s ...", o->words.items[0]);
    }
    if (o->ignore_setup && o->setup == NULL) {
        err_set(err, ERR_USAGE, 0, "--ignore-setup has no meaning without --setup");
        return err_hint(err, "add the set-up, or leave it out");
    }
    return 0;
}

int rounds_options_parse(struct rounds_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, &o->command, err) != 0)
        return -1;
    return *help ? 0 : check(o, argc, argv, err);
}
