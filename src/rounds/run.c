/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "rounds/open_files.h"
#include "rounds/round.h"

#define FILES_OF_OURS 64u
#define FILES_PER_LOG 2u
#define SLICE_NS (50 * (uint64_t)NS_PER_MS)

struct run {
    const struct rounds_plan *plan;
    struct round_context context;
    struct order_entry *order;
    size_t order_count;
    struct rlimit files, before; /* of open files */
    struct rounds_result *warmups;
};

static uint32_t largest_round(const struct rounds_plan *plan)
{
    uint32_t n = 0;

    for (size_t i = 0; i < plan->size_count; i++)
        n = plan->sizes[i] > n ? plan->sizes[i] : n;
    return n;
}

static int allocate(struct run *run, uint32_t max, struct err *err)
{
    struct round_context *c = &run->context;

    c->processes = calloc(max, sizeof(*c->processes));
    c->places = calloc(max, sizeof(*c->places));
    if (run->plan->log_dir != NULL)
        c->logs = calloc(max, sizeof(*c->logs));
    if (c->processes == NULL || c->places == NULL || (run->plan->log_dir != NULL && c->logs == NULL))
        return err_set(err, ERR_SYSTEM, errno, "cannot make ready for %u copies", (unsigned)max);
    return rounds_result_new(&run->warmups, err);
}

/* A program that is nowhere is told before anything runs; one with a place in its name when its turn comes. */
static int check_program(const struct rounds_plan *plan, const struct rounds_command *command, struct err *err)
{
    const char *name = plan->shell != NULL ? plan->shell : command->count > 0 ? command->words[0] : NULL;
    char *path;

    if (name == NULL || (plan->shell == NULL && places_in(slice_str(name))))
        return 0;
    path = program_find(name);
    if (path == NULL && errno == EACCES) {
        err_set(err, ERR_USAGE, 0, "the program \"%s\" may not be run", name);
        return err_hint(err, "make it executable (chmod +x)");
    }
    if (path == NULL) {
        err_set(err, ERR_USAGE, 0, "there is no program \"%s\"", name);
        return err_hint(err, "write its path; words of a shell (cd, pipes, $VARIABLES) need --shell");
    }
    free(path);
    return 0;
}

static int check_programs(const struct rounds_plan *plan, struct err *err)
{
    for (size_t i = 0; i < plan->command_count; i++)
        if (check_program(plan, &plan->commands[i], err) != 0)
            return -1;
    return check_program(plan, &plan->setup, err) != 0 || check_program(plan, &plan->cleanup, err) != 0 ? -1 : 0;
}

static int prepare(struct run *run, struct err *err)
{
    const uint32_t max = largest_round(run->plan);
    struct round_context *c = &run->context;
    const uint64_t files = batch_files(max) + (run->plan->log_dir != NULL ? FILES_PER_LOG * max : 0) + FILES_OF_OURS;

    if (check_programs(run->plan, err) != 0 || open_files_allow(files, &run->before, err) != 0 ||
        allocate(run, max, err) != 0 || order_make(&run->order, &run->order_count, run->plan, err) != 0 ||
        batch_new(&c->batch, max, &run->before, err) != 0 || orphans_new(&c->orphans, err) != 0)
        return -1;
    c->plan = run->plan;
    c->rules = (struct outcome_rules){ run->plan->expect_exit, run->plan->timeout_ns };
    c->now.rounds = (uint32_t)run->order_count;
    c->begun_ns = clock_now_ns();
    line_stamp_init(&c->stamp);
    return 0;
}

static void release(struct run *run)
{
    struct round_context *c = &run->context;

    batch_free(c->batch);
    orphans_free(c->orphans);
    free(c->processes);
    free(c->places);
    free(c->logs);
    free(run->order);
    rounds_result_free(run->warmups);
}

static bool is_stopped(const struct run *run)
{
    return run->plan->stop != NULL && *run->plan->stop != 0;
}

static void pause_between(struct run *run)
{
    const uint64_t until = clock_now_ns() + run->plan->pause_ns;
    uint64_t now;

    while (!is_stopped(run) && (now = clock_now_ns()) < until) {
        const uint64_t part = until - now < SLICE_NS ? until - now : SLICE_NS;
        const struct timespec slice = { (time_t)(part / NS_PER_S), (long)(part % NS_PER_S) };

        round_tell(&run->context, "pause");
        clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, NULL);
    }
}

static void count_warmup(struct warmup_totals *t, const struct rounds_round *round)
{
    t->started += round->copy_count;
    t->sent += round->copy_count;
    t->ok += round->ok;
    t->failed += round->failed;
    t->unfinished += round->unfinished;
    if (!isnan(round->makespan_s))
        t->duration_s += round->makespan_s;
}

