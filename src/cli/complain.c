/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/visible.h"

enum { NOTE_MAX_BYTES = 1 << 20 };

/* There is one standard error, and one screen that may stand on it. */
static struct {
    void (*sink)(void *arg, struct slice text);
    void *arg;
} elsewhere;

void cli_notes_to(void (*sink)(void *arg, struct slice text), void *arg)
{
    elsewhere.sink = sink;
    elsewhere.arg = arg;
}

/* What is said of a document may quote it: nothing in it commands the terminal, or hides. */
static void make_harmless(struct buf *out, struct slice text)
{
    visible_add(out, text);
    for (size_t i = 0; i < out->len; i++) {
        const unsigned char c = (unsigned char)out->data[i];

        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            out->data[i] = '?';
    }
}

static void say(struct buf *text)
{
    struct buf shown;

    buf_init(&shown, VISIBLE_TIMES * text->len + 1);
    make_harmless(&shown, buf_slice(text));
    if (elsewhere.sink != NULL)
        elsewhere.sink(elsewhere.arg, buf_slice(&shown));
    else
        fwrite(shown.data != NULL ? shown.data : "", 1, shown.len, stderr);
    buf_release(&shown);
    buf_release(text);
}

int cli_complain(const char *who, const struct err *err)
{
    struct buf text;

    buf_init(&text, NOTE_MAX_BYTES);
    buf_printf(&text, "%s: %s\n", who, err->what);
    if (err->hint[0] != '\0')
        buf_printf(&text, "  hint: %s\n", err->hint);
    say(&text);
    return err_exit_code(err->kind);
}

int cli_complain_of_output(const char *who, const struct err *err)
{
    return err->sys == EPIPE ? CLI_EXIT_READER_LEFT : cli_complain(who, err);
}

void cli_note(const char *who, const char *fmt, ...)
{
    struct buf line;
    va_list args;

    buf_init(&line, NOTE_MAX_BYTES);
    buf_printf(&line, "%s: ", who);
    va_start(args, fmt);
    buf_vprintf(&line, fmt, args);
    va_end(args);
    buf_add_char(&line, '\n');
    say(&line);
}
