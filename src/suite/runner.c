/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/runner.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "suite/checks.h"
#include "suite/commands.h"
#include "suite/keys.h"
#include "suite/sample.h"
#include "suite/routes.h"
#include "suite/services.h"
#include "suite/verify.h"

#define NS_PER_S UINT64_C(1000000000)
#define FACT_MAX ((size_t)1 << 20)
#define SKIPPED_TOLD 5u
#define SUMMARY_MAX ((size_t)4 << 20)

struct work {
    struct runner *runner;
    struct services services;
    struct commands_place commands;
    struct commands_place until_the_end; /* teardown: Ctrl-C does not end these */
    struct names names;                  /* of the whole run: parameters, ports, work folder */
    struct runner_progress progress;
    char live[PROCESS_LINE_MAX];
    uint64_t begin_ns, done_ns; /* done_ns: time that the steps done so far took */
    size_t steps_run;
    uint32_t cell; /* whose services run; UINT32_MAX: none */
    struct err *err;
};

static bool is_stopped(const struct work *w)
{
    return w->runner->stop != NULL && *w->runner->stop != 0;
}

/* From what the suite names, or from the steps done. */
static double left_s(const struct work *w)
{
    const struct plan *p = w->runner->plan;
    const size_t left = p->step_count - w->progress.step;

    if (w->steps_run > 0)
        return (double)w->done_ns / 1e9 / (double)w->steps_run * (double)left;
    return isnan(p->estimate_s) ? p->estimate_s : p->estimate_s * (double)left / (double)p->step_count;
}

static void tell(struct work *w, const char *stage)
{
    if (stage != NULL)
        w->progress.stage = stage;
    if (w->runner->on_progress == NULL)
        return;
    w->progress.elapsed_s = (double)(clock_now_ns() - w->begin_ns) / 1e9;
    w->progress.left_s = left_s(w);
    w->runner->on_progress(w->runner->arg, &w->progress);
}

static void warn(void *arg, const char *text)
{
    const struct work *w = arg;

    if (w->runner->on_warning != NULL)
        w->runner->on_warning(w->runner->arg, text);
}

static void learn_fact(struct work *w, const struct suite_command *c)
{
    char what[PATH_MAX];
    struct err inner = { 0 };
    struct buf text;

    snprintf(what, sizeof(what), "fact-%s", c->name);
    buf_init(&text, FACT_MAX);
    if (commands_output(&w->commands, c, &w->names, what, &text, &inner) != 0) {
        warn(w, inner.what);
    } else if (w->runner->on_fact != NULL) {
        struct slice rest = buf_slice(&text);
        char *line = slice_dup(slice_trim(slice_split(&rest, '\n')));

        if (line != NULL)
            w->runner->on_fact(w->runner->arg, c->name, line);
        free(line);
    }
    buf_release(&text);
}

/* What the suite's own commands make of all samples. */
static void summarize(struct work *w)
{
    const struct suite_commands *list = &w->runner->plan->suite->summary;

    for (size_t k = 0; k < list->count && !is_stopped(w); k++) {
        struct err inner = { 0 };
        struct buf text;

        buf_init(&text, SUMMARY_MAX);
        if (commands_output(&w->commands, &list->items[k], &w->names, "summary", &text, &inner) != 0 &&
            !list->items[k].may_fail && !is_stopped(w))
            warn(w, inner.what);
        if (text.len > 0 && w->runner->on_summary != NULL)
            w->runner->on_summary(w->runner->arg, buf_slice(&text));
        buf_release(&text);
    }
}

/* ---- a step ---- */

static void on_line(void *arg, const char *line)
{
    struct work *w = arg;

    snprintf(w->live, sizeof(w->live), "%s", line);
    w->progress.live = w->live;
    tell(w, NULL);
}

static void be_quiet(struct work *w)
{
    const uint64_t end_ns = clock_now_ns() + w->runner->plan->quiet_ns;

    if (w->runner->plan->quiet_ns == 0 || w->steps_run == 0)
        return;
    tell(w, "quiet");
    while (!is_stopped(w) && clock_now_ns() < end_ns) {
        const uint64_t left = end_ns - clock_now_ns();
        const uint64_t turn = left < NS_PER_S / 5 ? left : NS_PER_S / 5;

        nanosleep(&(struct timespec){ .tv_nsec = (long)turn }, NULL);
        tell(w, NULL);
    }
}

