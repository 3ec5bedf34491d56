/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/asset_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/json_text.h"
#include "serve/site.h"
#include "serve/store.h"

enum { STATE_MAX_BYTES = 16 * 1024 };

static const char STATE[] = ".state", NEW_STATE[] = ".state.new";
static const char *const SCANS[] = {
    [ASSET_CLEAN] = "clean", [ASSET_UNSCANNED] = "unscanned", [ASSET_INFECTED] = "infected"
};
static const char *const COPIES[] = {
    [COPY_NONE] = "none", [COPY_WAITING] = "waiting", [COPY_STORED] = "stored", [COPY_FAILED] = "failed"
};

const char *asset_scan_text(enum asset_scan scan)
{
    return SCANS[scan];
}

const char *asset_copy_text(enum asset_copy copy)
{
    return COPIES[copy];
}

bool asset_is_id(struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-')) {
            return false;
        }
    }
    return text.len == UUID_TEXT_MAX - 1;
}

int asset_open(const struct site *site, const char *id, bool make)
{
    int assets = store_open(site, "assets");
    int folder = -1;

    if (assets < 0) {
        return -1;
    }
    if (!make || mkdirat(assets, id, 0755) == 0 || errno == EEXIST) {
        folder = openat(assets, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    int error = errno;
    close(assets);
    errno = error;
    return folder;
}

/* Steps through the names of a folder until see() is false. Names that begin with a dot only when asked for. */
static void each_name(int folder, bool dots, bool (*see)(void *arg, const char *name), void *arg)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;

    if (dir == NULL) {
        if (own >= 0) {
            close(own);
        }
        return;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        bool is_dot = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!is_dot && (dots || e->d_name[0] != '.') && !see(arg, e->d_name)) {
            break;
        }
    }
    closedir(dir);
}

static bool take_first(void *arg, const char *name)
{
    snprintf(arg, ASSET_NAME_MAX + 1, "%s", name);
    return false;
}

bool asset_name(int folder, char out[ASSET_NAME_MAX + 1])
{
    out[0] = '\0';
    each_name(folder, false, take_first, out);
    return out[0] != '\0';
}

uint64_t asset_size(int folder)
{
    char name[ASSET_NAME_MAX + 1];
    struct stat st;

    return asset_name(folder, name) && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size : 0;
}

struct keeping {
    int folder;
    const char *name;
};

static bool remove_other(void *arg, const char *name)
{
    const struct keeping *k = arg;

    if (k->name == NULL || strcmp(name, k->name) != 0) {
        unlinkat(k->folder, name, 0);
    }
    return true;
}

void asset_keep_only(int folder, const char *name)
{
    struct keeping k = { folder, name };

    each_name(folder, name == NULL, remove_other, &k);
}

void asset_remove_folder(const struct site *site, const char *id)
{
    int assets = store_open(site, "assets");

    if (assets >= 0) {
        unlinkat(assets, id, AT_REMOVEDIR);
        close(assets);
    }
}

struct visit {
    bool (*see)(void *arg, const char *id);
    void *arg;
};

static bool see_id(void *arg, const char *name)
{
    const struct visit *v = arg;

    return !asset_is_id(slice_str(name)) || v->see(v->arg, name);
}

void asset_each(const struct site *site, bool (*see)(void *arg, const char *id), void *arg)
{
    struct visit visit = { see, arg };
    int assets = store_open(site, "assets");

    if (assets >= 0) {
        each_name(assets, false, see_id, &visit);
        close(assets);
    }
}

/* ---- .state ---- */

/* The index of a text among n, or -1. */
static int find_text(const char *text, const char *const texts[], int n)
{
    for (int i = 0; text != NULL && i < n; i++) {
        if (strcmp(text, texts[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static void take_text(char *out, size_t size, const json_t *document, const char *name)
{
    const char *text = json_string_value(json_object_get(document, name));

    snprintf(out, size, "%s", text != NULL ? text : "");
}

static bool parse_state(struct asset_state *out, const char *text, size_t len)
{
    json_t *document = json_loadb(text, len, 0, NULL);
    int scan = find_text(json_string_value(json_object_get(document, "state")), SCANS, 3);
    int copy = find_text(json_string_value(json_object_get(document, "s3")), COPIES, 4);
    bool good = scan >= 0 && copy >= 0;

    if (good) {
        out->scan = (enum asset_scan)scan;
        out->copy = (enum asset_copy)copy;
        take_text(out->content, sizeof(out->content), document, "content");
        take_text(out->scan_error, sizeof(out->scan_error), document, "scan_error");
        take_text(out->copy_error, sizeof(out->copy_error), document, "s3_error");
    }
    json_decref(document);
    return good;
}

void asset_read_state(int folder, struct asset_state *out)
{
    char text[STATE_MAX_BYTES];
    int fd = openat(folder, STATE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *out = (struct asset_state){ .scan = ASSET_CLEAN };
    if (fd < 0 && errno == ENOENT) {
        return;
    }
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    if (len < 0 || !parse_state(out, text, (size_t)len)) {
        *out = (struct asset_state){ .scan = ASSET_UNSCANNED };
        snprintf(out->scan_error, sizeof(out->scan_error), "its file .state can not be read");
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void add_member(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, "%s\"%s\":", out->len > 1 ? "," : "", name);
    json_add_string(out, slice_str(value));
}

int asset_write_state(int folder, const struct asset_state *state)
{
    int fd = openat(folder, NEW_STATE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    struct buf text;
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    buf_init(&text, STATE_MAX_BYTES);
    buf_add_char(&text, '{');
    add_member(&text, "content", state->content);
    add_member(&text, "state", SCANS[state->scan]);
    add_member(&text, "scan_error", state->scan_error);
    add_member(&text, "s3", COPIES[state->copy]);
    add_member(&text, "s3_error", state->copy_error);
    buf_add_str(&text, "}\n");
    if (!buf_ok(&text)) {
        error = ENOMEM;
    } else if (write(fd, text.data, text.len) != (ssize_t)text.len) {
        error = errno != 0 ? errno : ENOSPC;
    }
    buf_release(&text);
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && renameat(folder, NEW_STATE, folder, STATE) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlinkat(folder, NEW_STATE, 0);
    }
    return error;
}

void asset_forget_state(int folder)
{
    unlinkat(folder, STATE, 0);
}
