/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/printed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 64 };

bool printed_line(struct slice *rest, struct slice *line)
{
    if (rest->len == 0)
        return false;
    *line = slice_split(rest, '\n');
    if (line->len > 0 && line->ptr[line->len - 1] == '\r')
        line->len--;
    return true;
}

struct slice printed_word(struct slice *rest)
{
    size_t n = 0;
    struct slice word;

    *rest = slice_trim(*rest);
    while (n < rest->len && rest->ptr[n] != ' ' && rest->ptr[n] != '\t')
        n++;
    word = slice_take(*rest, n);
    *rest = slice_drop(*rest, n);
    return word;
}

size_t printed_split(struct slice line, struct slice *out, size_t max)
{
    size_t count = 0;

    while (count < max) {
        out[count] = printed_word(&line);
        if (out[count].len == 0)
            break;
        count++;
    }
    return count;
}

/* The bytes behind what, when text begins with its words, however much white space parts them. */
static bool skip_words(struct slice *text, const char *what)
{
    struct slice words = slice_str(what);

    for (struct slice w = printed_word(&words); w.len > 0; w = printed_word(&words)) {
        *text = slice_trim(*text);
        if (!slice_starts(*text, w))
            return false;
        *text = slice_drop(*text, w.len);
    }
    return true;
}

bool printed_value(struct slice line, const char *key, struct slice *value)
{
    if (!skip_words(&line, key))
        return false;
    line = slice_trim(line);
    if (line.len == 0 || line.ptr[0] != ':')
        return false;
    *value = slice_trim(slice_drop(line, 1));
    return true;
}

bool printed_contain(struct slice text, const char *what)
{
    return slice_find_slice(text, slice_str(what)) >= 0;
}

bool printed_line_begins(struct slice text, const char *what)
{
    struct slice line;

    while (printed_line(&text, &line))
        if (slice_starts(slice_trim(line), slice_str(what)))
            return true;
    return false;
}

static bool is_number(struct slice word)
{
    for (size_t i = 0; i < word.len; i++)
        if (strchr("0123456789+-.eE", word.ptr[i]) == NULL || word.ptr[i] == '\0')
            return false;
    return word.len > 0 && word.len < NUMBER_MAX;
}

bool printed_scaled(struct slice word, int ten, double *out)
{
    char text[NUMBER_MAX + 16];
    char *end = NULL;
    bool has_exponent;

    if (!is_number(word))
        return false;
    memcpy(text, word.ptr, word.len);
    text[word.len] = '\0';
    has_exponent = strpbrk(text, "eE") != NULL;
    /* The exponent goes to strtod(), which rounds once; a number that has one already is rounded twice. */
    if (ten != 0 && !has_exponent)
        snprintf(text + word.len, sizeof(text) - word.len, "e%d", ten);
    *out = strtod(text, &end);
    if (ten != 0 && has_exponent)
        *out *= pow(10, ten);
    return *end == '\0' && end != text && isfinite(*out);
}

bool printed_double(struct slice word, double *out)
{
    return printed_scaled(word, 0, out);
}

bool printed_u64(struct slice word, uint64_t *out)
{
    char text[NUMBER_MAX];
    size_t n = 0;

    if (word.len >= NUMBER_MAX)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] != ',')
            text[n++] = word.ptr[i];
    return slice_to_u64(slice_from(text, n), out);
}

struct unit {
    const char *name;
    double factor;
    int ten; /* or times 10 to this */
};

/* Where the number ends. */
static size_t number_length(struct slice word)
{
    size_t n = 0;

    while (n < word.len && (strchr("0123456789.", word.ptr[n]) != NULL && word.ptr[n] != '\0'))
        n++;
    return n;
}

static const struct unit *find_unit(const struct unit *units, size_t count, struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_eq(name, slice_str(units[i].name)))
            return &units[i];
    return NULL;
}

bool printed_seconds(struct slice word, double *out)
{
    static const struct unit UNITS[] = {
        { "ns", 1, -9 }, { "us", 1, -6 }, { "\xc2\xb5s", 1, -6 }, { "\xce\xbcs", 1, -6 }, { "ms", 1, -3 },
        { "s", 1, 0 },   { "m", 60, 0 },  { "min", 60, 0 },       { "h", 3600, 0 },
    };
    double sum = 0;

    if (word.len == 0)
        return false;
    while (word.len > 0) {
        const size_t digits = number_length(word);
        size_t end = digits;
        const struct unit *unit = NULL;
        double value = 0;

        while (end < word.len && number_length(slice_drop(word, end)) == 0)
            end++;
        unit = find_unit(UNITS, sizeof(UNITS) / sizeof(UNITS[0]), slice_from(word.ptr + digits, end - digits));
        if (unit == NULL || !printed_scaled(slice_take(word, digits), unit->ten, &value))
            return false;
        sum += value * unit->factor;
        word = slice_drop(word, end);
    }
    *out = sum;
    return true;
}

bool printed_bytes(struct slice word, double *out)
{
    static const struct unit UNITS[] = {
        { "", 1, 0 },
        { "B", 1, 0 },
        { "K", 1024.0, 0 },
        { "KB", 1024.0, 0 },
        { "k", 1024.0, 0 },
        { "M", 1048576.0, 0 },
        { "MB", 1048576.0, 0 },
        { "G", 1073741824.0, 0 },
        { "GB", 1073741824.0, 0 },
        { "T", 1099511627776.0, 0 },
        { "TB", 1099511627776.0, 0 },
    };
    const size_t digits = number_length(word);
    const struct unit *unit = find_unit(UNITS, sizeof(UNITS) / sizeof(UNITS[0]), slice_drop(word, digits));

    if (unit == NULL || !printed_double(slice_take(word, digits), out))
        return false;
    *out *= unit->factor;
    return true;
}
