/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/redact.h"

#define ANSWER_MAX ((size_t)64 << 20)
#define SHOWN_MAX ((size_t)64 << 10)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a check");
}

static bool is_stopped(void *arg)
{
    const struct question *q = arg;

    return q->stop != NULL && *q->stop != 0;
}

static void show(void *arg, bool is_sent, struct slice bytes)
{
    struct question *q = arg;

    buf_add_slice(is_sent ? &q->sent : &q->received, bytes);
}

static char *fill(const struct names *names, const char *text, struct err *err)
{
    char *copy;

    if (names != NULL)
        return names_text(names, text, err);
    copy = strdup(text);
    if (copy == NULL)
        no_memory(err);
    return copy;
}

static int fill_headers(struct question *q, const struct suite_pairs *pairs, const struct names *names, struct err *err)
{
    for (size_t k = 0; k < pairs->count; k++) {
        char *value = fill(names, pairs->items[k].value, err);
        struct buf line;
        bool good;

        if (value == NULL)
            return -1;
        buf_init(&line, SHOWN_MAX);
        buf_printf(&line, "%s: %s", pairs->items[k].name, value);
        good = buf_ok(&line) && strlist_add(&q->headers, buf_slice(&line));
        buf_release(&line);
        free(value);
        if (!good)
            return no_memory(err);
    }
    return 0;
}

int question_init(struct question *q, struct fetch *fetch, const char *url, const char *body,
                  const struct suite_pairs *headers, const struct names *names, struct err *err)
{
    struct buf shown;

    *q = (struct question){ .fetch = fetch };
    buf_init(&q->answer, ANSWER_MAX);
    buf_init(&q->sent, SHOWN_MAX);
    buf_init(&q->received, SHOWN_MAX);
    q->url = fill(names, url, err);
    if (q->url == NULL || (headers != NULL && fill_headers(q, headers, names, err) != 0))
        return -1;
    buf_init(&shown, SHOWN_MAX);
    redact_url(&shown, slice_str(q->url));
    snprintf(q->shown, sizeof(q->shown), "%s", shown.data != NULL ? shown.data : "");
    buf_release(&shown);
    if (body != NULL) {
        q->body = fill(names, body, err);
        if (q->body == NULL)
            return -1;
    }
    q->call = (struct fetch_call){ .url = q->url,
                                   .headers = (const char *const *)q->headers.items,
                                   .header_count = q->headers.count,
                                   .body = slice_str(q->body),
                                   .into = &q->answer,
                                   .is_stopped = is_stopped,
                                   .arg = q };
    return 0;
}

void question_release(struct question *q)
{
    free(q->url);
    free(q->body);
    strlist_release(&q->headers);
    buf_release(&q->answer);
    buf_release(&q->sent);
    buf_release(&q->received);
}

void question_show(struct question *q)
{
    q->call.on_bytes = show;
}
