/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/round.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/units.h"

#define PATH_MAX_BYTES 4096u
#define SENTENCE_MAX_BYTES 4096u

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "cannot run a round");
}

void round_tell(struct round_context *c, const char *stage)
{
    c->now.stage = stage;
    c->now.elapsed_s = (double)(clock_now_ns() - c->begun_ns) / NS_PER_S;
    if (c->plan->on_progress != NULL)
        c->plan->on_progress(c->plan->arg, &c->now);
}

static void on_tick(void *arg)
{
    struct round_context *c = arg;

    round_tell(c, c->now.stage);
}

/* Output that cannot be kept is no reason to lose the measurement: said once, at the end. */
static void note_log_error(struct round_context *c, int error)
{
    if (error != 0 && c->log_error == 0)
        c->log_error = error;
}

static void open_logs(struct round_context *c, uint32_t count, struct err *err)
{
    struct buf directory;
    char name[64];

    if (c->logs == NULL || c->log_error != 0)
        return;
    buf_init(&directory, PATH_MAX_BYTES);
    buf_printf(&directory, "%s/round-%03u", c->plan->log_dir, (unsigned)c->round->number);
    if (!buf_ok(&directory) || (mkdir(directory.data, 0777) != 0 && errno != EEXIST))
        note_log_error(c, errno != 0 ? errno : ENAMETOOLONG);
    for (uint32_t i = 0; i < count && c->log_error == 0; i++) {
        snprintf(name, sizeof(name), "%s-%03u", c->hook != NULL ? c->hook : "copy", (unsigned)c->processes[i].index);
        if (line_log_open(&c->logs[i], &c->stamp, directory.data, name, err) == 0)
            c->processes[i].arg = &c->logs[i];
        else
            note_log_error(c, err->sys);
    }
    buf_release(&directory);
}

static struct outcome_rules hook_rules(const struct round_context *c)
{
    return (struct outcome_rules){ .timeout_ns = c->plan->hook_timeout_ns };
}

static void end_log(struct line_log *log, const struct batch_process *p, const struct outcome_rules *rules)
{
    struct end_record end;
    char *words;

    outcome_end(&end, &words, p, rules);
    if (p->ended)
        line_log_end(log, &end);
    free(words);
}

/* Those that were not to run any more have no end. */
static void close_logs(struct round_context *c, uint32_t count)
{
    const struct outcome_rules rules = c->hook != NULL ? hook_rules(c) : c->rules;

    for (uint32_t i = 0; i < count; i++) {
        struct batch_process *p = &c->processes[i];

        if (p->arg == NULL)
            continue;
        end_log(p->arg, p, &rules);
        note_log_error(c, line_log_close(p->arg));
        p->arg = NULL;
    }
}

static void on_line(void *arg, const struct batch_process *p, const struct line *line)
{
    const struct round_context *c = arg;
    struct line_log *log = p->arg;

    if (log != NULL && log->start_ns == 0)
        log->start_ns = p->exec_ns;
    if (log != NULL)
        line_log_add(log, line);
    if (c->hook == NULL && !c->now.warmup && !p->ended && c->plan->on_line != NULL)
        c->plan->on_line(c->plan->arg, line);
}

static void on_copy_end(void *arg, struct batch_process *p, uint64_t release_ns)
{
    struct round_context *c = arg;
    struct rounds_copy *copy = &c->round->copies[p->index - 1];

    if (!outcome_fill(copy, p, &c->rules, release_ns))
        c->no_memory = true;
    c->now.ended++;
    c->now.failed += !copy->ok;
    if (!c->now.warmup && c->plan->on_copy != NULL)
        c->plan->on_copy(c->plan->arg, c->round, copy, p->exec_ns);
}

/* The first count processes, each for its copy. */
static int make_processes(struct round_context *c, const struct rounds_command *command, uint32_t count,
                          struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        c->processes[i].index = i + 1;
        c->processes[i].arg = NULL;
        if (program_make(&c->processes[i].program, c->plan, command, &c->places[i]))
            continue;
        while (i-- > 0)
            program_release(&c->processes[i].program);
        return no_memory(err);
    }
    return 0;
}

