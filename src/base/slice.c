/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/slice.h"

#include <stdlib.h>
#include <string.h>

struct slice slice_from(const char *ptr, size_t len)
{
    return (struct slice){ ptr, len };
}

struct slice slice_str(const char *text)
{
    return (struct slice){ text, text != NULL ? strlen(text) : 0 };
}

/* memcmp() of a NULL pointer is undefined even for no bytes. */
static bool same_bytes(const char *a, const char *b, size_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool same_nocase(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

bool slice_eq(struct slice a, struct slice b)
{
    return a.len == b.len && same_bytes(a.ptr, b.ptr, a.len);
}

bool slice_eq_nocase(struct slice a, struct slice b)
{
    return a.len == b.len && same_nocase(a.ptr, b.ptr, a.len);
}

bool slice_starts(struct slice s, struct slice prefix)
{
    return s.len >= prefix.len && same_bytes(s.ptr, prefix.ptr, prefix.len);
}

bool slice_starts_nocase(struct slice s, struct slice prefix)
{
    return s.len >= prefix.len && same_nocase(s.ptr, prefix.ptr, prefix.len);
}

bool slice_ends(struct slice s, struct slice suffix)
{
    return s.len >= suffix.len && slice_eq(slice_drop(s, s.len - suffix.len), suffix);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct slice slice_trim(struct slice s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = slice_drop(s, 1);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

struct slice slice_drop(struct slice s, size_t n)
{
    if (n > s.len)
        n = s.len;
    return n == 0 ? s : slice_from(s.ptr + n, s.len - n);
}

struct slice slice_take(struct slice s, size_t n)
{
    return slice_from(s.ptr, n < s.len ? n : s.len);
}

ptrdiff_t slice_find(struct slice s, char c)
{
    const char *at = s.len > 0 ? memchr(s.ptr, c, s.len) : NULL;

    return at != NULL ? at - s.ptr : -1;
}

ptrdiff_t slice_find_slice(struct slice s, struct slice needle)
{
    if (needle.len == 0)
        return 0;
    const char *at = s.len >= needle.len ? memmem(s.ptr, s.len, needle.ptr, needle.len) : NULL;
    return at != NULL ? at - s.ptr : -1;
}

struct slice slice_split(struct slice *rest, char c)
{
    const ptrdiff_t at = slice_find(*rest, c);
    const struct slice whole = *rest;

    if (at < 0) {
        *rest = slice_drop(whole, whole.len);
        return whole;
    }
    *rest = slice_drop(whole, (size_t)at + 1);
    return slice_take(whole, (size_t)at);
}

bool slice_to_u64(struct slice s, uint64_t *out)
{
    uint64_t value = 0;

    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (c < '0' || c > '9')
            return false;
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

char *slice_dup(struct slice s)
{
    char *copy = s.len < SIZE_MAX ? malloc(s.len + 1) : NULL;

    if (copy == NULL)
        return NULL;
    if (s.len > 0)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}
