/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/redact.h"

#include <string.h>

#define STARS "***"

/* What the argument of an option is to us. */
enum argument { ARGUMENT_PLAIN, ARGUMENT_SECRET, ARGUMENT_TOKEN, ARGUMENT_FIELD };

/* Long options may be cut short as long as they stay unique. */
static bool is_long(struct slice name, const char *option)
{
    return name.len >= 1 && slice_starts(slice_str(option), name);
}

static enum argument argument_of_long(struct slice name)
{
    if (is_long(name, "user"))
        return ARGUMENT_SECRET;
    if (is_long(name, "auth-bearer"))
        return ARGUMENT_TOKEN;
    return is_long(name, "header") ? ARGUMENT_FIELD : ARGUMENT_PLAIN;
}

static enum argument argument_of_short(char option)
{
    if (option != '\0' && strchr("uACP", option) != NULL)
        return ARGUMENT_SECRET;
    return option == 'H' ? ARGUMENT_FIELD : ARGUMENT_PLAIN;
}

static bool is_long_word(struct slice word)
{
    return slice_starts(word, SLICE("--")) && word.len > 2;
}

static bool is_short_word(struct slice word)
{
    return word.len >= 2 && word.ptr[0] == '-' && word.ptr[1] != '-';
}

/* In "-kqH" the options without arguments come first; returns the index of the first one that takes one (or the word's
 * end). */
static size_t first_with_argument(struct slice word)
{
    size_t i = 1;

    while (i < word.len && strchr("k46dqSlriIVh", word.ptr[i]) != NULL)
        i++;
    return i;
}

/* "user:pass@host:port", as proxies are given. */
static void add_plain(struct buf *out, struct slice text)
{
    const ptrdiff_t at = slice_find(text, '@'), colon = slice_find(text, ':');

    if (at > 0 && colon > 0 && colon < at && slice_find(text, '/') < 0 && slice_find(text, ' ') < 0) {
        buf_add_str(out, STARS);
        text = slice_drop(text, (size_t)at);
    }
    redact_url(out, text);
}

static void add_argument(struct buf *out, enum argument what, struct slice text)
{
    switch (what) {
    case ARGUMENT_SECRET:
        buf_add_str(out, STARS);
        break;
    case ARGUMENT_TOKEN: /* @FILE and env:NAME only say where the token is */
        if (slice_starts(text, SLICE("@")) || slice_starts(text, SLICE("env:")))
            buf_add_slice(out, text);
        else
            buf_add_str(out, STARS);
        break;
    case ARGUMENT_FIELD:
        redact_field_line(out, text);
        break;
    case ARGUMENT_PLAIN:
        add_plain(out, text);
        break;
    }
}

void redact_argument(struct buf *out, struct slice before, struct slice word)
{
    /* "--user" "NAME:PASS", "-u" "NAME:PASS", "-ku" "NAME:PASS" */
    enum argument what = ARGUMENT_PLAIN;
    if (is_long_word(before) && slice_find(before, '=') < 0)
        what = argument_of_long(slice_drop(before, 2));
    else if (is_short_word(before) && first_with_argument(before) == before.len - 1)
        what = argument_of_short(before.ptr[before.len - 1]);
    if (what != ARGUMENT_PLAIN) {
        add_argument(out, what, word);
        return;
    }
    const ptrdiff_t equals = slice_find(word, '=');
    if (is_long_word(word) && equals > 0) {
        const struct slice name = slice_from(word.ptr + 2, (size_t)equals - 2);
        buf_add_slice(out, slice_take(word, (size_t)equals + 1));
        add_argument(out, argument_of_long(name), slice_drop(word, (size_t)equals + 1));
        return;
    }
    if (is_short_word(word)) {
        const size_t i = first_with_argument(word);
        if (i + 1 < word.len && argument_of_short(word.ptr[i]) != ARGUMENT_PLAIN) {
            buf_add_slice(out, slice_take(word, i + 1));
            add_argument(out, argument_of_short(word.ptr[i]), slice_drop(word, i + 1));
            return;
        }
    }
    add_plain(out, word);
}
