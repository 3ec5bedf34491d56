/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_options.h"

#include <string.h>

#include "cli/option_values.h"

#define FIELD(name) .offset = offsetof(struct compare_options, name)

static const char *const FORMATS[] = { "table", "markdown", "json", "csv", "junit" };

static int parse_format(void *field, const char *text, const struct option_row *row, struct err *err)
{
    for (size_t i = 0; i < sizeof(FORMATS) / sizeof(FORMATS[0]); i++)
        if (strcmp(FORMATS[i], text) == 0) {
            *(enum compare_format *)field = (enum compare_format)i;
            return 0;
        }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no form", text);
    return err_hint(err, "table, markdown, json, csv or junit");
}

/* clang-format off */
static const struct option_row ROWS[] = {
    { .heading = "What to compare" },
    { .name = "base", .argument = "PATH", .example = "before/",
      .help = "the base: a file, a folder of .json files, a quoted pattern, or stored runs by tag, name or id; may be repeated, instead of BASE",
      .parse = option_list, FIELD(base) },
    { .name = "new", .argument = "PATH", .example = "after/",
      .help = "the same of the new side, instead of NEW",
      .parse = option_list, FIELD(new) },
    { .name = "history", .argument = "PATH", .example = "monday/",
      .help = "one session of unchanged code, of which at least 3 tell how much sessions differ; may be repeated",
      .shown_default = "the stored ones (results tag --same-code)", .parse = option_list, FIELD(history) },
    { .name = "no-store",
      .help = "do not look for sessions of unchanged code in the store",
      .parse = option_flag, FIELD(no_store) },
    { .name = "alias", .argument = "BASE,NEW[,...]", .example = "v1.2,v1.3",
      .help = "what to call the sides; otherwise the runs' name, or the path",
      .parse = option_names, FIELD(aliases) },
    { .name = "metric", .argument = "NAME[,NAME...]", .shown_default = "requests_per_s, at a given rate latency_p99",
      .example = "latency_p99", .help = "what to compare; the first one decides, others are shown",
      .parse = option_names, FIELD(metrics) },
    { .name = "by", .argument = "NAME[,NAME...]", .shown_default = "what varies within a side", .example = "connections,path",
      .help = "labels and members of config that tell cells apart; nothing else then keeps runs from being compared",
      .parse = option_names, FIELD(by) },

    { .name = "per-target",
      .help = "each target of a run is a cell of its own",
      .parse = option_flag, FIELD(per_target) },

    { .heading = "How to judge" },
    { .name = "min-change", .argument = "SHARE", .shown_default = "3%", .example = "5%",
      .help = "the least change that matters",
      .parse = option_change, FIELD(min_change) },
    { .name = "tolerance", .argument = "FILE", .example = "rules.yaml",
      .help = "rules with json_path, tolerancy and max_failures, YAML or JSON: a Pass/Fail table, and exit status 1 when broken",
      .parse = option_path, FIELD(tolerance) },
    { .name = "same-session",
      .help = "vouch that both sides were measured within one session, though the documents do not show it",
      .parse = option_flag, FIELD(same_session) },
    { .name = "strict",
      .help = "inconclusive or suspect cells end with exit status 4",
      .parse = option_flag, FIELD(strict) },

    { .name = "calibrate",
      .help = "compare nothing: say how often this comparison would have cried wolf on runs of unchanged code, and which change it would have found 9 times of 10; without RUNS, on those in the store",
      .parse = option_flag, FIELD(calibrate) },

    { .heading = "Output" },
    { .name = "format", .argument = "FORM", .shown_default = "table", .example = "json",
      .help = "table, markdown, json, csv or junit",
      .parse = parse_format, FIELD(format) },
    { .name = "output", .short_name = 'o', .argument = "FILE", .shown_default = "standard output", .example = "compare.json",
      .help = "write there",
      .parse = option_path, FIELD(output) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] =
    "Verdicts: regressed, improved, unchanged; suspect, inconclusive (not known); missing,\n"
    "invalid, not comparable (never a pass).\n"
    "\n"
    "Examples:\n"
    "  plimsoll compare before.json after.json\n"
    "      one sample a side: shows the change, cannot tell whether it is one\n"
    "  for i in 1 2 3 4 5; do\n"
    "    plimsoll load --json a$i.json http://old/; plimsoll load --json b$i.json http://new/\n"
    "  done; plimsoll compare 'a*.json' 'b*.json'\n"
    "      in turn, five times: what the machine did meanwhile falls out\n"
    "  plimsoll compare tables.txt\n"
    "      a report of touchstone, which holds both sides\n"
    "  plimsoll compare before-ab.txt after-ab.txt\n"
    "      reports of other tools, told by their content (docs/import.md)\n"
    "  plimsoll compare v1/ v2/ v3/\n"
    "      each against the first\n"
    "  plimsoll compare --history mon --history tue --history wed last-week/ today/\n"
    "      two days, held against how much days differ anyway\n"
    "  plimsoll compare baseline api@latest\n"
    "      stored runs; sessions of unchanged code are taken from the store, too\n"
    "  plimsoll compare --calibrate unchanged\n"
    "      what such a comparison is worth\n"
    "\n"
    "Exit status: 0 nothing has regressed; 1 regressed, or a tolerance broken; 2 wrong\n"
    "usage or unreadable files; 3 missing, invalid or not comparable cells; 4 with --strict\n"
    "and nothing worse, inconclusive or suspect cells. More: man plimsoll-compare\n";

static const struct option_table TABLE = {
    .command = "plimsoll compare",
    .usage = "[OPTION...] BASE [NEW...]",
    .summary = "Compares result documents and gives a verdict per cell: whether a metric got worse, by how much, and "
               "how sure that is. A sample is a run; with one run a side nothing can be told, with three to five in "
               "turn a lot.",
    .rows = ROWS,
    .argument = option_list,
    .argument_offset = offsetof(struct compare_options, paths),
    .epilogue = EPILOGUE,
};

void compare_options_init(struct compare_options *o)
{
    memset(o, 0, sizeof(*o));
}

void compare_options_release(struct compare_options *o)
{
    strlist_release(&o->paths);
    strlist_release(&o->base);
    strlist_release(&o->new);
    strlist_release(&o->history);
    strlist_release(&o->sides);
    strlist_release(&o->aliases);
    strlist_release(&o->metrics);
    strlist_release(&o->by);
    memset(o, 0, sizeof(*o));
}

static int lacks(const char *what, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "no %s was given", what);
    return err_hint(err, "plimsoll compare BASE NEW, each a file, a folder or a quoted pattern");
}