/* The services that belong to a cell change with it. */
static int change_cell(struct work *w, const struct plan_step *step, const struct names *names, struct err *err)
{
    if (w->cell == step->cell)
        return 0;
    services_end(&w->services, true);
    w->cell = step->cell;
    return services_start(&w->services, true, names, err);
}

/* Services that died are started again, or the run ends, as the suite has it. */
static int mend_services(struct work *w, const struct names *names)
{
    char note[SAMPLE_NOTE_MAX];

    if (services_find_dead(&w->services, note, sizeof(note)) == NULL)
        return 0;
    tell(w, "services");
    return services_mend(&w->services, names, warn, w, w->err);
}

static int spoil(struct result *r, const char *note, struct err *err)
{
    r->valid = false;
    return result_add_reason(r, "%s", note) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a sample");
}

/* A sample that is not valid says so itself, wherever it is read later. */
static int judge(struct work *w, const struct names *names, struct result *r, enum sample_outcome *outcome,
                 char note[SAMPLE_NOTE_MAX])
{
    const struct suite *s = w->runner->plan->suite;
    struct err inner = { 0 };
    char why[SAMPLE_NOTE_MAX];
    int rc = 0;

    *outcome = sample_is_valid(s, r, note) ? SAMPLE_VALID : SAMPLE_INVALID;
    if (*outcome == SAMPLE_INVALID && r->valid)
        rc = spoil(r, note, w->err);
    if (rc == 0 && services_find_dead(&w->services, why, sizeof(why)) != NULL) { /* the reason behind all others */
        *outcome = SAMPLE_INVALID;
        snprintf(note, SAMPLE_NOTE_MAX, "%s", why);
        rc = spoil(r, note, w->err);
    }
    if (rc == 0 && !is_stopped(w) && commands_run(&w->commands, &s->verify_each, names, "verify_each", &inner) != 0 &&
        !is_stopped(w)) {
        *outcome = SAMPLE_INVALID;
        snprintf(note, SAMPLE_NOTE_MAX, "%.300s%s%.191s", inner.what, inner.hint[0] != '\0' ? "; " : "", inner.hint);
        rc = spoil(r, note, w->err);
    }
    return rc;
}

static int hand_on(struct work *w, const struct plan_step *step, enum sample_outcome outcome, struct result *r,
                   const char *note)
{
    return w->runner->on_sample != NULL ? w->runner->on_sample(w->runner->arg, step, outcome, r, note, w->err) : 0;
}

/* One try. *again: it was no valid sample, and nobody stopped us. */
static int try_sample(struct work *w, const struct plan_step *step, const struct names *names, bool is_last,
                      bool *again)
{
    const struct plan *p = w->runner->plan;
    const size_t number = (size_t)(step - p->steps);
    char json_path[PATH_MAX], log_path[PATH_MAX], note[SAMPLE_NOTE_MAX];
    const struct sampler x = { .runner = w->runner,
                               .step = step,
                               .names = names,
                               .json_path = json_path,
                               .log_path = log_path,
                               .on_line = on_line,
                               .arg = w };
    enum sample_outcome outcome = SAMPLE_FAILED;
    struct result *r = NULL;
    int rc;

    snprintf(json_path, sizeof(json_path), "%s/sample-%05zu.json", w->runner->work_dir, number + 1);
    snprintf(log_path, sizeof(log_path), "%s/sample-%05zu.log", w->runner->work_dir, number + 1);
    *again = false;
    if (commands_run(&w->commands, &p->suite->before_each, names, "before_each", w->err) != 0)
        return -1;
    tell(w, "sample");
    if (sample_make(&x, &r, note, w->err) != 0)
        return -1;
    w->progress.live = NULL;
    if (r != NULL && judge(w, names, r, &outcome, note) != 0) {
        result_free(r);
        return -1;
    }
    *again = outcome != SAMPLE_VALID && !is_last && !is_stopped(w);
    rc = *again || (r == NULL && is_stopped(w)) ? 0 : hand_on(w, step, outcome, r, note);
    result_free(r);
    if (rc == 0 && !is_stopped(w))
        rc = commands_run(&w->commands, &p->suite->after_each, names, "after_each", w->err);
    return rc;
}

