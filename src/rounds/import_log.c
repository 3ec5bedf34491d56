/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs: lines with stamps of time, and our own JSON lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "rounds/import_follow.h"
#include "rounds/import_parts.h"
#include "rounds/outcome.h"
#include "rounds/stamp.h"

#define LOOKED_AT 1000u /* lines in which a stamp is looked for */

bool import_is_json_lines(struct slice text)
{
    return slice_starts(text, SLICE("{\"t\":"));
}

bool import_is_log(struct slice text)
{
    struct slice rest = text;
    struct end_record end;
    struct stamp s;

    if (end_record_take_last(&end, &rest))
        return true;
    for (unsigned i = 0; i < LOOKED_AT && rest.len > 0; i++) {
        const struct slice line = import_line(&rest);

        /* A number alone is a duration, however large it is. */
        if (stamp_read(&s, line) && s.bytes < line.len)
            return true;
    }
    return false;
}

/* The list that comes with the program, if it says anything of a log. */
static int find_phases(struct rounds_import *im, const struct rounds_input *const *logs, size_t count, struct err *err)
{
    struct phases *list = NULL;
    struct phase_reader *reader = NULL;
    bool any = false;
    int failed = phases_load(&list, "cf-push", err) != 0 || phase_reader_new(&reader, list, err) != 0 ? -1 : 0;

    for (size_t i = 0; i < count && failed == 0 && !any; i++) {
        struct followed f;

        failed = follow_log(&f, logs[i], reader, err);
        followed_release(&f);
        any = phase_reader_saw_any(reader);
    }
    phase_reader_free(reader);
    if (failed != 0 || !any) {
        phases_free(list);
        return failed;
    }
    im->phases = im->own = list;
    return phases_add_to(list, im->r) ? 0 : import_no_memory(err);
}

/* Its log says how it ended; what it printed has no say in that. */
static void fill_end(struct rounds_copy *c, struct followed *f)
{
    const struct end_record *end = &f->end;

    c->duration_s = (double)end->duration_ns / NS_PER_S;
    c->ok = end->ok;
    c->unfinished = end->stopped;
    c->timed_out = end->timed_out;
    c->exec_failed = end->exec_failed;
    c->exit = end->exit;
    c->signal = end->signal;
    if (end->ok)
        return;
    c->failure = f->words;
    f->words = NULL;
}

/* GNU time says it in a line of its own, a list of phases may know another. */
static int set_failure(struct rounds_copy *c, const struct followed *f, struct err *err)
{
    char text[32];

    c->exit = f->time_failed ? f->exit : -1;
    c->signal = f->signal;
    snprintf(text, sizeof(text), f->signal > 0 ? "signal %d" : "exit %d", f->signal > 0 ? f->signal : f->exit);
    c->failure = slice_dup(f->time_failed ? slice_str(text) : SLICE("its output says so"));
    return c->failure != NULL ? 0 : import_no_memory(err);
}

static int fill_from_output(struct rounds_copy *c, const struct followed *f, const struct phase_reader *reader,
                            struct err *err)
{
    c->duration_s = (double)f->end_ns / NS_PER_S;
    c->ok = !f->time_failed && (reader == NULL || !phase_reader_saw_failed(reader));
    return c->ok ? 0 : set_failure(c, f, err);
}

static int fill_copy(struct rounds_import *im, struct rounds_copy *c, const struct rounds_input *log,
                     struct phase_reader *reader, struct followed *f, struct err *err)
{
    const bool exact = import_is_json_lines(log->text);

    if (follow_log(f, log, reader, err) != 0)
        return -1;
    c->start_s = 0;
    if (f->steps_back > 0)
        result_add_warning(im->result, "%s: the clock went back %u time%s; what passed then is not known", log->name,
                           f->steps_back, f->steps_back == 1 ? "" : "s");
    if (c->phases != NULL)
        phase_reader_end(reader, 0, f->has_end && exact ? f->end.duration_ns : f->end_ns, c->phases);
    if (f->has_end)
        fill_end(c, f);
    else if (fill_from_output(c, f, reader, err) != 0)
        return -1;
    for (size_t i = 0; i < 2 && !c->ok; i++)
        if (!output_last_lines(&f->streams[i], &c->last_lines, OUTCOME_LAST_LINES))
            return import_no_memory(err);
    return 0;
}

