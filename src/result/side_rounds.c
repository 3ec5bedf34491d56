/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "result/side_parts.h"

/* What is not known is no metric. The first one gates unless another is named. */
static bool add_metrics(struct record *r, const struct rounds_round *round)
{
    const struct {
        const char *name;
        double value;
        bool higher_is_better;
    } METRICS[] = {
        { "mean_ok_s", round->mean_ok_s, false },
        { "mean_discounted_s", round->mean_discounted_s, false },
        { "mean_s", round->mean_s, false },
        { "median_s", round->median_s, false },
        { "max_s", round->max_s, false },
        { "makespan_s", round->makespan_s, false },
        { "copies_per_s", round->copies_per_s, true },
        { "user_s", round->user_s, false },
        { "sys_s", round->sys_s, false },
    };
    const uint32_t ended = round->ok + round->failed;

    for (size_t i = 0; i < sizeof(METRICS) / sizeof(METRICS[0]); i++)
        if (!isnan(METRICS[i].value) &&
            !record_add_metric(r, METRICS[i].name, METRICS[i].value, METRICS[i].higher_is_better, false))
            return false;
    r->requests = ended + round->unfinished;
    r->failures = round->failed;
    return ended == 0 || record_add_metric(r, "error_share", (double)round->failed / ended, false, true);
}

/* "phase_upload_app_s": the mean of the copies that were ok; a phase that one of them did not have took it no time. */
static bool add_phase(struct record *r, const struct rounds_round *round, const char *phase, size_t at)
{
    char name[128];
    double sum = 0;
    size_t ok = 0;
    bool seen = false;

    snprintf(name, sizeof(name), "phase_%.100s_s", phase);
    for (char *c = name; *c != '\0'; c++)
        if (*c == ' ')
            *c = '_';
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        if (!c->ok || c->phases == NULL)
            continue;
        seen = seen || !isnan(c->phases[at]);
        sum += isnan(c->phases[at]) ? 0 : c->phases[at];
        ok++;
    }
    return !seen || sum == 0 || record_add_metric(r, name, sum / (double)ok, false, false);
}

static bool add_phases(struct record *r, const struct rounds_result *rounds, const struct rounds_round *round)
{
    for (size_t i = 0; i < rounds->phase_count; i++)
        if (!add_phase(r, round, rounds->phases[i].name, i))
            return false;
    return true;
}

static bool add_failures(struct record *r, const struct rounds_round *round)
{
    for (size_t i = 0; i < round->copy_count; i++)
        if (round->copies[i].failure != NULL && !record_add_sighting(r, round->copies[i].failure, 1))
            return false;
    return true;
}

static bool add_round(struct side *s, const struct result *result, const struct rounds_round *round, const char *source)
{
    struct record *r = side_add(s, source);
    char concurrency[16];

    if (r == NULL)
        return false;
    snprintf(concurrency, sizeof(concurrency), "%u", (unsigned)round->concurrency);
    return record_add_fact(r, FACT_CELL, "concurrency", concurrency) && side_add_run_facts(r, result) &&
           (r->session != NULL || record_set_session(r, result->id)) && add_metrics(r, round) &&
           add_phases(r, result->rounds, round) && add_failures(r, round) && side_add_reason(r, result);
}

bool side_add_rounds(struct side *s, const struct result *result, uint32_t series, const char *source)
{
    for (size_t i = 0; i < result->rounds->round_count; i++) {
        const struct rounds_round *round = &result->rounds->rounds[i];
        struct record *r;

        if (round->series != series)
            continue;
        if (!add_round(s, result, round, source))
            return false;
        r = &s->records[s->count - 1];
        r->has_round = true;
        r->round = round->sample;
    }
    return true;
}

bool side_add_all_rounds(struct side *s, const struct result *result, const char *source)
{
    const struct rounds_result *rounds = result->rounds;

    for (size_t i = 0; i < rounds->round_count; i++) {
        const char *series = rounds->series[rounds->rounds[i].series].name;

        if (!add_round(s, result, &rounds->rounds[i], source))
            return false;
        if (rounds->series_count > 1 && series != NULL &&
            !record_add_fact(&s->records[s->count - 1], FACT_CELL, "series", series))
            return false;
    }
    return true;
}
