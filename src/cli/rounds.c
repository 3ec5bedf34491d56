/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll rounds */
#include "cli/commands.h"

#include <string.h>

#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/live_rounds.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/rounds_compare.h"
#include "cli/rounds_config.h"
#include "cli/rounds_forms.h"
#include "cli/rounds_import.h"
#include "cli/rounds_inputs.h"
#include "cli/rounds_progress.h"
#include "cli/rounds_secrets.h"
#include "cli/storing.h"
#include "result/rounds_scaling.h"

static const char WHO[] = "plimsoll rounds";
enum { EXIT_USAGE = 2, EXIT_INVALID = 3, HELP_MAX_BYTES = 1 << 16, DESCRIPTION_MAX_BYTES = 1 << 24 };

/* What the engine's callbacks get. */
struct run {
    struct progress progress;
    struct live *live; /* NULL: nothing is shown */
    struct live_rounds shown;
    struct phase_watch *watch; /* NULL: no phases */
    bool lines_lost;
};

static void on_progress(void *arg, const struct rounds_progress *now)
{
    struct run *run = arg;

    rounds_progress_show(&run->progress, now);
    live_rounds_show(&run->shown, now);
}

static void on_round(void *arg, const struct rounds_round *round)
{
    live_rounds_round(&((struct run *)arg)->shown, round);
}

static void on_line(void *arg, const struct line *line)
{
    struct run *run = arg;

    if (!phase_watch_line(run->watch, line))
        run->lines_lost = true;
}

static void on_copy(void *arg, const struct rounds_round *round, struct rounds_copy *copy, uint64_t start_ns)
{
    (void)round;
    phase_watch_copy(((struct run *)arg)->watch, copy, start_ns);
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    rounds_options_help(&text);
    cli_print(stdout, &text);
    return 0;
}

static void describe_command(struct buf *out, const char *what, const struct rounds_command *command)
{
    if (command->count == 0)
        return;
    buf_printf(out, "%-9s ", what);
    rounds_command_line(out, command);
    buf_add_char(out, '\n');
}

/* --dry-run */
static int describe(const struct rounds_inputs *in, const struct rounds_options *o)
{
    const struct rounds_plan *plan = &in->plan;
    struct buf text;

    buf_init(&text, DESCRIPTION_MAX_BYTES);
    describe_command(&text, plan->command_count > 1 ? "A" : "command", &plan->commands[0]);
    describe_command(&text, "B", &plan->commands[1]);
    describe_command(&text, "setup", &plan->setup);
    describe_command(&text, "cleanup", &plan->cleanup);
    if (in->shell != NULL)
        buf_printf(&text, "%-9s %s%s\n", "shell", in->shell, plan->pipefail ? " -o pipefail" : "");
    buf_printf(&text, "%-9s ", "rounds");
    for (size_t i = 0; i < plan->size_count; i++)
        buf_printf(&text, "%s%u", i > 0 ? ", " : "", (unsigned)plan->sizes[i]);
    buf_printf(&text, " at once, %u %s each, %s\n", (unsigned)plan->samples, plan->samples == 1 ? "sample" : "samples",
               plan->order == ROUNDS_AS_WRITTEN ? "as written" : "interleaved");
    cli_print(outputs_use_stdout(&o->outputs) ? stderr : stdout, &text);
    return 0;
}

static int judge(struct result *r, const struct rounds_options *o, struct err *err)
{
    if (rounds_scale(r->rounds, err) != 0 || rounds_judge(r, &o->slo, err) != 0)
        return -1;
    result_judge(r, o->max_errors, o->strict);
    return 0;
}

static int publish(const struct rounds_inputs *in, const struct rounds_options *o, const struct run *run)
{
    const struct report_form form = rounds_form(o->format, o->verbose);
    struct result *r = in->plan.result;
    struct err err = { 0 };
    bool written;
    int code;

    if (!rounds_config_add(r, o, in) || run->lines_lost)
        cli_note(WHO, "out of memory: the document lacks a part");
    if (judge(r, o, &err) != 0 || rounds_mask(r, &in->plan, &err) != 0)
        return cli_complain(WHO, &err);
    written = outputs_report_as(&o->outputs, r, &form, WHO);
    written = outputs_write(&o->outputs, r, WHO) && written;
    if (!o->no_store)
        storing_keep(
            r, written && o->outputs.json != NULL && strcmp(o->outputs.json, "-") != 0 ? o->outputs.json : NULL, WHO);
    code = result_exit_code(r);
    if (o->compare != NULL)
        code = rounds_compare(r, o, code, WHO);
    return code == 0 && !written ? EXIT_INVALID : code;
}

static int run_rounds(struct rounds_inputs *in, const struct rounds_options *o, struct run *run)
{
    struct err err = { 0 };
    int rc, code;

    interrupt_install();
    live_begin(run->live);
    rc = rounds_run(&in->plan, &err);
    progress_end(&run->progress);
    live_end(run->live);
    if (rc != 0 && in->plan.result->totals.started == 0)
        return cli_complain(WHO, &err);
    if (rc != 0)
        result_add_reason(in->plan.result, "the run ended early: %s", err.what);
    code = publish(in, o, run);
    if (rc != 0)
        cli_complain(WHO, &err);
    return code;
}

/* Everything that may still be refused. */
static int prepare(struct rounds_inputs *in, const struct rounds_options *o, struct run *run, struct err *err)
{
    struct rounds_plan *plan = &in->plan;
    enum progress_mode shown_as = o->progress;

    if (outputs_check(&o->outputs, err) != 0)
        return -1;
    if (o->log_dir != NULL && !o->dry_run && outputs_check_directory("--log-dir", o->log_dir, err) != 0)
        return -1;
    if (in->phases != NULL && phase_watch_new(&run->watch, in->phases, err) != 0)
        return -1;
    if (!o->dry_run && live_new(&run->live, &o->live, "rounds", &shown_as, WHO, err) != 0)
        return -1;
    if (live_rounds_init(&run->shown, run->live, plan, err) != 0)
        return -1;
    progress_init(&run->progress, shown_as);
    plan->stop = interrupt_flag();
    plan->on_progress = run->progress.mode != PROGRESS_NONE || run->live != NULL ? on_progress : NULL;
    plan->on_round = run->live != NULL ? on_round : NULL;
    plan->on_line = run->watch != NULL ? on_line : NULL;
    plan->on_copy = run->watch != NULL ? on_copy : NULL;
    plan->arg = run;
    if (in->shell != NULL && !plan->pipefail)
        result_add_warning(plan->result,
                           "there is no bash: %s knows no pipefail, so a pipe fails only when its last "
                           "command does",
                           in->shell);
    return 0;
}

static int with_options(const struct rounds_options *o)
{
    struct err err = { 0 };
    struct rounds_inputs in;
    struct run run = { 0 };
    int code = EXIT_USAGE;

    if (rounds_inputs_make(&in, o, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    if (prepare(&in, o, &run, &err) != 0)
        cli_complain(WHO, &err);
    else
        code = o->dry_run ? describe(&in, o) : run_rounds(&in, o, &run);
    live_rounds_release(&run.shown);
    live_free(run.live);
    phase_watch_free(run.watch);
    rounds_inputs_release(&in);
    return code;
}

int cmd_rounds(int argc, char **argv)
{
    struct rounds_options options;
    struct err err = { 0 };
    bool help;
    int code;

    if (argc > 1 && strcmp(argv[1], "import") == 0)
        return rounds_import_run(argc - 1, argv + 1);
    rounds_options_init(&options);
    if (rounds_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    rounds_options_release(&options);
    return code;
}
