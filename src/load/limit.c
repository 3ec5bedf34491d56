/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/limit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"

#define BUSY 0.95 /* share of the connections in use on average that leaves none free */
enum { TEXT_MAX_BYTES = 4096, DEAD_TRIALS = 2 };

/* "p99<50ms (83.2 ms), errors<1% (4.2 %)". */
static void describe_broken(struct buf *out, const struct slo *promise, const struct slo_outcome *outcomes)
{
    char value[SLO_TEXT_MAX];

    for (size_t i = 0; i < promise->count; i++) {
        if (outcomes[i].kept)
            continue;
        buf_printf(out, "%s%s (%s)", out->len > 0 ? ", " : "", promise->clauses[i].text,
                   outcomes[i].known ? slo_format_value(value, &promise->clauses[i], outcomes[i].value) : "no figure");
    }
}

/* Whether the target carried what was due, counted so that the chance of Poisson arrivals plays no part. */
static void describe_not_offered(struct buf *out, const struct limit_trial *t)
{
    const double due = (double)(t->started + t->not_sent);
    char text[UNITS_TEXT_MAX];

    if ((double)t->started < LIMIT_OFFERED * due)
        buf_printf(out, "%srate not met (%s request%s not sent)", out->len > 0 ? ", " : "",
                   units_format_count(text, t->not_sent), units_plural(t->not_sent));
    if ((double)t->unfinished > (1 - LIMIT_OFFERED) * (double)t->started)
        buf_printf(out, "%s%s request%s unfinished", out->len > 0 ? ", " : "", units_format_count(text, t->unfinished),
                   units_plural(t->unfinished));
}

static void take_figures(struct limit_trial *t, const struct result *r)
{
    const struct totals *totals = &r->totals;

    t->requests_per_s = totals->requests_per_s;
    t->sent_per_s = r->duration_s > 0 ? (double)totals->sent / r->duration_s : 0;
    t->window_s = r->duration_s;
    t->started = totals->started;
    t->ok = totals->ok;
    t->failed = totals->failed;
    t->unfinished = totals->unfinished;
    t->not_sent = totals->not_sent;
    t->errors = totals->started > 0 ? (double)totals->failed / (double)totals->started : 0;
    t->in_flight_mean = totals->in_flight_mean;
    t->has_latency = hist_count(r->latency) > 0;
    t->p50_s = (double)hist_value_at(r->latency, 50) / NS_PER_S;
    t->p99_s = (double)hist_value_at(r->latency, 99) / NS_PER_S;
    t->generator_limited = r->generator.limited;
}

/* The same promise about the other clock: kept there and broken here means that requests waited for a connection. */
static bool service_keeps(const struct slo *promise, const struct result *r, const struct slo_outcome *outcomes)
{
    for (size_t i = 0; i < promise->count; i++) {
        struct slo_clause c = promise->clauses[i];
        const struct slo one = { &c, 1 };

        if (outcomes[i].kept)
            continue;
        if (c.source != SLO_LATENCY || c.figure >= SLO_ERRORS || c.scope == SLO_CLASS)
            return false;
        c.source = SLO_SERVICE_TIME;
        if (!slo_evaluate(&one, r, NULL))
            return false;
    }
    return true;
}

bool limit_judge(struct limit_trial *t, const struct limit_config *config, const struct result *r, uint64_t connections)
{
    const struct slo *promise = config->promise;
    struct slo_outcome *outcomes = calloc(promise->count, sizeof(*outcomes));
    struct buf broke;
    bool ok = outcomes != NULL;

    if (!ok)
        return false;
    buf_init(&broke, TEXT_MAX_BYTES);
    take_figures(t, r);
    t->kept = slo_evaluate(promise, r, outcomes) && t->ok > 0;
    describe_broken(&broke, promise, outcomes);
    if (!config->of_connections)
        describe_not_offered(&broke, t);
    if (broke.len == 0 && t->ok == 0)
        buf_add_str(&broke, "no request succeeded");
    t->kept = t->kept && broke.len == 0;
    if (!t->kept) {
        t->broke = buf_detach(&broke);
        ok = t->broke != NULL;
        t->connections_limited = !config->of_connections && t->in_flight_mean >= BUSY * (double)connections &&
                                 service_keeps(promise, r, outcomes);
    }
    buf_release(&broke);
    free(outcomes);
    return ok;
}

