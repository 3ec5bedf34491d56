/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll limit */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/limit_options.h"
#include "cli/limit_share.h"
#include "cli/live_load.h"
#include "cli/load_inputs.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "http/redact.h"
#include "load/limit.h"
#include "report/html.h"
#include "report/limit.h"

static const char WHO[] = "plimsoll limit";
enum {
    EXIT_NOTHING = 1,
    EXIT_USAGE = 2,
    EXIT_INVALID = 3,
    EXIT_UNCERTAIN = 4,
    HELP_MAX_BYTES = 1 << 16,
    TEXT_MAX_BYTES = 1 << 28
};

/* What the engine's callbacks get. */
struct run {
    struct progress progress;
    struct live *live; /* NULL: nothing is shown */
    struct live_load shown;
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

static void on_trial(void *arg, const struct limit_report *so_far, const struct search *search)
{
    struct run *run = arg;
    struct progress *progress = &run->progress;
    struct buf line;

    (void)search;
    live_load_trial(&run->shown, so_far);
    if (progress->mode != PROGRESS_AUTO)
        return;
    progress_end(progress);
    buf_init(&line, TEXT_MAX_BYTES);
    report_limit_trial(&line, so_far, &so_far->trials[so_far->trial_count - 1]);
    fprintf(stderr, "%.*s\n", SLICE_FMT(buf_slice(&line)));
    buf_release(&line);
}

static int print_help(const struct limit_options *o)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    options_help(&o->table, &text);
    cli_print(stdout, &text);
    return 0;
}

/* The report's own texts: the target without its secrets, the promise as it was understood. */
static bool complete(struct limit_report *r, const struct limit_options *o, const struct load_plan *plan)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    redact_url(&text, slice_str(plan->targets[0].url));
    if (plan->target_count > 1)
        buf_printf(&text, " and %zu more", plan->target_count - 1);
    r->url = buf_detach(&text);
    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < o->promise.count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "," : "", o->promise.clauses[i].text);
    r->promise = buf_detach(&text);
    host_info_fill(&r->host);
    if (!strlist_add(&r->command, SLICE("plimsoll")))
        return false;
    for (size_t i = 0; i < o->load.command.count; i++)
        if (!strlist_add(&r->command, slice_str(o->load.command.items[i])))
            return false;
    return r->url != NULL && r->promise != NULL;
}

static int make_page(struct buf *out, struct slice json, struct err *err)
{
    struct collection c = { 0 };
    int rc = collection_add_limit(&c, json, NULL, "this search", err);

    if (rc == 0)
        rc = report_html(out, &c, &(struct html_options){ 0 }, err);
    collection_release(&c);
    return rc;
}

static bool write_page(struct slice json, const char *path)
{
    struct err err = { 0 };
    struct buf page;
    int rc;

    buf_init(&page, TEXT_MAX_BYTES);
    rc = make_page(&page, json, &err);
    if (rc == 0)
        rc = file_write(path, buf_slice(&page), &err);
    buf_release(&page);
    if (rc != 0)
        cli_complain(WHO, &err);
    return rc == 0;
}

/* A page that could not be made leaves the document. */
static bool write_files(const struct limit_report *r, const struct limit_options *o)
{
    struct err err = { 0 };
    struct buf json;
    bool ok = true;
    int rc;

    if (o->json == NULL && o->html == NULL)
        return true;
    buf_init(&json, TEXT_MAX_BYTES);
    rc = limit_report_to_json(r, &json, &err);
    if (rc == 0 && o->json != NULL)
        rc = file_write(o->json, buf_slice(&json), &err);
    if (rc != 0)
        cli_complain(WHO, &err);
    if (o->html != NULL && buf_ok(&json))
        ok = write_page(buf_slice(&json), o->html);
    buf_release(&json);
    return rc == 0 && ok;
}

static bool print_text(const struct limit_report *r, FILE *to)
{
    struct buf text;
    bool ok;

    buf_init(&text, TEXT_MAX_BYTES);
    report_limit(&text, r, 0);
    ok = buf_ok(&text) && fwrite(text.data, 1, text.len, to) == text.len;
    buf_release(&text);
    return ok;
}

