/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/limit_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/load_config.h"
#include "cli/outputs.h"
#include "cli/share_start.h"
#include "http/redact.h"
#include "stats/search.h"

enum { EXIT_USAGE = 2, EXIT_INVALID = 3, TEXT_MAX_BYTES = 1 << 26 };
#define SPARE_NS (UINT64_C(10) * NS_PER_S) /* between rounds: draining, writing, preparing */
static const struct slice ROUND = { "{round}", 7 };

/* One of the rounds; those at the level come first, the one above it last. */
struct round {
    const struct limit_options *options;
    unsigned number, last; /* from 1 */
    double level;
};

int limit_share_check(const struct limit_options *o, struct err *err)
{
    if (!o->load.share.given && !o->load.share.is_started)
        return 0;
    if (!(o->from > 0)) {
        err_set(err, ERR_USAGE, 0, "shares confirm a level, and none is given (--from)");
        return err_hint(err, "search from one process, then: plimsoll limit --share I/N --from LEVEL ...");
    }
    if (o->load.share.is_started)
        return 0;
    if (o->json == NULL || slice_find_slice(slice_str(o->json), ROUND) < 0) {
        err_set(err, ERR_USAGE, 0, "--share writes a document for every round, and --json does not say where");
        return err_hint(err, "for example --json 'parts/round-{round}-part-{share}.json'");
    }
    return 0;
}

static char *path_of(const struct round *k)
{
    char *text = share_options_expand(&k->options->load.share, k->options->json);
    struct slice rest = slice_str(text);
    const ptrdiff_t at = slice_find_slice(rest, ROUND);
    char *path = NULL;

    if (text != NULL && asprintf(&path, "%.*s%u%s", (int)at, text, k->number, text + at + (ptrdiff_t)ROUND.len) < 0)
        path = NULL;
    free(text);
    return path;
}

static uint64_t period_of(const struct limit_options *o)
{
    return o->step_ns + o->load.warmup_ns + o->load.drain_ns + SPARE_NS;
}

uint64_t limit_share_length_ns(const struct limit_options *o)
{
    return (o->confirm_rounds + 1) * period_of(o) - SPARE_NS;
}

/* The options of the one load that the round is. */
static struct load_options options_of(const struct round *k)
{
    const struct limit_options *o = k->options;
    struct load_options load = o->load; /* its lists stay o's */

    load.duration_ns = o->step_ns;
    load.rate_per_s = o->of_connections ? 0 : k->level;
    if (o->of_connections)
        load.connections = (uint64_t)k->level;
    if (load.share.start == SHARE_START_AT)
        load.share.start_ns += (k->number - 1) * period_of(o);
    return load;
}

static bool complete(struct result *r, const struct load_options *load, const struct load_plan *plan)
{
    bool ok = strlist_add(&r->command, SLICE("plimsoll"));

    for (size_t i = 0; i < load->command.count; i++)
        ok = strlist_add(&r->command, slice_str(load->command.items[i])) && ok;
    return load_config_add(r, load, plan) && ok;
}

static int write_round(const struct round *k, const struct result *r, struct err *err)
{
    char *path = path_of(k);
    struct buf json;
    int rc = path != NULL ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");

    buf_init(&json, TEXT_MAX_BYTES);
    if (rc == 0)
        rc = result_to_json(r, &json, err);
    if (rc == 0)
        rc = file_write(path, buf_slice(&json), err);
    buf_release(&json);
    free(path);
    return rc;
}

static void tell(const struct round *k, const struct result *r, const char *who)
{
    char level[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX];

    cli_note(who, "round %u of %u at %s%s: this share had %s ok/s, and %s the promise by itself", k->number, k->last,
             units_format_number(level, k->level), k->options->of_connections ? " connections" : "/s",
             units_format_number(rate, r->totals.requests_per_s), result_promises_kept(r) ? "kept" : "broke");
}

/* *valid: what the round's own document says. */
static int run_round(const struct round *k, struct load *load, const struct load_plan *plan,
                     const struct load_options *options, const char *who, bool *valid, struct err *err)
{
    struct share_start start;
    struct result *r = NULL;
    int rc;

    if (share_start_agree(&start, &options->share, who, err) != 0)
        return -1;
    if (!share_start_wait(&start, plan->stop, NULL, who))
        return 0;
    load_set_start(load, &start.start);
    if (load_run(load, &r, err) != 0)
        return -1;
    r->start = start.facts;
    rc = result_judge_slo(r, &k->options->promise, err);
    if (rc == 0 && !complete(r, options, plan))
        rc = err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (rc == 0)
        rc = write_round(k, r, err);
    if (rc == 0)
        tell(k, r, who);
    *valid = r->valid;
    result_free(r);
    return rc;
}

static int make_round(const struct round *k, const struct load_plan *given, const char *who, bool *valid,
                      struct err *err)
{
    struct load_options options = options_of(k);
    struct load_plan plan = *given;
    struct load_stage stage = { options.rate_per_s, options.rate_per_s, UINT64_MAX };
    struct load *load = NULL;
    int rc;

    plan.duration_ns = options.duration_ns;
    plan.requests = 0;
    plan.connections = (uint32_t)options.connections;
    plan.schedule = (struct load_schedule){ .arrivals = options.arrivals };
    if (!k->options->of_connections) {
        plan.schedule.stages = &stage;
        plan.schedule.stage_count = 1;
    }
    plan.seed += k->number;
    rc = load_prepare(&load, &plan, err);
    if (rc == 0)
        rc = run_round(k, load, &plan, &options, who, valid, err);
    load_free(load);
    return rc;
}

int limit_share_run(const struct limit_options *o, const struct load_plan *plan, const char *who)
{
    struct round k = { .options = o, .last = (unsigned)o->confirm_rounds + 1 };
    struct err err = { 0 };
    bool valid = true, all = true;

    interrupt_install();
    for (k.number = 1; k.number <= k.last && *plan->stop == 0; k.number++) {
        k.level = k.number < k.last ? o->from : o->from * SEARCH_ABOVE;
        if (make_round(&k, plan, who, &valid, &err) != 0) {
            const int code = cli_complain(who, &err);

            return k.number == 1 ? code : EXIT_INVALID;
        }
        all = all && valid;
    }
    if (*plan->stop != 0)
        return INTERRUPT_EXIT_CODE;
    return all ? 0 : EXIT_INVALID;
}