/* Where all logs of a round tell the moment they began, so is when each of them did. */
static void place_starts(struct rounds_round *round, const struct followed *list)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < round->copy_count; i++) {
        if (!list[i].has_first || list[i].first.kind == STAMP_TIME_OF_DAY)
            return;
        first = list[i].first.ns < first ? list[i].first.ns : first;
    }
    for (size_t i = 0; i < round->copy_count; i++)
        round->copies[i].start_s = (double)(list[i].first.ns - first) / NS_PER_S;
}

static bool in_one_round(const struct rounds_input *a, const struct rounds_input *b)
{
    return a->group == b->group && a->concurrency == b->concurrency;
}

/* The round of all logs that are of one with logs[at]. */
static int add_round(struct rounds_import *im, uint32_t series, const struct rounds_input *const *logs, size_t count,
                     size_t at, struct phase_reader *reader, struct err *err)
{
    struct followed *list = calloc(count, sizeof(*list));
    struct rounds_round *round = rounds_result_add_round(im->r);
    uint32_t members = 0;
    int failed = 0;

    for (size_t i = 0; i < count; i++)
        members += in_one_round(logs[i], logs[at]) ? 1u : 0u;
    if (list == NULL || round == NULL || !rounds_result_set_copies(im->r, round, members)) {
        free(list);
        return import_no_memory(err);
    }
    round->series = series;
    round->concurrency = logs[at]->concurrency > members ? logs[at]->concurrency : members;
    for (size_t i = 0, k = 0; i < count && failed == 0; i++)
        if (in_one_round(logs[i], logs[at])) {
            failed = fill_copy(im, &round->copies[k], logs[i], reader, &list[k], err);
            im->open_ends += list[k].has_end || list[k].time_failed ? 0u : 1u;
            im->coarse += list[k].whole_seconds ? 1u : 0u;
            k++;
        }
    if (failed == 0)
        place_starts(round, list);
    for (size_t i = 0; i < count; i++)
        followed_release(&list[i]);
    free(list);
    return failed;
}

static bool is_first_of_round(const struct rounds_input *const *logs, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (in_one_round(logs[i], logs[at]))
            return false;
    return true;
}

/* Once for all: what seconds do not tell. */
static void say_how_exact(struct rounds_import *im)
{
    if (im->coarse > 0)
        result_add_warning(im->result, "stamps of whole seconds in %zu log%s: each of their times is right to 1 s",
                           im->coarse, im->coarse == 1 ? "" : "s");
}

/* Logs that others made have no exit code, nor has one whose run did not live to write it. */
static void say_what_counts_as_ok(struct rounds_import *im, size_t count)
{
    if (im->open_ends == 0 || (im->phases != NULL && phases_know_failures(im->phases)))
        return;
    result_add_warning(im->result,
                       "%zu of %zu logs do not tell how their copy ended: %s as ok; `failed` in a list of --phases "
                       "says by which line a failure is known",
                       im->open_ends, count, im->open_ends == 1 ? "it counts" : "they count");
}

static int add_rounds(struct rounds_import *im, const struct rounds_input *const *logs, size_t count,
                      struct phase_reader *reader, struct err *err)
{
    uint32_t series;

    if (import_series(im, "logs", &series, err) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (is_first_of_round(logs, i) && add_round(im, series, logs, count, i, reader, err) != 0)
            return -1;
    return 0;
}

int import_logs(struct rounds_import *im, const struct rounds_input *const *logs, size_t count, struct err *err)
{
    struct phase_reader *reader = NULL;
    int failed = 0;

    if (im->phases == NULL && im->r->phase_count == 0)
        failed = find_phases(im, logs, count, err);
    if (failed == 0 && im->phases != NULL)
        failed = phase_reader_new(&reader, im->phases, err);
    if (failed == 0)
        failed = add_rounds(im, logs, count, reader, err);
    if (failed == 0) {
        say_how_exact(im);
        say_what_counts_as_ok(im, count);
    }
    phase_reader_free(reader);
    return failed;
}
