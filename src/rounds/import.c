/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/import.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/import_parts.h"

int import_no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the rounds");
}

int import_series(struct rounds_import *im, const char *name, uint32_t *index, struct err *err)
{
    for (size_t i = 0; i < im->r->series_count; i++)
        if (strcmp(im->r->series[i].name, name) == 0) {
            *index = (uint32_t)i;
            return 0;
        }
    *index = (uint32_t)im->r->series_count;
    return rounds_result_add_series(im->r, name, NULL) != NULL ? 0 : import_no_memory(err);
}

static bool widen(struct rounds_copy *c, size_t phases)
{
    double *wide;

    if (c->phases == NULL)
        return true;
    wide = reallocarray(c->phases, phases, sizeof(*wide));
    if (wide == NULL)
        return false;
    wide[phases - 1] = NAN;
    c->phases = wide;
    return true;
}

int import_phase(struct rounds_import *im, const char *name, const char *group, size_t *index, struct err *err)
{
    for (*index = 0; *index < im->r->phase_count; ++*index)
        if (strcmp(im->r->phases[*index].name, name) == 0)
            return 0;
    for (size_t i = 0; i < im->r->round_count; i++)
        for (size_t k = 0; k < im->r->rounds[i].copy_count; k++)
            if (!widen(&im->r->rounds[i].copies[k], im->r->phase_count + 1))
                return import_no_memory(err);
    return rounds_result_add_phase(im->r, name, group) ? 0 : import_no_memory(err);
}

char *import_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return slice_dup(slice_from(name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name)));
}

static bool is_log(const struct rounds_input *in)
{
    return import_is_json_lines(in->text) ||
           (!slice_starts(slice_trim(in->text), SLICE("{")) && !import_is_csv(in->text) &&
            !import_is_roundup(in->text) && !import_is_durations(in->text) && import_is_log(in->text));
}

static int import_one(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    const bool is_json = slice_starts(slice_trim(in->text), SLICE("{"));

    if (is_json && slice_find_slice(in->text, SLICE("\"plimsoll-result\"")) >= 0) {
        im->has_documents = true;
        return import_document(im, in, err);
    }
    if (is_json)
        return import_hyperfine(im, in, err);
    if (import_is_csv(in->text))
        return import_csv(im, in, err);
    if (import_is_roundup(in->text))
        return import_roundup(im, in, err);
    if (import_is_durations(in->text))
        return import_durations(im, in, err);
    err_set(err, ERR_CONFIG, 0, "%s: no line begins with a stamp of time, and it is nothing else that can be read",
            in->name);
    return err_hint(err,
                    "COMMAND | ts '[%%Y-%%m-%%d %%H:%%M:%%.S]' stamps lines; see the manual for what else is read");
}

static int import_all(struct rounds_import *im, const struct rounds_input *inputs, size_t count, struct err *err)
{
    const struct rounds_input **logs = calloc(count + 1, sizeof(*logs));
    size_t log_count = 0;
    int failed = logs == NULL ? import_no_memory(err) : 0;

    for (size_t i = 0; i < count && failed == 0; i++) {
        if (is_log(&inputs[i]))
            logs[log_count++] = &inputs[i];
        else
            failed = import_one(im, &inputs[i], err);
    }
    if (failed == 0 && log_count > 0)
        failed = import_logs(im, logs, log_count, err);
    free(logs);
    return failed;
}

/* Nobody knows when copies were started, only when they first said something. Of a part of a round only what each copy
 * says by itself is known. */
static void forget_the_whole(struct rounds_round *round, bool starts_known)
{
    if (!starts_known)
        round->exec_spread_s = NAN;
    if (round->copy_count == 0 || round->copy_count >= round->concurrency)
        return;
    round->makespan_s = round->copies_per_s = round->completion_spread = NAN;
    round->completion = COMPLETION_UNKNOWN;
}

/* Rounds of the same size that were not numbered are samples of it. */
static void number_samples(struct rounds_result *r)
{
    for (size_t i = 0; i < r->round_count; i++)
        for (size_t k = i; k-- > 0;)
            if (r->rounds[k].series == r->rounds[i].series && r->rounds[k].concurrency == r->rounds[i].concurrency) {
                if (r->rounds[i].sample <= r->rounds[k].sample)
                    r->rounds[i].sample = r->rounds[k].sample + 1;
                break;
            }
}

static void count_totals(struct totals *t, const struct rounds_round *round)
{
    t->started += round->ok + round->failed + round->unfinished;
    t->sent += round->ok + round->failed + round->unfinished;
    t->ok += round->ok;
    t->failed += round->failed;
    t->unfinished += round->unfinished;
}

static int finish(struct rounds_import *im, struct err *err)
{
    struct result *result = im->result;

    number_samples(im->r);
    for (size_t i = 0; i < im->r->round_count; i++) {
        if (rounds_round_sum(&im->r->rounds[i], err) != 0)
            return -1;
        forget_the_whole(&im->r->rounds[i], im->has_documents);
        count_totals(&result->totals, &im->r->rounds[i]);
    }
    if (im->r->round_count == 0)
        return err_set(err, ERR_CONFIG, 0, "there are no rounds in it");
    if (result->totals.ok == 0)
        result_add_reason(result, "no copy succeeded");
    result->valid = result->reasons.count == 0;
    return 0;
}

int rounds_import(struct result *result, const struct rounds_input *inputs, size_t count, const struct phases *phases,
                  struct err *err)
{
    struct rounds_import im = { .result = result, .r = result->rounds, .phases = phases };
    int failed = 0;

    if (phases != NULL && !phases_add_to(phases, im.r))
        failed = import_no_memory(err);
    if (failed == 0)
        failed = import_all(&im, inputs, count, err);
    if (failed == 0)
        failed = finish(&im, err);
    phases_free(im.own);
    return failed;
}
