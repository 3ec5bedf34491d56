/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll job */
#include "cli/commands.h"

#include <stdio.h>

#include "cli/complain.h"
#include "cli/job_apply.h"
#include "cli/job_options.h"
#include "cli/job_plan.h"
#include "cli/print.h"

static const char WHO[] = "plimsoll job";
enum { HELP_MAX_BYTES = 1 << 16 };
#define SCRIPT_MAX_BYTES ((size_t)1 << 22)

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    job_options_help(&text);
    cli_print(stdout, &text);
    return 0;
}

/* What the text alone does not bring along. */
static void warn(const struct job_plan *p)
{
    for (size_t i = 0; i < p->notes.count; i++)
        cli_note(WHO, "%s", p->notes.items[i]);
    for (size_t i = 0; i < p->job.variable_count; i++)
        cli_note(WHO, "not printed, taken from the environment: %s, %s", p->variables[i].name, p->variables[i].what);
}

static int print_job(const struct job_plan *p)
{
    struct err err = { 0 };
    struct buf text;

    buf_init(&text, SCRIPT_MAX_BYTES);
    if (job_render(&text, &p->job, &err) != 0) {
        buf_release(&text);
        return cli_complain(WHO, &err);
    }
    warn(p);
    cli_print(stdout, &text);
    return 0;
}

static int with_options(const struct job_options *o)
{
    struct err err = { 0 };
    struct job_plan plan;
    int code;

    if (job_plan_init(&plan, o, clock_wall_ns(), &err) != 0)
        return cli_complain(WHO, &err);
    code = o->apply ? job_apply(&plan, o, WHO) : print_job(&plan);
    job_plan_release(&plan);
    return code;
}

int cmd_job(int argc, char **argv)
{
    struct job_options options;
    struct err err = { 0 };
    bool help;
    int code;

    job_options_init(&options);
    if (job_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    job_options_release(&options);
    return code;
}
