/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "doc/doc.h"
#include "suite/keys.h"
#include "suite/verify.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)

struct asker {
    const struct runner *runner;
    struct fetch *fetch;
    const struct doc *doc;
    const char *file;
    bool insecure;
    struct err *err;
};

static int no_memory(struct asker *a)
{
    return err_set(a->err, ERR_SYSTEM, ENOMEM, "no memory for a verification");
}

/* NULL: there is none; *failed: no memory. */
static char *text_of(struct asker *a, struct doc_node *map, const char *name, bool *failed)
{
    struct doc_node *found = doc_find(map, name);
    char *copy = doc_kind(found) == DOC_TEXT ? slice_dup(doc_text(found)) : NULL;

    if (copy == NULL && doc_kind(found) == DOC_TEXT) {
        *failed = true;
        no_memory(a);
    }
    return copy;
}

/* A target's texts, as long as it is asked. */
struct asked {
    char *url, *method, *body, *sni, *cacert, *cert, *key, *user, *bearer, *status, *pattern;
    char *password; /* in user */
    char *named_url, *connect_to;
    struct suite_pairs headers;
};

static void asked_release(struct asked *t)
{
    free(t->url);
    free(t->method);
    free(t->body);
    free(t->sni);
    free(t->cacert);
    free(t->cert);
    free(t->key);
    free(t->user);
    free(t->bearer);
    free(t->status);
    free(t->pattern);
    free(t->named_url);
    free(t->connect_to);
    pairs_release(&t->headers);
}

static bool take_headers(struct asked *t, struct doc_node *map)
{
    struct doc_node *name, *value;
    void *cursor = NULL;

    while (doc_kind(map) == DOC_MAP && (value = doc_next_pair(map, &cursor, &name)) != NULL) {
        char *copy = slice_dup(doc_text(value));
        const bool good = copy != NULL && pairs_add(&t->headers, doc_text(name), copy, 0);

        free(copy);
        if (!good)
            return false;
    }
    return true;
}

/* libcurl says the name of the URL to the server: the URL gets the SNI as its host, and is connected to the old one. */
static int name_by_sni(struct asker *a, struct asked *t, struct doc_node *node)
{
    const char *after = strstr(t->url, "://");
    const size_t host = after != NULL ? (size_t)(after + 3 - t->url) : 0;
    const size_t path = host + strcspn(t->url + host, "/?");
    const char *colon = memrchr(t->url + host, ':', path - host);
    const char *port;
    int digits;

    if (colon != NULL && colon[strspn(colon + 1, "0123456789") + 1] == ']') /* the middle of an address */
        colon = NULL;
    port = colon != NULL ? colon + 1 : "443";
    digits = (int)strspn(port, "0123456789");
    if (host == 0)
        return doc_refuse(a->doc, node, a->err, "\"%s\" is no URL", t->url);
    if (asprintf(&t->named_url, "https://%s:%.*s%s", t->sni, digits, port, t->url + path) < 0) {
        t->named_url = NULL;
        return no_memory(a);
    }
    if (asprintf(&t->connect_to, "%.*s:%.*s", (int)((colon != NULL ? (size_t)(colon - t->url) : path) - host),
                 t->url + host, digits, port) < 0) {
        t->connect_to = NULL;
        return no_memory(a);
    }
    return 0;
}

static int read_target(struct asker *a, struct asked *t, struct doc_node *node)
{
    struct doc_node *expect = doc_find(node, "expect");
    bool failed = false;

    if (doc_kind(node) == DOC_TEXT) {
        t->url = slice_dup(doc_text(node));
        return t->url != NULL ? 0 : no_memory(a);
    }
    t->url = text_of(a, node, "url", &failed);
    t->method = text_of(a, node, "method", &failed);
    t->body = text_of(a, node, "body", &failed);
    t->sni = text_of(a, node, "sni", &failed);
    t->cacert = text_of(a, node, "cacert", &failed);
    t->cert = text_of(a, node, "cert", &failed);
    t->key = text_of(a, node, "key", &failed);
    t->user = text_of(a, node, "user", &failed);
    t->bearer = text_of(a, node, "bearer", &failed);
    t->status = text_of(a, expect, "status", &failed);
    t->pattern = text_of(a, expect, "body", &failed);
    if (failed || !take_headers(t, doc_find(node, "headers")))
        return no_memory(a);
    if (t->url == NULL)
        return doc_refuse(a->doc, node, a->err, "a target needs \"url\"");
    if (t->user != NULL && (t->password = strchr(t->user, ':')) != NULL)
        *t->password++ = '\0';
    return t->sni != NULL && t->sni[0] != '\0' ? name_by_sni(a, t, node) : 0;
}

