/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growable byte buffer born with a maximum: it can not grow without bound by construction.
 *
 * Always true: len <= max; data[len] is NUL once anything was allocated (for buf_reserve() see there).
 * The first failure (maximum reached, or out of memory) is sticky: later appends do nothing and
 * buf_ok() is false, so that a writer checks once at its end. */
#ifndef PLIMSOLL_BASE_BUF_H
#define PLIMSOLL_BASE_BUF_H

#include "base/slice.h"

#include <stdarg.h>

/* A maximum for sentences that names, URLs and commands of users stand in: far above the longest word that a command
 * line can have (128 KiB on Linux), escaped: a smaller one would cost a report what was measured. */
#define BUF_TEXT_MAX_BYTES ((size_t)4 << 20)

struct buf {
    char *data;
    size_t len;
    size_t _cap;
    size_t _max;
    bool _failed;
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_release(struct buf *b); /* back to the state after buf_init() */
void buf_clear(struct buf *b);   /* empty and not failed; keeps its memory */
bool buf_ok(const struct buf *b);
void buf_append(struct buf *b, const void *bytes, size_t len);
void buf_add_slice(struct buf *b, struct slice s);
void buf_add_str(struct buf *b, const char *text);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
/* Room for len more bytes at the end (NULL when it can not be had); the caller then adds to b->len.
 * The NUL behind bytes added this way is set by the next call of buf_append(), buf_reserve() or buf_detach(). */
char *buf_reserve(struct buf *b, size_t len);
struct slice buf_slice(const struct buf *b);
/* Gives the bytes away: NUL-terminated, the caller frees. NULL when the buffer failed. */
char *buf_detach(struct buf *b);

#endif