static int add_names(struct names *all, const struct work *w, const struct plan_step *step, struct err *err)
{
    if (!names_copy(all, &w->names))
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a sample");
    if (plan_names(w->runner->plan, step, all, err) != 0)
        return -1;
    names_fill_values(all);
    return 0;
}

static int run_step(struct work *w, const struct plan_step *step)
{
    const struct plan *p = w->runner->plan;
    const uint64_t begin = clock_now_ns();
    struct names names = { 0 };
    bool again = true;
    int rc;

    w->progress.now = step;
    be_quiet(w);
    rc = add_names(&names, w, step, w->err);
    if (rc == 0 && !is_stopped(w))
        rc = change_cell(w, step, &names, w->err);
    for (uint32_t k = 0; rc == 0 && again && !is_stopped(w); k++) {
        w->progress.attempt = k + 1;
        tell(w, "before");
        if (mend_services(w, &names) != 0 || services_add_pids(&w->services, &names, w->err) != 0)
            rc = -1;
        else
            rc = try_sample(w, step, &names, k >= p->suite->retries || w->runner->share.share != NULL, &again);
    }
    names_release(&names);
    w->progress.now = NULL;
    w->done_ns += clock_now_ns() - begin;
    w->steps_run++;
    return rc;
}

uint64_t runner_moment_ns(const struct runner *r, size_t step)
{
    const struct plan *p = r->plan;
    uint64_t at = r->share.start_ns;

    for (size_t k = 0; k < step; k++)
        at += p->cells[p->steps[k].cell].length_ns + p->quiet_ns + r->share.gap_ns;
    return at;
}

static int run_steps(struct work *w)
{
    const struct plan *p = w->runner->plan;

    for (size_t k = 0; k < p->step_count && !is_stopped(w); k++) {
        const struct plan_step *step = &p->steps[k];
        int rc = 0;

        w->progress.step = k;
        if (w->runner->done != NULL && w->runner->done[k])
            continue;
        if (p->cells[step->cell].need.has_no_routes)
            rc = hand_on(w, step, SAMPLE_NOT_RUN, NULL, "not run: no routes");
        else if (p->cells[step->cell].need.is_over && !w->runner->over_budget)
            rc = hand_on(w, step, SAMPLE_NOT_RUN, NULL, "not run: budget");
        else
            rc = run_step(w, step);
        if (rc != 0)
            return -1;
    }
    if (!is_stopped(w))
        w->progress.step = p->step_count;
    return 0;
}

/* ---- the whole ---- */

int runner_check_shared(const struct plan *p, struct err *err)
{
    if (p->suite->doer != DOER_LOAD) {
        err_set(err, ERR_CONFIG, 0, "%s: its samples are no load: they can not be shared", p->suite->file);
        return err_hint(err, "--share is for suites of load");
    }
    for (size_t k = 0; k < p->cell_count; k++)
        if (p->cells[k].length_ns == 0) {
            err_set(err, ERR_CONFIG, 0, "%s: the cell %s has no length: nobody knows when the next sample begins",
                    p->suite->file, p->cells[k].name);
            return err_hint(err, "give its load a duration");
        }
    return 0;
}

int runner_check_budget(const struct plan *p, bool over_budget, struct err *err)
{
    if (p->suite->budget.skip || over_budget)
        return 0;
    for (size_t k = 0; k < p->cell_count; k++)
        if (p->cells[k].need.is_over) {
            err_set(err, ERR_CONFIG, 0, "%s: the cell %s needs %.0f connections, the routers carry %.0f",
                    p->suite->file, p->cells[k].name, p->cells[k].need.need, p->cells[k].need.capacity);
            return err_hint(err, "leave it out (exclude, over_budget: skip), or run it all the same: --over-budget");
        }
    return 0;
}

static int fill_text(const struct work *w, const char *text, char **out)
{
    *out = text != NULL ? names_text(&w->names, text, w->err) : NULL;
    if (*out != NULL && (*out)[0] == '\0') { /* a parameter that is empty: not said */
        free(*out);
        *out = NULL;
        return 0;
    }
    return text == NULL || *out != NULL ? 0 : -1;
}

