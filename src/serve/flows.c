/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/flows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/file.h"
#include "base/json_text.h"
#include "http/url.h"

enum { PATH_BYTES = 8192 };

static const char *const KINDS[] = { [FLOW_ECHO] = "echo", [FLOW_REST] = "rest" };

int flows_init(struct flows *f, const char *data_root, struct err *err)
{
    *f = (struct flows){ ._root = data_root != NULL ? data_root : ".", ._counts.enabled = true };
    f->_cache = calloc(FLOWS_CACHED, sizeof(*f->_cache));
    if (f->_cache == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make the cache of flows");
    }
    pthread_mutex_init(&f->_lock, NULL);
    return 0;
}

void flows_release(struct flows *f)
{
    if (f->_cache == NULL) {
        return;
    }
    pthread_mutex_destroy(&f->_lock);
    free(f->_cache);
    f->_cache = NULL;
}

bool flow_name_is_good(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '-' && c != '_' && (c != '.' || i == 0)) {
            return false;
        }
    }
    return name.len > 0 && name.len <= FLOW_NAME_MAX && !slice_eq(name, SLICE("backend"));
}

/* ---- Definitions ---- */

static int take_url(struct flow *out, const char *text, struct err *err)
{
    struct url url;

    if (text == NULL) {
        return err_set(err, ERR_USAGE, 0, "a rest flow needs the url that it calls");
    }
    if (strlen(text) > FLOW_URL_MAX) {
        return err_set(err, ERR_USAGE, 0, "the url is longer than %d bytes", FLOW_URL_MAX);
    }
    if (url_parse(&url, slice_str(text), err) != 0) {
        return -1;
    }
    if (url.userinfo.ptr != NULL) {
        return err_set(err, ERR_USAGE, 0, "the url must not hold a user and password");
    }
    snprintf(out->url, sizeof(out->url), "%s", text);
    return 0;
}

static int take_definition(struct flow *out, const json_t *document, struct err *err)
{
    const char *kind = json_string_value(json_object_get(document, "kind"));

    if (kind != NULL && strcmp(kind, "echo") == 0) {
        out->kind = FLOW_ECHO;
        return 0;
    }
    if (kind != NULL && strcmp(kind, "rest") == 0) {
        out->kind = FLOW_REST;
        return take_url(out, json_string_value(json_object_get(document, "url")), err);
    }
    return err_set(err, ERR_USAGE, 0, "kind must be \"echo\" or \"rest\"");
}

int flow_parse(struct flow *out, struct slice name, struct slice json, struct err *err)
{
    json_error_t fault;
    json_t *document = json_loadb(json.ptr != NULL ? json.ptr : "", json.len, 0, &fault);

    *out = (struct flow){ 0 };
    snprintf(out->name, sizeof(out->name), "%.*s", SLICE_FMT(name));
    if (!json_is_object(document)) {
        json_decref(document);
        return err_set(err, ERR_USAGE, 0, "the definition is not a JSON object: %s",
                       document == NULL ? fault.text : "it is something else");
    }
    int rc = take_definition(out, document, err);
    json_decref(document);
    return rc;
}

void flow_write(struct buf *out, const struct flow *flow)
{
    buf_add_str(out, "{\"name\":");
    json_add_string(out, slice_str(flow->name));
    buf_printf(out, ",\"kind\":\"%s\"", KINDS[flow->kind]);
    if (flow->kind == FLOW_REST) {
        buf_add_str(out, ",\"url\":");
        json_add_string(out, flow->url[0] != '\0' ? slice_str(flow->url) : SLICE("/performance/backend"));
    }
    buf_add_str(out, "}\n");
}

/* ---- The store ---- */

static void store_path(const struct flows *f, struct slice name, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/flows/%.*s.json", f->_root, SLICE_FMT(name));
}

static enum flow_found built_in(struct slice name, struct flow *out)
{
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        if (slice_eq(name, slice_str(KINDS[i]))) {
            *out = (struct flow){ .kind = (enum flow_kind)i, .built_in = true };
            snprintf(out->name, sizeof(out->name), "%s", KINDS[i]);
            return FLOW_FOUND;
        }
    }
    return FLOW_ABSENT;
}

static enum flow_found read_store(const struct flows *f, struct slice name, struct flow *out, struct err *err)
{
    char path[PATH_BYTES];
    struct buf json;

