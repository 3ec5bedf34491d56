/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
    va_list args;

    va_start(args, fmt);
    fprintf(stderr, "%s: ", who);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}
