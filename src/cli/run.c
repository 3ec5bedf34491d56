/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll run */
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "cli/complain.h"
#include "cli/installed.h"
#include "cli/interrupt.h"
#include "cli/live_run.h"
#include "cli/print.h"
#include "cli/report_run.h"
#include "cli/run_compare.h"
#include "cli/run_matrix.h"
#include "cli/run_options.h"
#include "cli/run_options_check.h"
#include "cli/run_plan.h"
#include "cli/run_progress.h"
#include "cli/run_resume.h"
#include "cli/run_work.h"
#include "cli/storing.h"
#include "report/matrix.h"
#include "suite/keys.h"

static const char WHO[] = "plimsoll run";
enum { EXIT_USAGE = 2, EXIT_INVALID = 3, HELP_MAX_BYTES = 1 << 16, LINE_MAX_BYTES = 8192, WARNINGS_SAID = 20 };
#define TEXT_MAX_BYTES ((size_t)1 << 28)

struct run {
    const struct run_options *options;
    const struct suite *suite;
    const struct plan *plan;
    const char *name;
    char id[UUID_TEXT_MAX], mark[PLAN_MARK_MAX];
    struct run_work work;
    struct run_baseline baseline;
    bool lost_something;
    bool *done; /* by step */
    struct matrix matrix;
    struct strlist facts;  /* name, value, name, value */
    struct strlist warned; /* of what, on standard error */
    struct progress progress;
    struct live *live; /* NULL: nothing is shown */
    struct live_run shown;
    bool promises_kept;
    struct collection pages; /* of --html */
};

static FILE *text_to(const struct run_options *o)
{
    const bool taken = (o->json != NULL && strcmp(o->json, "-") == 0) ||
                       (o->markdown != NULL && strcmp(o->markdown, "-") == 0) ||
                       (o->html != NULL && strcmp(o->html, "-") == 0);

    return taken ? stderr : stdout;
}

static void print(FILE *to, struct buf *text)
{
    cli_print(to, text);
    fflush(to);
}

/* ---- while it runs ---- */

static void on_progress(void *arg, const struct runner_progress *now)
{
    struct run *run = arg;

    run_progress_show(&run->progress, run->plan, now);
    live_run_show(&run->shown, now);
}

static void on_note(void *arg, const char *text)
{
    struct run *run = arg;

    if (!strlist_add(&run->matrix.notes, slice_str(text)))
        cli_note(WHO, "out of memory: a note is lost");
}

static void on_warning(void *arg, const char *text)
{
    struct run *run = arg;

    progress_end(&run->progress);
    cli_note(WHO, "warning: %s", text);
    run->lost_something = true;
    on_note(run, text);
}

static void on_fact(void *arg, const char *name, const char *value)
{
    struct run *run = arg;
    struct buf line;

    buf_init(&line, LINE_MAX_BYTES);
    buf_printf(&line, "%s: %s", name, value);
    if (!strlist_add(&run->facts, slice_str(name)) || !strlist_add(&run->facts, slice_str(value)) ||
        !strlist_add(&run->matrix.facts, buf_slice(&line)))
        cli_note(WHO, "out of memory: a fact is lost");
    buf_release(&line);
}

static void on_summary(void *arg, struct slice text)
{
    struct run *run = arg;

    buf_add_slice(&run->matrix.summary, text);
}

static void on_bytes(void *arg, const char *url, struct slice request, struct slice reply)
{
    struct run *run = arg;
    FILE *to = text_to(run->options);
    struct buf text;

    progress_end(&run->progress);
    buf_init(&text, TEXT_MAX_BYTES);
    buf_printf(&text, "Verification of %s\n> sent %zu bytes\n%.*s\n< received %zu bytes\n%.*s\n", url, request.len,
               SLICE_FMT(request), reply.len, SLICE_FMT(reply));
    if (live_keeps_text(run->live, buf_slice(&text)))
        buf_release(&text);
    else
        print(to, &text);
}

/* What the document does not know by itself. */
static bool complete(struct run *run, const struct plan_step *step, struct result *r)
{
    bool good = true;

    free(r->name);
    r->name = strdup(run->name);
    for (size_t k = 0; good && k < run->options->labels.count; k++)
        good = strlist_add(&r->labels, slice_str(run->options->labels.items[k]));
    for (size_t k = 0; good && k + 1 < run->facts.count; k += 2) {
        char name[256];

        snprintf(name, sizeof(name), "fact:%s", run->facts.items[k]);
        good = result_add_config_string(r, name, run->facts.items[k + 1]);
    }
    if (good)
        good = result_add_config_string(r, RUN_SUITE_MARK, run->mark);
    if (good && run->plan->sides == 2)
        good = strlist_add(&r->labels, step->side == 0 ? SLICE(RUN_SIDE_LABEL "=a") : SLICE(RUN_SIDE_LABEL "=b"));
    return good && r->name != NULL;
}

