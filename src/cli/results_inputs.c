/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results_inputs.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/storing.h"
#include "import/import.h"
#include "result/limit.h"

enum { PATTERN_MAX = 4096, HEAD_BYTES = 256 };
#define FILE_MAX_BYTES (UINT64_C(1) << 30)

void results_inputs_release(struct results_inputs *in)
{
    runstore_close(in->store);
    *in = (struct results_inputs){ 0 };
}

/* ---- files ---- */

bool results_word_is_file(const char *word)
{
    struct stat info;

    return strcmp(word, "-") == 0 || strchr(word, '/') != NULL || stat(word, &info) == 0 ||
           strpbrk(word, "*?[") != NULL || slice_ends(slice_str(word), SLICE(".json"));
}

/* Sorted by name, as glob() gives them. */
static int add_pattern(const char *pattern, struct strlist *out, struct err *err)
{
    glob_t found = { 0 };
    int failed = 0;

    if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0) {
        globfree(&found);
        err_set(err, ERR_CONFIG, 0, "there is no file %s", pattern);
        return err_hint(err, "give result documents, which plimsoll load --json FILE writes, or stored runs");
    }
    for (size_t i = 0; i < found.gl_pathc && failed == 0; i++)
        if (!strlist_add(out, slice_str(found.gl_pathv[i])))
            failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    globfree(&found);
    return failed;
}

/* The characters that a pattern gives a meaning to lose it. */
static bool quote_pattern(char out[PATTERN_MAX], const char *path)
{
    size_t n = 0;

    for (const char *c = path; *c != '\0'; c++) {
        if (n + 3 >= PATTERN_MAX)
            return false;
        if (strchr("*?[]\\", *c) != NULL)
            out[n++] = '\\';
        out[n++] = *c;
    }
    out[n] = '\0';
    return true;
}

static int add_folder(const char *path, struct strlist *out, struct err *err)
{
    char quoted[PATTERN_MAX], pattern[PATTERN_MAX + 8];

    if (!quote_pattern(quoted, path))
        return err_set(err, ERR_CONFIG, 0, "%.100s... is too long a path", path);
    snprintf(pattern, sizeof(pattern), "%s/*.json", quoted);
    return add_pattern(pattern, out, err);
}

int results_word_files(const char *word, struct strlist *out, struct err *err)
{
    struct stat info;
    const bool there = stat(word, &info) == 0;

    if (there && S_ISDIR(info.st_mode))
        return add_folder(word, out, err);
    if (!there && strpbrk(word, "*?[") != NULL)
        return add_pattern(word, out, err);
    return strlist_add(out, slice_str(word)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int visit_results(const struct imported *in, const char *path, results_visit *visit, void *arg, struct err *err)
{
    int failed = 0;

    for (size_t i = 0; i < in->count && failed == 0; i++)
        failed = visit(arg, in->results[i], (struct slice){ 0 }, path, err);
    return failed;
}

/* What can not be a limit is read as it comes, however long it is. A pipe can be looked at once only. */
static bool may_be_limit(const char *path)
{
    struct stat info;
    char head[HEAD_BYTES];
    size_t n = 0;
    FILE *file;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    file = fopen(path, "re");
    if (file != NULL) {
        n = fread(head, 1, sizeof(head), file);
        fclose(file);
    }
    return limit_report_looks_like(slice_from(head, n));
}

/* Where a limit may stand in a result's place: read whole, once. */
static int visit_text(const struct results_inputs *inputs, const char *path, results_visit *visit, void *arg,
                      struct err *err)
{
    const struct import_options options = { 0 };
    struct imported in = { 0 };
    struct buf text;
    int failed;

    buf_init(&text, FILE_MAX_BYTES);
    failed = file_read(path, &text, err);
    if (failed == 0 && limit_report_looks_like(buf_slice(&text))) {
        failed = inputs->limit(arg, buf_slice(&text), path, err);
    } else if (failed == 0) {
        failed = import_text(&in, path, buf_slice(&text), IMPORT_AUTO, &options, err);
        if (failed == 0)
            failed = visit_results(&in, path, visit, arg, err);
    }
    imported_release(&in);
    buf_release(&text);
    return failed;
}

static int visit_file(const struct results_inputs *inputs, const char *path, results_visit *visit, void *arg,
                      struct err *err)
{
    const struct import_options options = { 0 };
    struct imported in = { 0 };
    int failed;

    if (inputs->limit != NULL && may_be_limit(path))
        return visit_text(inputs, path, visit, arg, err);
    failed = import_file(&in, path, IMPORT_AUTO, &options, err);
    if (failed == 0)
        failed = visit_results(&in, path, visit, arg, err);
    imported_release(&in);
    return failed;
}

static int visit_files(const struct results_inputs *inputs, const char *word, results_visit *visit, void *arg,
                       struct err *err)
{
    struct strlist paths = STRLIST_INIT;
    int failed = results_word_files(word, &paths, err);

    for (size_t i = 0; i < paths.count && failed == 0; i++)
        failed = visit_file(inputs, paths.items[i], visit, arg, err);
    strlist_release(&paths);
    return failed;
}

/* ---- runs ---- */

static int no_store(const char *word, struct err *err)
{
    struct buf path;

    buf_init(&path, PATTERN_MAX);
    if (storing_path(&path, err) == 0) {
        err_set(err, ERR_CONFIG, 0, "there is no run \"%s\": nothing is stored yet", word);
        err_hint(err, "runs are kept in %s; plimsoll load fills it", path.data);
    }
    buf_release(&path);
    return -1;
}

int results_inputs_store(struct results_inputs *in, struct err *err)
{
    if (!in->looked && storing_open(&in->store, STORE_READ, err) != 0)
        return -1;
    in->looked = true;
    return 0;
}

int results_word_runs(struct results_inputs *in, const char *word, struct listing *out, struct err *err)
{
    if (results_inputs_store(in, err) != 0)
        return -1;
    return in->store != NULL ? runstore_find(in->store, word, out, err) : no_store(word, err);
}

/* A stored document on its way to the visitor. */
struct stored {
    results_visit *visit;
    void *arg;
    const char *source;
};

static int visit_document(void *arg, struct slice json, struct err *err)
{
    const struct stored *s = arg;
    struct result *r = NULL;
    int failed = result_from_json(&r, json, err);

    if (failed != 0)
        return err_prefix(err, "%s", s->source);
    failed = s->visit(s->arg, r, json, s->source, err);
    result_free(r);
    return failed;
}

static int visit_runs(struct results_inputs *in, const char *word, results_visit *visit, void *arg, struct err *err)
{
    struct listing runs = { 0 };
    int failed = results_word_runs(in, word, &runs, err);

    for (size_t i = 0; i < runs.count && failed == 0; i++) {
        char source[32];
        struct stored s = { visit, arg, source };

        snprintf(source, sizeof(source), "run %.8s", runs.runs[i].id);
        failed = runstore_documents(in->store, runs.runs[i].number, visit_document, &s, err);
    }
    listing_release(&runs);
    return failed;
}

int results_word_visit(struct results_inputs *in, const char *word, results_visit *visit, void *arg, struct err *err)
{
    return results_word_is_file(word) ? visit_files(in, word, visit, arg, err) : visit_runs(in, word, visit, arg, err);
}
