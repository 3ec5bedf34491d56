/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of the user's that prints name=value, through the shell. */
#include "watch/source.h"

#include <errno.h>
#include <stdlib.h>

#include "watch/command.h"
#include "watch/named_values.h"

struct command_source {
    struct source source;
    char *line;
    int cancel_fd;
    struct buf printed;
};

static int command_read(struct source *source, struct reading *out, struct err *err)
{
    struct command_source *s = (struct command_source *)source;
    const char *const argv[] = { "/bin/sh", "-c", s->line, NULL };
    const struct command_call call = { "the command", argv, COMMAND_TIMEOUT_NS, s->cancel_fd };

    if (command_run(&s->printed, &call, err) != 0)
        return -1;
    return named_values_read(out, buf_slice(&s->printed), err);
}

static void command_close(struct source *source)
{
    struct command_source *s = (struct command_source *)source;

    free(s->line);
    buf_release(&s->printed);
    free(s);
}

int command_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    static const struct source_ops OPS = { .read = command_read, .close = command_close };
    struct command_source *s;

    if (slice_trim(what).len == 0) {
        err_set(err, ERR_USAGE, 0, "the command is empty");
        return err_hint(err, "for example --watch 'queue=cmd:echo depth=$(wc -l < queue.txt)'");
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL || (s->line = slice_dup(what)) == NULL) {
        free(s);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch a command");
    }
    s->source.ops = &OPS;
    s->cancel_fd = context->cancel_fd;
    buf_init(&s->printed, COMMAND_OUTPUT_MAX_BYTES);
    *out = &s->source;
    return 0;
}
