/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/routes_taker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FILE_MAX_BYTES ((size_t)256 << 20)

int taker_no_memory(struct routes_taker *t)
{
    return err_set(t->err, ERR_SYSTEM, ENOMEM, "no memory for the routes");
}

int taker_refuse(struct routes_taker *t, struct doc_node *at, const char *what)
{
    return doc_refuse(t->doc, at, t->err, "%s: %s", t->name, what);
}

int taker_skip(struct routes_taker *t, const char *why)
{
    char text[TAKER_NAME_MAX + 200];

    snprintf(text, sizeof(text), "%s: %s", t->name, why);
    return strlist_add(&t->out->skipped, slice_str(text)) ? 0 : taker_no_memory(t);
}

struct doc_node *taker_find(struct doc_node *node, const char *path)
{
    struct slice rest = slice_str(path);

    while (node != NULL && rest.len > 0) {
        char *name = slice_dup(slice_split(&rest, '.'));

        node = name != NULL ? doc_find(node, name) : NULL;
        free(name);
    }
    return node;
}

struct slice taker_text_at(struct doc_node *node, const char *path)
{
    struct doc_node *found = taker_find(node, path);

    return doc_kind(found) == DOC_TEXT ? doc_text(found) : (struct slice){ 0 };
}

int taker_text_of(struct routes_taker *t, struct doc_node *node, const char *path, struct slice *out)
{
    struct doc_node *found = taker_find(node, path);
    char what[120];

    *out = taker_text_at(node, path);
    if (doc_kind(found) == DOC_EMPTY || doc_kind(found) == DOC_TEXT)
        return 0;
    snprintf(what, sizeof(what), "%s must be a text", path);
    return taker_refuse(t, found, what);
}

struct doc_node *taker_first(struct doc_node *node)
{
    void *cursor = NULL;

    return doc_kind(node) == DOC_LIST ? doc_next(node, &cursor) : node;
}

/* ---- one route ---- */

static bool is_host(struct slice host)
{
    if (host.len == 0 || host.len > 253)
        return false;
    for (size_t k = 0; k < host.len; k++) {
        const char c = host.ptr[k];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-' && c != '.' &&
            c != '_' && c != ':' && c != '[' && c != ']')
            return false;
    }
    return true;
}

static char *whole_host(struct slice host)
{
    char *out = NULL;

    if (!slice_starts(host, SLICE("*.")))
        return slice_dup(host);
    return asprintf(&out, "plimsoll%.*s", SLICE_FMT(slice_drop(host, 1))) < 0 ? NULL : out;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_there(const struct routes *r, const struct route *route)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->items[k].termination == route->termination && same_text(r->items[k].host, route->host) &&
            same_text(r->items[k].path, route->path) && r->items[k].headers.count == 0 && route->headers.count == 0)
            return true;
    return false;
}

static void drop(struct route *route)
{
    free(route->host);
    free(route->path);
    strlist_release(&route->headers);
}

int taker_add(struct routes_taker *t, struct doc_node *at, enum route_termination termination, struct slice host,
              struct slice path, struct strlist *headers)
{
    struct route route = { .termination = termination };
    struct route *grown;

    if (headers != NULL) {
        route.headers = *headers;
        *headers = (struct strlist)STRLIST_INIT;
    }
    if (!is_host(slice_starts(host, SLICE("*.")) ? slice_drop(host, 2) : host) ||
        (path.len > 0 && path.ptr[0] != '/')) {
        char what[200];

        drop(&route);
        snprintf(what, sizeof(what),
                 path.len > 0 && path.ptr[0] != '/' ? "\"%.*s\" is no path, it begins with no /"
                                                    : "\"%.*s\" is no host",
                 SLICE_FMT(slice_take(path.len > 0 && path.ptr[0] != '/' ? path : host, 100)));
        return taker_refuse(t, at, what);
    }
    route.host = whole_host(host);
    route.path = path.len > 0 ? slice_dup(path) : NULL;
    if (route.host != NULL && (path.len == 0 || route.path != NULL) && is_there(t->out, &route)) {
        drop(&route);
        return 0;
    }
    grown = realloc(t->out->items, (t->out->count + 1) * sizeof(*grown));
    if (grown != NULL)
        t->out->items = grown;
    if (grown == NULL || route.host == NULL || (path.len > 0 && route.path == NULL)) {
        drop(&route);
        return taker_no_memory(t);
    }
    grown[t->out->count++] = route;
    return 0;
}

static bool termination_named(struct slice name, enum route_termination *out)
{
    for (unsigned k = 0; k < ROUTE_TERMINATIONS; k++)
        if (slice_eq(name, slice_str(route_termination_name((enum route_termination)k)))) {
            *out = (enum route_termination)k;
            return true;
        }
    return false;
}

/* ---- Route ---- */