static void say_sample(struct run *run, const struct plan_step *step, enum sample_outcome outcome, const char *note)
{
    static const char *const WORDS[] = { "ok", "invalid", "failed", "not run" };
    struct buf line;

    if (!run->options->verbose && outcome != SAMPLE_INVALID && outcome != SAMPLE_FAILED)
        return;
    progress_end(&run->progress);
    buf_init(&line, LINE_MAX_BYTES);
    run_add_step(&line, run->plan, step);
    cli_note(WHO, "%s: %s%s%s", line.data, WORDS[outcome], note != NULL && note[0] != '\0' ? ": " : "",
             note != NULL ? note : "");
    buf_release(&line);
}

/* Each text once: a suite has many samples. */
static void say_warnings(struct run *run, const struct plan_step *step, const struct result *r)
{
    for (size_t k = 0; k < r->warnings.count && run->warned.count < WARNINGS_SAID; k++) {
        struct buf line;

        if (strlist_contains(&run->warned, slice_str(r->warnings.items[k])))
            continue;
        progress_end(&run->progress);
        buf_init(&line, LINE_MAX_BYTES);
        run_add_step(&line, run->plan, step);
        cli_note(WHO, "warning: %s: %s", line.data, r->warnings.items[k]);
        buf_release(&line);
        if (!strlist_add(&run->warned, slice_str(r->warnings.items[k])))
            return;
    }
}

/* What the page and the suite's summary are made of. */
static int keep_for_the_end(struct run *run, size_t step, const struct result *r, struct err *err)
{
    if (run->options->html != NULL && report_run_add(&run->pages, r, err) != 0)
        return -1;
    return run->suite->summary.count > 0 ? run_work_keep(&run->work, step, r, err) : 0;
}

static int on_sample(void *arg, const struct plan_step *step, enum sample_outcome outcome, struct result *r,
                     const char *note, struct err *err)
{
    struct run *run = arg;

    run->lost_something = run->lost_something || outcome == SAMPLE_INVALID || outcome == SAMPLE_FAILED;
    say_sample(run, step, outcome, note);
    if (r != NULL && !complete(run, step, r))
        return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
    if (run_matrix_add(&run->matrix, (size_t)(step - run->plan->steps), outcome, r, note, err) != 0)
        return -1;
    live_run_sample(&run->shown, &run->matrix, step->cell);
    if (r == NULL)
        return 0;
    say_warnings(run, step, r);
    run->promises_kept = run->promises_kept && result_promises_kept(r);
    if (!run->options->no_store)
        storing_keep(r, NULL, WHO);
    return keep_for_the_end(run, (size_t)(step - run->plan->steps), r, err);
}

/* ---- resuming ---- */

static int take_stored(void *arg, struct slice json, struct err *err)
{
    struct run *run = arg;
    struct result *r;
    char note[SAMPLE_NOTE_MAX] = "";
    size_t step;
    int rc = 0;

    if (result_from_json(&r, json, err) != 0)
        return -1;
    if (!run_is_of_suite(r, run->mark)) {
        err_set(err, ERR_CONFIG, 0, "--resume %s: that run was made with another suite, or other parameters",
                run->options->resume);
        rc = err_hint(err, "give the same -s as then, or start a new run");
    }
    step = run_matrix_find(run->plan, r);
    if (rc == 0 && step != SIZE_MAX && !run->done[step] && sample_is_valid(run->suite, r, note)) {
        run->done[step] = true;
        run->promises_kept = run->promises_kept && result_promises_kept(r);
        rc = run_matrix_add(&run->matrix, step, SAMPLE_VALID, r, NULL, err);
        if (rc == 0)
            rc = keep_for_the_end(run, step, r, err);
    }
    result_free(r);
    return rc;
}

static int resume(struct run *run, struct err *err)
{
    struct listing found = { 0 };
    struct runstore *store;
    int rc = storing_open(&store, STORE_READ, err);

    if (rc == 0)
        rc = run_find(store, run->options->resume, &found, err);
    if (rc == 0) {
        snprintf(run->id, sizeof(run->id), "%s", found.runs[0].id);
        free(run->matrix.run);
        run->matrix.run = strdup(run->id);
        rc = run_work_lock_run(&run->work, run->id, err) != 0
                 ? -1
                 : runstore_documents(store, found.runs[0].number, take_stored, run, err);
    }
    listing_release(&found);
    runstore_close(store);
    return rc;
}

