/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_inputs.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/import.h"

enum { PATTERN_MAX = 4096 };

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

static int add_document(struct side *side, struct result *r, const char *path, const char *session, struct err *err)
{
    struct record *added;

    if (check_figures(r, path, err) != 0)
        return -1;
    for (size_t i = 0; i < side->count; i++)
        if (r->id[0] != '\0' && strcmp(side->records[i].id, r->id) == 0) {
            err_set(err, ERR_CONFIG, 0, "%s holds the same run as %s", path, side->records[i].source);
            return err_hint(err, "a run counts once; are there copies of the file?");
        }
    if (!side_add_result(side, r, path))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    added = &side->records[side->count - 1];
    if (session != NULL && added->session == NULL && !record_set_session(added, session))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

/* A file's name is no label: reports of one side may lie in files of any names, and are samples of one cell. */
static void forget_name(struct result *r)
{
    if (!result_is_import(r) || r->run != NULL)
        return;
    free(r->name);
    r->name = NULL;
}

static int add_file(struct side *side, const char *path, const char *session, struct err *err)
{
    struct imported in = { 0 };
    int failed = import_file(&in, path, IMPORT_AUTO, NULL, err);

    for (size_t i = 0; i < in.count && failed == 0; i++) {
        forget_name(in.results[i]);
        failed = add_document(side, in.results[i], path, session, err);
    }
    imported_release(&in);
    return failed;
}

/* Sorted by name, as glob() gives them. */
static int add_pattern(struct side *side, const char *pattern, const char *session, struct err *err)
{
    glob_t found = { 0 };
    int failed = 0;

    if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0) {
        globfree(&found);
        err_set(err, ERR_CONFIG, 0, "there is no file %s", pattern);
        return err_hint(err, "give result documents, which plimsoll load --json FILE writes");
    }
    for (size_t i = 0; i < found.gl_pathc && failed == 0; i++)
        failed = add_file(side, found.gl_pathv[i], session, err);
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

static int add_folder(struct side *side, const char *path, const char *session, struct err *err)
{
    char quoted[PATTERN_MAX], pattern[PATTERN_MAX + 8];

    if (!quote_pattern(quoted, path))
        return err_set(err, ERR_CONFIG, 0, "%.100s... is too long a path", path);
    snprintf(pattern, sizeof(pattern), "%s/*.json", quoted);
    return add_pattern(side, pattern, session, err);
}

int compare_inputs_add(struct side *side, const char *path, const char *session, struct err *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return strpbrk(path, "*?[") != NULL ? add_pattern(side, path, session, err)
                                            : add_file(side, path, session, err);
    return S_ISDIR(info.st_mode) ? add_folder(side, path, session, err) : add_file(side, path, session, err);
}

static bool is_base(const struct result *r)
{
    return r->name != NULL && slice_ends(slice_str(r->name), SLICE(":base"));
}

int compare_inputs_both(struct side *base, struct side *new, const char *path, struct err *err)
{
    struct imported in = { 0 };
    int failed = import_file(&in, path, IMPORT_AUTO, NULL, err);

    for (size_t i = 0; i < in.count && failed == 0; i++)
        failed = add_document(is_base(in.results[i]) ? base : new, in.results[i], path, NULL, err);
    imported_release(&in);
    if (failed == 0 && (base->count == 0 || new->count == 0)) {
        err_set(err, ERR_USAGE, 0, "no NEW was given, and %s holds one side only", path);
        failed = err_hint(err, "plimsoll compare BASE NEW, each a file, a folder or a quoted pattern");
    }
    return failed;
}
