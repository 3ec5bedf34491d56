/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_options.h"

#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "cli/live.h"
#include "cli/load_values.h"
#include "cli/option_values.h"
#include "http/redact.h"

/* A parameter whose name says that it is a secret, or a URL with one in it. */
static void redact_set(struct buf *out, struct slice value)
{
    struct slice rest = value;
    const struct slice name = slice_split(&rest, '=');

    if (redact_is_secret_name(name) || slice_ends(name, SLICE("key"))) {
        buf_add_slice(out, name);
        buf_add_str(out, "=***");
        return;
    }
    redact_url(out, value);
}

static int parse_seed(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct run_options *o = field;

    o->has_seed = true;
    return option_u64(&o->seed, text, row, err);
}

/* clang-format off */
#define FIELD(name) .offset = offsetof(struct run_options, name)

static const struct option_row ROWS[] = {
    { .heading = "What is run" },
    { .name = "set", .short_name = 's', .argument = "NAME=VALUE", .example = "target=https://example.com",
      .help = "a parameter of the suite, may be repeated; scale=NAME picks one of its scales",
      .parse = option_list, FIELD(sets), .redact = redact_set },
    { .name = "only", .argument = "CELL", .example = "'edge/*'",
      .help = "only the cells of this name, may be repeated; * and ? stand for any",
      .parse = option_list, FIELD(only) },
    { .name = "repeat", .argument = "N", .example = "5",
      .help = "samples of each cell, in place of what the suite says",
      .parse = option_count, FIELD(samples), .min = 1, .max = 100000 },
    { .name = "resume", .argument = "RUN", .example = "ingress@latest",
      .help = "go on with a run that was interrupted: the valid samples that the store has of it are not made again",
      .parse = option_text, FIELD(resume) },
    { .name = "over-budget",
      .help = "run cells too that need more connections than the routers carry",
      .parse = option_flag, FIELD(over_budget) },
    { .name = "seed", .argument = "N", .shown_default = "random", .example = "42",
      .help = "of a shuffled order; printed, so that it can be given again",
      .parse = parse_seed, .offset = 0 },
    { .name = "strict",
      .help = "exit 4 when a comparison is inconclusive or suspect",
      .parse = option_flag, FIELD(strict) },

    { .heading = "Output" },
    { .name = "verbose", .short_name = 'v',
      .help = "show the bytes of every verification, and each sample as it ends",
      .parse = option_flag, FIELD(verbose) },
    { .name = "json", .argument = "FILE", .example = "run.json",
      .help = "write cells, samples and effects; - is standard output, all text then goes to standard error",
      .parse = option_path, FIELD(json) },
    { .name = "markdown", .argument = "FILE", .example = "run.md",
      .help = "write the table of cells for pasting; - as above",
      .parse = option_path, FIELD(markdown) },
    { .name = "html", .argument = "FILE", .example = "run.html",
      .help = "write a page of the run, beside its baseline when it has one: matrix, comparison, charts; - as above",
      .parse = option_path, FIELD(html) },
    { .name = "work-dir", .argument = "DIR", .example = "out",
      .help = "keep there what commands, services and samples wrote; without it a folder of temporary files, kept when something failed",
      .parse = option_path, FIELD(work_dir) },
    { .name = "progress", .argument = "auto|none|json", .shown_default = "auto", .example = "json",
      .help = "on standard error while running: auto shows a line on a terminal, json writes an object at every change",
      .parse = load_value_progress, FIELD(progress) },
    LIVE_OPTION_ROWS(struct run_options, live),
    { .name = "name", .argument = "TEXT", .example = "nightly",
      .help = "name of the run, in place of the suite's",
      .parse = option_text, FIELD(name) },
    { .name = "label", .argument = "KEY=VALUE", .example = "build=1234",
      .help = "label of every sample, may be repeated with other keys",
      .parse = load_value_label, FIELD(labels) },
    { .name = "no-store",
      .help = "do not keep the samples in the local store of results",
      .parse = option_flag, FIELD(no_store) },

    SHARE_OPTION_ROWS(struct run_options, share),
    { .name = "gap", .argument = "TIME", .shown_default = "15s", .example = "30s",
      .help = "with --share: from the end of a sample to the start of the next, beside the suite's quiet period; what is done between them must fit in",
      .parse = option_duration, FIELD(gap_ns), .min = NS_PER_S, .max = UINT64_C(24) * 3600 * NS_PER_S },

    { .heading = "Other" },
    { .name = "dry-run",
      .help = "print the plan: cells, their order, budget, estimated time; nothing is started or sent",
      .parse = option_flag, FIELD(dry_run) },
    { .name = "schema",
      .help = "print every key that a suite may have",
      .parse = option_flag, FIELD(schema) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] = "Examples:\n"
                               "  plimsoll run cloud-check\n"
                               "      a suite that comes with plimsoll, by its name\n"
                               "  plimsoll run --dry-run suites/ingress.yaml\n"
                               "      what would be run, and whether it fits\n"
                               "  plimsoll run suites/ingress.yaml -s scale=small\n"
                               "  plimsoll run suites/ingress.yaml --only 'edge/*' --repeat 5\n"
                               "  plimsoll run suites/ingress.yaml --resume ingress@latest\n"
                               "\n"
                               "Every sample is stored as it ends (plimsoll results list); Ctrl-C stops the sample\n"
                               "in hand, runs the teardown, ends the services and reports what there is.\n"
                               "\n"
                               "Exit status: 0 ok; 1 a promise is broken, or a comparison says regressed; 2 wrong\n"
                               "usage, nothing was sent; 3 a sample is invalid or failed; 4 under --strict,\n"
                               "inconclusive; 130 interrupted.\n"
                               "More: man plimsoll-run, docs/suites.md\n";

static const struct option_table TABLE = {
    .command = "plimsoll run",
    .usage = "[OPTION]... SUITE.yaml",
    .summary = "Runs a suite: a matrix of cells, several samples of each, with set-up, services, a budget of "
               "connections, and a comparison at the end.",
    .rows = ROWS,
    .argument = option_list,
    .argument_offset = offsetof(struct run_options, files),
    .epilogue = EPILOGUE,
};

void run_options_init(struct run_options *o)
{
    memset(o, 0, sizeof(*o));
    o->gap_ns = UINT64_C(15) * NS_PER_S;
}

void run_options_release(struct run_options *o)
{
    strlist_release(&o->files);
    strlist_release(&o->sets);
    strlist_release(&o->only);
    strlist_release(&o->labels);
    strlist_release(&o->command);
    strlist_release(&o->_expanded);
    memset(o, 0, sizeof(*o));
}

void run_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}

