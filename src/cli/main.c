/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's front door: finds the subcommand and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#ifdef PLIMSOLL_STATIC
#include <nss.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/version.h"
#include "base/suggest.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help_option; /* what makes it print its help */
    bool by_program_name;    /* also runs when the binary is called so */
    const char *summary;
} COMMANDS[] = {
    { "load", cmd_load, "--help", false, "offer HTTP load to targets, measure, report" },
    { "limit", cmd_limit, "--help", false, "the highest rate that keeps a promise" },
#ifdef PLIMSOLL_AB
    { "ab", cmd_ab, "-h", true, "the same with ApacheBench's options and report" },
#endif
    { "compare", cmd_compare, "--help", false, "a verdict per cell on two sets of results" },
    { "doctor", cmd_doctor, "--help", false, "what would spoil a measurement on this machine" },
    { "job", cmd_job, "--help", false, "a plan as shares under Kubernetes, Slurm, MPI or ssh" },
    { "mb", cmd_mb, "-h", true, "the same with mb's request file, response file and summary" },
    { "report", cmd_report, "--help", false, "one HTML page: verdict, figures, charts, comparison" },
    { "results", cmd_results, "--help", false, "list, show, tag, merge, export, import stored runs" },
    { "rounds", cmd_rounds, "--help", false, "rounds of concurrent commands, timed" },
    { "run", cmd_run, "--help", false, "a matrix of samples from a suite file" },
    { "serve", cmd_serve, "--help", false, "a target to try things on: sized bodies, statuses, delays" },
};
enum { COMMAND_COUNT = sizeof(COMMANDS) / sizeof(COMMANDS[0]) };

static const char HELP_HEAD[] = "usage: plimsoll COMMAND [OPTION...]\n"
                                "\n"
                                "Plimsoll measures how much load a web service can carry, and whether the figures\n"
                                "can be trusted: every request is accounted for, failures are named, latency of\n"
                                "good replies is kept apart from that of failed ones.\n"
                                "\n"
                                "Commands:\n";

static const char HELP_TAIL[] = "  help     what a command takes: plimsoll help load\n"
                                "\n"
                                "Options:\n"
                                "  -h, --help                show this help\n"
                                "  -V, --version             show the version and the libraries in use\n"
                                "\n"
                                "First steps, in two terminals:\n"
                                "  plimsoll serve\n"
                                "  plimsoll load -c 20 -d 5s http://127.0.0.1:3000/bytes/1024\n"
                                "\n"
                                "Then:\n"
                                "  plimsoll load -n 1000 --json - http://127.0.0.1:3000/ > run.json\n"
                                "      exactly 1000 requests; the document has every figure of the report and more\n"
                                "  plimsoll ab -n 1000 -c 10 -k http://127.0.0.1:3000/\n"
                                "      what scripts that read ab's output expect\n"
                                "\n"
                                "Exit status: 0 ok; 1 a declared check failed; 2 wrong usage, nothing was sent;\n"
                                "3 the run is invalid, and the report says why; 130 interrupted.\n"
                                "Manual: man plimsoll, man plimsoll-load, man plimsoll-compare,\n"
                                "man plimsoll-doctor, man plimsoll-job, man plimsoll-limit,\n"
                                "man plimsoll-report, man plimsoll-results, man plimsoll-rounds,\n"
                                "man plimsoll-run, man plimsoll-serve, man plimsoll-ab, man plimsoll-mb\n";

static void print_help(FILE *to)
{
    fputs(HELP_HEAD, to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
    fputs(HELP_TAIL, to);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

static int unknown_command(const char *word)
{
    struct suggestion s;
    struct err err = { 0 };

    suggest_init(&s, slice_str(word));
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        suggest_consider(&s, COMMANDS[i].name);
    suggest_consider(&s, "help");
    err_set(&err, ERR_USAGE, 0, word[0] == '-' ? "unknown option \"%s\"" : "unknown command \"%s\"", word);
    if (s.word != NULL)
        err_hint(&err, "did you mean %s? plimsoll --help lists all commands", s.word);
    else if (strstr(word, "://") != NULL)
        err_hint(&err, "a command comes first: plimsoll load URL");
    else
        err_hint(&err, "plimsoll --help lists all commands");
    return cli_complain("plimsoll", &err);
}

/* ab prints its usage to standard error and fails; who asks us for help gets it on standard output. */
static int show_help(const struct command *command)
{
    char *words[] = { strdup(command->name), strdup(command->help_option), NULL };

    if (command->by_program_name)
        dup2(STDOUT_FILENO, STDERR_FILENO);
    if (words[0] != NULL && words[1] != NULL)
        command->run(2, words);
    free(words[0]);
    free(words[1]);
    return 0;
}

static int run_help(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        print_help(stdout);
        return 0;
    }
    command = find_command(argv[1]);
    return command != NULL ? show_help(command) : unknown_command(argv[1]);
}

static int run(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const struct command *command = argc > 0 ? find_command(slash != NULL ? slash + 1 : argv[0]) : NULL;

    if (command != NULL && command->by_program_name)
        return command->run(argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return version_print();
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (strcmp(argv[1], "complete") == 0)
        return cmd_complete(argc - 1, argv + 1);
    command = find_command(argv[1]);
    if (command == NULL)
        return unknown_command(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--help") == 0)
        return show_help(command);
    return command->run(argc - 1, argv + 1);
}

/* Where a standard stream is closed the next socket would get its number, and be written to as if it were the stream.
 * Opened the wrong way round its use fails as that of a closed one. */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        while (fcntl(fd, F_GETFD) < 0)
            if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
                return;
}

/* Of a pipe; the error of an earlier write is not kept. */
static bool reader_has_left(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };

    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* glibc's own resolver reads /etc/hosts and asks DNS without a library. What else /etc/nsswitch.conf may name (mdns4,
 * sss) would be loaded from a libc of another version than the one inside. */
static void resolve_without_libraries(void)
{
#ifdef PLIMSOLL_STATIC
    (void)__nss_configure_lookup("hosts", "files dns");
#endif
}

int main(int argc, char **argv)
{
    int code;

    resolve_without_libraries();
    hold_standard_streams();
    interrupt_ignore_sigpipe();
    code = run(argc, argv);
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != 0)
        return code;
    if (reader_has_left()) /* it may have seen enough */
        return CLI_EXIT_READER_LEFT;
    cli_note("plimsoll", "cannot write to standard output: %s", errno != 0 ? strerror(errno) : "not all of it");
    return 3;
}
