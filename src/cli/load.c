/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll load */
#include "cli/commands.h"

#include <string.h>

#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/live_load.h"
#include "cli/load_config.h"
#include "cli/load_inputs.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/request_log.h"
#include "cli/share_start.h"
#include "cli/storing.h"
#include "http/redact.h"

static const char WHO[] = "plimsoll load";
enum { EXIT_USAGE = 2, EXIT_INVALID = 3, HELP_MAX_BYTES = 1 << 16, DESCRIPTION_MAX_BYTES = 1 << 24 };

/* What the engine's callbacks get. */
struct run {
    struct progress progress;
    struct request_log log;
    struct live *live; /* NULL: nothing is shown */
    struct live_load shown;
    struct load *load;
};

static void on_progress(void *arg, const struct load_progress *now)
{
    progress_show(&((struct run *)arg)->progress, now);
}

static void on_pulse(void *arg, const struct load_pulse *now)
{
    struct run *run = arg;

    live_load_show(&run->shown, now);
    if (run->progress.mode == PROGRESS_JSON)
        progress_take_pulse(&run->progress, now);
}

static void on_records(void *arg, const struct load_record *records, size_t count)
{
    struct run *run = arg;

    request_log_add(&run->log, records, count, load_window_start_ns(run->load));
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    load_options_help(&text);
    cli_print(stdout, &text);
    return 0;
}

static int describe(const struct load *load, const struct load_options *o)
{
    struct buf text;

    buf_init(&text, DESCRIPTION_MAX_BYTES);
    load_describe(load, &text);
    cli_print(outputs_use_stdout(&o->outputs) ? stderr : stdout, &text);
    return 0;
}

/* Name, labels, command line and configuration of the document. */
static bool complete(struct result *r, const struct load_options *o, const struct load_plan *plan)
{
    bool ok = strlist_add(&r->command, SLICE("plimsoll"));

    for (size_t i = 0; i < o->command.count; i++)
        ok = strlist_add(&r->command, slice_str(o->command.items[i])) && ok;
    for (size_t i = 0; i < o->labels.count; i++)
        ok = strlist_add(&r->labels, slice_str(o->labels.items[i])) && ok;
    if (o->name != NULL) {
        free(r->name);
        r->name = redact_url_dup(o->name);
        ok = r->name != NULL && ok;
    }
    return load_config_add(r, o, plan) && ok;
}

/* The file that has the result for certain: no other output failed either. */
static const char *written_document(const struct load_outputs *o, bool written)
{
    return written && o->json != NULL && strcmp(o->json, "-") != 0 ? o->json : NULL;
}

static int publish(struct result *r, const struct load_options *o, const struct load_plan *plan, struct run *run)
{
    struct err err = { 0 };
    bool written;
    int code;

    if (result_judge_slo(r, &o->slo, &err) != 0)
        return cli_complain(WHO, &err);
    if (!complete(r, o, plan))
        cli_note(WHO, "out of memory: the document lacks a part of its configuration");
    written = outputs_report(&o->outputs, r, WHO);
    written = outputs_write(&o->outputs, r, WHO) && written;
    if (request_log_close(&run->log, &err) != 0) {
        cli_complain(WHO, &err);
        written = false;
    }
    if (!o->no_store)
        storing_keep(r, written_document(&o->outputs, written), WHO);
    code = result_exit_code(r);
    return code == 0 && !written ? EXIT_INVALID : code;
}

struct waiting {
    struct live_load *shown;
    char share[32];
};

static void on_wait(void *arg, const struct share_start *s, uint64_t left_ns)
{
    const struct waiting *w = arg;

    live_load_wait(w->shown, s, w->share[0] != '\0' ? w->share : NULL, left_ns);
}