static bool none_succeeded(const struct limit_report *r)
{
    for (size_t i = 0; i < r->trial_count; i++)
        if (r->trials[i].ok > 0)
            return false;
    return true;
}

static int exit_code(const struct limit_report *r, bool strict)
{
    if (r->interrupted)
        return INTERRUPT_EXIT_CODE;
    if (none_succeeded(r))
        return EXIT_INVALID;
    if (!(r->safe > 0))
        return EXIT_NOTHING;
    if (strict && (!r->confirmed || limit_report_generator_was_limit(r) || limit_report_connections_were_limit(r)))
        return EXIT_UNCERTAIN;
    return 0;
}

static int publish(struct limit_report *r, const struct limit_options *o, const struct load_plan *plan)
{
    const struct load_outputs outputs = { .json = o->json, .html = o->html };
    int code = exit_code(r, o->strict);
    bool written;

    if (!complete(r, o, plan)) {
        cli_note(WHO, "out of memory for the report");
        return EXIT_INVALID;
    }
    written = print_text(r, outputs_use_stdout(&outputs) ? stderr : stdout);
    written = write_files(r, o) && written;
    if (code == EXIT_INVALID)
        cli_note(WHO, "no request succeeded: try plimsoll load on the target first, it names the failures");
    return code == 0 && !written ? EXIT_INVALID : code;
}

static struct limit_config config_of(const struct limit_options *o)
{
    return (struct limit_config){
        .promise = &o->promise,
        .of_connections = o->of_connections,
        .search = { o->from, o->to, o->precision, o->of_connections, (unsigned)o->confirm_rounds },
        .step_ns = o->step_ns,
        .arrivals = o->load.arrivals,
        .on_trial = on_trial,
    };
}

/* Also the highest number of connections must be possible: found out now, not after an hour of trials. */
static int check_plan(const struct load_plan *plan, const struct limit_options *o, struct err *err)
{
    struct load_plan highest = *plan;
    struct load *load = NULL;
    int rc;

    if (o->of_connections)
        highest.connections = (uint32_t)o->to;
    rc = load_prepare(&load, &highest, err);
    load_free(load);
    if (rc != 0 && o->of_connections && err->kind == ERR_LIMIT)
        return err_hint(err, "a lower --to, or a higher limit of open files (ulimit -Hn)");
    return rc;
}

static int with_plan(struct load_plan *plan, const struct limit_options *o)
{
    const struct load_outputs outputs = { .json = o->json, .html = o->html };
    struct limit_config config = config_of(o);
    struct limit_report *report = NULL;
    enum progress_mode shown_as = o->load.progress;
    struct run run = { 0 };
    struct err err = { 0 };
    int code;

    plan->stop = interrupt_flag();
    plan->arg = config.arg = &run;
    if (outputs_check(&outputs, &err) != 0 || check_plan(plan, o, &err) != 0 ||
        live_new(&run.live, &o->load.live, "limit", &shown_as, WHO, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    live_load_init(&run.shown, run.live, plan, true);
    progress_init(&run.progress, shown_as);
    plan->on_progress = run.progress.mode != PROGRESS_NONE ? on_progress : NULL;
    plan->on_pulse = run.live != NULL || run.progress.mode == PROGRESS_JSON ? on_pulse : NULL;
    interrupt_install();
    live_begin(run.live);
    code = limit_run(&report, plan, &config, &err);
    progress_end(&run.progress);
    live_end(run.live);
    live_free(run.live);
    if (code != 0)
        return cli_complain(WHO, &err);
    code = publish(report, o, plan);
    limit_report_free(report);
    return code;
}

static int with_options(const struct limit_options *o)
{
    struct err err = { 0 };
    struct load_inputs in;
    int code;

    if (load_inputs_make(&in, &o->load, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    in.plan.stop = interrupt_flag();
    code = o->load.share.given ? limit_share_run(o, &in.plan, WHO) : with_plan(&in.plan, o);
    load_inputs_release(&in);
    return code;
}

int cmd_limit(int argc, char **argv)
{
    struct limit_options options;
    struct err err = { 0 };
    bool help;
    int code;

    limit_options_init(&options);
    if (limit_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help(&options) : with_options(&options);
    limit_options_release(&options);
    return code;
}
