/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results */
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/print.h"

enum { HELP_MAX_BYTES = 1 << 16 };

static const struct results_command *find_command(const char *name)
{
    for (const struct results_command *c = RESULTS_COMMANDS; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* NULL: of all commands. */
static int print_help(const struct results_command *command)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    if (command != NULL)
        results_command_help(command, &text);
    else
        results_help(&text);
    cli_print(stdout, &text);
    return 0;
}

static int unknown_command(const char *word)
{
    struct suggestion s;
    struct err err = { 0 };

    suggest_init(&s, slice_str(word));
    for (const struct results_command *c = RESULTS_COMMANDS; c->name != NULL; c++)
        suggest_consider(&s, c->name);
    err_set(&err, ERR_USAGE, 0, word[0] == '-' ? "unknown option \"%s\"" : "unknown command \"%s\"", word);
    if (s.word != NULL)
        err_hint(&err, "did you mean %s? plimsoll results --help lists all commands", s.word);
    else
        err_hint(&err, "plimsoll results --help lists all commands");
    return cli_complain(RESULTS_WHO, &err);
}

static int run_command(const struct results_command *command, int argc, char **argv)
{
    struct results_options o = { 0 };
    struct err err = { 0 };
    bool help;
    int code;

    if (results_options_parse(&o, command, argc, argv, &help, &err) != 0)
        code = cli_complain(RESULTS_WHO, &err);
    else
        code = help ? print_help(command) : command->run(&o);
    results_options_release(&o);
    return code;
}

int cmd_results(int argc, char **argv)
{
    struct err err = { 0 };

    if (argc < 2) {
        err_set(&err, ERR_USAGE, 0, "a command is missing");
        err_hint(&err, "plimsoll results list; plimsoll results --help lists all commands");
        return cli_complain(RESULTS_WHO, &err);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(NULL);
    const struct results_command *command = find_command(argv[1]);

    return command != NULL ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