static void release_processes(struct round_context *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        batch_process_release(&c->processes[i]);
}

static bool lines_are_wanted(const struct round_context *c)
{
    return !c->now.warmup && (c->logs != NULL || (c->plan->on_line != NULL && c->hook == NULL));
}

static int run_processes(struct round_context *c, struct batch_config *config, uint32_t count, struct err *err)
{
    int rc;

    config->kill_after_ns = c->plan->kill_after_ns;
    config->arg = c;
    config->on_tick = on_tick;
    config->on_line = lines_are_wanted(c) ? on_line : NULL;
    if (!c->now.warmup)
        open_logs(c, count, err);
    rc = batch_run(c->batch, c->processes, count, config, &c->release_ns, err);
    close_logs(c, count);
    return rc;
}

static void note_hook(struct round_context *c, const struct batch_process *p)
{
    const struct outcome_rules rules = hook_rules(c);
    struct strlist lines = STRLIST_INIT;
    char *failure = NULL;

    if (outcome_judge(p, &rules, &failure) || p->stopped)
        free(failure);
    else if (failure == NULL || !outcome_last_lines(p, &lines) ||
             !rounds_round_add_hook_failure(c->round, c->hook, p->index, failure, &lines))
        c->no_memory = true;
    if (failure != NULL && !p->stopped)
        free(failure);
    strlist_release(&lines);
}

/* A set-up can be stopped; a clean-up is what stopping is for. */
static int run_hook(struct round_context *c, const char *hook, uint32_t count, struct err *err)
{
    const bool cleanup = hook[0] == 'c';
    struct batch_config config = {
        .timeout_ns = c->plan->hook_timeout_ns,
        .stop = cleanup ? NULL : c->plan->stop,
    };
    int rc;

    c->hook = hook;
    round_tell(c, cleanup ? "clean-up" : "set-up");
    if (make_processes(c, cleanup ? &c->plan->cleanup : &c->plan->setup, count, err) != 0)
        return -1;
    rc = run_processes(c, &config, count, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        note_hook(c, &c->processes[i]);
    release_processes(c, count);
    c->hook = NULL;
    return rc;
}

static uint32_t count_started(const struct round_context *c, uint32_t count)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++)
        if (c->processes[i].ended)
            n = i + 1;
    return n;
}

/* *started: how many of them, from the first, had their turn. The pids stay in processes. */
static int run_copies(struct round_context *c, uint32_t count, uint32_t *started, struct err *err)
{
    struct batch_config config = {
        .rate_per_s = c->plan->rate_per_s,
        .timeout_ns = c->plan->timeout_ns,
        .stop = c->plan->stop,
        .on_end = on_copy_end,
    };
    int rc;

    round_tell(c, c->plan->rate_per_s > 0 ? "running" : "starting");
    if (make_processes(c, &c->plan->commands[c->round->series], count, err) != 0)
        return -1;
    c->now.stage = "running";
    rc = run_processes(c, &config, count, err);
    *started = count_started(c, count);
    rounds_round_cut(c->round, rc == 0 ? *started : 0);
    c->round->at_s = (double)(c->release_ns - c->begun_ns) / NS_PER_S;
    release_processes(c, count);
    return rc;
}

/* Which of the copies made it; 0: none that can be told. */
static uint32_t copy_of(const struct round_context *c, const struct orphan *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (c->processes[i].pid == o->group || c->processes[i].pid == o->session)
            return c->processes[i].index;
    return 0;
}

static void name_one(struct round_context *c, const struct orphan *o, uint32_t count)
{
    const uint32_t copy = copy_of(c, o, count);
    struct buf text;

    buf_init(&text, SENTENCE_MAX_BYTES);
    if (copy > 0)
        buf_printf(&text, "copy %u: ", (unsigned)copy);
    buf_printf(&text, "%s (pid %d)", o->name != NULL ? o->name : "a process", (int)o->pid);
    if (!buf_ok(&text) || !strlist_add(&c->round->left_behind, buf_slice(&text)))
        c->no_memory = true;
    buf_release(&text);
}

