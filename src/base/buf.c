/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 256u

void buf_init(struct buf *b, size_t max_bytes)
{
    /* One byte is kept for the NUL, so that cap + 1 can not overflow. */
    *b = (struct buf){ ._max = max_bytes < SIZE_MAX ? max_bytes : SIZE_MAX - 1 };
}

void buf_release(struct buf *b)
{
    free(b->data);
    buf_init(b, b->_max);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->_failed = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

bool buf_ok(const struct buf *b)
{
    return !b->_failed;
}

/* The capacity to ask for: doubling, so that n appends cost O(n), and never above the maximum. */
static size_t next_cap(const struct buf *b, size_t need)
{
    size_t cap = b->_cap < FIRST_CAP ? FIRST_CAP : b->_cap;

    while (cap < need)
        cap = cap > b->_max / 2 ? b->_max : cap * 2;
    return cap < b->_max ? cap : b->_max;
}

char *buf_reserve(struct buf *b, size_t len)
{
    if (b->_failed)
        return NULL;
    if (len > b->_max - b->len) {
        b->_failed = true;
        return NULL;
    }
    const size_t need = b->len + len;
    if (b->data == NULL || need > b->_cap) {
        const size_t cap = next_cap(b, need);
        char *grown = realloc(b->data, cap + 1);
        if (grown == NULL) {
            b->_failed = true;
            return NULL;
        }
        b->data = grown;
        b->_cap = cap;
    }
    b->data[b->len] = '\0';
    return b->data + b->len;
}

void buf_append(struct buf *b, const void *bytes, size_t len)
{
    char *room = buf_reserve(b, len);

    if (room == NULL || len == 0)
        return;
    memcpy(room, bytes, len);
    room[len] = '\0';
    b->len += len;
}

void buf_add_slice(struct buf *b, struct slice s)
{
    buf_append(b, s.ptr, s.len);
}

void buf_add_str(struct buf *b, const char *text)
{
    buf_append(b, text, text != NULL ? strlen(text) : 0);
}

void buf_add_char(struct buf *b, char c)
{
    buf_append(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
    va_list again;
    char *room = buf_reserve(b, 0);

    if (room == NULL)
        return;
    va_copy(again, args);
    const size_t free_bytes = b->_cap - b->len;
    int wanted = vsnprintf(room, free_bytes + 1, fmt, args);
    if (wanted > 0 && (size_t)wanted > free_bytes) {
        room[0] = '\0';
        room = buf_reserve(b, (size_t)wanted);
        if (room != NULL)
            wanted = vsnprintf(room, (size_t)wanted + 1, fmt, again);
    }
    va_end(again);
    if (wanted < 0)
        b->_failed = true;
    else if (room != NULL)
        b->len += (size_t)wanted;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    buf_vprintf(b, fmt, args);
    va_end(args);
}

struct slice buf_slice(const struct buf *b)
{
    return slice_from(b->data, b->len);
}

char *buf_detach(struct buf *b)
{
    if (buf_reserve(b, 0) == NULL)
        return NULL;
    char *bytes = b->data; /* buf_reserve() has set the NUL behind the last byte */
    buf_init(b, b->_max);
    return bytes;
}
