/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "import/import.h"

void compare_inputs_release(struct compare_inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        free(in->documents[i].source);
    free(in->documents);
    results_inputs_release(&in->results);
    *in = (struct compare_inputs){ 0 };
}

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* ---- once a side ---- */

static int note_document(struct compare_inputs *in, const char *id, const char *source, struct err *err)
{
    struct compare_document *grown = in->documents;

    if (id[0] == '\0')
        return 0;
    if ((in->count & (in->count - 1)) == 0) /* full at 0, 1, 2, 4, 8 ... */
        grown = reallocarray(in->documents, in->count > 0 ? 2 * in->count : 1, sizeof(*grown));
    if (grown == NULL)
        return no_memory(err);
    in->documents = grown;
    snprintf(grown[in->count].id, sizeof(grown[in->count].id), "%s", id);
    grown[in->count].source = strdup(source);
    return grown[in->count++].source != NULL ? 0 : no_memory(err);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct compare_document *)a)->id, ((const struct compare_document *)b)->id);
}

int compare_inputs_end_side(struct compare_inputs *in, struct err *err)
{
    int failed = 0;

    if (in->count > 1)
        qsort(in->documents, in->count, sizeof(*in->documents), by_id);
    for (size_t i = 1; i < in->count && failed == 0; i++)
        if (strcmp(in->documents[i - 1].id, in->documents[i].id) == 0) {
            failed = err_set(err, ERR_CONFIG, 0, "%s holds the same run as %s", in->documents[i].source,
                             in->documents[i - 1].source);
            err_hint(err, "a run counts once; are there copies of the file?");
        }
    for (size_t i = 0; i < in->count; i++)
        free(in->documents[i].source);
    in->count = 0;
    return failed;
}

/* ---- documents ---- */

/* A document that calls itself valid and contradicts itself was changed, or written by something else. One that says
 * it is invalid comes out as that. */
static int check_figures(struct result *r, const char *path, struct err *err)
{
    const size_t reasons = r->reasons.count;

    if (!r->valid || r->kind == NULL || strcmp(r->kind, "load") != 0 || result_check_counts(r))
        return 0;
    err_set(err, ERR_CONFIG, 0, "%s: %s", path, r->reasons.count > reasons ? r->reasons.items[reasons] : "");
    return err_hint(err, "use the document as plimsoll load --json wrote it");
}

static int set_session(struct side *side, size_t from, const char *session, struct err *err)
{
    for (size_t i = from; i < side->count && session != NULL; i++)
        if (side->records[i].session == NULL && !record_set_session(&side->records[i], session))
            return no_memory(err);
    return 0;
}

static int add_document(struct compare_inputs *in, struct side *side, struct result *r, const char *source,
                        const char *session, struct err *err)
{
    const size_t before = side->count;

    if (check_figures(r, source, err) != 0 || note_document(in, r->id, source, err) != 0)
        return -1;
    if (in->per_target && r->target_count > 0 ? !side_add_targets(side, r, source) : !side_add_result(side, r, source))
        return no_memory(err);
    return set_session(side, before, session, err);
}

/* A file's name is no label: reports of one side may lie in files of any names, and are samples of one cell. */
static void forget_name(struct result *r)
{
    if (!result_is_import(r) || r->run != NULL)
        return;
    free(r->name);
    r->name = NULL;
}

static int add_file(struct compare_inputs *in, struct side *side, const char *path, const char *session,
                    struct err *err)
{
    struct imported found = { 0 };
    int failed = import_file(&found, path, IMPORT_AUTO, NULL, err);

    for (size_t i = 0; i < found.count && failed == 0; i++) {
        forget_name(found.results[i]);
        failed = add_document(in, side, found.results[i], path, session, err);
    }
    imported_release(&found);
    return failed;
}

static int add_files(struct compare_inputs *in, struct side *side, const char *word, const char *session,
                     struct err *err)
{
    struct strlist paths = STRLIST_INIT;
    int failed = results_word_files(word, &paths, err);

    for (size_t i = 0; i < paths.count && failed == 0; i++)
        failed = add_file(in, side, paths.items[i], session, err);
    strlist_release(&paths);
    return failed;
}

/* ---- runs of the store ---- */

/* A stored document on its way to a side. */
struct stored {
    struct compare_inputs *in;
    struct side *side;
    const char *source;
};

static int add_stored_targets(void *arg, struct slice json, struct err *err)
{
    const struct stored *s = arg;
    struct result *r = NULL;
    bool ok;

    if (result_from_json(&r, json, err) != 0)
        return err_prefix(err, "%s", s->source);
    ok = r->target_count > 0 ? side_add_targets(s->side, r, s->source) : side_add_result(s->side, r, s->source);
    result_free(r);
    return ok ? 0 : no_memory(err);
}

static int add_runs(struct compare_inputs *in, struct side *side, const char *word, const char *session,
                    struct err *err)
{
    struct runstore *store;
    struct listing runs = { 0 };
    const size_t before = side->count;
    char source[32];
    int failed = results_word_runs(&in->results, word, &runs, err);

    store = in->results.store;
    for (size_t i = 0; i < runs.count && failed == 0; i++) {
        snprintf(source, sizeof(source), "run %.8s", runs.runs[i].id);
        failed = note_document(in, runs.runs[i].id, source, err);
        if (failed == 0 && in->per_target)
            failed = runstore_documents(store, runs.runs[i].number, add_stored_targets,
                                        &(struct stored){ in, side, source }, err);
    }
    if (failed == 0 && !in->per_target)
        failed = runstore_samples(store, &runs, side, err);
    listing_release(&runs);
    return failed == 0 ? set_session(side, before, session, err) : -1;
}

int compare_inputs_add(struct compare_inputs *in, struct side *side, const char *word, const char *session,
                       struct err *err)
{
    return results_word_is_file(word) ? add_files(in, side, word, session, err)
                                      : add_runs(in, side, word, session, err);
}

int compare_inputs_same_code(struct compare_inputs *in, struct side *out, struct err *err)
{
    if (results_inputs_store(&in->results, err) != 0)
        return -1;
    return in->results.store != NULL ? runstore_same_code(in->results.store, out, err) : 0;
}

/* ---- both sides in one file ---- */

static bool is_base(const struct result *r)
{
    return r->name != NULL && slice_ends(slice_str(r->name), SLICE(":base"));
}

int compare_inputs_both(struct compare_inputs *in, struct side *base, struct side *new, const char *path,
                        struct err *err)
{
    struct imported found = { 0 };
    int failed = import_file(&found, path, IMPORT_AUTO, NULL, err);

    for (size_t i = 0; i < found.count && failed == 0; i++)
        failed = add_document(in, is_base(found.results[i]) ? base : new, found.results[i], path, NULL, err);
    imported_release(&found);
    if (failed == 0 && (base->count == 0 || new->count == 0)) {
        err_set(err, ERR_USAGE, 0, "no NEW was given, and %s holds one side only", path);
        failed = err_hint(err, "plimsoll compare BASE NEW, each a file, a folder, a quoted pattern or a stored run");
    }
    return failed == 0 ? compare_inputs_end_side(in, err) : -1;
}
