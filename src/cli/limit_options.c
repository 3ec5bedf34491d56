/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/limit_options.h"

#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "cli/limit_share.h"
#include "cli/load_models.h"
#include "cli/option_values.h"

#define DEFAULT_CONNECTIONS 50
#define DEFAULT_STEP_NS (UINT64_C(5) * NS_PER_S)
#define DEFAULT_PRECISION 0.02
#define DEFAULT_ROUNDS 3
#define DEFAULT_FROM_RATE 100.0
#define DEFAULT_TO_RATE 1e6
#define DEFAULT_TO_CONNECTIONS 10000.0
#define LEAST_PRECISION 0.001
#define MOST_PRECISION 0.5

static int parse_promise(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct limit_options *o = field;

    (void)row;
    slo_release(&o->promise);
    o->has_promise = true;
    return slo_parse(&o->promise, slice_str(text), err);
}

static int parse_of(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct limit_options *o = field;

    (void)row;
    o->of_connections = strcmp(text, "connections") == 0;
    if (o->of_connections || strcmp(text, "rate") == 0)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is nothing that can be searched for", text);
    return err_hint(err, "write rate or connections");
}

/* double: a rate, or a number of connections; which of them is judged when all is known. */
static int parse_level(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options rate = { 0 };

    if (load_model_rate(&rate, text, row, err) != 0)
        return -1;
    *(double *)field = rate.rate_per_s;
    return 0;
}

static int parse_precision(void *field, const char *text, const struct option_row *row, struct err *err)
{
    double *precision = field;

    if (units_parse_share(slice_str(text), precision, err) != 0)
        return -1;
    if (*precision >= LEAST_PRECISION && *precision <= MOST_PRECISION)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is too %s", text, *precision < LEAST_PRECISION ? "small" : "large");
    return err_hint(err, "from 0.1%% to 50%%, for example --%s %s", row->name, row->example);
}

/* clang-format off */
#define FIELD(name) .offset = offsetof(struct limit_options, name)

static const struct option_row OWN_ROWS[] = {
    { .heading = "The search" },
    { .name = "slo", .argument = "CLAUSES", .example = "'p99<50ms,errors<0.1%'",
      .help = "the promise: figures of a trial (p50 ... p99.99, mean, max, errors, requests_per_s; also service_p99, "
              "p99@2xx) with <, <=, > or >= and a limit; required",
      .parse = parse_promise },
    { .name = "of", .argument = "rate|connections", .shown_default = "rate", .example = "connections",
      .help = "what is searched for: the highest rate, or the most connections that are always busy",
      .parse = parse_of },
    { .name = "from", .argument = "LEVEL", .shown_default = "100/s, or 1 connection", .example = "500/s",
      .help = "first rate, or number of connections; it is doubled until the promise breaks",
      .parse = parse_level, FIELD(from) },
    { .name = "to", .argument = "LEVEL", .shown_default = "1M/s, or 10000 connections", .example = "20k/s",
      .help = "highest that is tried",
      .parse = parse_level, FIELD(to) },
    { .name = "step-time", .argument = "TIME", .shown_default = "5s", .example = "10s",
      .help = "length of each trial; too short a trial does not see a queue grow",
      .parse = option_duration, FIELD(step_ns), .min = 100 * NS_PER_MS, .max = UINT64_C(24) * 3600 * NS_PER_S },
    { .name = "precision", .argument = "SHARE", .shown_default = "2%", .example = "5%",
      .help = "width of the interval at which the search stops",
      .parse = parse_precision, FIELD(precision) },
    { .name = "confirm", .argument = "N", .shown_default = "3", .example = "5",
      .help = "rounds that the level found must keep the promise in, again, before one 10 % above must break it",
      .parse = option_count, FIELD(confirm_rounds), .min = 1, .max = 100 },
    { .name = "strict",
      .help = "exit 4 when this machine or the connections were the limit, or the answer was not confirmed",
      .parse = option_flag, FIELD(strict) },

    { .heading = "The load" },
    { .name = "connections", .short_name = 'c', .argument = "N", .shown_default = "50", .example = "200",
      .help = "connections to each target that share the requests; when all are busy, requests wait and their latency grows",
      .parse = load_model_connections },
    { .name = "grow", .argument = "N", .example = "500", .min = 1, .max = 1000000,
      .help = "open more connections, up to N to each target, while a request that is due finds none free",
      .parse = option_count, FIELD(load.grow) },
    { .name = "arrivals", .argument = "constant|poisson", .shown_default = "constant", .example = "poisson",
      .help = "evenly, or at random as many independent users are",
      .parse = load_model_arrivals },

    { .heading = "Output" },
    { .name = "json", .argument = "FILE", .example = "limit.json",
      .help = "write the answer and every trial; - is standard output, all text then goes to standard error; with --share a "
              "document for each {round}",
      .parse = option_path, FIELD(json) },
    { .name = "html", .argument = "FILE", .example = "limit.html",
      .help = "write a page with the answer, the curve and every trial, as plimsoll report makes it; not with --share",
      .parse = option_path, FIELD(html) },
    { 0 },
};
/* clang-format on */

/* Of load's: what the search decides itself, what is about one run's document, and what stands above. */
static const char *const LEFT_OUT[] = {
    "connections", "duration",      "requests",    "rate",          "arrivals", "stages", "burst",
    "grow",        "max-in-flight", "think",       "ramp-up",       "json",     "csv",    "hdr",
    "log",         "name",          "label",       "no-store",      "dry-run",  "slo",    "strict",
    "of",          "max-errors",    "percentiles", "save-failures", "no-retry", "drain",  "html",
};

