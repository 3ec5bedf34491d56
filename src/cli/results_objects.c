/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results put, get: files of one machine for another, by a store of objects */
#include "cli/results.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/object_store.h"

#define OBJECT_MAX_BYTES ((size_t)1 << 30)
enum { EXIT_INVALID = 3, NAMES_MAX_BYTES = 512 };

/* ---- put ---- */

static int put_file(struct object_store *s, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    struct buf bytes;
    int rc;

    buf_init(&bytes, OBJECT_MAX_BYTES);
    rc = file_read(path, &bytes, err);
    if (rc == 0)
        rc = object_store_put(s, slash != NULL ? slash + 1 : path, buf_slice(&bytes), err);
    buf_release(&bytes);
    return rc;
}

int results_put(const struct results_options *o)
{
    struct object_store *s;
    struct err err = { 0 };
    int rc = object_store_open(&s, o->words.items[0], &err);

    for (size_t i = 1; rc == 0 && i < o->words.count; i++)
        rc = put_file(s, o->words.items[i], &err);
    object_store_close(s);
    return rc == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}

/* ---- get ---- */

struct getting {
    const struct results_options *options;
    struct object_store *store;
    size_t missing; /* after a round */
    struct buf names;
};

static int check_name(const char *name, struct err *err)
{
    if (strchr(name, '/') == NULL && name[0] != '.' && name[0] != '\0')
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is no name of an object beneath the URL", name);
    return err_hint(err, "as results put gave it: a file's name without its folder");
}

static int get_one(struct getting *g, const char *name, struct err *err)
{
    char path[PATH_MAX];
    struct buf bytes;
    bool found;
    int rc;

    if (check_name(name, err) != 0)
        return -1;
    if (snprintf(path, sizeof(path), "%s/%s", g->options->output != NULL ? g->options->output : ".", name) >=
        (int)sizeof(path))
        return err_set(err, ERR_USAGE, ENAMETOOLONG, "%s", name);
    if (access(path, F_OK) == 0)
        return 0;
    buf_init(&bytes, OBJECT_MAX_BYTES);
    rc = object_store_get(g->store, name, &bytes, &found, err);
    if (rc == 0 && found)
        rc = file_write(path, buf_slice(&bytes), err);
    if (rc == 0 && !found) {
        g->missing++;
        buf_printf(&g->names, " %s", name);
    }
    buf_release(&bytes);
    return rc;
}

static int get_all(struct getting *g, struct err *err)
{
    g->missing = 0;
    buf_clear(&g->names);
    for (size_t i = 1; i < g->options->words.count; i++)
        if (get_one(g, g->options->words.items[i], err) != 0)
            return -1;
    return 0;
}

/* A store that fails may be back a second later; one that refuses will refuse again. */
static int wait_for_all(struct getting *g, struct err *err)
{
    const uint64_t end_ns = clock_now_ns() + g->options->wait_ns;
    int rc;

    while ((rc = get_all(g, err)) != 0 || g->missing > 0) {
        if ((rc != 0 && err_exit_code(err->kind) == 2) || clock_now_ns() >= end_ns)
            break;
        (void)poll(NULL, 0, 1000);
    }
    return rc;
}

int results_get(const struct results_options *o)
{
    struct getting g = { .options = o };
    struct err err = { 0 };
    int rc = object_store_open(&g.store, o->words.items[0], &err);

    buf_init(&g.names, NAMES_MAX_BYTES);
    if (rc == 0)
        rc = wait_for_all(&g, &err);
    object_store_close(g.store);
    if (rc == 0 && g.missing > 0)
        cli_note(RESULTS_WHO, "%zu of %zu are not there:%s", g.missing, o->words.count - 1,
                 buf_ok(&g.names) ? g.names.data : " too many to name them");
    buf_release(&g.names);
    return rc != 0 ? cli_complain(RESULTS_WHO, &err) : g.missing > 0 ? EXIT_INVALID : 0;
}
