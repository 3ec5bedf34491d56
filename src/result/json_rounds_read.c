/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above any real run; all copies of a document together are bounded by its size. */
#define ROUNDS_MAX 65536u
#define COPIES_MAX 1000000u
#define SERIES_MAX 1024u
#define PHASES_MAX 128u
#define LINES_MAX 1024u

/* NAN for null and for what is absent. */
static double read_known(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value == NULL || json_is_null(value) ? NAN : json_in_double(in, object, key);
}

static uint32_t read_u32(struct json_in *in, const json_t *object, const char *key)
{
    const uint64_t value = json_in_u64(in, object, key);

    if (value > UINT32_MAX)
        json_in_fail(in, "\"%s\" is too large", key);
    return (uint32_t)value;
}

/* absent when null. */
static int read_int(struct json_in *in, const json_t *object, const char *key, int absent)
{
    const json_t *value = json_object_get(object, key);

    return value == NULL || json_is_null(value) ? absent : (int)(read_u32(in, object, key) & INT32_MAX);
}

static void read_copy_phases(struct json_in *in, const json_t *object, const struct rounds_result *r,
                             struct rounds_copy *c)
{
    const json_t *phases = json_in_object(in, object, "phases");

    for (size_t i = 0; c->phases != NULL && i < r->phase_count; i++)
        c->phases[i] = read_known(in, phases, r->phases[i].name);
}

static void read_copy(struct json_in *in, const json_t *object, const struct rounds_result *r, struct rounds_copy *c)
{
    c->index = read_u32(in, object, "index");
    c->ok = json_in_bool(in, object, "ok");
    c->unfinished = json_in_bool(in, object, "unfinished");
    c->timed_out = json_in_bool(in, object, "timed_out");
    c->exec_failed = json_in_bool(in, object, "exec_failed");
    c->start_s = read_known(in, object, "start_s");
    c->duration_s = read_known(in, object, "duration_s");
    c->exit = read_int(in, object, "exit", -1);
    c->signal = read_int(in, object, "signal", 0);
    c->user_s = read_known(in, object, "user_s");
    c->sys_s = read_known(in, object, "sys_s");
    c->max_rss_bytes = read_known(in, object, "max_rss_bytes");
    c->output_bytes = json_in_u64(in, object, "output_bytes");
    c->failure = json_in_dup(in, object, "failure");
    json_in_strings(in, object, "last_lines", &c->last_lines, LINES_MAX);
    read_copy_phases(in, object, r, c);
}

static void read_copies(struct json_in *in, const json_t *object, const struct rounds_result *r,
                        struct rounds_round *round)
{
    const json_t *array = json_in_array(in, object, "copies", COPIES_MAX);

    if (in->failed || json_array_size(array) == 0)
        return;
    if (!rounds_result_set_copies(r, round, (uint32_t)json_array_size(array))) {
        json_in_no_memory(in);
        return;
    }
    for (size_t i = 0; i < round->copy_count && !in->failed; i++)
        read_copy(in, json_in_element(in, array, i), r, &round->copies[i]);
}

static enum completion read_completion(struct json_in *in, const json_t *object)
{
    const char *text = json_in_text(in, object, "completion_pattern");

    for (unsigned i = 0; text != NULL && i < COMPLETIONS; i++)
        if (strcmp(text, completion_text((enum completion)i)) == 0)
            return (enum completion)i;
    if (text != NULL)
        json_in_fail(in, "\"%s\" is not a pattern of completion", text);
    return COMPLETION_UNKNOWN;
}

static void read_figures(struct json_in *in, const json_t *object, struct rounds_round *round)
{
    round->ok = read_u32(in, object, "ok");
    round->failed = read_u32(in, object, "failed");
    round->unfinished = read_u32(in, object, "unfinished");
    round->at_s = read_known(in, object, "at_s");
    round->mean_s = read_known(in, object, "mean_s");
    round->mean_ok_s = read_known(in, object, "mean_ok_s");
    round->median_s = read_known(in, object, "median_s");
    round->min_s = read_known(in, object, "min_s");
    round->max_s = read_known(in, object, "max_s");
    round->stddev_s = read_known(in, object, "stddev_s");
    round->mean_discounted_s = read_known(in, object, "mean_discounted_s");
    round->makespan_s = read_known(in, object, "makespan_s");
    round->copies_per_s = read_known(in, object, "copies_per_s");
    round->exec_spread_s = read_known(in, object, "exec_spread_s");
    round->user_s = read_known(in, object, "user_s");
    round->sys_s = read_known(in, object, "sys_s");
    round->max_rss_bytes = read_known(in, object, "max_rss_bytes");
    round->completion_spread = read_known(in, object, "completion_spread");
    round->completion = read_completion(in, object);
}

static void read_hooks(struct json_in *in, const json_t *object, struct rounds_round *round)
{
    const json_t *array = json_in_array(in, object, "hook_failures", COPIES_MAX);

    round->hook_failures = json_in_alloc(in, array, sizeof(*round->hook_failures));
    for (size_t i = 0; round->hook_failures != NULL && i < json_array_size(array) && !in->failed; i++) {
        struct rounds_hook_failure *f = &round->hook_failures[round->hook_failure_count++];
        const json_t *element = json_in_element(in, array, i);

        f->what = json_in_dup(in, element, "what");
        f->index = read_u32(in, element, "index");
        f->failure = json_in_dup(in, element, "failure");
        json_in_strings(in, element, "last_lines", &f->last_lines, LINES_MAX);
    }
}