/* Waits for the moment of --start-at. 0, or the exit code. */
static int await_start(struct share_start *start, struct run *run, const struct load_options *o)
{
    struct waiting waiting = { .shown = &run->shown };
    const struct share_start_view view = { on_wait, &waiting };
    struct err err = { 0 };

    if (o->share.given)
        snprintf(waiting.share, sizeof(waiting.share), "%u/%u", o->share.share.index + 1, o->share.share.count);

    if (share_start_agree(start, &o->share, WHO, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    if (!share_start_wait(start, interrupt_flag(), &view, WHO)) {
        cli_note(WHO, "interrupted before the start: nothing was sent");
        return INTERRUPT_EXIT_CODE;
    }
    load_set_start(run->load, &start->start);
    return 0;
}

static int run_load(struct load *load, const struct load_options *o, const struct load_plan *plan, struct run *run)
{
    struct err err = { 0 };
    struct result *r = NULL;
    struct share_start start;
    int code;

    run->load = load;
    interrupt_install();
    live_begin(run->live);
    code = await_start(&start, run, o);
    if (code != 0) {
        live_end(run->live);
        if (request_log_close(&run->log, NULL) != 0)
            cli_note(WHO, "the log is incomplete");
        return code;
    }
    code = load_run(load, &r, &err);
    progress_end(&run->progress);
    live_end(run->live);
    if (code != 0) {
        if (request_log_close(&run->log, NULL) != 0)
            cli_note(WHO, "the log is incomplete");
        return cli_complain(WHO, &err);
    }
    r->start = start.facts;
    code = publish(r, o, plan, run);
    result_free(r);
    return code;
}

/* Everything that may still be refused; nothing was sent so far, whatever the kind of the error. */
static int prepare(struct load **load, struct load_inputs *in, const struct load_options *o, struct run *run,
                   struct err *err)
{
    struct load_plan *plan = &in->plan;
    enum progress_mode shown_as = o->progress;

    if (outputs_check(&o->outputs, err) != 0)
        return -1;
    if (o->failures_dir != NULL && !o->dry_run && outputs_check_directory("--save-failures", o->failures_dir, err) != 0)
        return -1;
    if (!o->dry_run && live_new(&run->live, &o->live, "load", &shown_as, WHO, err) != 0)
        return -1;
    live_load_init(&run->shown, run->live, plan, false);
    progress_init(&run->progress, shown_as);
    plan->on_pulse = run->live != NULL || run->progress.mode == PROGRESS_JSON ? on_pulse : NULL;
    plan->stop = interrupt_flag();
    plan->on_progress = run->progress.mode != PROGRESS_NONE ? on_progress : NULL;
    plan->on_records = o->outputs.log != NULL ? on_records : NULL;
    plan->arg = run;
    if (load_prepare(load, plan, err) != 0) {
        if (strncmp(err->what, "dns: ", 5) == 0 && err->hint[0] == '\0')
            err_hint(err, "check the name, or say where it is: --resolve HOST:PORT:ADDRESS");
        return -1;
    }
    return o->dry_run ? 0 : request_log_open(&run->log, o->outputs.log, err);
}

/* Said once and not refused: scripts add -k to everything. */
static void note_idle_tls(const struct load_options *o, const struct load_plan *plan)
{
    const char *option = load_options_about_tls(o);

    for (size_t i = 0; i < plan->target_count; i++)
        if (slice_starts_nocase(slice_str(plan->targets[i].url), SLICE("https:")))
            return;
    if (option != NULL)
        cli_note(WHO, "%s has no effect: %s", option,
                 plan->target_count == 1 ? "the URL is not https" : "none of the URLs is https");
}

static int with_options(const struct load_options *o)
{
    struct err err = { 0 };
    struct load_inputs in;
    struct load *load = NULL;
    struct run run = { .log = { .fd = -1 } };
    int code = EXIT_USAGE;

    if (load_inputs_make(&in, o, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    note_idle_tls(o, &in.plan);
    if (prepare(&load, &in, o, &run, &err) != 0)
        cli_complain(WHO, &err);
    else
        code = o->dry_run ? describe(load, o) : run_load(load, o, &in.plan, &run);
    load_free(load);
    live_free(run.live);
    load_inputs_release(&in);
    return code;
}

int cmd_load(int argc, char **argv)
{
    struct load_options options;
    struct err err = { 0 };
    bool help;
    int code;

    load_options_init(&options);
    if (load_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    load_options_release(&options);
    return code;
}