static const char EPILOGUE[] = "Examples:\n"
                               "  plimsoll limit --slo 'p99<50ms,errors<0.1%' http://127.0.0.1:3000/\n"
                               "      the highest rate at which 99 % of the requests take less than 50 ms\n"
                               "  plimsoll limit --slo 'mean<20ms' --of connections --to 500 http://127.0.0.1:3000/\n"
                               "      how many connections may be busy all the time\n"
                               "  plimsoll limit --slo 'p99<50ms' --from 41.2k/s --share 2/4 --start-at @start \\\n"
                               "      --json 'parts/round-{round}-part-{share}.json' http://api.test/\n"
                               "      no search: a share of the rounds that confirm a level, and of one above it\n"
                               "\n"
                               "A rate keeps the promise when every clause is kept and the load was really\n"
                               "offered: 98 % of what was due was sent, and answered in the end. One break may be\n"
                               "a hiccup: the trial is repeated, and two in a row count.\n"
                               "\n"
                               "Exit status: 0 an answer was found; 1 nothing keeps the promise; 2 wrong usage,\n"
                               "nothing was sent; 3 no request succeeded at all; 4 under --strict, the answer is\n"
                               "not certain; 130 interrupted. More: man plimsoll-limit\n";

static bool is_left_out(const char *name)
{
    for (size_t i = 0; i < sizeof(LEFT_OUT) / sizeof(LEFT_OUT[0]); i++)
        if (strcmp(LEFT_OUT[i], name) == 0)
            return true;
    return false;
}

static void make_table(struct limit_options *o)
{
    const struct option_table *of_load = load_options_table();
    size_t used = 0;

    for (const struct option_row *row = OWN_ROWS; row->name != NULL || row->heading != NULL; row++)
        o->rows[used++] = *row;
    for (const struct option_row *row = of_load->rows; row->name != NULL || row->heading != NULL; row++) {
        if (row->name != NULL && is_left_out(row->name))
            continue;
        if (used > 0 && row->heading != NULL && o->rows[used - 1].heading != NULL)
            used--; /* a heading of nothing */
        if (used + 1 >= LIMIT_ROWS_MAX)
            BUG("more than %d options", LIMIT_ROWS_MAX);
        o->rows[used++] = *row;
    }
    o->rows[used] = (struct option_row){ 0 };
    o->table = *of_load;
    o->table.command = "plimsoll limit";
    o->table.summary = "Searches for the highest rate that keeps a promise: trials at doubling rates until it breaks, "
                       "then between the last two, then the answer again and 10 % more to be sure.";
    o->table.rows = o->rows;
    o->table.epilogue = EPILOGUE;
}

void limit_options_init(struct limit_options *o)
{
    memset(o, 0, sizeof(*o));
    load_options_init(&o->load);
    o->load.connections = DEFAULT_CONNECTIONS;
    o->step_ns = DEFAULT_STEP_NS;
    o->precision = DEFAULT_PRECISION;
    o->confirm_rounds = DEFAULT_ROUNDS;
    make_table(o);
}

void limit_options_release(struct limit_options *o)
{
    load_options_release(&o->load);
    slo_release(&o->promise);
    memset(o, 0, sizeof(*o));
}

static int check_levels(struct limit_options *o, struct err *err)
{
    if (o->from == 0)
        o->from = o->of_connections ? 1 : DEFAULT_FROM_RATE;
    if (o->to == 0)
        o->to = o->of_connections ? DEFAULT_TO_CONNECTIONS : DEFAULT_TO_RATE;
    if (o->from > o->to) {
        err_set(err, ERR_USAGE, 0, "--from %g is above --to %g", o->from, o->to);
        return err_hint(err, "the search goes up from the one to the other");
    }
    if (!o->of_connections)
        return 0;
    if (o->from != (double)(uint64_t)o->from || o->to != (double)(uint64_t)o->to || o->to > 1000000) {
        err_set(err, ERR_USAGE, 0, "--from %g --to %g are no numbers of connections", o->from, o->to);
        return err_hint(err, "whole numbers from 1 to 1000000");
    }
    return 0;
}

static int check_search(struct limit_options *o, struct err *err)
{
    if (!o->has_promise) {
        err_set(err, ERR_USAGE, 0, "no promise was given");
        return err_hint(err, "for example --slo 'p99<50ms,errors<0.1%%'");
    }
    if (o->load.connection_stage_count > 0) {
        err_set(err, ERR_USAGE, 0, "--connections takes one number here");
        return err_hint(err, "the search itself goes from level to level");
    }
    if (o->of_connections && o->load.connections != DEFAULT_CONNECTIONS) {
        err_set(err, ERR_USAGE, 0, "-c/--connections and --of connections contradict each other");
        return err_hint(err, "the search is for their number: say --from and --to");
    }
    if (o->of_connections && o->load.targets_file != NULL) {
        err_set(err, ERR_USAGE, 0, "--targets and --of connections contradict each other");
        return err_hint(err, "a list of targets says their numbers of connections itself");
    }
    if (o->html != NULL && o->load.share.given) {
        err_set(err, ERR_USAGE, 0, "--html and --share contradict each other");
        return err_hint(err, "a share finds no limit; plimsoll results merge puts the parts of a round together");
    }
    return limit_share_check(o, err) != 0 ? -1 : check_levels(o, err);
}

int limit_options_parse(struct limit_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&o->table, o, argc, argv, help, &o->load.command, err) != 0)
        return -1;
    if (*help)
        return 0;
    if (check_search(o, err) != 0)
        return -1;
    if (o->of_connections)
        o->load.connections = (uint64_t)o->from;
    else
        o->load.rate_per_s = o->from;
    return load_options_check(&o->load, err);
}