/* No router that looked at it has taken it. */
static bool is_refused(struct doc_node *route)
{
    struct doc_node *list = taker_find(route, "status.ingress"), *ingress, *condition;
    void *cursor = NULL;
    bool refused = false;

    while (doc_kind(list) == DOC_LIST && (ingress = doc_next(list, &cursor)) != NULL) {
        struct doc_node *conditions = doc_find(ingress, "conditions");
        void *inner = NULL;

        while (doc_kind(conditions) == DOC_LIST && (condition = doc_next(conditions, &inner)) != NULL) {
            if (!slice_eq(taker_text_at(condition, "type"), SLICE("Admitted")))
                continue;
            if (slice_eq(taker_text_at(condition, "status"), SLICE("True")))
                return false;
            refused = true;
        }
    }
    return refused;
}

static int take_route(struct routes_taker *t, struct doc_node *o)
{
    enum route_termination termination = ROUTE_HTTP;
    struct slice host, path, word;

    if (taker_text_of(t, o, "spec.host", &host) != 0 || taker_text_of(t, o, "spec.path", &path) != 0 ||
        taker_text_of(t, o, "spec.tls.termination", &word) != 0)
        return -1;
    if (doc_kind(taker_find(o, "spec.tls")) == DOC_MAP &&
        (!termination_named(word, &termination) || termination == ROUTE_HTTP)) {
        char what[160];

        snprintf(what, sizeof(what), "spec.tls.termination is \"%.*s\", it must be edge, passthrough or reencrypt",
                 SLICE_FMT(slice_take(word, 60)));
        return taker_refuse(t, taker_find(o, "spec.tls"), what);
    }
    if (is_refused(o))
        return taker_skip(t, "no router has admitted it");
    if (host.len == 0)
        host = taker_text_at(taker_first(taker_find(o, "status.ingress")), "host");
    if (host.len == 0)
        return taker_skip(t, "it has no host");
    if (termination == ROUTE_PASSTHROUGH)
        path = (struct slice){ 0 }; /* the router can not see it */
    return taker_add(t, o, termination, host, path, NULL);
}

/* ---- Ingress ---- */

static bool names_host(struct doc_node *tls, struct slice host)
{
    struct doc_node *entry, *name;
    void *cursor = NULL;

    while (doc_kind(tls) == DOC_LIST && (entry = doc_next(tls, &cursor)) != NULL) {
        struct doc_node *hosts = doc_find(entry, "hosts");
        void *inner = NULL;
        bool any = false;

        while (doc_kind(hosts) == DOC_LIST && (name = doc_next(hosts, &inner)) != NULL) {
            const struct slice text = doc_kind(name) == DOC_TEXT ? doc_text(name) : (struct slice){ 0 };
            const ptrdiff_t dot = slice_find(host, '.');

            any = true;
            if (slice_eq(text, host) || (slice_starts(text, SLICE("*.")) && dot > 0 &&
                                         slice_eq(slice_drop(text, 1), slice_drop(host, (size_t)dot))))
                return true;
        }
        if (!any)
            return true;
    }
    return false;
}

static enum route_termination termination_of_ingress(struct doc_node *o, struct slice host)
{
    struct doc_node *notes = taker_find(o, "metadata.annotations");
    enum route_termination named = ROUTE_EDGE;
    struct doc_node *route = doc_find(notes, "route.openshift.io/termination");
    struct doc_node *through = doc_find(notes, "nginx.ingress.kubernetes.io/ssl-passthrough");
    struct doc_node *backend = doc_find(notes, "nginx.ingress.kubernetes.io/backend-protocol");

    if (doc_kind(route) == DOC_TEXT && termination_named(doc_text(route), &named))
        return named;
    if (!names_host(taker_find(o, "spec.tls"), host))
        return ROUTE_HTTP;
    if (doc_kind(through) == DOC_TEXT && slice_eq(doc_text(through), SLICE("true")))
        return ROUTE_PASSTHROUGH;
    if (doc_kind(backend) == DOC_TEXT && slice_eq(doc_text(backend), SLICE("HTTPS")))
        return ROUTE_REENCRYPT;
    return ROUTE_EDGE;
}

/* The part before what only a pattern's reader understands. */
static struct slice literal_path(struct doc_node *entry)
{
    struct slice path = taker_text_at(entry, "path");
    size_t n = 0;

    if (!slice_eq(taker_text_at(entry, "pathType"), SLICE("ImplementationSpecific")))
        return path;
    while (n < path.len && strchr("()[]{}*?+|^$\\", path.ptr[n]) == NULL)
        n++;
    return slice_take(path, n);
}

