/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll complete: the words that completions of shells ask for. Not in any help.
 *
 *     plimsoll complete runs     tags, names, NAME@latest and short ids of the newest stored runs
 *     plimsoll complete tags     tags alone
 *     plimsoll complete suites   those that come with plimsoll
 *     plimsoll complete checks   of plimsoll doctor
 *
 * A line each: the word, a tab, what it is. Whoever presses Tab wants no message and does not wait: it prints what it
 * can, nothing on standard error, ends within two seconds, and its exit status is always 0. */
#include "cli/commands.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/installed.h"
#include "cli/storing.h"
#include "machine/machine.h"

enum { RUNS_MAX = 200, SHORT_ID = 8, SECONDS_MAX = 2 };

static void give_up(int signal)
{
    (void)signal;
    _exit(0);
}

/* Not those that a line of words can not hold. */
static bool is_fit(const char *word)
{
    for (const char *c = word; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr("\\'\"`$", *c) != NULL)
            return false;
    return word[0] != '\0' && word[0] != '-';
}

static void print_once(struct strlist *printed, const char *word, const char *what)
{
    if (!is_fit(word) || strlist_contains(printed, slice_str(word)) || !strlist_add(printed, slice_str(word)))
        return;
    printf("%s\t%s\n", word, what);
}

static void print_run(struct strlist *printed, const struct listed_run *run, bool tags_only)
{
    char word[UUID_TEXT_MAX + 256], what[128];

    for (size_t i = 0; i < run->tags.count; i++)
        print_once(printed, run->tags.items[i], "tag");
    if (tags_only)
        return;
    if (run->name[0] != '\0') {
        snprintf(word, sizeof(word), "%s@latest", run->name);
        print_once(printed, word, "the newest of this name");
        print_once(printed, run->name, "all runs of this name");
    }
    snprintf(word, sizeof(word), "%.*s", SHORT_ID, run->id);
    snprintf(what, sizeof(what), "%.8s of %.16s", run->kind, run->started);
    print_once(printed, word, what);
}

static void print_runs(bool tags_only)
{
    const struct runstore_filter filter = { .limit = RUNS_MAX };
    struct strlist printed = { 0 };
    struct listing runs = { 0 };
    struct runstore *s = NULL;

    if (storing_open(&s, STORE_READ, NULL) == 0 && s != NULL && runstore_list(s, &filter, &runs, NULL) == 0)
        for (size_t i = 0; i < runs.count; i++)
            print_run(&printed, &runs.runs[i], tags_only);
    listing_release(&runs);
    runstore_close(s);
    strlist_release(&printed);
}

static void print_suites(void)
{
    struct strlist names = { 0 };

    installed_suites(&names);
    for (size_t i = 0; i < names.count; i++)
        printf("%s\tcomes with plimsoll\n", names.items[i]);
    strlist_release(&names);
}

static void print_checks(void)
{
    const char *name;

    for (size_t i = 0; (name = machine_check_name(i)) != NULL; i++)
        printf("%s\tcheck\n", name);
}

int cmd_complete(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    signal(SIGALRM, give_up);
    alarm(SECONDS_MAX);
    if (strcmp(what, "runs") == 0 || strcmp(what, "tags") == 0)
        print_runs(strcmp(what, "tags") == 0);
    else if (strcmp(what, "suites") == 0)
        print_suites();
    else if (strcmp(what, "checks") == 0)
        print_checks();
    return 0;
}
