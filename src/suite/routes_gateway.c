/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTPRoute and the Gateway that it belongs to. */
#include "suite/routes_taker.h"

#include <stdlib.h>

static struct doc_node *find_gateway(const struct routes_taker *t, struct doc_node *route, struct doc_node *parent)
{
    struct slice space = taker_text_at(parent, "namespace");
    struct doc_node *o;
    void *cursor = NULL;

    if (space.len == 0)
        space = taker_text_at(route, "metadata.namespace");
    while (doc_kind(t->items) == DOC_LIST && (o = doc_next(t->items, &cursor)) != NULL)
        if (slice_eq(taker_text_at(o, "kind"), SLICE("Gateway")) &&
            slice_eq(taker_text_at(o, "metadata.name"), taker_text_at(parent, "name")) &&
            slice_eq(taker_text_at(o, "metadata.namespace"), space))
            return o;
    return NULL;
}

struct listener {
    enum route_termination termination;
    struct slice hostname; /* of a route that names none */
};

/* By the listeners that the parent means; the last of several counts, TLS before plain. */
static bool of_listeners(struct doc_node *gateway, struct doc_node *parent, struct listener *out)
{
    struct doc_node *list = taker_find(gateway, "spec.listeners"), *l;
    const struct slice section = taker_text_at(parent, "sectionName"), port = taker_text_at(parent, "port");
    void *cursor = NULL;
    bool found = false;

    while (doc_kind(list) == DOC_LIST && (l = doc_next(list, &cursor)) != NULL) {
        const struct slice protocol = taker_text_at(l, "protocol");
        const bool is_tls = slice_eq(protocol, SLICE("HTTPS")) || slice_eq(protocol, SLICE("TLS"));

        if ((section.len > 0 && !slice_eq(taker_text_at(l, "name"), section)) ||
            (port.len > 0 && !slice_eq(taker_text_at(l, "port"), port)) || (found && !is_tls))
            continue;
        found = true;
        out->termination = is_tls ? slice_eq(taker_text_at(l, "tls.mode"), SLICE("Passthrough")) ? ROUTE_PASSTHROUGH
                                                                                                 : ROUTE_EDGE
                                  : ROUTE_HTTP;
        out->hostname = taker_text_at(l, "hostname");
    }
    return found;
}

static struct listener listener_of(const struct routes_taker *t, struct doc_node *o)
{
    struct doc_node *parent = taker_first(taker_find(o, "spec.parentRefs"));
    struct doc_node *gateway = parent != NULL ? find_gateway(t, o, parent) : NULL;
    const struct slice section = taker_text_at(parent, "sectionName"), port = taker_text_at(parent, "port");
    struct listener out = { .termination = ROUTE_HTTP };

    if (gateway != NULL && of_listeners(gateway, parent, &out))
        return out;
    if (slice_eq(port, SLICE("443")) || slice_eq(port, SLICE("8443")) || slice_starts(section, SLICE("https")) ||
        slice_starts(section, SLICE("tls")))
        out.termination = ROUTE_EDGE;
    return out;
}

/* 1: the match can be asked with a GET; 0: not, and it is told. */
static int take_fields(struct routes_taker *t, struct doc_node *match, struct strlist *headers)
{
    struct doc_node *list = doc_find(match, "headers"), *h;
    const struct slice method = taker_text_at(match, "method"), type = taker_text_at(match, "path.type");
    void *cursor = NULL;

    if (method.len > 0 && !slice_eq(method, SLICE("GET")))
        return taker_skip(t, "a match of another method than GET");
    if (slice_eq(type, SLICE("RegularExpression")))
        return taker_skip(t, "a match of a path by a regular expression");
    if (doc_kind(doc_find(match, "queryParams")) == DOC_LIST)
        return taker_skip(t, "a match of query parameters");
    while (doc_kind(list) == DOC_LIST && (h = doc_next(list, &cursor)) != NULL) {
        const struct slice name = taker_text_at(h, "name"), value = taker_text_at(h, "value");
        char *line = NULL;
        bool good;

        if (slice_eq(taker_text_at(h, "type"), SLICE("RegularExpression")))
            return taker_skip(t, "a match of a header by a regular expression");
        good = asprintf(&line, "%.*s: %.*s", SLICE_FMT(name), SLICE_FMT(value)) >= 0 &&
               strlist_add(headers, slice_str(line));
        free(line);
        if (!good)
            return taker_no_memory(t);
    }
    return 1;
}

static int take_matches(struct routes_taker *t, struct doc_node *rule, const struct listener *l, struct slice host)
{
    struct doc_node *matches = doc_find(rule, "matches"), *match;
    void *cursor = NULL;

    if (doc_kind(matches) != DOC_LIST || l->termination == ROUTE_PASSTHROUGH)
        return taker_add(t, rule, l->termination, host, (struct slice){ 0 }, NULL);
    while ((match = doc_next(matches, &cursor)) != NULL) {
        struct strlist headers = STRLIST_INIT;
        struct slice path;
        int rc = taker_text_of(t, match, "path.value", &path) != 0 ? -1 : take_fields(t, match, &headers);

        if (rc > 0)
            rc = taker_add(t, match, l->termination, host, path, &headers);
        strlist_release(&headers);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int take_rules(struct routes_taker *t, struct doc_node *o, const struct listener *l, struct slice host)
{
    struct doc_node *rules = taker_find(o, "spec.rules"), *rule;
    void *cursor = NULL;

    if (doc_kind(rules) != DOC_LIST)
        return taker_add(t, o, l->termination, host, (struct slice){ 0 }, NULL);
    while ((rule = doc_next(rules, &cursor)) != NULL)
        if (take_matches(t, rule, l, host) != 0)
            return -1;
    return 0;
}

int taker_httproute(struct routes_taker *t, struct doc_node *o)
{
    const struct listener l = listener_of(t, o);
    struct doc_node *names = taker_find(o, "spec.hostnames"), *name;
    void *cursor = NULL;

    if (doc_kind(names) == DOC_EMPTY)
        return l.hostname.len > 0 ? take_rules(t, o, &l, l.hostname)
                                  : taker_skip(t, "it has no hostnames, nor has its listener");
    if (doc_kind(names) != DOC_LIST)
        return taker_refuse(t, names, "spec.hostnames must be a list");
    while ((name = doc_next(names, &cursor)) != NULL) {
        if (doc_kind(name) != DOC_TEXT)
            return taker_refuse(t, name, "spec.hostnames must hold texts");
        if (take_rules(t, o, &l, doc_text(name)) != 0)
            return -1;
    }
    return 0;
}