static void tell_skipped(struct work *w, const struct routes *r)
{
    for (size_t k = 0; k < r->skipped.count && k < SKIPPED_TOLD; k++) {
        char text[600];

        snprintf(text, sizeof(text), "not asked: %s", r->skipped.items[k]);
        if (w->runner->on_note != NULL)
            w->runner->on_note(w->runner->arg, text);
    }
    if (r->skipped.count > SKIPPED_TOLD && w->runner->on_note != NULL) {
        char text[80];

        snprintf(text, sizeof(text), "not asked: %zu more of the routes", r->skipped.count - SKIPPED_TOLD);
        w->runner->on_note(w->runner->arg, text);
    }
}

/* The target lists of a cluster's routes. */
static int write_routes(struct work *w)
{
    const struct suite_routes *s = &w->runner->plan->suite->routes;
    char *to = NULL, *path = NULL, *address = NULL, *http_port = NULL, *https_port = NULL, *cacert = NULL;
    int rc = -1;

    if (!w->runner->plan->has_routes)
        return 0;
    if (fill_text(w, s->to != NULL ? s->to : "{work}/routes", &to) == 0 && fill_text(w, s->path, &path) == 0 &&
        fill_text(w, s->address, &address) == 0 && fill_text(w, s->http_port, &http_port) == 0 &&
        fill_text(w, s->https_port, &https_port) == 0 && fill_text(w, s->cacert, &cacert) == 0) {
        const struct routes_manner how = { path, address, http_port, https_port, cacert, s->insecure };

        tell_skipped(w, &w->runner->plan->routes);
        rc = routes_write(&w->runner->plan->routes, &how, to, w->err);
    }
    free(to);
    free(path);
    free(address);
    free(http_port);
    free(https_port);
    free(cacert);
    return rc;
}

static int begin(struct work *w)
{
    const struct suite *s = w->runner->plan->suite;

    if (write_routes(w) != 0)
        return -1;
    tell(w, "services");
    if (services_start(&w->services, false, &w->names, w->err) != 0 ||
        services_add_pids(&w->services, &w->names, w->err) != 0)
        return -1;
    tell(w, "setup");
    if (commands_run(&w->commands, &s->setup, &w->names, "setup", w->err) != 0)
        return -1;
    tell(w, "facts");
    for (size_t k = 0; k < s->facts.count && !is_stopped(w); k++)
        learn_fact(w, &s->facts.items[k]);
    tell(w, "verify");
    return verify_all(w->runner, &w->names, w->err);
}

static int make_names(struct work *w)
{
    const struct runner *r = w->runner;

    if (plan_parameters(r->plan, &w->names, w->err) != 0)
        return -1;
    if (!names_set(&w->names, "work", r->work_dir) || !names_set(&w->names, "run", r->run) ||
        !names_set(&w->names, "plimsoll", r->program) || !names_set(&w->names, "documents", r->documents))
        return err_set(w->err, ERR_SYSTEM, ENOMEM, "no memory for the run");
    if (services_init(&w->services, r->plan->suite, r->work_dir, r->stop, &w->names, w->err) != 0)
        return -1;
    names_fill_values(&w->names);
    return 0;
}

int runner_run(struct runner *r, struct err *err)
{
    struct err own = { 0 };
    struct work w = { .runner = r, .begin_ns = clock_now_ns(), .cell = UINT32_MAX, .err = err != NULL ? err : &own };
    int rc;

    w.progress.steps = r->plan->step_count;
    w.services.suite = r->plan->suite;
    w.until_the_end = (struct commands_place){ r->plan->suite, r->work_dir, NULL, warn, &w };
    w.commands = w.until_the_end;
    w.commands.stop = r->stop;
    if ((r->share.share != NULL && runner_check_shared(r->plan, w.err) != 0) ||
        runner_check_budget(r->plan, r->over_budget, w.err) != 0)
        return -1;
    rc = make_names(&w);
    if (rc == 0) {
        rc = begin(&w);
        if (rc == 0 && !is_stopped(&w))
            rc = run_steps(&w);
        if (w.steps_run > 0 && !is_stopped(&w)) {
            tell(&w, "summary");
            summarize(&w);
        }
        tell(&w, "teardown");
        commands_run_all(&w.until_the_end, &r->plan->suite->teardown, &w.names, "teardown");
    }
    services_release(&w.services);
    names_release(&w.names);
    return is_stopped(&w) ? 0 : rc;
}