static int ask_target(struct asker *a, struct doc_node *node)
{
    struct asked t = { 0 };
    struct question q = { 0 };
    struct verify_expect expect = { 0 };
    const struct slice size = doc_text(doc_find(doc_find(node, "expect"), "body_size"));
    char where[300];
    int rc = read_target(a, &t, node);

    snprintf(where, sizeof(where), "%s:%u", a->file, doc_line(node));
    if (rc == 0)
        rc = question_init(&q, a->fetch, t.named_url != NULL ? t.named_url : t.url, t.body, &t.headers, NULL, a->err);
    if (rc == 0) {
        q.call.method = t.method != NULL ? t.method : t.body != NULL ? "POST" : NULL;
        q.call.connect_to = t.connect_to;
        q.call.ca_file = t.cacert;
        q.call.cert_file = t.cert;
        q.call.key_file = t.key;
        q.call.user = t.user;
        q.call.password = t.password;
        q.call.bearer = t.bearer;
        q.call.insecure = a->insecure || slice_eq(doc_text(doc_find(node, "insecure")), SLICE("true"));
        q.call.http1 = true; /* a name for many routes and one connection: each is asked for itself */
        expect.status = t.status;
        expect.body = t.pattern;
        expect.has_size = slice_to_u64(size, &expect.size_bytes);
        rc = verify_ask(a->runner, &q, &expect, where, a->err);
    }
    question_release(&q);
    asked_release(&t);
    return rc;
}

/* A body that comes from a file, a form or chance is load's own to make. */
static bool is_askable(struct doc_node *node)
{
    return doc_kind(node) != DOC_MAP || (doc_find(node, "body_file") == NULL && doc_find(node, "form") == NULL &&
                                         doc_find(node, "body_random") == NULL);
}

static int ask_file(struct asker *a, struct err *err)
{
    struct buf text;
    struct doc *doc = NULL;
    struct doc_node *list, *node;
    void *cursor = NULL;
    int rc;

    buf_init(&text, FILE_MAX_BYTES);
    rc = file_read(a->file, &text, err);
    if (rc == 0)
        rc = doc_parse(&doc, a->file, buf_slice(&text), err);
    if (rc == 0) {
        a->doc = doc;
        list = doc_kind(doc_root(doc)) == DOC_MAP ? doc_find(doc_root(doc), "targets") : doc_root(doc);
        if (doc_kind(list) != DOC_LIST)
            rc = doc_refuse(doc, doc_root(doc), err, "there is no list of targets");
        while (rc == 0 && (node = doc_next(list, &cursor)) != NULL &&
               (a->runner->stop == NULL || *a->runner->stop == 0))
            if (is_askable(node))
                rc = ask_target(a, node);
        doc_free(doc);
    }
    buf_release(&text);
    return rc;
}

int verify_targets(const struct runner *runner, struct fetch *fetch, const char *pattern, bool insecure,
                   const char *where, struct err *err)
{
    struct asker a = { .runner = runner, .fetch = fetch, .insecure = insecure, .err = err };
    glob_t found = { 0 };
    int rc = 0;

    if (glob(pattern, 0, NULL, &found) != 0)
        rc = err_set(err, ERR_CONFIG, 0, "%s: there is no file of targets %s", where, pattern);
    for (size_t k = 0; rc == 0 && k < found.gl_pathc; k++) {
        a.file = found.gl_pathv[k];
        rc = ask_file(&a, err);
    }
    globfree(&found);
    return rc;
}