static int take_paths(struct compare_options *o, struct err *err)
{
    const size_t first = o->base.count == 0 && o->paths.count > 0 ? 1 : 0;

    if (o->calibrate)
        return 0;
    if (first == 1 && !strlist_add(&o->base, slice_str(o->paths.items[0])))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (o->base.count == 0)
        return lacks("BASE", err);
    if (o->new.count > 0 && first < o->paths.count) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is one path too many", o->paths.items[first]);
        return err_hint(err, "with --new, which may be repeated, there is no NEW");
    }
    for (size_t i = first; i < o->paths.count; i++)
        if (!strlist_add(&o->sides, slice_str(o->paths.items[i])))
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static int check_aliases(const struct compare_options *o, struct err *err)
{
    const size_t sides = 1 + (o->new.count > 0 ? 1 : o->sides.count);

    if (o->aliases.count == 0 || o->aliases.count == sides)
        return 0;
    err_set(err, ERR_USAGE, 0, "--alias: %zu names for %zu sides", o->aliases.count, sides);
    return err_hint(err, "one name for each, for example --alias v1.2,v1.3");
}

int compare_options_parse(struct compare_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, NULL, err) != 0)
        return -1;
    if (*help)
        return 0;
    return take_paths(o, err) != 0 ? -1 : check_aliases(o, err);
}

void compare_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}
