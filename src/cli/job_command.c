/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/installed.h"
#include "cli/limit_share.h"
#include "cli/run_options_check.h"
#include "suite/runner.h"

#define SUITE_MAX_BYTES ((size_t)1 << 20)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "cannot plan the job");
}

struct word {
    const char *option;
    bool given;
};

/* What the job says itself. */
static int refuse(const struct word *words, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].given) {
            err_set(err, ERR_USAGE, 0, "%s stands in the command", words[i].option);
            return err_hint(
                err,
                "leave it out: the job gives each share its own, shows what they do, and runs nothing without --apply");
        }
    return 0;
}

static int refuse_of_all(const struct share_options *share, const struct live_options *live, const char *json,
                         bool dry_run, struct err *err)
{
    const struct word words[] = {
        { "--share", share->given },
        { "--of", share->of > 0 },
        { "--start-at", share->start != SHARE_START_NONE },
        { "--json", json != NULL },
        { "--dry-run", dry_run },
        { "--live", live->screen },
        { "--live-http", live->http != NULL },
    };

    return refuse(words, sizeof(words) / sizeof(words[0]), err);
}

static int help_stands_there(const char *command, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "--help stands in the command");
    return err_hint(err, "plimsoll %s --help, or plimsoll job --help", command);
}

/* ---- load ---- */

static int read_load(struct job_command *c, int count, char **words, struct err *err)
{
    struct load_options *l = &c->_load;
    bool help = false;

    load_options_init(l);
    l->share.is_started = true;
    if (load_options_parse(l, count, words, &help, err) != 0)
        return err_prefix(err, "load");
    if (help)
        return help_stands_there("load", err);
    c->load = l;
    c->share = &l->share;
    c->words = &l->command;
    if (l->duration_ns > 0) {
        c->needed_ns = l->warmup_ns + l->duration_ns + l->drain_ns;
        c->spare_ns = l->timeout_ns;
    }
    return refuse_of_all(&l->share, &l->live, l->outputs.json, l->dry_run, err);
}

/* ---- limit ---- */

static int read_limit(struct job_command *c, int count, char **words, struct err *err)
{
    struct limit_options *l = &c->_limit;
    const struct word own[] = { { "--html", true } };
    bool help = false;

    limit_options_init(l);
    l->load.share.is_started = true;
    if (limit_options_parse(l, count, words, &help, err) != 0)
        return err_prefix(err, "limit");
    if (help)
        return help_stands_there("limit", err);
    c->load = &l->load;
    c->share = &l->load.share;
    c->words = &l->load.command;
    c->needed_ns = limit_share_length_ns(l);
    c->spare_ns = l->load.timeout_ns;
    for (uint64_t k = 1; k <= l->confirm_rounds + 1; k++) {
        char name[32];

        snprintf(name, sizeof(name), "round-%u", (unsigned)k);
        if (!strlist_add(&c->pieces, slice_str(name)))
            return no_memory(err);
    }
    if (l->html != NULL)
        return refuse(own, 1, err);
    return refuse_of_all(c->share, &l->load.live, l->json, false, err);
}

/* ---- run ---- */

/* Samples that will be made; those over the budget are not. */
static int add_samples(struct job_command *c, const struct plan *p, struct err *err)
{
    for (size_t k = 0; k < p->step_count; k++) {
        const struct cell_need *need = &p->cells[p->steps[k].cell].need;
        char name[32];

        if (need->has_no_routes || (need->is_over && !c->_run.over_budget))
            continue;
        snprintf(name, sizeof(name), "sample-%05zu", k + 1);
        if (!strlist_add(&c->pieces, slice_str(name)))
            return no_memory(err);
    }
    if (c->pieces.count > 0)
        return 0;
    return err_set(err, ERR_CONFIG, 0, "%s: no sample would be made", p->suite->file);
}

