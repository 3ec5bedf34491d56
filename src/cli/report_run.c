/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_run.h"

#include "base/file.h"
#include "cli/results_inputs.h"
#include "cli/storing.h"
#include "report/html.h"
#include "result/side_alike.h"

#define PAGE_MAX_BYTES (UINT64_C(1) << 30)

struct baseline {
    struct collection *collection;
    const char *name;
};

static int take(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    const struct baseline *b = arg;

    return collection_add(b->collection, r, json, b->name, source, err);
}

int report_run_begin(struct collection *c, const char *baseline, struct err *err)
{
    struct results_inputs in = { 0 };
    struct listing found = { 0 };
    int failed = 0;

    if (baseline != NULL && results_word_runs(&in, baseline, &found, NULL) == 0) {
        collection_begin(c);
        failed = results_word_visit(&in, baseline, take, &(struct baseline){ c, baseline }, err);
    }
    collection_begin(c);
    listing_release(&found);
    results_inputs_release(&in);
    return failed;
}

int report_run_add(struct collection *c, const struct result *r, struct err *err)
{
    return collection_add(c, r, (struct slice){ 0 }, NULL, "this run", err);
}

/* Without a store, or with one that fails, nothing is known of other sessions, and the page says so. */
static void read_history(struct side *out, const struct collection *c)
{
    struct runstore *store = NULL;
    bool ok = c->count > 1 && storing_open(&store, STORE_READ, NULL) == 0 && store != NULL &&
              runstore_same_code(store, out, NULL) == 0;

    for (size_t i = 0; i < c->count && ok; i++)
        side_drop_sessions_of(out, &c->runs[i].side);
    if (!ok || !side_keep_alike(out, &c->runs[0].side, &c->runs[1].side))
        side_release(out);
    runstore_close(store);
}

int report_run_write(struct collection *c, const char *path, const char *title, const char *metric, double min_change,
                     struct err *err)
{
    struct strlist metrics = STRLIST_INIT;
    struct side history = { 0 };
    struct buf text;
    int failed = 0;

    read_history(&history, c);
    buf_init(&text, PAGE_MAX_BYTES);
    if ((metric != NULL && !strlist_add(&metrics, slice_str(metric))) || !collection_tell_apart(c))
        failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (failed == 0)
        failed = report_html(&text, c,
                             &(struct html_options){ .title = title,
                                                     .metrics = &metrics,
                                                     .min_change = min_change,
                                                     .history = history.count > 0 ? &history : NULL },
                             err);
    if (failed == 0)
        failed = file_write(path, buf_slice(&text), err);
    buf_release(&text);
    side_release(&history);
    strlist_release(&metrics);
    return failed != 0 ? err_prefix(err, "--html") : 0;
}
