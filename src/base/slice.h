/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A slice: bytes that somebody else owns. Not NUL-terminated; ptr may be NULL only when len is 0. */
#ifndef PLIMSOLL_BASE_SLICE_H
#define PLIMSOLL_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    const char *ptr;
    size_t len;
};

#define SLICE(literal) ((struct slice){ "" literal, sizeof(literal) - 1 })
/* For printf's "%.*s". */
#define SLICE_FMT(s) (int)(s).len, (s).ptr != NULL ? (s).ptr : ""

struct slice slice_from(const char *ptr, size_t len);
struct slice slice_str(const char *text); /* NULL gives the empty slice */
bool slice_eq(struct slice a, struct slice b);
bool slice_eq_nocase(struct slice a, struct slice b); /* ASCII only */
bool slice_starts(struct slice s, struct slice prefix);
bool slice_starts_nocase(struct slice s, struct slice prefix);
bool slice_ends(struct slice s, struct slice suffix);
struct slice slice_trim(struct slice s);           /* spaces and tabs at both ends */
struct slice slice_drop(struct slice s, size_t n); /* without the first n bytes; n may be too large */
struct slice slice_take(struct slice s, size_t n); /* the first n bytes at most */
/* Index of the first occurrence, or -1. */
ptrdiff_t slice_find(struct slice s, char c);
ptrdiff_t slice_find_slice(struct slice s, struct slice needle);
/* Cuts *rest at the first c: returns what is before it and moves *rest behind it. Without c returns all and leaves
 * *rest empty. */
struct slice slice_split(struct slice *rest, char c);
/* Whole slice as a decimal number: no sign, no space. False on anything else or overflow. */
bool slice_to_u64(struct slice s, uint64_t *out);
/* A NUL-terminated copy the caller frees; NULL when out of memory. */
char *slice_dup(struct slice s);

#endif
