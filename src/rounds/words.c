/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/words.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"

#define WORD_MAX_BYTES (1u << 20)

struct splitter {
    struct slice rest;
    struct buf word;
    bool has_word; /* also an empty one: '' */
    struct err *err;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int refuse_shell(struct splitter *s, char c)
{
    err_set(s->err, ERR_USAGE, 0, "%c is for a shell, and none is used", c);
    return err_hint(s->err, "add --shell, or put it in single quotes if it is meant as it stands");
}

static int refuse_open(struct splitter *s, char quote)
{
    err_set(s->err, ERR_USAGE, 0, "a quote (%c) is not closed", quote);
    return err_hint(s->err, "close it, or write \\%c", quote);
}

/* After the opening quote. */
static int take_quoted(struct splitter *s, char quote)
{
    s->has_word = true;
    while (s->rest.len > 0) {
        char c = s->rest.ptr[0];

        s->rest = slice_drop(s->rest, 1);
        if (c == quote)
            return 0;
        if (quote == '"' && (c == '$' || c == '`'))
            return refuse_shell(s, c);
        if (quote == '"' && c == '\\' && s->rest.len > 0 && memchr("\"\\$`", s->rest.ptr[0], 4) != NULL) {
            c = s->rest.ptr[0];
            s->rest = slice_drop(s->rest, 1);
        }
        buf_add_char(&s->word, c);
    }
    return refuse_open(s, quote);
}

static int take_escaped(struct splitter *s)
{
    if (s->rest.len == 0)
        return refuse_open(s, '\\');
    s->has_word = true;
    buf_add_char(&s->word, s->rest.ptr[0]);
    s->rest = slice_drop(s->rest, 1);
    return 0;
}

static int end_word(struct splitter *s, struct strlist *out)
{
    const bool ok = !s->has_word || (buf_ok(&s->word) && strlist_add(out, buf_slice(&s->word)));

    buf_clear(&s->word);
    s->has_word = false;
    return ok ? 0 : err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot take the command apart");
}

static int take_one(struct splitter *s, struct strlist *out)
{
    const char c = s->rest.ptr[0];

    s->rest = slice_drop(s->rest, 1);
    if (is_blank(c))
        return end_word(s, out);
    if (c == '\'' || c == '"')
        return take_quoted(s, c);
    if (c == '\\')
        return take_escaped(s);
    if (c != '\0' && strchr("|&;<>()$`", c) != NULL)
        return refuse_shell(s, c);
    s->has_word = true;
    buf_add_char(&s->word, c);
    return 0;
}

int words_split(struct strlist *out, struct slice text, struct err *err)
{
    struct splitter s = { .rest = text, .err = err };
    const size_t before = out->count;
    int rc = 0;

    buf_init(&s.word, WORD_MAX_BYTES);
    while (rc == 0 && s.rest.len > 0)
        rc = take_one(&s, out);
    if (rc == 0)
        rc = end_word(&s, out);
    buf_release(&s.word);
    if (rc == 0 && out->count == before)
        return err_set(err, ERR_USAGE, 0, "the command is empty");
    return rc;
}
