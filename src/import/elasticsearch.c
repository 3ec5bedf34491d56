/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/elasticsearch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "import/elasticsearch_call.h"
#include "import/formats.h"

enum { PATH_MAX_BYTES = 4096, QUERY_MAX_BYTES = 1 << 16, PAGE = 1000, PAGES_MAX = 100000 };
static const char JSON_TYPE[] = "application/json";

/* Names of indices are lower case and have none of these. */
static int check_index(const char *index, struct err *err)
{
    if (index[0] != '\0' && strpbrk(index, "/\\?\"<>| #%") == NULL && strlen(index) < 256)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.60s\" is not the name of an index", index);
    return err_hint(err, "for example router-test-results");
}

/* Analysed or not, a uuid's words are found in their order; that it is the very one is checked on each document. */
static void add_query(struct buf *out, const char *uuid)
{
    buf_printf(out, "{\"size\":%d,\"query\":{\"match_phrase\":{\"uuid\":", PAGE);
    json_add_string(out, slice_str(uuid));
    buf_add_str(out, "}}}");
}

static bool has_uuid(const json_t *hit, const char *uuid)
{
    const char *own = json_string_value(json_object_get(json_object_get(hit, "_source"), "uuid"));

    return own != NULL && strcmp(own, uuid) == 0;
}

/* How many hits the page had; -1 after a failure. */
static int take_page(struct source *s, const json_t *answer, const char *uuid)
{
    const json_t *hits = json_object_get(json_object_get(answer, "hits"), "hits");

    if (!json_is_array(hits))
        return err_set(s->err, ERR_PEER, 0, "the server's answer has no hits");
    for (size_t i = 0; i < json_array_size(hits); i++) {
        json_t *hit = json_array_get(hits, i);
        const char *id = json_string_value(json_object_get(hit, "_id"));

        if (!has_uuid(hit, uuid))
            continue;
        /* The server's name of a document makes ours: read again, it is known. */
        fingerprint_init(&s->fingerprint);
        fingerprint_add(&s->fingerprint, slice_str(id));
        if (router_read_document(s, json_object_get(hit, "_source"), 0) != 0)
            return -1;
    }
    return (int)json_array_size(hits);
}

static void add_scroll(struct buf *out, const json_t *answer)
{
    const char *id = json_string_value(json_object_get(answer, "_scroll_id"));

    buf_clear(out);
    if (id == NULL)
        return;
    buf_add_str(out, "{\"scroll\":\"1m\",\"scroll_id\":");
    json_add_string(out, slice_str(id));
    buf_add_char(out, '}');
}

/* The server keeps what a scroll has found until it is told, or a minute has passed. */
static void end_scroll(struct elasticsearch_call *c, const json_t *answer)
{
    const char *id = json_string_value(json_object_get(answer, "_scroll_id"));
    struct buf body;

    if (id == NULL)
        return;
    buf_init(&body, QUERY_MAX_BYTES);
    buf_add_str(&body, "{\"scroll_id\":[");
    json_add_string(&body, slice_str(id));
    buf_add_str(&body, "]}");
    if (buf_ok(&body))
        json_decref(elasticsearch_call(c, "DELETE", "/_search/scroll", JSON_TYPE, buf_slice(&body), NULL));
    buf_release(&body);
}

static int read_pages(struct source *s, struct elasticsearch_call *c, const char *path, const char *uuid)
{
    struct buf body;
    json_t *answer = NULL;
    int hits = 0;

    buf_init(&body, QUERY_MAX_BYTES);
    add_query(&body, uuid);
    answer = elasticsearch_call(c, "POST", path, JSON_TYPE, buf_slice(&body), s->err);
    hits = answer != NULL ? take_page(s, answer, uuid) : -1;
    for (unsigned page = 1; hits > 0 && page < PAGES_MAX; page++) {
        json_t *next = NULL;

        add_scroll(&body, answer);
        if (body.len == 0)
            break;
        next = elasticsearch_call(c, "POST", "/_search/scroll", JSON_TYPE, buf_slice(&body), s->err);
        hits = next != NULL ? take_page(s, next, uuid) : -1;
        if (next != NULL) {
            json_decref(answer);
            answer = next;
        }
    }
    end_scroll(c, answer);
    json_decref(answer);
    buf_release(&body);
    return hits < 0 ? -1 : 0;
}

int elasticsearch_read(struct imported *out, const struct elasticsearch *e, const char *uuid,
                       const struct import_options *options, struct err *err)
{
    struct err own = { 0 };
    struct source s = { .name = e->index, ._fd = -1, .options = options, .out = out, .err = &own };
    const size_t before = out->count;
    struct elasticsearch_call call;
    char path[PATH_MAX_BYTES];
    int failed = check_index(e->index, &own);

    snprintf(path, sizeof(path), "/%s/_search?scroll=1m", e->index);
    if (failed == 0)
        failed = elasticsearch_call_init(&call, e, &own);
    if (failed == 0) {
        failed = read_pages(&s, &call, path, uuid);
        elasticsearch_call_release(&call);
    }
    if (failed == 0 && out->count == before) {
        failed = err_set(&own, ERR_CONFIG, 0, "the index %s has no document with the uuid %.100s", e->index, uuid);
    }
    out->format = IMPORT_ROUTER;
    while (failed != 0 && out->count > before)
        result_free(out->results[--out->count]);
    if (failed != 0 && err != NULL)
        *err = own;
    return failed;
}
