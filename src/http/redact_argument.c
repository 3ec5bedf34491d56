/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/redact.h"

#include <string.h>

#define STARS "***"

/* What the argument of an option is to us. */
enum argument {
    ARGUMENT_PLAIN,
    ARGUMENT_SECRET,
    ARGUMENT_TOKEN,
    ARGUMENT_FIELD,
    ARGUMENT_PASSWORD, /* -p: or a port, or a path, or nothing at all */
};

/* Long options may be cut short as long as they stay unique. */
static bool is_long(struct slice name, const char *option)
{
    return name.len >= 1 && slice_starts(slice_str(option), name);
}

/* --password and the like, of any program; --key is a file. */
static bool is_secret_long(struct slice name)
{
    return redact_is_secret_name(name) && !slice_eq(name, SLICE("key"));
}

static enum argument argument_of_long(struct slice name)
{
    if (is_long(name, "user") || slice_eq(name, SLICE("proxy-user")) || slice_eq(name, SLICE("oauth2-bearer")))
        return ARGUMENT_SECRET;
    if (is_long(name, "auth-bearer"))
        return ARGUMENT_TOKEN;
    if (is_long(name, "header"))
        return ARGUMENT_FIELD;
    return is_secret_long(name) ? ARGUMENT_SECRET : ARGUMENT_PLAIN;
}

static enum argument argument_of_short(char option)
{
    if (option != '\0' && strchr("uACP", option) != NULL)
        return ARGUMENT_SECRET;
    return option == 'H' ? ARGUMENT_FIELD : option == 'p' ? ARGUMENT_PASSWORD : ARGUMENT_PLAIN;
}

/* Of -p: no port, no path, no option; glued to it, no word that options with one dash are (-print). */
static bool may_be_password(struct slice text, bool glued)
{
    bool number = true, word = true;

    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];

        number = number && ((c >= '0' && c <= '9') || c == ':');
        word = word && c >= 'a' && c <= 'z';
        if (c == '/' || c == '.')
            return false;
    }
    return text.len > 0 && text.ptr[0] != '-' && !number && !(glued && word);
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

    while (i < word.len && strchr("k46dqSlriIVhsfLv", word.ptr[i]) != NULL)
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

static void add_argument(struct buf *out, enum argument what, struct slice text, bool glued)
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
    case ARGUMENT_PASSWORD:
        if (may_be_password(text, glued))
            buf_add_str(out, STARS);
        else
            add_plain(out, text);
        break;
    case ARGUMENT_PLAIN:
        add_plain(out, text);
        break;
    }
}

/* The name of a shell's variable. */
static bool is_variable(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];

        if (c != '_' && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            return false;
    }
    return true;
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
        add_argument(out, what, word, false);
        return;
    }
    const ptrdiff_t equals = slice_find(word, '=');
    if (is_long_word(word) && equals > 0) {
        const struct slice name = slice_from(word.ptr + 2, (size_t)equals - 2);
        buf_add_slice(out, slice_take(word, (size_t)equals + 1));
        add_argument(out, argument_of_long(name), slice_drop(word, (size_t)equals + 1), false);
        return;
    }
    if (is_short_word(word)) {
        const size_t i = first_with_argument(word);
        if (i + 1 < word.len && argument_of_short(word.ptr[i]) != ARGUMENT_PLAIN) {
            buf_add_slice(out, slice_take(word, i + 1));
            add_argument(out, argument_of_short(word.ptr[i]), slice_drop(word, i + 1), true);
            return;
        }
    }
    if (equals > 0 && is_variable(slice_take(word, (size_t)equals)) &&
        redact_is_secret_name(slice_take(word, (size_t)equals))) { /* all of it, blanks too */
        buf_add_slice(out, slice_take(word, (size_t)equals + 1));
        buf_add_str(out, STARS);
    } else if (slice_find(word, ' ') >= 0) {
        redact_command(out, word); /* "sh" "-c" "curl -u ..." */
    } else {
        add_plain(out, word);
    }
}

/* Takes the next word of a shell's text off `rest`: as it is written, quotes and all. */
static struct slice next_shell_word(struct slice *rest)
{
    char quote = '\0';
    size_t len = 0;

    for (; len < rest->len; len++) {
        const char c = rest->ptr[len];

        if (c == '\\' && quote != '\'' && len + 1 < rest->len)
            len++;
        else if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (strchr(" \t\r\n;|&()", c) != NULL && c != '\0')
            break;
    }
    const struct slice word = slice_take(*rest, len);
    *rest = slice_drop(*rest, len);
    return word;
}

/* The word's text, without its quotes. */
static void unquote(struct buf *out, struct slice word)
{
    char quote = '\0';

    for (size_t i = 0; i < word.len; i++) {
        const char c = word.ptr[i];

        if (quote == '\0' && (c == '\'' || c == '"'))
            quote = c;
        else if (quote != '\0' && c == quote)
            quote = '\0';
        else
            buf_add_char(out, c == '\\' && quote != '\'' && i + 1 < word.len ? word.ptr[++i] : c);
    }
}

static void redact_words(struct buf *out, struct slice text)
{
    struct buf before, word, shown;

    buf_init(&before, text.len + 1);
    while (text.len > 0) {
        const struct slice raw = next_shell_word(&text);

        buf_init(&word, raw.len + 1);
        buf_init(&shown, 4 * raw.len + 64);
        unquote(&word, raw);
        redact_argument(&shown, buf_slice(&before), buf_slice(&word));
        if (!buf_ok(&before) || !buf_ok(&word) || !buf_ok(&shown))
            buf_add_str(out, STARS);
        else if (slice_eq(buf_slice(&shown), buf_slice(&word)))
            redact_url(out, raw);
        else
            buf_add_slice(out, buf_slice(&shown));
        buf_release(&shown);
        if (raw.len > 0) {
            buf_release(&before);
            before = word;
        } else {
            buf_release(&word);
        }
        if (text.len > 0) { /* what ended the word */
            buf_add_char(out, text.ptr[0]);
            text = slice_drop(text, 1);
        }
    }
    buf_release(&before);
}

/* First what is a secret whatever stands before it: words of a field ("Authorization: Bearer x") are several words. */
void redact_command(struct buf *out, struct slice text)
{
    struct buf plain;

    buf_init(&plain, 4 * text.len + 64);
    redact_fields(&plain, text);
    if (buf_ok(&plain))
        redact_words(out, buf_slice(&plain));
    else
        buf_add_str(out, STARS);
    buf_release(&plain);
}

void redact_output(struct buf *out, struct slice text)
{
    while (text.len > 0) {
        const ptrdiff_t end = slice_find(text, '\n');
        const size_t len = end >= 0 ? (size_t)end : text.len;

        redact_command(out, slice_take(text, len));
        if (end >= 0)
            buf_add_char(out, '\n');
        text = slice_drop(text, end >= 0 ? len + 1 : len);
    }
}
