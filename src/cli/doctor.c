/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll doctor */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/option_values.h"
#include "cli/print.h"
#include "machine/machine.h"
#include "report/checkup.h"

static const char WHO[] = "plimsoll doctor";
enum { TEXT_MAX_BYTES = 1 << 20 };

struct doctor_options {
    bool json;
    uint64_t time_ns;
    struct strlist ignored;
};

static int parse_check(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct suggestion near;
    const char *name;

    suggest_init(&near, slice_str(text));
    for (size_t i = 0; (name = machine_check_name(i)) != NULL; i++) {
        if (strcmp(name, text) == 0)
            return option_list(field, text, row, err);
        suggest_consider(&near, name);
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no check", text);
    return near.word != NULL ? err_hint(err, "did you mean %s?", near.word)
                             : err_hint(err, "plimsoll doctor --json has the name of each as \"check\"");
}

/* clang-format off */
#define FIELD(name) .offset = offsetof(struct doctor_options, name)

static const struct option_row ROWS[] = {
    { .heading = "Options" },
    { .name = "time", .argument = "TIME", .shown_default = "1s", .example = "5s", .min = 100 * NS_PER_MS, .max = 600ull * NS_PER_S,
      .help = "how long timers are tried and neighbours are watched",
      .parse = option_duration, FIELD(time_ns) },
    { .name = "ignore", .argument = "CHECK", .example = "cpu-governor",
      .help = "this check is shown but does not change the exit status; may be repeated",
      .parse = parse_check, FIELD(ignored) },
    { .name = "json", .help = "JSON instead of text", .parse = option_flag, FIELD(json) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};

static const struct option_table TABLE = {
    .command = "plimsoll doctor",
    .usage = "[OPTION...]",
    .summary = "Looks at this machine for what would spoil a measurement, and prints with each find why it matters and the "
               "command that mends it. Changes nothing; needs no rights. Run it where the load comes from, and where the "
               "target runs.",
    .rows = ROWS,
    .epilogue =
        "Looked at: open files, local ports and how soon they are used again, connection\n"
        "tracking, the line of a listening socket, IPv6, the loopback interface, the clock\n"
        "and how long a reading takes, the time of day, how late timers fire, the CPU's\n"
        "governor, turbo, quota and stolen time, what else runs, memory, huge pages,\n"
        "battery, debuggers.\n"
        "\n"
        "Each find is one of: spoils (figures measured now would be wrong), note (spoils some\n"
        "kinds of measurement), fine, unknown (the kernel does not say: usual in containers).\n"
        "\n"
        "Examples:\n"
        "  plimsoll doctor\n"
        "  plimsoll doctor --ignore cpu-governor --ignore neighbours && plimsoll run suite.yaml\n"
        "\n"
        "Exit status: 0 nothing spoils; 1 something does; 2 wrong usage.\n",
};
/* clang-format on */

static int print_help(void)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    options_help(&TABLE, &text);
    cli_print(stdout, &text);
    return 0;
}

static unsigned terminal_width(void)
{
    struct winsize size = { 0 };

    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static int examine(struct checkup *c, const struct doctor_options *o, struct err *err)
{
    struct machine_facts facts;

    machine_facts_init(&facts);
    host_info_fill(&c->host);
    machine_read(&facts, "");
    if (!machine_watch(&facts, "", o->time_ns))
        return err_set(err, ERR_SYSTEM, 0, "no memory to watch the machine");
    machine_try(&facts);
    if (machine_judge(&facts, c, err) != 0)
        return -1;
    for (size_t i = 0; i < c->count; i++)
        c->findings[i].is_accepted = strlist_contains(&o->ignored, slice_str(c->findings[i].check));
    return 0;
}

static int print(const struct checkup *c, const struct doctor_options *o, struct err *err)
{
    struct buf text;
    int failed = 0;

    buf_init(&text, TEXT_MAX_BYTES);
    if (o->json)
        failed = checkup_to_json(c, &text, err);
    else
        report_checkup(&text, c, terminal_width());
    if (failed == 0 && !buf_ok(&text))
        failed = err_set(err, ERR_SYSTEM, 0, "no memory for the report");
    if (failed == 0)
        cli_print(stdout, &text);
    else
        buf_release(&text);
    return failed;
}

static int with_options(const struct doctor_options *o)
{
    struct checkup c = { 0 };
    struct err err = { 0 };
    int code;

    if (examine(&c, o, &err) != 0 || print(&c, o, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = checkup_exit_code(&c);
    checkup_release(&c);
    return code;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options options = { .time_ns = NS_PER_S };
    struct err err = { 0 };
    bool help;
    int code;

    if (options_parse(&TABLE, &options, argc, argv, &help, NULL, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    strlist_release(&options.ignored);
    return code;
}