/* ---- the end ---- */

static unsigned terminal_width(FILE *to)
{
    struct winsize size = { 0 };

    return isatty(fileno(to)) && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool write_file(const char *path, struct buf *text)
{
    struct err err = { 0 };
    const int rc = file_write(path, buf_slice(text), &err);

    if (rc != 0)
        cli_complain(WHO, &err);
    return rc == 0;
}

static bool write_outputs(struct run *run)
{
    const struct run_options *o = run->options;
    struct err err = { 0 };
    struct buf text;
    bool good = true;

    buf_init(&text, TEXT_MAX_BYTES);
    if (o->json != NULL && report_matrix_json(&text, &run->matrix, &err) != 0) {
        cli_complain(WHO, &err);
        good = false;
    } else if (o->json != NULL) {
        good = write_file(o->json, &text);
    }
    buf_clear(&text);
    if (o->markdown != NULL) {
        report_matrix_markdown(&text, &run->matrix);
        good = write_file(o->markdown, &text) && good;
    }
    buf_release(&text);
    if (o->html != NULL && report_run_write(&run->pages, o->html, run->name, run->suite->gate_metric,
                                            run->suite->gate_min_change, &err) != 0) {
        cli_complain(WHO, &err);
        good = false;
    }
    return good;
}

static void say_next(const struct run *run, FILE *to)
{
    const struct run_options *o = run->options;

    if (run->matrix.interrupted && !o->no_store)
        fprintf(to, "\nTo go on: plimsoll run %s --resume %.8s\n", run->suite->file, run->id);
    else if (!o->no_store && run->baseline.name == NULL)
        fprintf(to, "\nNext: plimsoll results tag %.8s baseline; later: plimsoll compare baseline %s@latest\n", run->id,
                run->name);
    if (run->lost_something || !run->work.is_ours)
        fprintf(to, "What commands, services and samples wrote: %s\n", run->work.dir);
}

static int publish(struct run *run)
{
    FILE *to = text_to(run->options);
    struct err err = { 0 };
    struct buf text;
    int code;

    if (matrix_pick_metrics(&run->matrix, run->suite->gate_metric, &err) != 0)
        return cli_complain(WHO, &err);
    buf_init(&text, TEXT_MAX_BYTES);
    if (report_matrix(&text, &run->matrix, terminal_width(to), &err) != 0) {
        buf_release(&text);
        return cli_complain(WHO, &err);
    }
    print(to, &text);
    code = matrix_exit_code(&run->matrix, run->promises_kept);
    if (!run->promises_kept && run->options->no_store)
        cli_note(WHO, "a promise was broken");
    else if (!run->promises_kept)
        cli_note(WHO, "a promise was broken: plimsoll results show %.8s", run->id);
    if (!run->matrix.interrupted)
        code = run_compare(&run->matrix, run->suite, &run->baseline, run->options->strict, code, to, WHO);
    if (!write_outputs(run) && code == 0)
        code = EXIT_INVALID;
    say_next(run, to);
    return code;
}

/* ---- the beginning ---- */

static void announce(const struct run *run)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    buf_printf(&text, "%s: ", run->name);
    run_plan_line(&text, run->plan);
    cli_note(WHO, "%s; run %.8s", text.data, run->id);
    buf_clear(&text);
    run_plan_warnings(&text, run->plan);
    for (struct slice rest = buf_slice(&text); rest.len > 0;) {
        const struct slice line = slice_split(&rest, '\n');

        cli_note(WHO, "warning: %.*s", SLICE_FMT(line));
    }
    buf_release(&text);
}

static struct runner_share share_of(char text[32], const struct run_options *o)
{
    if (!o->share.given)
        return (struct runner_share){ 0 };
    snprintf(text, 32, "%u/%u", o->share.share.index + 1, o->share.share.count);
    return (struct runner_share){ text, o->share.start_ns, o->gap_ns, o->share.clock_check };
}

