/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_rounds.h"

#include <math.h>

#include "result/rounds_sizes.h"

#define GROUPS_MAX 64u

/* Whole numbers that are kept as double because they may be unknown. */
static void write_count(struct json_out *o, const char *key, double value)
{
    if (value >= 0)
        json_out_u64(o, key, (uint64_t)value);
    else
        json_out_null(o, key);
}

static void write_strings(struct json_out *o, const char *key, const struct strlist *list)
{
    json_out_open(o, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_out_string(o, NULL, list->items[i]);
    json_out_close(o, ']');
}

static void write_phases(struct json_out *o, const struct rounds_result *r, const struct rounds_copy *c)
{
    json_out_open(o, "phases", '{');
    for (size_t i = 0; c->phases != NULL && i < r->phase_count; i++)
        if (!isnan(c->phases[i]))
            json_out_double(o, r->phases[i].name, c->phases[i]);
    json_out_close(o, '}');
}

static void write_end(struct json_out *o, const struct rounds_copy *c)
{
    if (c->exit >= 0)
        json_out_u64(o, "exit", (uint64_t)c->exit);
    else
        json_out_null(o, "exit");
    if (c->signal > 0)
        json_out_u64(o, "signal", (uint64_t)c->signal);
    else
        json_out_null(o, "signal");
}

static void write_copy(struct json_out *o, const struct rounds_result *r, const struct rounds_copy *c)
{
    json_out_open(o, NULL, '{');
    json_out_u64(o, "index", c->index);
    json_out_bool(o, "ok", c->ok);
    json_out_double(o, "start_s", c->start_s);
    json_out_double(o, "duration_s", c->duration_s);
    write_end(o, c);
    json_out_double(o, "user_s", c->user_s);
    json_out_double(o, "sys_s", c->sys_s);
    write_count(o, "max_rss_bytes", c->max_rss_bytes);
    json_out_u64(o, "output_bytes", c->output_bytes);
    write_phases(o, r, c);
    if (!c->ok) {
        json_out_bool(o, "unfinished", c->unfinished);
        json_out_bool(o, "timed_out", c->timed_out);
        json_out_bool(o, "exec_failed", c->exec_failed);
        json_out_string(o, "failure", c->failure);
        write_strings(o, "last_lines", &c->last_lines);
    }
    json_out_close(o, '}');
}

static void write_hooks(struct json_out *o, const struct rounds_round *round)
{
    json_out_open(o, "hook_failures", '[');
    for (size_t i = 0; i < round->hook_failure_count; i++) {
        const struct rounds_hook_failure *f = &round->hook_failures[i];

        json_out_open(o, NULL, '{');
        json_out_string(o, "what", f->what);
        json_out_u64(o, "index", f->index);
        json_out_string(o, "failure", f->failure);
        write_strings(o, "last_lines", &f->last_lines);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

static void write_figures(struct json_out *o, const struct rounds_round *round)
{
    json_out_u64(o, "ok", round->ok);
    json_out_u64(o, "failed", round->failed);
    json_out_u64(o, "unfinished", round->unfinished);
    json_out_double(o, "mean_s", round->mean_s);
    json_out_double(o, "mean_ok_s", round->mean_ok_s);
    json_out_double(o, "median_s", round->median_s);
    json_out_double(o, "min_s", round->min_s);
    json_out_double(o, "max_s", round->max_s);
    json_out_double(o, "stddev_s", round->stddev_s);
    json_out_double(o, "mean_discounted_s", round->mean_discounted_s);
    json_out_double(o, "makespan_s", round->makespan_s);
    json_out_double(o, "copies_per_s", round->copies_per_s);
    json_out_double(o, "exec_spread_s", round->exec_spread_s);
    json_out_double(o, "user_s", round->user_s);
    json_out_double(o, "sys_s", round->sys_s);
    write_count(o, "max_rss_bytes", round->max_rss_bytes);
    json_out_double(o, "completion_spread", round->completion_spread);
    json_out_string(o, "completion_pattern",
                    round->completion != COMPLETION_UNKNOWN ? completion_text(round->completion) : NULL);
}

static void write_round(struct json_out *o, const struct rounds_result *r, const struct rounds_round *round)
{
    json_out_open(o, NULL, '{');
    json_out_u64(o, "number", round->number);
    json_out_u64(o, "series", round->series);
    json_out_u64(o, "concurrency", round->concurrency);
    json_out_u64(o, "sample", round->sample);
    json_out_double(o, "at_s", round->at_s);
    write_figures(o, round);
    write_hooks(o, round);
    write_strings(o, "left_behind", &round->left_behind);
    json_out_open(o, "copies", '[');
    for (size_t i = 0; i < round->copy_count; i++)
        write_copy(o, r, &round->copies[i]);
    json_out_close(o, ']');
    json_out_close(o, '}');
}

static void write_interval(struct json_out *o, const char *key, const struct rounds_interval *v)
{
    const double both[] = { v->low, v->high };

    if (isfinite(v->low) && isfinite(v->high))
        json_out_doubles(o, key, both, 2);
    else
        json_out_null(o, key);
}

static void write_scaling(struct json_out *o, const struct rounds_scaling *s)
{
    json_out_open(o, "scaling", '{');
    json_out_string(o, "verdict", scaling_verdict_text(s->verdict));
    json_out_double(o, "lambda", s->lambda);
    json_out_double(o, "sigma", s->sigma);
    json_out_double(o, "kappa", s->kappa);
    json_out_double(o, "peak_concurrency", s->peak_concurrency);
    json_out_bool(o, "extrapolated", s->extrapolated);
    json_out_double(o, "rms", s->rms);
    json_out_open(o, "intervals", '{');
    write_interval(o, "lambda", &s->lambda_interval);
    write_interval(o, "sigma", &s->sigma_interval);
    write_interval(o, "kappa", &s->kappa_interval);
    write_interval(o, "peak_concurrency", &s->peak_interval);
    json_out_close(o, '}');
    json_out_string(o, "note", s->note);
    json_out_close(o, '}');
}

static void write_promise(struct json_out *o, const struct rounds_promise *p)
{
    if (p->clauses == NULL) {
        json_out_null(o, "promise");
        return;
    }
    json_out_open(o, "promise", '{');
    json_out_string(o, "clauses", p->clauses);
    json_out_u64(o, "largest", p->largest);
    json_out_u64(o, "broken", p->broken);
    json_out_double(o, "by_law", p->by_law);
    json_out_bool(o, "by_law_without_end", isinf(p->by_law));
    json_out_bool(o, "extrapolated", p->extrapolated);
    json_out_close(o, '}');
}

static void write_series(struct json_out *o, const struct rounds_result *r)
{
    json_out_open(o, "series", '[');
    for (size_t i = 0; i < r->series_count; i++) {
        json_out_open(o, NULL, '{');
        json_out_string(o, "name", r->series[i].name);
        json_out_string(o, "command", r->series[i].command);
        write_scaling(o, &r->series[i].scaling);
        write_promise(o, &r->series[i].promise);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
}

/* What each phase and group of phases takes of a copy, and what is in none. */
static void write_size_phases(struct json_out *o, const struct rounds_result *r, const struct rounds_size *size)
{
    struct rounds_part groups[GROUPS_MAX];
    const size_t group_count = rounds_groups(r, groups, GROUPS_MAX);

    json_out_open(o, "phases", '{');
    for (size_t i = 0; size->phases != NULL && i < r->phase_count; i++)
        json_out_double(o, r->phases[i].name, size->phases[i]);
    json_out_close(o, '}');
    json_out_open(o, "groups", '{');
    for (size_t i = 0; size->phases != NULL && i < group_count; i++)
        json_out_double(o, groups[i].name, rounds_part_s(r, size, &groups[i]));
    json_out_close(o, '}');
    json_out_double(o, "other_s", size->other_s);
}

/* The rounds of each size taken together, as the report has them. */
static void write_sizes(struct json_out *o, const struct rounds_result *r)
{
    struct rounds_sizes sizes;

    if (rounds_sizes_of(&sizes, r, NULL) != 0)
        (void)buf_reserve(o->buf, SIZE_MAX); /* can not be had: the document fails */
    json_out_open(o, "sizes", '[');
    for (size_t i = 0; i < sizes.count; i++) {
        const struct rounds_size *size = &sizes.items[i];

        json_out_open(o, NULL, '{');
        json_out_u64(o, "series", size->series);
        json_out_u64(o, "concurrency", size->concurrency);
        json_out_u64(o, "rounds", size->rounds);
        json_out_double(o, "duration_s", size->duration_s);
        write_size_phases(o, r, size);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
    rounds_sizes_release(&sizes);
}

void json_write_rounds(struct json_out *o, const struct rounds_result *r)
{
    json_out_open(o, "copy_phases", '[');
    for (size_t i = 0; i < r->phase_count; i++) {
        json_out_open(o, NULL, '{');
        json_out_string(o, "name", r->phases[i].name);
        json_out_string(o, "group", r->phases[i].group);
        json_out_close(o, '}');
    }
    json_out_close(o, ']');
    json_out_open(o, "rounds", '[');
    for (size_t i = 0; i < r->round_count; i++)
        write_round(o, r, &r->rounds[i]);
    json_out_close(o, ']');
    write_series(o, r);
    write_sizes(o, r);
    if (r->series_count > 0)
        write_scaling(o, &r->series[0].scaling);
}
