/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results show, import */
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/results_inputs.h"
#include "cli/results_server.h"
#include "cli/storing.h"
#include "import/import.h"
#include "report/imported.h"
#include "report/runs_table.h"

#define DOCUMENTS_MAX_BYTES (UINT64_C(1) << 31)

/* ---- show ---- */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory, or more than 2 GiB of documents");
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
    if (result_is_import(r))
        report_imported(&heading, r);
    cli_print(stdout, &heading);
    sys = result_is_import(r) ? 0 : outputs_print(stdout, r);
    return sys == 0 ? 0 : err_set(err, ERR_SYSTEM, sys, "cannot write the report");
}

int results_show(const struct results_options *o)
{
    struct results_inputs in = { 0 };
    struct showing s = { 0 };
    struct err err = { 0 };
    int failed = 0;

    if (o->json)
        return results_write(o, EXPORT_JSON, "-");
    for (size_t i = 0; i < o->words.count && failed == 0; i++)
        failed = results_word_visit(&in, o->words.items[i], show_one, &s, &err);
    results_inputs_release(&in);
    return failed == 0 ? 0 : cli_complain_of_output(RESULTS_WHO, &err);
}

/* ---- import ---- */

enum {
    IMPORT_BATCH = 500, /* documents in a transaction: others may write in between */
    REFUSALS_SAID = 10,
};

struct importing {
    struct runstore *store;
    const struct results_options *options;
    enum import_format format;
    const char *source; /* of the document in hand */
    size_t in_batch, added, known, refused;
    struct strlist ids; /* of what was stored, or was there */
};

static void refuse(struct importing *im, const struct result *r)
{
    if (im->refused++ < REFUSALS_SAID)
        cli_note(RESULTS_WHO,
                 "%s is not stored: another document has its id %s; results show %.8s shows that one, results rm "
                 "removes it",
                 im->source, r->id, r->id);
}

static int store_one(struct importing *im, const struct result *r, struct err *err)
{
    struct buf json;
    const char *id = r->run != NULL ? r->run : r->id;
    enum runstore_added what = STORE_DIFFERS;
    int failed = 0;

    if (im->in_batch == 0)
        failed = runstore_begin(im->store, err);
    buf_init(&json, DOCUMENTS_MAX_BYTES);
    if (failed == 0)
        failed = result_to_json(r, &json, err);
    if (failed == 0)
        failed = runstore_add(im->store, r, buf_slice(&json), &what, err);
    buf_release(&json);
    if (failed != 0)
        return -1;
    im->added += what == STORE_ADDED;
    im->known += what == STORE_KNOWN;
    if (what == STORE_DIFFERS)
        refuse(im, r);
    else if (!strlist_contains(&im->ids, slice_str(id)) && !strlist_add(&im->ids, slice_str(id)))
        return no_memory(err);
    if (++im->in_batch < IMPORT_BATCH)
        return 0;
    im->in_batch = 0;
    return runstore_commit(im->store, err);
}

static int store_all(struct importing *im, struct imported *in, struct err *err)
{
    int failed = 0;

    for (size_t i = 0; i < in->count && failed == 0; i++)
        failed = store_one(im, in->results[i], err);
    imported_release(in);
    return failed;
}

static int import_path(struct importing *im, const char *path, struct err *err)
{
    const struct import_options options = { .name = im->options->name, .labels = &im->options->labels };
    struct imported in = { 0 };

    im->source = path;
    return import_file(&in, path, im->format, &options, err) == 0 ? store_all(im, &in, err) : -1;
}

/* elasticsearch URL --index NAME --uuid UUID */
static int import_server(struct importing *im, const char *url, struct err *err)
{
    const struct results_options *o = im->options;
    const struct import_options options = { .name = o->name, .labels = &o->labels };
    struct results_server server = { 0 };
    struct imported in = { 0 };
    int failed = results_server_set(&server, url, o, err);

    if (failed == 0 && o->uuid == NULL) {
        err_set(err, ERR_USAGE, 0, "--uuid is missing");
        failed = err_hint(err, "which run to read");
    }
    if (failed == 0)
        failed = elasticsearch_read(&in, &server.server, o->uuid, &options, err);
    im->source = o->uuid;
    if (failed == 0)
        failed = store_all(im, &in, err);
    results_server_release(&server);
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
    int failed = 0;

    for (size_t i = 0; i < im->ids.count && failed == 0; i++)
        failed = runstore_find(im->store, im->ids.items[i], &runs, err);
    if (failed == 0 && (im->options->json || runs.count > 0))
        failed = results_print(&runs, im->options->json, err);
    if (failed == 0 && im->known > 0)
        cli_note(RESULTS_WHO, "%zu of %zu documents had been stored before", im->known,
                 im->known + im->added + im->refused);
    if (failed == 0 && im->refused > 0)
        failed = err_set(err, ERR_CONFIG, 0, "%zu of %zu documents are not stored: others have their ids", im->refused,
                         im->known + im->added + im->refused);
    listing_release(&runs);
    return failed;
}

static int import_words(struct importing *im, struct err *err)
{
    const struct strlist *words = &im->options->words;
    const bool server = words->count > 1 && strcmp(words->items[0], "elasticsearch") == 0;
    const size_t first = server ||
                         (words->count > 1 && import_format_parse(&im->format, slice_str(words->items[0])) == 0);
    int failed = 0;

    for (size_t i = first; i < words->count && failed == 0; i++)
        failed = server ? import_server(im, words->items[i], err) : import_word(im, words->items[i], err);
    return failed;
}

int results_import(const struct results_options *o)
{
    struct importing im = { .options = o, .format = IMPORT_AUTO };
    struct err err = { 0 };
    int failed = storing_open(&im.store, STORE_WRITE, &err);

    if (failed == 0)
        failed = import_words(&im, &err);
    if (failed == 0 && im.in_batch > 0)
        failed = runstore_commit(im.store, &err);
    if (failed == 0)
        failed = print_imported(&im, &err);
    strlist_release(&im.ids);
    runstore_close(im.store);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}