static void count_totals(struct totals *t, const struct rounds_round *round)
{
    t->started += round->copy_count;
    t->sent += round->copy_count;
    t->ok += round->ok;
    t->failed += round->failed;
    t->unfinished += round->unfinished;
}

static void warn_of_left_behind(struct result *r, const struct rounds_round *round)
{
    const size_t count = round->left_behind.count;

    if (count > 0)
        result_add_warning(r, "round %u left %zu %s behind, stopped after it: %s%s", (unsigned)round->number, count,
                           count == 1 ? "process" : "processes", round->left_behind.items[0], count > 1 ? ", ..." : "");
}

static void warn_of_hooks(struct result *r, const struct rounds_round *round, bool fatal)
{
    const struct rounds_hook_failure *first = round->hook_failures;
    const size_t lines = first != NULL ? first->last_lines.count : 0;

    if (round->hook_failure_count == 0)
        return;
    if (fatal)
        result_add_reason(r, "round %u: the %s of copy %u failed: %s%s%s", (unsigned)round->number, first->what,
                          (unsigned)first->index, first->failure, lines > 0 ? ": " : "",
                          lines > 0 ? first->last_lines.items[lines - 1] : "");
    else
        result_add_warning(r, "round %u: %zu of its set-ups and clean-ups failed: the %s of copy %u: %s",
                           (unsigned)round->number, round->hook_failure_count, first->what, (unsigned)first->index,
                           first->failure);
}

/* Whether there is any sense in going on. */
static bool go_on(struct run *run, const struct rounds_round *round, bool setup_failed)
{
    struct result *r = run->plan->result;

    if (setup_failed)
        return run->plan->keep_going;
    if (round->ok > 0 || is_stopped(run) || run->plan->keep_going)
        return true;
    result_add_reason(r, "stopped after round %u, in which no copy succeeded (--keep-going goes on)",
                      (unsigned)round->number);
    return false;
}

static struct rounds_round *add_round(struct run *run, const struct order_entry *e, struct err *err)
{
    struct rounds_result *to = e->warmup ? run->warmups : run->plan->result->rounds;
    struct rounds_round *round = rounds_result_add_round(to);

    if (round == NULL || !rounds_result_set_copies(to, round, e->concurrency)) {
        err_set(err, ERR_SYSTEM, errno, "cannot make a round");
        return NULL;
    }
    round->concurrency = e->concurrency;
    round->series = e->series;
    round->sample = e->sample;
    return round;
}

/* *more: the next one may follow. */
static int run_one(struct run *run, const struct order_entry *e, bool *more, struct err *err)
{
    struct result *r = run->plan->result;
    struct rounds_round *round = add_round(run, e, err);
    bool setup_failed = false;
    int rc;

    *more = false;
    if (round == NULL)
        return -1;
    rc = round_run(&run->context, round, e->warmup, &setup_failed, err);
    warn_of_left_behind(r, round);
    warn_of_hooks(r, round, setup_failed);
    if (e->warmup) {
        count_warmup(&r->warmup, round);
    } else {
        count_totals(&r->totals, round);
        if (run->plan->on_round != NULL)
            run->plan->on_round(run->plan->arg, round);
    }
    *more = rc == 0 && go_on(run, round, setup_failed) && !is_stopped(run);
    return rc;
}

static int run_all(struct run *run, struct err *err)
{
    bool more = true;
    int rc = 0;

    for (size_t i = 0; i < run->order_count && more && rc == 0; i++) {
        if (i > 0)
            pause_between(run);
        if (is_stopped(run))
            break;
        run->context.now.round = (uint32_t)i + 1;
        rc = run_one(run, &run->order[i], &more, err);
    }
    return rc;
}

static void finish(struct run *run)
{
    struct result *r = run->plan->result;
    const struct rounds_result *rounds = r->rounds;
    const struct rounds_round *last = rounds->round_count > 0 ? &rounds->rounds[rounds->round_count - 1] : NULL;

    r->interrupted = is_stopped(run);
    r->duration_s = 0;
    if (last != NULL && !isnan(last->at_s) && !isnan(rounds->rounds[0].at_s))
        r->duration_s = last->at_s - rounds->rounds[0].at_s + (isnan(last->makespan_s) ? 0 : last->makespan_s);
    if (run->context.log_error != 0)
        result_add_warning(r, "the output could not be kept to the end: %s", strerror(run->context.log_error));
}

int rounds_run(const struct rounds_plan *plan, struct err *err)
{
    struct run run = { .plan = plan };
    int rc = prepare(&run, err);

    if (rc == 0) {
        rc = run_all(&run, err);
        finish(&run);
    }
    release(&run);
    return rc;
}
