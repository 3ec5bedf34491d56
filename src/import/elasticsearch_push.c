/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "import/elasticsearch_call.h"

/* What is sent at once: far below what servers take, enough that round trips do not count. */
enum { PART_DOCUMENTS = 500, PART_BYTES = 4 << 20, PATH_MAX_BYTES = 1024 };

/* Documents that are to be sent, as slices of the bulk; those that may pass later stay. */
struct part {
    struct slice documents[PART_DOCUMENTS]; /* both lines of each */
    size_t count;
};

static bool cut_line(struct slice *rest, struct slice *line)
{
    const ptrdiff_t end = slice_find(*rest, '\n');

    if (end < 0)
        return false;
    *line = slice_take(*rest, (size_t)end + 1);
    *rest = slice_drop(*rest, (size_t)end + 1);
    return true;
}

static void cut_part(struct slice *rest, struct part *p)
{
    size_t bytes = 0;
    struct slice action, document;

    p->count = 0;
    while (p->count < PART_DOCUMENTS && bytes < PART_BYTES && cut_line(rest, &action) && cut_line(rest, &document)) {
        p->documents[p->count++] = slice_from(action.ptr, action.len + document.len);
        bytes += action.len + document.len;
    }
}

static void refuse(struct elasticsearch_pushed *done, unsigned status, const json_t *error)
{
    const char *type = json_string_value(json_object_get(error, "type"));
    const char *reason = json_string_value(json_object_get(error, "reason"));

    if (done->refused++ > 0)
        return;
    snprintf(done->first_refusal, sizeof(done->first_refusal), "%u %s: %s", status, type != NULL ? type : "error",
             reason != NULL ? reason : "without a reason");
    for (char *c = done->first_refusal; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

/* Keeps in the part what may pass later; at the last attempt nothing may. */
static int sort_out(struct part *p, const json_t *answer, bool last, struct elasticsearch_pushed *done, struct err *err)
{
    const json_t *items = json_object_get(answer, "items");
    size_t kept = 0;

    if (json_array_size(items) != p->count)
        return err_set(err, ERR_PEER, 0, "the server answered for %zu of %zu documents", json_array_size(items),
                       p->count);
    for (size_t i = 0; i < p->count; i++) {
        const json_t *item = json_object_get(json_array_get(items, i), "index");
        const unsigned status = (unsigned)json_integer_value(json_object_get(item, "status"));

        if (status >= 200 && status < 300)
            done->taken++;
        else if ((status == 429 || status == 503) && !last)
            p->documents[kept++] = p->documents[i];
        else
            refuse(done, status, json_object_get(item, "error"));
    }
    p->count = kept;
    return 0;
}

static json_t *send(struct elasticsearch_call *c, const char *path, const struct part *p, struct err *err)
{
    struct buf body;
    json_t *answer = NULL;

    buf_init(&body, SIZE_MAX);
    for (size_t i = 0; i < p->count; i++)
        buf_add_slice(&body, p->documents[i]);
    if (buf_ok(&body))
        answer = elasticsearch_call(c, "POST", path, "application/x-ndjson", buf_slice(&body), err);
    else
        err_set(err, ERR_SYSTEM, 0, "out of memory");
    buf_release(&body);
    return answer;
}

static int push_part(struct elasticsearch_call *c, const char *path, struct part *p, struct elasticsearch_pushed *done,
                     struct err *err)
{
    for (unsigned attempt = 0; p->count > 0; attempt++) {
        json_t *answer = NULL;
        int failed;

        if (attempt > 0)
            elasticsearch_pause(attempt - 1);
        answer = send(c, path, p, err);
        if (answer == NULL)
            return -1;
        failed = sort_out(p, answer, attempt + 1 == ELASTICSEARCH_ATTEMPTS, done, err);
        json_decref(answer);
        if (failed != 0)
            return -1;
    }
    return 0;
}

int elasticsearch_push(struct elasticsearch_pushed *done, const struct elasticsearch *e, struct slice bulk,
                       struct err *err)
{
    struct elasticsearch_call call;
    char path[PATH_MAX_BYTES];
    struct part part;
    int failed = elasticsearch_call_init(&call, e, err);

    *done = (struct elasticsearch_pushed){ 0 };
    if (failed != 0)
        return -1;
    if (e->index != NULL)
        snprintf(path, sizeof(path), "/%.255s/_bulk", e->index);
    else
        snprintf(path, sizeof(path), "/_bulk");
    do {
        cut_part(&bulk, &part);
        failed = push_part(&call, path, &part, done, err);
    } while (failed == 0 && bulk.len > 0 && part.count == 0 && slice_find(bulk, '\n') >= 0);
    elasticsearch_call_release(&call);
    return failed;
}