static int run_plan(struct run *run)
{
    char program[PATH_MAX] = "", share[32];
    struct err err = { 0 };
    struct runner runner = { .plan = run->plan,
                             .share = share_of(share, run->options),
                             .program = program,
                             .run = run->id,
                             .work_dir = run->work.dir,
                             .documents = run->work.documents,
                             .done = run->done,
                             .over_budget = run->options->over_budget,
                             .show_verify = run->options->verbose,
                             .stop = interrupt_flag(),
                             .arg = run,
                             .on_progress = on_progress,
                             .on_sample = on_sample,
                             .on_bytes = on_bytes,
                             .on_fact = on_fact,
                             .on_note = on_note,
                             .on_summary = on_summary,
                             .on_warning = on_warning };
    bool any = false;
    int rc, code;

    if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
        snprintf(program, sizeof(program), "plimsoll");
    announce(run);
    interrupt_install();
    live_begin(run->live);
    rc = runner_run(&runner, &err);
    progress_end(&run->progress);
    live_end(run->live);
    run->matrix.interrupted = *interrupt_flag() != 0;
    for (size_t k = 0; k < run->matrix.sample_count; k++)
        any = any || run->matrix.samples[k].outcome != MATRIX_PENDING;
    if (rc != 0) {
        run->lost_something = true;
        code = cli_complain(WHO, &err);
        if (any)
            publish(run);
        else
            cli_note(WHO, "what commands and services wrote: %s", run->work.dir);
        return any ? EXIT_INVALID : code;
    }
    code = publish(run);
    return run->matrix.interrupted ? INTERRUPT_EXIT_CODE : code;
}

static int with_plan(const struct run_options *o, const struct suite *s, const struct plan *p)
{
    struct err err = { 0 };
    struct run run = { .options = o,
                       .suite = s,
                       .plan = p,
                       .name = o->name != NULL ? o->name : s->name,
                       .promises_kept = true,
                       .work = RUN_WORK_NONE };
    enum progress_mode shown_as = o->progress;
    int code = EXIT_USAGE;

    uuid_make(run.id);
    plan_mark(p, run.mark);
    run.done = calloc(p->step_count + 1, sizeof(*run.done));
    if (run.done == NULL)
        err_set(&err, ERR_SYSTEM, ENOMEM, "out of memory");
    if (run.done != NULL && live_new(&run.live, &o->live, "run", &shown_as, WHO, &err) != 0) {
        free(run.done);
        return cli_complain(WHO, &err);
    }
    live_run_init(&run.shown, run.live, p, run.name);
    progress_init(&run.progress, shown_as);
    if (run.done == NULL || run_matrix_init(&run.matrix, p, run.name, run.id, &err) != 0 ||
        run_baseline_init(&run.baseline, p, &err) != 0 ||
        (o->html != NULL && report_run_begin(&run.pages, run.baseline.name, &err) != 0) ||
        run_work_open(&run.work, o->work_dir, run.id, &err) != 0 ||
        (o->resume != NULL ? resume(&run, &err)
         : o->no_store     ? 0
                           : run_work_lock_run(&run.work, run.id, &err)) != 0)
        code = cli_complain(WHO, &err);
    else
        code = run_plan(&run);
    run_baseline_release(&run.baseline);
    run_work_close(&run.work, run.lost_something);
    live_free(run.live);
    free(run.done);
    strlist_release(&run.facts);
    strlist_release(&run.warned);
    collection_release(&run.pages);
    matrix_release(&run.matrix);
    return code;
}

static int show_plan(const struct run_options *o, const struct plan *p)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    run_plan_text(&text, p);
    run_plan_warnings(&text, p);
    print(text_to(o), &text);
    return 0;
}

static int with_suite(const struct run_options *o, struct suite *s)
{
    struct err err = { 0 };
    struct plan *p;
    int code;

    if (o->samples > 0) {
        char number[24];

        snprintf(number, sizeof(number), "%llu", (unsigned long long)o->samples);
        free(s->samples);
        s->samples = strdup(number);
    }
    if (o->share.given && s->order == ORDER_SHUFFLED && !o->has_seed) {
        err_set(&err, ERR_USAGE, 0, "%s is shuffled: its shares need the same --seed", s->file);
        return cli_complain(WHO, &err);
    }
    if (plan_make(&p, s, &o->only, o->has_seed ? o->seed : rng_seed_from_system(), &err) != 0)
        return cli_complain(WHO, &err);
    if (run_options_check(p, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = o->dry_run ? show_plan(o, p) : with_plan(o, s, p);
    plan_free(p);
    return code;
}

static int with_options(const struct run_options *o)
{
    struct err err = { 0 };
    struct suite *s;
    struct buf text;
    char path[PATH_MAX];
    int code;

    if (o->schema) {
        buf_init(&text, HELP_MAX_BYTES);
        suite_schema(&text);
        print(stdout, &text);
        return 0;
    }
    if (installed_suite(path, o->files.items[0], &err) != 0 || suite_read(&s, path, &o->sets, &err) != 0)
        return cli_complain(WHO, &err);
    code = with_suite(o, s);
    suite_free(s);
    return code;
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    run_options_help(&text);
    print(stdout, &text);
    return 0;
}

int cmd_run(int argc, char **argv)
{
    struct run_options options;
    struct err err = { 0 };
    bool help;
    int code;

    run_options_init(&options);
    if (run_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    run_options_release(&options);
    return code;
}
