/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results merge */
#include "cli/results.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/results_inputs.h"
#include "cli/storing.h"
#include "report/runs_table.h"
#include "result/merge.h"

#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)
enum { PILES_MAX = 8, MANY = 16 /* below it threads are not worth it */ };

static int add_part(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    (void)json;
    return merge_add(arg, r, source, err);
}

/* Some of the words, one after the other. */
struct pile {
    char *const *words;
    size_t count;
    struct merge merge;
    struct err err;
    int failed;
};

static void *merge_pile(void *arg)
{
    struct pile *pile = arg;
    struct results_inputs in = { 0 };

    for (size_t i = 0; i < pile->count && pile->failed == 0; i++)
        pile->failed = results_word_visit(&in, pile->words[i], add_part, &pile->merge, &pile->err);
    results_inputs_release(&in);
    return NULL;
}

/* Merging is exact, so it does not matter that each thread merges some and all are merged then. False when any of them
 * failed: then the words in their order say it best. */
static bool merge_piles(struct merge *m, char *const *words, size_t count)
{
    const size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), n = cpus < PILES_MAX ? cpus : PILES_MAX;
    struct pile piles[PILES_MAX] = { 0 };
    pthread_t threads[PILES_MAX];
    bool ok = true;

    for (size_t i = 0, at = 0; i < n; at += piles[i++].count) {
        piles[i].words = words + at;
        piles[i].count = count * (i + 1) / n - at;
        piles[i].failed = i > 0 && pthread_create(&threads[i], NULL, merge_pile, &piles[i]) != 0 ? -2 : 0;
    }
    merge_pile(&piles[0]);
    for (size_t i = 0; i < n; i++) {
        const struct result *r;

        if (i > 0 && piles[i].failed != -2)
            pthread_join(threads[i], NULL);
        r = piles[i].merge.sum;
        ok = ok && piles[i].failed == 0 && r != NULL && merge_add(m, r, "the others", NULL) == 0;
        merge_release(&piles[i].merge);
    }
    if (!ok)
        merge_release(m);
    return ok;
}

static int merge_words(const struct results_options *o, struct result **out, struct err *err)
{
    struct results_inputs in = { 0 };
    struct merge m = { 0 };
    int failed = 0;

    if (o->words.count < MANY || !merge_piles(&m, o->words.items, o->words.count))
        for (size_t i = 0; i < o->words.count && failed == 0; i++)
            failed = results_word_visit(&in, o->words.items[i], add_part, &m, err);
    /* A share alone is the plan with all others missing, or all of it. */
    if (failed == 0 && m.sum->part_count < 2 && m.sum->parts[0].share == NULL) {
        failed = err_set(err, ERR_USAGE, 0, "%s is one part alone", o->words.items[0]);
        err_hint(err, "give the parts of a run: plimsoll results merge part-1.json part-2.json");
    }
    if (failed == 0)
        failed = merge_finish(&m, out, err);
    merge_release(&m);
    results_inputs_release(&in);
    return failed;
}

static int write_document(const struct result *r, const char *path, struct err *err)
{
    struct buf json;
    int failed;

    buf_init(&json, DOCUMENT_MAX_BYTES);
    failed = result_to_json(r, &json, err);
    if (failed == 0)
        failed = file_write(path, buf_slice(&json), err);
    buf_release(&json);
    return failed;
}

/* The report; with the document on standard output it goes to standard error. */
static int publish(const struct result *r, const struct results_options *o, struct err *err)
{
    FILE *to = o->output != NULL && strcmp(o->output, "-") == 0 ? stderr : stdout;
    struct buf heading;
    int sys;

    buf_init(&heading, 1u << 16);
    report_run_heading(&heading, r);
    cli_print(to, &heading);
    sys = outputs_print(to, r);
    if (sys != 0)
        return err_set(err, ERR_SYSTEM, sys, "cannot write the report");
    return o->output != NULL ? write_document(r, o->output, err) : 0;
}

int results_merge(const struct results_options *o)
{
    struct result *r = NULL;
    struct err err = { 0 };
    int code = 0;

    if (merge_words(o, &r, &err) != 0 || publish(r, o, &err) != 0)
        code = cli_complain(RESULTS_WHO, &err);
    else
        code = result_exit_code(r);
    if (code != 2 && r != NULL && !o->no_store)
        storing_keep(r, o->output != NULL && strcmp(o->output, "-") != 0 ? o->output : NULL, RESULTS_WHO);
    result_free(r);
    return code;
}
