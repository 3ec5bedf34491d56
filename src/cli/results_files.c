/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results show, export, import */
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/outputs.h"
#include "cli/results_inputs.h"
#include "cli/storing.h"
#include "import/import.h"
#include "report/csv.h"
#include "report/runs_table.h"

#define DOCUMENTS_MAX_BYTES (UINT64_C(1) << 31)

/* ---- show, export ---- */

/* Results on their way into a text. */
struct gathering {
    struct buf text;
    size_t count;
    enum results_format format;
};

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory, or more than 2 GiB of documents");
}

static int gather(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    struct gathering *g = arg;
    int failed = 0;

    (void)source;
    if (g->format == RESULTS_CSV) {
        buf_add_str(&g->text, g->count > 0 ? "\n" : "");
        report_csv(&g->text, r);
    } else {
        buf_add_str(&g->text, g->count > 0 ? ",\n" : "");
        if (json.len > 0)
            buf_add_slice(&g->text, json);
        else
            failed = result_to_json(r, &g->text, err);
    }
    g->count++;
    return failed != 0 || buf_ok(&g->text) ? failed : no_memory(err);
}

/* One document is itself; several are an array. */
static int publish(const struct gathering *g, const char *path, struct err *err)
{
    struct buf all;
    int failed;

    if (g->format != RESULTS_JSON || g->count == 1)
        return file_write(path, buf_slice(&g->text), err);
    buf_init(&all, DOCUMENTS_MAX_BYTES);
    buf_add_str(&all, "[\n");
    buf_add_slice(&all, buf_slice(&g->text));
    buf_add_str(&all, "]\n");
    failed = buf_ok(&all) ? file_write(path, buf_slice(&all), err) : no_memory(err);
    buf_release(&all);
    return failed;
}

static int write_documents(const struct results_options *o, const char *path)
{
    struct results_inputs in = { 0 };
    struct gathering g = { .format = o->format };
    struct err err = { 0 };
    int failed = 0;

    buf_init(&g.text, DOCUMENTS_MAX_BYTES);
    for (size_t i = 0; i < o->words.count && failed == 0; i++)
        failed = results_word_visit(&in, o->words.items[i], gather, &g, &err);
    if (failed == 0)
        failed = publish(&g, path, &err);
    buf_release(&g.text);
    results_inputs_release(&in);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

int results_export(const struct results_options *o)
{
    return write_documents(o, o->output != NULL ? o->output : "-");
}

/* Where show is. */
struct showing {
    size_t count;
};

static int show_one(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    struct showing *s = arg;
    struct buf heading;
    int sys;

    (void)json;
    (void)source;
    buf_init(&heading, 1u << 16);
    buf_add_str(&heading, s->count++ > 0 ? "\n" : "");
    report_run_heading(&heading, r);
    fwrite(heading.data, 1, heading.len, stdout);
    buf_release(&heading);
    sys = outputs_print(stdout, r);
    return sys == 0 ? 0 : err_set(err, ERR_SYSTEM, sys, "cannot write the report");
}

int results_show(const struct results_options *o)
{
    struct results_inputs in = { 0 };
    struct showing s = { 0 };
    struct err err = { 0 };
    int failed = 0;

    if (o->json)
        return write_documents(o, "-");
    for (size_t i = 0; i < o->words.count && failed == 0; i++)
        failed = results_word_visit(&in, o->words.items[i], show_one, &s, &err);
    results_inputs_release(&in);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

/* ---- import ---- */

enum { IMPORT_BATCH = 500 }; /* documents in a transaction: others may write in between */

struct importing {
    struct runstore *store;
    const struct results_options *options;
    enum import_format format;
    size_t in_batch, added, known;
    struct strlist ids; /* of what was stored, or was there */
};

static int store_one(struct importing *im, const struct result *r, struct err *err)
{
    struct buf json;
    bool added = false;
    int failed = 0;

    if (im->in_batch == 0)
        failed = runstore_begin(im->store, err);
    buf_init(&json, DOCUMENTS_MAX_BYTES);
    if (failed == 0)
        failed = result_to_json(r, &json, err);
    if (failed == 0)
        failed = runstore_add(im->store, r, buf_slice(&json), &added, err);
    buf_release(&json);
    im->added += added;
    im->known += !added;
    if (failed == 0 && ++im->in_batch == IMPORT_BATCH) {
        im->in_batch = 0;
        failed = runstore_commit(im->store, err);
    }
    if (failed == 0 && !strlist_contains(&im->ids, slice_str(r->run != NULL ? r->run : r->id)) &&
        !strlist_add(&im->ids, slice_str(r->run != NULL ? r->run : r->id)))
        failed = no_memory(err);
    return failed;
}

static int import_path(struct importing *im, const char *path, struct err *err)
{
    const struct import_options options = { .name = im->options->name, .labels = &im->options->labels };
    struct imported in = { 0 };
    int failed = import_file(&in, path, im->format, &options, err);

    for (size_t i = 0; i < in.count && failed == 0; i++)
        failed = store_one(im, in.results[i], err);
    imported_release(&in);
    return failed;
}

static int import_word(struct importing *im, const char *word, struct err *err)
{
    struct strlist paths = STRLIST_INIT;
    int failed = results_word_files(word, &paths, err);

    for (size_t i = 0; i < paths.count && failed == 0; i++)
        failed = import_path(im, paths.items[i], err);
    strlist_release(&paths);
    return failed;
}

static int print_imported(struct importing *im, struct err *err)
{
    struct listing runs = { 0 };
    struct buf text;
    int failed = 0;

    for (size_t i = 0; i < im->ids.count && failed == 0; i++)
        failed = runstore_find(im->store, im->ids.items[i], &runs, err);
    buf_init(&text, DOCUMENTS_MAX_BYTES);
    if (failed == 0 && im->options->json)
        listing_to_json(&runs, &text);
    else if (failed == 0)
        failed = report_runs_table(&text, &runs, 0, err);
    if (failed == 0)
        fwrite(text.data, 1, text.len, stdout);
    if (failed == 0 && im->known > 0)
        cli_note(RESULTS_WHO, "%zu of %zu documents had been stored before", im->known, im->known + im->added);
    buf_release(&text);
    listing_release(&runs);
    return failed;
}

int results_import(const struct results_options *o)
{
    struct importing im = { .options = o, .format = IMPORT_AUTO };
    struct err err = { 0 };
    const size_t first = o->words.count > 1 && import_format_parse(&im.format, slice_str(o->words.items[0])) == 0;
    int failed = storing_open(&im.store, STORE_WRITE, &err);

    for (size_t i = first; i < o->words.count && failed == 0; i++)
        failed = import_word(&im, o->words.items[i], &err);
    if (failed == 0 && im.in_batch > 0)
        failed = runstore_commit(im.store, &err);
    if (failed == 0)
        failed = print_imported(&im, &err);
    strlist_release(&im.ids);
    runstore_close(im.store);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}
