/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results tag, untag, note, rm, vacuum */
#include "cli/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/complain.h"
#include "cli/storing.h"

/* What is done to each run of a command line. */
struct change {
    int (*apply)(struct runstore *s, const struct listed_run *run, const struct results_options *o, struct err *err);
    size_t words; /* the first ones, which name runs */
};

static int find_runs(struct runstore **s, struct listing *runs, const struct results_options *o, size_t words,
                     struct err *err)
{
    if (storing_open(s, STORE_READ, err) != 0) /* a store that is not there is not made for this */
        return -1;
    if (*s == NULL) {
        err_set(err, ERR_CONFIG, 0, "there is no run \"%s\": nothing is stored yet", o->words.items[0]);
        return err_hint(err, "plimsoll load stores runs, plimsoll results import takes files");
    }
    for (size_t i = 0; i < words; i++)
        if (runstore_find(*s, o->words.items[i], runs, err) != 0)
            return -1;
    return 0;
}

static int with_runs(const struct change *c, const struct results_options *o)
{
    struct listing runs = { 0 };
    struct runstore *s = NULL;
    struct err err = { 0 };
    int failed = find_runs(&s, &runs, o, c->words, &err);

    if (failed == 0)
        failed = runstore_begin(s, &err);
    for (size_t i = 0; i < runs.count && failed == 0; i++)
        failed = c->apply(s, &runs.runs[i], o, &err);
    if (failed == 0)
        failed = runstore_commit(s, &err);
    listing_release(&runs);
    runstore_close(s);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

static int tag(struct runstore *s, const struct listed_run *run, const struct results_options *o, struct err *err)
{
    return runstore_tag(s, run->number, o->words.items[o->words.count - 1], o->same_code, err);
}

int results_tag(const struct results_options *o)
{
    return with_runs(&(struct change){ tag, o->words.count - 1 }, o);
}

static int untag(struct runstore *s, const struct listed_run *run, const struct results_options *o, struct err *err)
{
    const char *name = o->words.items[o->words.count - 1];
    bool removed;

    if (runstore_untag(s, run->number, name, &removed, err) != 0)
        return -1;
    if (removed)
        return 0;
    err_set(err, ERR_CONFIG, 0, "run %.8s has no tag \"%s\"", run->id, name);
    return err_hint(err, "plimsoll results list shows the tags");
}

int results_untag(const struct results_options *o)
{
    return with_runs(&(struct change){ untag, o->words.count - 1 }, o);
}

static int note(struct runstore *s, const struct listed_run *run, const struct results_options *o, struct err *err)
{
    return runstore_note(s, run->number, o->words.items[1], err);
}

static int only_one(size_t runs, const char *word, struct err *err)
{
    if (runs == 1)
        return 0;
    err_set(err, ERR_CONFIG, 0, "\"%s\" is %zu runs", word, runs);
    return err_hint(err, "%s@latest, or the first letters of one's id", word);
}

int results_note(const struct results_options *o)
{
    struct listing runs = { 0 };
    struct runstore *s = NULL;
    struct err err = { 0 };
    int failed = find_runs(&s, &runs, o, 1, &err);

    if (failed == 0)
        failed = only_one(runs.count, o->words.items[0], &err);
    if (failed == 0)
        failed = note(s, &runs.runs[0], o, &err);
    listing_release(&runs);
    runstore_close(s);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

/* ---- rm ---- */

static bool said_yes(void)
{
    char answer[16];

    return fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

static void describe(const struct listing *runs)
{
    for (size_t i = 0; i < runs->count && i < 10; i++)
        fprintf(stderr, "  %.8s  %s  %s\n", runs->runs[i].id, runs->runs[i].started, runs->runs[i].name);
    if (runs->count > 10)
        fprintf(stderr, "  and %zu more\n", runs->count - 10);
}

/* 1: go on; 0: the user said no; -1. */
static int confirm(const struct listing *runs, bool yes, struct err *err)
{
    if (yes)
        return 1;
    if (isatty(STDIN_FILENO) != 1) {
        err_set(err, ERR_USAGE, 0, "%zu run%s would be removed, and there is nobody to ask", runs->count,
                runs->count == 1 ? "" : "s");
        return err_hint(err, "--yes removes without asking");
    }
    describe(runs);
    fprintf(stderr, "Remove %s? [y/N] ", runs->count == 1 ? "this run" : "these runs");
    return said_yes() ? 1 : 0;
}

static int remove_all(struct runstore *s, const struct listing *runs, struct err *err)
{
    if (runstore_begin(s, err) != 0)
        return -1;
    for (size_t i = 0; i < runs->count; i++)
        if (runstore_remove(s, runs->runs[i].number, err) != 0)
            return -1; /* closing the store rolls back */
    return runstore_commit(s, err);
}

int results_rm(const struct results_options *o)
{
    struct listing runs = { 0 };
    struct runstore *s = NULL;
    struct err err = { 0 };
    int failed = find_runs(&s, &runs, o, o->words.count, &err), sure = 0;

    if (failed == 0)
        sure = confirm(&runs, o->yes, &err);
    if (sure == 1)
        failed = remove_all(s, &runs, &err);
    else if (failed == 0 && sure == 0)
        cli_note(RESULTS_WHO, "nothing was removed");
    listing_release(&runs);
    runstore_close(s);
    return failed == 0 && sure >= 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

/* ---- vacuum ---- */

static double bytes_of(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

int results_vacuum(const struct results_options *o)
{
    struct runstore *s = NULL;
    struct err err = { 0 };
    char before[UNITS_TEXT_MAX], after[UNITS_TEXT_MAX];

    (void)o;
    if (storing_open(&s, STORE_READ, &err) != 0)
        return cli_complain(RESULTS_WHO, &err);
    if (s == NULL) {
        cli_note(RESULTS_WHO, "nothing is stored yet");
        return 0;
    }
    units_format_size(before, bytes_of(runstore_path(s)));
    const int failed = runstore_vacuum(s, &err);

    if (failed == 0)
        printf("%s: %s, was %s; no damage found\n", runstore_path(s),
               units_format_size(after, bytes_of(runstore_path(s))), before);
    runstore_close(s);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}