/* What a set-up has started on purpose and the clean-up will end is not left behind by a copy. */
struct known {
    struct orphan *list;
    size_t count;
};

static bool is_known(const struct known *k, pid_t pid)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].pid == pid)
            return true;
    return false;
}

static void know(const struct round_context *c, struct known *k)
{
    orphans_list_free(k->list, k->count);
    k->list = orphans_any(c->orphans) ? orphans_list(c->orphans, &k->count) : NULL;
    if (k->list == NULL)
        k->count = 0;
}

/* Those that are there and not known; one that is about to end gets a moment to do so. */
static void name_left_behind(struct round_context *c, const struct known *k, uint32_t count)
{
    struct orphan *list;
    size_t found;

    if (!orphans_settle(c->orphans, k->count))
        return;
    list = orphans_list(c->orphans, &found);
    for (size_t i = 0; i < found; i++)
        if (!is_known(k, list[i].pid))
            name_one(c, &list[i], count);
    orphans_list_free(list, found);
}

static bool is_stopped(const struct round_context *c)
{
    return c->plan->stop != NULL && *c->plan->stop != 0;
}

static void begin(struct round_context *c, struct rounds_round *round, bool warmup)
{
    c->round = round;
    c->no_memory = false;
    c->now.warmup = warmup;
    c->now.series = round->series;
    c->now.concurrency = round->concurrency;
    c->now.sample = round->sample;
    c->now.ended = c->now.failed = 0;
    for (uint32_t i = 0; i < round->concurrency; i++) {
        c->places[i] = (struct places){ i + 1, round->number, round->concurrency, "" };
        uuid_make(c->places[i].uuid);
    }
}

/* The clean-up of the first `started` copies, whatever happened to them, and then of whatever is left. */
static int end_round(struct round_context *c, uint32_t started, struct err *err)
{
    struct known known = { 0 };
    int rc = 0;

    know(c, &known); /* named already, or known for what they are */
    if (c->plan->cleanup.count > 0 && started > 0)
        rc = run_hook(c, "cleanup", started, err);
    if (orphans_any(c->orphans)) {
        name_left_behind(c, &known, 0);
        orphans_stop(c->orphans, c->plan->kill_after_ns);
    }
    orphans_list_free(known.list, known.count);
    return rc;
}

static int measure(struct round_context *c, uint32_t *started, bool *setup_failed, struct err *err)
{
    const uint32_t n = c->round->concurrency;
    struct known of_setup = { 0 };
    int rc = 0;

    if (c->plan->setup.count > 0) {
        rc = run_hook(c, "setup", n, err);
        *started = rc == 0 ? n : 0;
        know(c, &of_setup);
    }
    *setup_failed = rc == 0 && c->round->hook_failure_count > 0 && !c->plan->ignore_setup;
    if (rc == 0 && !*setup_failed && !is_stopped(c)) {
        uint32_t copies = 0;

        rc = run_copies(c, n, &copies, err);
        *started = copies > *started ? copies : *started;
        name_left_behind(c, &of_setup, n);
    } else {
        rounds_round_cut(c->round, 0);
    }
    orphans_list_free(of_setup.list, of_setup.count);
    return rc;
}

int round_run(struct round_context *c, struct rounds_round *round, bool warmup, bool *setup_failed, struct err *err)
{
    struct err second = { 0 };
    uint32_t started = 0;
    int rc;

    begin(c, round, warmup);
    rc = measure(c, &started, setup_failed, err);
    if (end_round(c, started, rc == 0 ? err : &second) != 0)
        rc = -1;
    if (rounds_round_sum(round, rc == 0 ? err : &second) != 0)
        rc = -1;
    if (c->plan->rate_per_s > 0)
        round->exec_spread_s = NAN; /* they were not meant to start together */
    return rc == 0 && c->no_memory ? no_memory(err) : rc;
}