/* A moment that every sample's can be reckoned from. */
static int check_share(struct run_options *o, struct err *err)
{
    const char **texts[] = { &o->json, &o->markdown, &o->html, &o->work_dir, &o->name };

    if (share_options_resolve(&o->share, err) != 0 ||
        share_options_expand_all(&o->share, texts, sizeof(texts) / sizeof(texts[0]), &o->_expanded, err) != 0)
        return -1;
    if (o->share.given && o->share.start != SHARE_START_AT) {
        err_set(err, ERR_USAGE, 0, "--share of a suite needs a moment that all shares know");
        return err_hint(err, "add --start-at with a time, as 2026-03-01T12:00:30Z, or @FILE that holds it");
    }
    if (!o->share.given && o->share.start != SHARE_START_NONE) {
        err_set(err, ERR_USAGE, 0, "--start-at has no meaning without --share");
        return err_hint(err, "a suite that one process runs alone begins when it is started");
    }
    return 0;
}

int run_options_parse(struct run_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, &o->command, err) != 0)
        return -1;
    if (*help || o->schema)
        return 0;
    if (o->files.count != 1) {
        err_set(err, ERR_USAGE, 0, o->files.count == 0 ? "no suite was given" : "more than one suite was given");
        return err_hint(err, "plimsoll run SUITE.yaml; --schema shows what it may hold");
    }
    return check_share(o, err);
}
