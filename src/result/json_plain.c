/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 64,
    NUMBER_MAX = 63,
    SHORT_MAX = 16 /* 15 digits and the point */,
    DIGITS_MAX = 18,
    TEXT_MAX = 64 * 1024
};

struct plain {
    const char *at, *end;
    unsigned depth;
    char *text; /* TEXT_MAX bytes: a string with escapes, a name */
};

static json_t *read_value(struct plain *p);

static void skip_space(struct plain *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static bool take(struct plain *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- strings ---- */

static bool is_plain_letter(char c)
{
    return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

/* Eight letters at a time; what a long string is made of. The tricks are those of Warren, Hacker's Delight 6-1. */
static bool are_plain(const char *eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t w;

    memcpy(&w, eight, sizeof(w));
    const uint64_t quotes = w ^ (ones * '"'), escapes = w ^ (ones * '\\'), deletes = w ^ (ones * 0x7f);

    return ((w | (w - ones * 0x20) | (quotes - ones) | (escapes - ones) | (deletes - ones)) & tops) == 0;
}

static char unescaped(char c)
{
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    const char *at = c != '\0' ? strchr(FROM, c) : NULL;

    return at != NULL ? TO[at - FROM] : '\0';
}

/* The rest of a string that has escapes, of which so much is plain. */
static bool read_escaped(struct plain *p, const char *from, struct slice *out)
{
    size_t len = (size_t)(p->at - from);

    if (len >= TEXT_MAX)
        return false;
    memcpy(p->text, from, len);
    while (p->at < p->end && *p->at != '"') {
        char c = *p->at++;

        if (c == '\\') {
            c = p->at < p->end ? unescaped(*p->at++) : '\0';
            if (c == '\0')
                return false;
        } else if (!is_plain_letter(c)) {
            return false;
        }
        if (len == TEXT_MAX)
            return false;
        p->text[len++] = c;
    }
    *out = slice_from(p->text, len);
    return p->at++ < p->end;
}

static bool read_string(struct plain *p, struct slice *out)
{
    const char *from;

    if (!take(p, '"'))
        return false;
    from = p->at;
    while (p->end - p->at >= 8 && are_plain(p->at))
        p->at += 8;
    while (p->at < p->end && is_plain_letter(*p->at))
        p->at++;
    if (p->at == p->end)
        return false;
    if (*p->at == '\\')
        return read_escaped(p, from, out);
    *out = slice_from(from, (size_t)(p->at - from));
    return *p->at++ == '"';
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t take_digits(struct plain *p)
{
    const char *from = p->at;

    while (p->at < p->end && is_digit(*p->at))
        p->at++;
    return (size_t)(p->at - from);
}

/* Of at most 15 digits without an exponent: digits and power of ten are exact, and their quotient is the nearest double
 * (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990). */
static bool is_short(const char *from, size_t len, double *value)
{
    static const double TENS[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    const bool negative = *from == '-';
    uint64_t digits = 0;
    size_t behind = 0;

    if (len > SHORT_MAX)
        return false;
    for (size_t i = negative; i < len; i++) {
        if (from[i] == '.') {
            behind = len - i - 1;
            continue;
        }
        if (!is_digit(from[i]))
            return false;
        digits = digits * 10 + (uint64_t)(from[i] - '0');
    }
    *value = (negative ? -(double)digits : (double)digits) / TENS[behind];
    return true;
}

static json_t *make_real(const char *from, size_t len)
{
    char text[NUMBER_MAX + 1];
    double value;

    if (is_short(from, len, &value))
        return json_real(value);
    if (len > NUMBER_MAX)
        return NULL;
    memcpy(text, from, len);
    text[len] = '\0';
    value = strtod(text, NULL);
    return isfinite(value) ? json_real(value) : NULL;
}

static json_t *make_integer(const char *from, size_t len)
{
    const bool negative = *from == '-';
    json_int_t value = 0;

    for (size_t i = negative; i < len; i++)
        value = value * 10 + (from[i] - '0');
    return json_integer(negative ? -value : value);
}

/* The number at p, not yet converted; *real: it has a fraction or an exponent. */
static struct slice take_number(struct plain *p, bool *real)
{
    const char *from = p->at;
    size_t whole;

    *real = false;
    if (*p->at == '-')
        p->at++;
    whole = take_digits(p);
    if (whole == 0 || whole > DIGITS_MAX || (whole > 1 && p->at[-(ptrdiff_t)whole] == '0'))
        return (struct slice){ 0 };
    if (p->at < p->end && *p->at == '.') {
        *real = true;
        p->at++;
        if (take_digits(p) == 0)
            return (struct slice){ 0 };
    }
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        *real = true;
        p->at++;
        if (p->at < p->end && (*p->at == '-' || *p->at == '+'))
            p->at++;
        if (take_digits(p) == 0)
            return (struct slice){ 0 };
    }
    return slice_from(from, (size_t)(p->at - from));
}

static json_t *read_number(struct plain *p)
{
    bool real;
    const struct slice number = take_number(p, &real);

    if (number.len == 0)
        return NULL;
    return real ? make_real(number.ptr, number.len) : make_integer(number.ptr, number.len);
}

/* ---- values ---- */

static json_t *read_word(struct plain *p, struct slice word, json_t *value)
{
    if (!slice_starts(slice_from(p->at, (size_t)(p->end - p->at)), word)) {
        json_decref(value);
        return NULL;
    }
    p->at += word.len;
    return value;
}

/* "p99": always computed anew from the histogram beside it, so that its value is not wanted. */
static bool is_percentile(struct slice name)
{
    if (name.len < 3 || name.ptr[0] != 'p')
        return false;
    for (size_t i = 1; i < name.len; i++)
        if (!is_digit(name.ptr[i]))
            return false;
    return true;
}

/* A number that may be too large for a double would be an error. */
static bool skip_number(struct plain *p)
{
    bool real;
    const struct slice number = take_number(p, &real);
    const char *exponent = number.len > 0 ? memchr(number.ptr, 'e', number.len) : NULL;

    return number.len > 0 && memchr(number.ptr, 'E', number.len) == NULL && (exponent == NULL || exponent[1] == '-');
}

static bool is_at_digit(struct plain *p)
{
    skip_space(p);
    return p->at < p->end && is_digit(*p->at);
}

static bool read_member(struct plain *p, json_t *object)
{
    const size_t members = json_object_size(object);
    struct slice name;
    json_t *value;
    char key[128];

    if (!read_string(p, &name) || name.len >= sizeof(key) || !take(p, ':') || memchr(name.ptr, '\0', name.len) != NULL)
        return false;
    memcpy(key, name.ptr, name.len);
    key[name.len] = '\0';
    if (is_percentile(slice_str(key)) && is_at_digit(p))
        return skip_number(p);
    value = read_value(p);
    if (value == NULL || json_object_set_new_nocheck(object, key, value) != 0)
        return false;
    return json_object_size(object) == members + 1; /* else it was there already */
}

static bool read_element(struct plain *p, json_t *array)
{
    json_t *value = read_value(p);

    return value != NULL && json_array_append_new(array, value) == 0;
}

/* What stands between brackets; out, empty, is ended when it is not plain. */
static json_t *read_list(struct plain *p, json_t *out, char end, bool (*read)(struct plain *p, json_t *out))
{
    bool ok = out != NULL && ++p->depth <= DEPTH_MAX;

    p->at++;
    if (ok && !take(p, end)) {
        do
            ok = read(p, out);
        while (ok && take(p, ','));
        ok = ok && take(p, end);
    }
    p->depth--;
    if (!ok) {
        json_decref(out);
        return NULL;
    }
    return out;
}

static json_t *read_value(struct plain *p)
{
    struct slice text;

    skip_space(p);
    if (p->at == p->end)
        return NULL;
    switch (*p->at) {
    case '{':
        return read_list(p, json_object(), '}', read_member);
    case '[':
        return read_list(p, json_array(), ']', read_element);
    case '"':
        return read_string(p, &text) ? json_stringn_nocheck(text.ptr, text.len) : NULL;
    case 't':
        return read_word(p, SLICE("true"), json_true());
    case 'f':
        return read_word(p, SLICE("false"), json_false());
    case 'n':
        return read_word(p, SLICE("null"), json_null());
    default:
        return *p->at == '-' || is_digit(*p->at) ? read_number(p) : NULL;
    }
}

json_t *json_plain_read(struct slice text)
{
    struct plain p = { .at = text.ptr, .end = text.ptr + text.len, .text = malloc(TEXT_MAX) };
    json_t *value = NULL;

    if (p.text != NULL && text.len > 0) {
        value = read_value(&p);
        skip_space(&p);
    }
    if (value != NULL && (p.at != p.end || !(json_is_object(value) || json_is_array(value)))) {
        json_decref(value);
        value = NULL;
    }
    free(p.text);
    return value;
}
