/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "asked.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void asked_init(struct asked *a)
{
    memset(a, 0, sizeof *a);
}

static void begin(struct asked *a)
{
    a->state = ASKED_HEAD;
    a->line_len = 0;
    a->method[0] = a->path[0] = '\0';
    a->has_request_line = a->chunked = a->head_reported = false;
    a->left = a->body_bytes = 0;
}

static void copy_word(char *out, size_t size, const char **from)
{
    size_t len = strcspn(*from, " ");
    size_t kept = len < size ? len : size - 1;

    memcpy(out, *from, kept);
    out[kept] = '\0';
    *from += len + ((*from)[len] == ' ');
}

static void read_head_line(struct asked *a)
{
    const char *at = a->line;

    if (!a->has_request_line) {
        copy_word(a->method, sizeof a->method, &at);
        copy_word(a->path, sizeof a->path, &at);
        a->has_request_line = true;
    } else if (strncasecmp(at, "content-length:", 15) == 0) {
        a->left = strtoull(at + 15, NULL, 10);
    } else if (strncasecmp(at, "transfer-encoding:", 18) == 0) {
        a->chunked = strcasestr(at, "chunked") != NULL;
    }
}

static enum asked_event end_of_head(struct asked *a)
{
    a->head_reported = true;
    if (a->chunked)
        a->state = ASKED_CHUNK_SIZE;
    else
        a->state = ASKED_BODY; /* of nothing, perhaps: the next call reports it complete */
    return ASKED_HEAD_END;
}

/* A line is complete, without its end. True when the head or the trailer ended with it. */
static bool end_of_line(struct asked *a)
{
    bool empty;

    if (a->line_len && a->line[a->line_len - 1] == '\r')
        a->line_len--;
    a->line[a->line_len] = '\0';
    empty = a->line_len == 0;
    a->line_len = 0;
    if (a->state == ASKED_HEAD && !empty)
        read_head_line(a);
    else if (a->state == ASKED_CHUNK_SIZE) {
        a->left = strtoull(a->line, NULL, 16);
        a->state = a->left ? ASKED_CHUNK_DATA : ASKED_TRAILER;
        return false;
    } else if (a->state == ASKED_CHUNK_END)
        a->state = ASKED_CHUNK_SIZE;
    return empty && (a->state == ASKED_TRAILER || (a->state == ASKED_HEAD && a->has_request_line));
}

static void take_body(struct asked *a, size_t len, size_t *used)
{
    uint64_t n = len - *used;

    if (n > a->left)
        n = a->left;
    a->left -= n;
    a->body_bytes += n;
    *used += (size_t)n;
}

static enum asked_event complete(struct asked *a)
{
    a->state = ASKED_NOTHING;
    return ASKED_COMPLETE;
}

static enum asked_event feed_line_byte(struct asked *a, char byte)
{
    if (byte != '\n') {
        if (a->line_len < sizeof a->line - 1)
            a->line[a->line_len++] = byte;
        return ASKED_MORE;
    }
    if (!end_of_line(a))
        return ASKED_MORE;
    return a->state == ASKED_TRAILER ? complete(a) : end_of_head(a);
}

enum asked_event asked_feed(struct asked *a, const char *bytes, size_t len, size_t *used)
{
    *used = 0;
    if (a->state == ASKED_BODY && a->left == 0)
        return complete(a);
    while (*used < len) {
        enum asked_event event = ASKED_MORE;
        if (a->state == ASKED_NOTHING) {
            begin(a);
            return ASKED_BEGUN;
        }
        if (a->state == ASKED_BODY || a->state == ASKED_CHUNK_DATA) {
            take_body(a, len, used);
            if (a->left == 0 && a->state == ASKED_BODY)
                return complete(a);
            if (a->left == 0)
                a->state = ASKED_CHUNK_END;
            continue;
        }
        event = feed_line_byte(a, bytes[(*used)++]);
        if (event != ASKED_MORE)
            return event;
    }
    return ASKED_MORE;
}
