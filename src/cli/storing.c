/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/storing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/complain.h"

#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)
enum { PATH_MAX_BYTES = 4096 };

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

int storing_path(struct buf *out, struct err *err)
{
    const char *own = environment("PLIMSOLL_DB"), *data = environment("XDG_DATA_HOME"), *home = environment("HOME");

    if (own != NULL) {
        buf_add_str(out, own);
    } else if (data != NULL && data[0] == '/') { /* the XDG base directory specification ignores relative ones */
        buf_printf(out, "%s/plimsoll/results.db", data);
    } else if (home != NULL) {
        buf_printf(out, "%s/.local/share/plimsoll/results.db", home);
    } else {
        err_set(err, ERR_CONFIG, 0, "there is no place for the store of results: HOME is not set");
        return err_hint(err, "set PLIMSOLL_DB to a file");
    }
    return buf_ok(out) ? 0 : err_set(err, ERR_CONFIG, 0, "the path of the store of results is too long");
}

/* A user without a home (a daemon's "/nonexistent") gets none made. */
static int check_home(struct err *err)
{
    const char *data = environment("XDG_DATA_HOME"), *home = environment("HOME");

    if (environment("PLIMSOLL_DB") != NULL || (data != NULL && data[0] == '/') || home == NULL ||
        access(home, F_OK) == 0)
        return 0;
    err_set(err, ERR_SYSTEM, errno, "there is no place for the store of results: %s", home);
    return err_hint(err, "set PLIMSOLL_DB to a file");
}

/* Every folder that the file lies in. */
static int make_folders(char *path, struct err *err)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        bool made;

        *slash = '\0';
        made = mkdir(path, 0700) == 0 || errno == EEXIST || access(path, F_OK) == 0;
        if (!made)
            err_set(err, ERR_SYSTEM, errno, "cannot make the folder %s for the store of results", path);
        *slash = '/';
        if (!made)
            return err_hint(err, "set PLIMSOLL_DB to a file that this user may write");
    }
    return 0;
}

int storing_open(struct runstore **out, enum runstore_access access_wanted, struct err *err)
{
    struct buf path;
    int failed;

    *out = NULL;
    buf_init(&path, PATH_MAX_BYTES);
    failed = storing_path(&path, err);
    if (failed == 0 && access_wanted == STORE_WRITE)
        failed = check_home(err) != 0 ? -1 : make_folders(path.data, err);
    if (failed == 0 && (access_wanted == STORE_WRITE || access(path.data, F_OK) == 0 || errno != ENOENT))
        failed = runstore_open(out, path.data, access_wanted, err);
    buf_release(&path);
    return failed;
}

static int keep(const struct result *r, struct slice json, struct err *err)
{
    struct runstore *s = NULL;
    int failed = storing_open(&s, STORE_WRITE, err);

    if (failed == 0)
        failed = runstore_add(s, r, json, NULL, err);
    runstore_close(s);
    return failed;
}

/* A device has no folder that results belong in, nor has a folder that was meant to be a store. */
static bool may_stand_beside(const char *path)
{
    struct stat info;

    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

/* In the store's folder, else here, else in the folder of temporary files. */
static bool write_beside(const struct result *r, struct slice json, struct buf *path)
{
    const char *const temporary = environment("TMPDIR") != NULL ? environment("TMPDIR") : "/tmp";
    const char *const folders[] = { NULL, ".", temporary };

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *slash;

        buf_clear(path);
        if (folders[i] != NULL) {
            buf_add_str(path, folders[i]);
        } else if (storing_path(path, NULL) != 0 || (slash = strrchr(path->data, '/')) == NULL ||
                   !may_stand_beside(path->data)) {
            continue;
        } else {
            path->len = (size_t)(slash - path->data);
        }
        buf_printf(path, "/plimsoll-%s.json", r->id);
        if (buf_ok(path) && file_write(path->data, json, NULL) == 0)
            return true;
    }
    return false;
}

static void say_where(const struct result *r, struct slice json, const char *written, const char *who)
{
    struct buf path;

    buf_init(&path, PATH_MAX_BYTES);
    if (written != NULL)
        cli_note(who, "the result is in %s: plimsoll results import %s stores it later", written, written);
    else if (write_beside(r, json, &path))
        cli_note(who, "the result is in %s instead: plimsoll results import %s stores it later", path.data, path.data);
    else
        cli_note(who, "the result could not be written to a file either");
    buf_release(&path);
}

void storing_keep(const struct result *r, const char *written, const char *who)
{
    struct err err = { 0 };
    struct buf json;

    buf_init(&json, DOCUMENT_MAX_BYTES);
    if (result_to_json(r, &json, &err) != 0) {
        cli_note(who, "warning: the result is not stored: %s", err.what);
    } else if (keep(r, buf_slice(&json), &err) != 0) {
        cli_note(who, "warning: the result is not stored: %s%s%s", err.what, err.hint[0] != '\0' ? "; " : "", err.hint);
        say_where(r, buf_slice(&json), written, who);
    }
    buf_release(&json);
}