static void read_round(struct json_in *in, const json_t *object, struct rounds_result *r)
{
    struct rounds_round *round = rounds_result_add_round(r);

    if (round == NULL) {
        json_in_no_memory(in);
        return;
    }
    round->number = read_u32(in, object, "number");
    round->series = read_u32(in, object, "series");
    round->concurrency = read_u32(in, object, "concurrency");
    round->sample = read_u32(in, object, "sample");
    if (!in->failed && round->series >= r->series_count)
        json_in_fail(in, "there is no series %u", (unsigned)round->series);
    read_figures(in, object, round);
    read_hooks(in, object, round);
    json_in_strings(in, object, "left_behind", &round->left_behind, COPIES_MAX);
    read_copies(in, object, r, round);
}

static struct rounds_interval read_interval(struct json_in *in, const json_t *intervals, const char *key)
{
    struct rounds_interval v = { NAN, NAN };
    double *both = NULL;

    if (json_in_doubles(in, intervals, key, &both, 2) == 2)
        v = (struct rounds_interval){ both[0], both[1] };
    free(both);
    return v;
}

static enum scaling_verdict read_verdict(struct json_in *in, const json_t *object)
{
    const char *text = json_in_text(in, object, "verdict");

    for (unsigned i = 0; text != NULL && i < SCALING_VERDICTS; i++)
        if (strcmp(text, scaling_verdict_text((enum scaling_verdict)i)) == 0)
            return (enum scaling_verdict)i;
    if (text != NULL)
        json_in_fail(in, "\"%s\" is not a verdict of scaling", text);
    return SCALING_NONE;
}

static void read_scaling(struct json_in *in, const json_t *element, struct rounds_scaling *s)
{
    const json_t *object = json_in_object(in, element, "scaling");
    const json_t *intervals = json_in_object(in, object, "intervals");

    s->verdict = read_verdict(in, object);
    s->lambda = read_known(in, object, "lambda");
    s->sigma = read_known(in, object, "sigma");
    s->kappa = read_known(in, object, "kappa");
    s->peak_concurrency = read_known(in, object, "peak_concurrency");
    s->extrapolated = json_in_bool(in, object, "extrapolated");
    s->rms = read_known(in, object, "rms");
    s->lambda_interval = read_interval(in, intervals, "lambda");
    s->sigma_interval = read_interval(in, intervals, "sigma");
    s->kappa_interval = read_interval(in, intervals, "kappa");
    s->peak_interval = read_interval(in, intervals, "peak_concurrency");
    s->note = json_in_dup(in, object, "note");
}

static void read_promise(struct json_in *in, const json_t *element, struct rounds_promise *p)
{
    const json_t *object = json_in_object(in, element, "promise");

    if (object == NULL)
        return;
    p->clauses = json_in_dup(in, object, "clauses");
    p->largest = read_u32(in, object, "largest");
    p->broken = read_u32(in, object, "broken");
    p->by_law = json_in_bool(in, object, "by_law_without_end") ? INFINITY : read_known(in, object, "by_law");
    p->extrapolated = json_in_bool(in, object, "extrapolated");
}

static void read_series(struct json_in *in, const json_t *document, struct rounds_result *r)
{
    const json_t *array = json_in_array(in, document, "series", SERIES_MAX);

    in->where = "series";
    for (size_t i = 0; i < json_array_size(array) && !in->failed; i++) {
        const json_t *element = json_in_element(in, array, i);
        struct rounds_series *s = rounds_result_add_series(r, json_in_text(in, element, "name"),
                                                           json_in_text(in, element, "command"));

        if (s == NULL)
            json_in_no_memory(in);
        else {
            read_scaling(in, element, &s->scaling);
            read_promise(in, element, &s->promise);
        }
    }
}

static void read_phases(struct json_in *in, const json_t *document, struct rounds_result *r)
{
    const json_t *array = json_in_array(in, document, "copy_phases", PHASES_MAX);

    in->where = "copy_phases";
    for (size_t i = 0; i < json_array_size(array) && !in->failed; i++) {
        const json_t *element = json_in_element(in, array, i);
        const char *name = json_in_text(in, element, "name");

        if (name == NULL)
            json_in_fail(in, "\"name\" is missing");
        else if (!rounds_result_add_phase(r, name, json_in_text(in, element, "group")))
            json_in_no_memory(in);
    }
}

struct rounds_result *json_read_rounds(struct json_in *in, const json_t *document)
{
    const json_t *array = json_in_array(in, document, "rounds", ROUNDS_MAX);
    struct rounds_result *r = NULL;

    if (in->failed)
        return NULL;
    if (rounds_result_new(&r, in->err) != 0) {
        in->failed = true;
        return NULL;
    }
    read_phases(in, document, r);
    read_series(in, document, r);
    in->where = "rounds";
    for (size_t i = 0; i < json_array_size(array) && !in->failed; i++)
        read_round(in, json_in_element(in, array, i), r);
    if (!in->failed)
        return r;
    rounds_result_free(r);
    return NULL;
}