static int check_plan(struct job_command *c, const struct plan *p, struct err *err)
{
    const struct runner runner = { .plan = p, .share = { .share = "1/1", .gap_ns = c->_run.gap_ns } };

    if (p->suite->order == ORDER_SHUFFLED && !c->_run.has_seed) {
        err_set(err, ERR_USAGE, 0, "%s is shuffled: its shares need the same --seed", p->suite->file);
        return err_hint(err, "-- run --seed 1 ...");
    }
    if (run_options_check(p, err) != 0 || runner_check_shared(p, err) != 0 ||
        runner_check_budget(p, c->_run.over_budget, err) != 0)
        return -1;
    c->needed_ns = runner_moment_ns(&runner, p->step_count) - c->_run.gap_ns;
    return add_samples(c, p, err);
}

static int read_suite(struct job_command *c, struct err *err)
{
    const struct run_options *o = &c->_run;
    char path[PATH_MAX];
    struct suite *s;
    struct plan *p;
    int rc;

    buf_init(&c->suite, SUITE_MAX_BYTES);
    if (installed_suite(path, o->files.items[0], err) != 0 || file_read(path, &c->suite, err) != 0 ||
        suite_read(&s, path, &o->sets, err) != 0)
        return -1;
    if (o->samples > 0) {
        char number[24];

        snprintf(number, sizeof(number), "%llu", (unsigned long long)o->samples);
        free(s->samples);
        s->samples = strdup(number);
    }
    rc = plan_make(&p, s, &o->only, o->seed, err);
    if (rc == 0) {
        rc = check_plan(c, p, err);
        plan_free(p);
    }
    suite_free(s);
    return rc;
}

/* The word that is the suite's, and not an option's value of the same text. */
static size_t find_suite(const struct run_options *o, int count, char **words)
{
    size_t found = 0;

    for (int i = count - 1; i > 0; i--)
        if (strcmp(words[i], o->files.items[0]) == 0) {
            found = found == 0 ? (size_t)i : found;
            if (words[i - 1][0] != '-')
                return (size_t)i;
        }
    return found;
}

static int read_run(struct job_command *c, int count, char **words, struct err *err)
{
    struct run_options *o = &c->_run;
    bool help = false;

    run_options_init(o);
    o->share.is_started = true;
    if (run_options_parse(o, count, words, &help, err) != 0)
        return err_prefix(err, "run");
    if (help || o->schema)
        return help_stands_there("run", err);
    const struct word own[] = {
        { "--work-dir", o->work_dir != NULL },
        { "--resume", o->resume != NULL },
        { "--markdown", o->markdown != NULL },
        { "--html", o->html != NULL },
    };

    c->share = &o->share;
    c->words = &o->command;
    if (refuse(own, sizeof(own) / sizeof(own[0]), err) != 0 ||
        refuse_of_all(&o->share, &o->live, o->json, o->dry_run, err) != 0 || read_suite(c, err) != 0)
        return -1;
    c->suite_word = find_suite(o, count, words);
    return 0;
}

/* ---- all ---- */

static const struct reader {
    const char *name;
    int (*read)(struct job_command *c, int count, char **words, struct err *err);
} READERS[] = {
    [JOB_LOAD] = { "load", read_load },
    [JOB_LIMIT] = { "limit", read_limit },
    [JOB_RUN] = { "run", read_run },
};
enum { READERS_COUNT = sizeof(READERS) / sizeof(READERS[0]) };

int job_command_init(struct job_command *c, int count, char **words, struct err *err)
{
    struct suggestion s;

    *c = (struct job_command){ 0 };
    suggest_init(&s, slice_str(words[0]));
    for (int i = 0; i < READERS_COUNT; i++) {
        if (strcmp(words[0], READERS[i].name) == 0) {
            c->kind = (enum job_kind)i;
            return READERS[i].read(c, count, words, err);
        }
        suggest_consider(&s, READERS[i].name);
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" can not be shared", words[0]);
    if (s.word != NULL)
        return err_hint(err, "did you mean %s?", s.word);
    return err_hint(err, "the command is one of plimsoll's own: -- load [OPTION]... URL, or limit, or run");
}

void job_command_release(struct job_command *c)
{
    if (c->kind == JOB_LIMIT)
        limit_options_release(&c->_limit);
    else if (c->kind == JOB_RUN)
        run_options_release(&c->_run);
    else
        load_options_release(&c->_load);
    strlist_release(&c->pieces);
    buf_release(&c->suite);
    *c = (struct job_command){ 0 };
}
