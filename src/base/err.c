/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    int code;
} KINDS[] = {
#define ERR_ROW(id, text, code) [id] = { text, code },
    ERR_KINDS(ERR_ROW)
#undef ERR_ROW
};

/* Copies text into out[size]; what does not fit ends in "..." so that a cut is seen as one. */
static void copy_cut(char *out, size_t size, const char *text)
{
    const size_t len = strlen(text);

    if (len < size) {
        memcpy(out, text, len + 1);
        return;
    }
    memcpy(out, text, size - 4);
    memcpy(out + size - 4, "...", 4);
}

/* The room for the sentence before ": strerror", so that a long sentence never hides the reason. */
static size_t room_before(const char *reason, size_t size)
{
    const size_t tail = strlen(reason) + 2;

    return tail + 32 < size ? size - tail : size;
}

int err_set(struct err *err, enum err_kind kind, int sys, const char *fmt, ...)
{
    char sentence[sizeof(err->what)]; /* apart: an argument may be err->what itself */
    va_list args;

    if (err == NULL)
        return -1;
    va_start(args, fmt);
    const int wanted = vsnprintf(sentence, sizeof(sentence), fmt, args);
    va_end(args);
    if (wanted >= (int)sizeof(sentence))
        memcpy(sentence + sizeof(sentence) - 4, "...", 4);

    err->kind = kind;
    err->sys = sys;
    err->hint[0] = '\0';
    if (sys == 0) {
        copy_cut(err->what, sizeof(err->what), sentence);
        return -1;
    }
    char unknown[32];
    const char *reason = strerrordesc_np(sys);
    if (reason == NULL) {
        snprintf(unknown, sizeof(unknown), "error %d", sys);
        reason = unknown;
    }
    copy_cut(err->what, room_before(reason, sizeof(err->what)), sentence);
    const size_t used = strlen(err->what);
    snprintf(err->what + used, sizeof(err->what) - used, ": %s", reason);
    return -1;
}

int err_hint(struct err *err, const char *fmt, ...)
{
    char hint[sizeof(err->hint)];
    va_list args;

    if (err == NULL)
        return -1;
    va_start(args, fmt);
    const int wanted = vsnprintf(hint, sizeof(hint), fmt, args);
    va_end(args);
    if (wanted >= (int)sizeof(hint))
        memcpy(hint + sizeof(hint) - 4, "...", 4);
    memcpy(err->hint, hint, sizeof(hint));
    return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    char prefix[sizeof(err->what)];
    char whole[2 * sizeof(err->what) + 2];
    va_list args;

    if (err == NULL)
        return -1;
    va_start(args, fmt);
    vsnprintf(prefix, sizeof(prefix), fmt, args);
    va_end(args);
    snprintf(whole, sizeof(whole), "%s: %s", prefix, err->what);
    copy_cut(err->what, sizeof(err->what), whole);
    return -1;
}

const char *err_kind_text(enum err_kind kind)
{
    return (size_t)kind < sizeof(KINDS) / sizeof(KINDS[0]) ? KINDS[kind].text : "unknown error";
}

int err_exit_code(enum err_kind kind)
{
    return (size_t)kind < sizeof(KINDS) / sizeof(KINDS[0]) ? KINDS[kind].code : 3;
}

void bug_abort(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "plimsoll: bug at %s:%d: ", file, line);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}
