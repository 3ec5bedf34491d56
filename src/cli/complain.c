/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"

enum { NOTE_MAX_BYTES = 1 << 20 };

int cli_complain(const char *who, const struct err *err)
{
    fprintf(stderr, "%s: %s\n", who, err->what);
    if (err->hint[0] != '\0')
        fprintf(stderr, "  hint: %s\n", err->hint);
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
    fwrite(line.data != NULL ? line.data : "", 1, line.len, stderr);
    buf_release(&line);
}