static int take_rule(struct routes_taker *t, struct doc_node *o, struct doc_node *rule)
{
    struct doc_node *paths = taker_find(rule, "http.paths"), *entry;
    struct slice host;
    void *cursor = NULL;
    enum route_termination termination;

    if (taker_text_of(t, rule, "host", &host) != 0)
        return -1;
    termination = termination_of_ingress(o, host);
    if (host.len == 0)
        host = taker_text_at(taker_first(taker_find(o, "status.loadBalancer.ingress")), "hostname");
    if (host.len == 0)
        host = taker_text_at(taker_first(taker_find(o, "status.loadBalancer.ingress")), "ip");
    if (host.len == 0)
        return taker_skip(t, "a rule without host, and no address in its status");
    if (doc_kind(paths) != DOC_LIST || termination == ROUTE_PASSTHROUGH)
        return taker_add(t, rule, termination, host, (struct slice){ 0 }, NULL);
    while ((entry = doc_next(paths, &cursor)) != NULL) {
        struct slice whole;

        if (taker_text_of(t, entry, "path", &whole) != 0 ||
            taker_add(t, entry, termination, host, literal_path(entry), NULL) != 0)
            return -1;
    }
    return 0;
}

static int take_ingress(struct routes_taker *t, struct doc_node *o)
{
    struct doc_node *rules = taker_find(o, "spec.rules"), *rule;
    void *cursor = NULL;

    if (doc_kind(rules) == DOC_EMPTY)
        return taker_skip(t, "it has no rules");
    if (doc_kind(rules) != DOC_LIST)
        return taker_refuse(t, rules, "spec.rules must be a list");
    while ((rule = doc_next(rules, &cursor)) != NULL)
        if (take_rule(t, o, rule) != 0)
            return -1;
    return 0;
}

/* ---- the whole ---- */

static int take_object(struct routes_taker *t, struct doc_node *o)
{
    const struct slice kind = taker_text_at(o, "kind"), name = taker_text_at(o, "metadata.name"),
                       space = taker_text_at(o, "metadata.namespace");

    snprintf(t->name, sizeof(t->name), "%.*s%s%.*s", SLICE_FMT(slice_take(space, 120)), space.len > 0 ? "/" : "",
             SLICE_FMT(slice_take(name, 120)));
    if (doc_kind(o) != DOC_MAP || kind.len == 0)
        return doc_refuse(t->doc, o, t->err, "this is no object of Kubernetes: it has no kind");
    if (slice_eq(kind, SLICE("Route")))
        return take_route(t, o);
    if (slice_eq(kind, SLICE("Ingress")))
        return take_ingress(t, o);
    if (slice_eq(kind, SLICE("HTTPRoute")))
        return taker_httproute(t, o);
    if (strlen(t->others) + kind.len + 2 < sizeof(t->others)) {
        const size_t n = strlen(t->others);
        char word[80];

        snprintf(word, sizeof(word), "%s%.*s", n > 0 ? ", " : "", SLICE_FMT(slice_take(kind, 60)));
        if (strstr(t->others, word) == NULL)
            snprintf(t->others + n, sizeof(t->others) - n, "%s", word);
    }
    return 0;
}

static int nothing(struct routes_taker *t, const char *path)
{
    if (t->out->skipped.count > 0)
        err_set(t->err, ERR_CONFIG, 0, "%s: no route in it can be asked: %s", path, t->out->skipped.items[0]);
    else if (t->others[0] != '\0')
        err_set(t->err, ERR_CONFIG, 0, "%s: no Route, Ingress or HTTPRoute in it, but %s", path, t->others);
    else
        err_set(t->err, ERR_CONFIG, 0, "%s: it holds no routes", path);
    return err_hint(
        t->err, "kubectl get route,ingress,httproute,gateway -A -o json > routes.json (those that the cluster has)");
}

static int take_all(struct routes_taker *t, const char *path)
{
    struct doc_node *root = doc_root(t->doc), *o;
    void *cursor = NULL;

    t->items = doc_kind(root) == DOC_LIST ? root : doc_find(root, "items");
    if (t->items == NULL)
        return doc_kind(root) != DOC_MAP
                   ? err_set(t->err, ERR_CONFIG, 0, "%s: this is no list of Kubernetes objects", path)
               : take_object(t, root) != 0 ? -1
               : t->out->count == 0        ? nothing(t, path)
                                           : 0;
    if (doc_kind(t->items) != DOC_LIST)
        return doc_refuse(t->doc, t->items, t->err, "\"items\" must be a list");
    while ((o = doc_next(t->items, &cursor)) != NULL)
        if (take_object(t, o) != 0)
            return -1;
    return t->out->count == 0 ? nothing(t, path) : 0;
}

int routes_read(struct routes *out, const char *path, struct err *err)
{
    struct routes_taker t = { .out = out, .err = err };
    struct buf text;
    int rc;

    *out = (struct routes){ 0 };
    buf_init(&text, FILE_MAX_BYTES);
    rc = file_read(path, &text, err);
    if (rc == 0)
        rc = doc_parse(&t.doc, path, buf_slice(&text), err);
    if (rc == 0) {
        rc = take_all(&t, path);
        doc_free(t.doc);
    }
    buf_release(&text);
    if (rc != 0)
        routes_release(out);
    return rc;
}