    store_path(f, name, path);
    if (access(path, F_OK) != 0) {
        return built_in(name, out);
    }
    buf_init(&json, FLOW_JSON_MAX);
    bool ok = file_read(path, &json, err) == 0 && flow_parse(out, name, buf_slice(&json), err) == 0;
    buf_release(&json);
    return ok ? FLOW_FOUND : FLOW_BROKEN;
}

/* ---- The cache; the lock is held ---- */

static struct flow *cached(const struct flows *f, struct slice name)
{
    for (size_t i = 0; i < f->_cached; i++) {
        if (slice_eq(name, slice_str(f->_cache[i].name))) {
            return &f->_cache[i];
        }
    }
    return NULL;
}

static void forget(struct flows *f, struct slice name)
{
    struct flow *one = cached(f, name);

    if (one != NULL) {
        *one = f->_cache[--f->_cached];
    }
}

static void remember(struct flows *f, const struct flow *flow)
{
    if (f->_cached < FLOWS_CACHED) {
        f->_cache[f->_cached++] = *flow;
    } else {
        f->_cache[f->_next++ % FLOWS_CACHED] = *flow;
    }
}

/* ---- What is asked for ---- */

enum flow_found flows_get(struct flows *f, struct slice name, struct flow *out, struct err *err)
{
    enum flow_found found = FLOW_FOUND;

    pthread_mutex_lock(&f->_lock);
    const struct flow *one = f->_counts.enabled ? cached(f, name) : NULL;
    if (one != NULL) {
        f->_counts.hits++;
        *out = *one;
    } else {
        f->_counts.misses += f->_counts.enabled;
        f->_counts.store_reads++;
        found = read_store(f, name, out, err);
        if (found == FLOW_FOUND && f->_counts.enabled) {
            remember(f, out);
        }
    }
    pthread_mutex_unlock(&f->_lock);
    return found;
}

static int put_locked(struct flows *f, const struct flow *flow, bool *created, struct err *err)
{
    char path[PATH_BYTES];
    struct flow before;
    struct buf json;

    snprintf(path, sizeof(path), "%s/flows", f->_root);
    if (mkdir(path, 0755) != 0 && errno != EEXIST) {
        return err_set(err, ERR_SYSTEM, errno, "cannot make the folder %s", path);
    }
    *created = read_store(f, slice_str(flow->name), &before, NULL) == FLOW_ABSENT;
    store_path(f, slice_str(flow->name), path);
    buf_init(&json, FLOW_JSON_MAX);
    flow_write(&json, flow);
    int rc = buf_ok(&json) ? file_write(path, buf_slice(&json), err)
                           : err_set(err, ERR_SYSTEM, ENOMEM, "cannot write the flow");
    buf_release(&json);
    forget(f, slice_str(flow->name));
    return rc;
}

int flows_put(struct flows *f, const struct flow *flow, bool *created, struct err *err)
{
    pthread_mutex_lock(&f->_lock);
    int rc = put_locked(f, flow, created, err);
    pthread_mutex_unlock(&f->_lock);
    return rc;
}

enum flow_found flows_delete(struct flows *f, struct slice name, bool *kept, struct err *err)
{
    char path[PATH_BYTES];
    struct flow flow;
    enum flow_found found = FLOW_FOUND;

    store_path(f, name, path);
    *kept = false;
    pthread_mutex_lock(&f->_lock);
    forget(f, name);
    if (unlink(path) != 0) {
        int error = errno;
        found = error == ENOENT || error == ENOTDIR ? built_in(name, &flow) : FLOW_BROKEN;
        *kept = found == FLOW_FOUND;
        if (found == FLOW_BROKEN) {
            err_set(err, ERR_SYSTEM, error, "cannot remove %s", path);
        }
    }
    pthread_mutex_unlock(&f->_lock);
    return found;
}

struct flow_counts flows_counts(struct flows *f)
{
    pthread_mutex_lock(&f->_lock);
    struct flow_counts counts = f->_counts;
    pthread_mutex_unlock(&f->_lock);
    return counts;
}

void flows_enable_cache(struct flows *f, bool enabled)
{
    pthread_mutex_lock(&f->_lock);
    f->_counts.enabled = enabled;
    if (!enabled) {
        f->_cached = 0;
    }
    pthread_mutex_unlock(&f->_lock);
}
