/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small files of /proc and /sys, read below a root that is "" but in tests. For watch/ and machine/. */
#ifndef PLIMSOLL_WATCH_TEXT_H
#define PLIMSOLL_WATCH_TEXT_H

#include "base/buf.h"

#define TEXT_FILE_MAX_BYTES (256u * 1024u)

/* The file's bytes in place of what *out held. False when it can not be read. */
bool text_read(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A file that holds one number. */
bool text_read_u64(uint64_t *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The number behind `key` and a space, of a file of such lines ("key 123", "key: 123 kB"). */
bool text_find(struct slice text, const char *key, uint64_t *value);
/* The n-th word, from 0, between spaces and tabs; empty when there are fewer. */
struct slice text_word(struct slice line, size_t n);
/* How many numbers "0-3,5" lists. 0: not such a list. */
unsigned text_list_length(struct slice list);
/* A whole finite number with or without fraction and exponent. */
bool text_double(struct slice s, double *out);

#endif