static bool note_reasons(struct limit_report *report, const struct result *r)
{
    const struct strlist *reasons = &r->generator.reasons;

    for (size_t i = 0; i < reasons->count; i++) {
        const struct slice reason = slice_str(reasons->items[i]);

        if (!strlist_contains(&report->generator_reasons, reason) && !strlist_add(&report->generator_reasons, reason))
            return false;
    }
    return true;
}

/* One level of the plan: what `stage` points to must live as long as the plan. */
static void set_level(struct load_plan *plan, struct load_stage *stage, const struct limit_config *config, double level)
{
    plan->duration_ns = config->step_ns;
    plan->requests = 0;
    plan->schedule = (struct load_schedule){ 0 };
    if (config->of_connections) {
        plan->connections = (uint32_t)level;
        return;
    }
    *stage = (struct load_stage){ level, level, UINT64_MAX };
    plan->schedule.stages = stage;
    plan->schedule.stage_count = 1;
    plan->schedule.arrivals = config->arrivals;
}

/* As many as may be busy at once. */
static uint64_t connections_of(const struct load_plan *plan)
{
    const uint64_t usual = plan->grow > plan->connections ? plan->grow : plan->connections;
    uint64_t sum = 0;

    for (size_t i = 0; i < plan->target_count; i++)
        sum += plan->targets[i].manner != NULL ? plan->targets[i].manner->connections : usual;
    return sum;
}

/* Out of the result, which is about to end. */
static void take_watched(struct limit_trial *t, struct result *r)
{
    t->watched = r->watched;
    t->watched_count = r->watched_count;
    r->watched = NULL;
    r->watched_count = 0;
}

static int run_trial(struct limit_report *report, const struct load_plan *given, const struct limit_config *config,
                     const struct search *search, struct err *err)
{
    struct load_plan plan = *given;
    struct load_stage stage;
    struct limit_trial *t;
    struct result *r = NULL;
    struct load *load = NULL;
    bool ok;
    int rc;

    set_level(&plan, &stage, config, search->level);
    plan.seed += report->trial_count; /* not the same arrivals each time */
    if (load_prepare(&load, &plan, err) != 0)
        return -1;
    rc = load_run(load, &r, err);
    load_free(load);
    if (rc != 0)
        return -1;
    if (report->trial_count == 0)
        snprintf(report->started, sizeof(report->started), "%s", r->started);
    report->interrupted = r->interrupted;
    t = limit_report_add(report);
    ok = t != NULL;
    if (ok) {
        t->level = search->level;
        t->stage = search_stage_text(search->stage);
        ok = limit_judge(t, config, r, connections_of(&plan)) && (t->kept || note_reasons(report, r));
    }
    if (ok)
        take_watched(t, r);
    result_free(r);
    return ok ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the search");
}

static bool none_succeeded(const struct limit_report *report)
{
    for (size_t i = 0; i < report->trial_count; i++)
        if (report->trials[i].ok > 0)
            return false;
    return true;
}

static void take_config(struct limit_report *report, const struct limit_config *config)
{
    report->of_connections = config->of_connections;
    report->from = config->search.from;
    report->to = config->search.to;
    report->precision = config->search.precision;
    report->confirm_rounds = config->search.confirm_rounds;
    report->step_s = (double)config->step_ns / NS_PER_S;
}

int limit_run(struct limit_report **out, const struct load_plan *plan, const struct limit_config *config,
              struct err *err)
{
    struct limit_report *report;
    struct search search;
    bool more = true;

    *out = NULL;
    if (limit_report_new(&report, err) != 0)
        return -1;
    take_config(report, config);
    search_init(&search, &config->search);
    while (more) {
        if (run_trial(report, plan, config, &search, err) != 0) {
            limit_report_free(report);
            return -1;
        }
        if (report->interrupted)
            break; /* half a trial says nothing */
        if (none_succeeded(report) && report->trial_count >= DEAD_TRIALS)
            break; /* nobody is there: lower levels are no answer */
        more = search_take(&search, report->trials[report->trial_count - 1].kept);
        if (config->on_trial != NULL)
            config->on_trial(config->arg, report, &search);
    }
    report->safe = search.kept;
    report->broken = search.broken;
    report->confirmed = search.confirmed;
    *out = report;
    return 0;
}
