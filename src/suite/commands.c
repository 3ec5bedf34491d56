/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/visible.h"
#include "http/redact.h"
#include "suite/process.h"

#define SAID_MAX ((size_t)4 << 20)

static bool is_stopped(const struct commands_place *at)
{
    return at->stop != NULL && *at->stop != 0;
}

static void warn(const struct commands_place *at, const struct err *err)
{
    struct buf text;

    if (at->on_warning == NULL)
        return;
    buf_init(&text, sizeof(err->what) + sizeof(err->hint) + 8);
    buf_add_str(&text, err->what);
    if (err->hint[0] != '\0')
        buf_printf(&text, "; %s", err->hint);
    at->on_warning(at->arg, text.data != NULL ? text.data : err->what);
    buf_release(&text);
}

static int say_failure(const struct commands_place *at, const struct suite_command *c, const char *what,
                       const struct process_outcome *end, const char *log_path, size_t said_before, struct err *err)
{
    const char *file = at->suite->file;
    char tail[150];

    process_tail(log_path, said_before, tail, sizeof(tail));
    if (end->end == PROCESS_TIMED_OUT)
        err_set(err, ERR_CONFIG, 0, "%s:%u: the %s command took longer than %.0f s", file, c->line, what,
                (double)c->timeout_ns / 1e9);
    else if (end->end == PROCESS_STOPPED)
        err_set(err, ERR_SYSTEM, EINTR, "%s:%u: the %s command", file, c->line, what);
    else
        err_set(err, ERR_CONFIG, 0, "%s:%u: the %s command ended with status %d", file, c->line, what, end->status);
    return tail[0] != '\0' ? err_hint(err, "it said: %s", tail) : -1;
}

int suite_command_run(const struct commands_place *at, const struct suite_command *c, const struct names *names,
                      const char *what, const char *out_path, struct err *err)
{
    char *text = names_text(names, c->run, err);
    char log_path[PATH_MAX];
    const char *words[4];
    const struct process_job job = {
        .name = what, .words = words, .cwd = at->suite->dir, .out_path = out_path, .log_path = log_path
    };
    struct process_outcome end;
    struct process p;
    size_t said_before;
    int rc;

    if (text == NULL)
        return err_prefix(err, "%s:%u", at->suite->file, c->line);
    snprintf(log_path, sizeof(log_path), "%s/%s.log", at->work_dir, what);
    said_before = process_log_bytes(log_path);
    process_shell_words(words, text);
    rc = process_start(&p, &job, err);
    free(text);
    if (rc != 0)
        return -1;
    process_wait(&p, c->timeout_ns, at->stop, 1, NULL, NULL, &end);
    if (end.end == PROCESS_ENDED && end.status == 0)
        return 0;
    return say_failure(at, c, what, &end, log_path, said_before, err);
}

int commands_run(const struct commands_place *at, const struct suite_commands *list, const struct names *names,
                 const char *what, struct err *err)
{
    for (size_t k = 0; k < list->count; k++) {
        struct err inner = { 0 };

        if (suite_command_run(at, &list->items[k], names, what, NULL, &inner) == 0)
            continue;
        if (!list->items[k].may_fail || is_stopped(at)) {
            *err = inner;
            return -1;
        }
        warn(at, &inner);
    }
    return 0;
}

void commands_run_all(const struct commands_place *at, const struct suite_commands *list, const struct names *names,
                      const char *what)
{
    for (size_t k = 0; k < list->count; k++) {
        struct err inner = { 0 };

        if (suite_command_run(at, &list->items[k], names, what, NULL, &inner) != 0 && !list->items[k].may_fail)
            warn(at, &inner);
    }
}

/* Without secrets, and nothing in it that a terminal would obey. */
static int take_output(struct buf *out, struct slice raw, struct err *err)
{
    struct buf seen;

    buf_init(&seen, VISIBLE_TIMES * SAID_MAX);
    visible_output(&seen, raw);
    redact_output(out, buf_slice(&seen));
    buf_release(&seen);
    return buf_ok(out) ? 0 : err_set(err, ERR_LIMIT, 0, "a command printed more than there is room for");
}

int commands_output(const struct commands_place *at, const struct suite_command *c, const struct names *names,
                    const char *what, struct buf *out, struct err *err)
{
    char path[PATH_MAX];
    struct buf raw;
    int rc;

    snprintf(path, sizeof(path), "%s/%s.txt", at->work_dir, what);
    unlink(path);
    rc = suite_command_run(at, c, names, what, path, err);
    buf_init(&raw, SAID_MAX);
    if (file_read(path, &raw, rc == 0 ? err : NULL) != 0) /* what a command said before it failed is worth showing */
        rc = -1;
    else
        rc = take_output(out, buf_slice(&raw), err) != 0 ? -1 : rc;
    buf_release(&raw);
    return rc;
}
