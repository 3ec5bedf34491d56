/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll mb: mb's request file, options, summary and response file over our engine. See docs/mb.md. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/interrupt.h"
#include "cli/mb_plan.h"
#include "cli/mb_responses.h"
#include "cli/print.h"
#include "report/mb.h"

enum { FILE_MAX_BYTES = 1 << 28, LINES_MAX_BYTES = 1 << 28, SUMMARY_MAX_BYTES = 4096, NAMESERVERS = 3 };

static void __attribute__((format(printf, 2, 3))) note(const struct mb_options *o, const char *fmt, ...)
{
    va_list args;

    if (o->quiet)
        return;
    va_start(args, fmt);
    fputs("mb: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

static int refuse(const struct err *err)
{
    fprintf(stderr, "mb: %s\n", err->what);
    if (err->hint[0] != '\0')
        fprintf(stderr, "  hint: %s\n", err->hint);
    return MB_EXIT_BAD;
}

/* NAMESERVER1, NAMESERVER2 … stand in for the system's name servers. */
static int use_nameservers(struct err *err)
{
    struct addr servers[NAMESERVERS];
    size_t count = 0;

    for (int i = 1; i <= NAMESERVERS; i++) {
        char name[32];
        const char *text;

        snprintf(name, sizeof(name), "NAMESERVER%d", i);
        text = getenv(name);
        if (text == NULL || text[0] == '\0')
            continue;
        if (addr_parse(&servers[count++], slice_str(text), 53, err) != 0)
            return err_prefix(err, "%s", name);
    }
    return count > 0 ? addr_use_nameservers(servers, count, err) : 0;
}

/* A file that can not be opened makes mb print its lines among the rest. */
static void open_responses(struct mb_responses *r, const struct mb_options *o)
{
    r->fd = -1;
    buf_init(&r->lines, LINES_MAX_BYTES);
    r->wall_offset_ns = clock_wall_ns() - clock_now_ns();
    if (o->response_file == NULL)
        return;
    r->fd = open(o->response_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->fd >= 0)
        return;
    note(o, "cannot write %s: %s; its lines go to standard output", o->response_file, strerror(errno));
    r->fd = STDOUT_FILENO;
}

static int close_responses(struct mb_responses *r, const struct mb_options *o)
{
    int rc = 0;

    if (r->fd > STDERR_FILENO && close(r->fd) != 0 && r->sys_error == 0)
        r->sys_error = errno;
    if (r->sys_error != 0) {
        fprintf(stderr, "mb: cannot write %s: %s\n", o->response_file, strerror(r->sys_error));
        rc = MB_EXIT_BAD;
    }
    buf_release(&r->lines);
    return rc;
}

static void on_records(void *arg, const struct load_record *records, size_t count)
{
    mb_responses_add(arg, records, count);
}

static struct mb_summary summary_of(const struct result *r)
{
    struct mb_summary s = {
        .seconds = r->ramp_s + r->duration_s,
        .sent_bytes = r->totals.bytes_sent,
        .received_bytes = r->totals.bytes_received,
        .hits = r->totals.sent,
    };

    for (int status = 400; status < STATUS_MAX; status++)
        s.status_errors += r->status[status];
    for (size_t i = 0; i < r->error_count; i++) {
        const struct error_entry *e = &r->errors[i];

        if (e->kind == FAIL_BAD_MESSAGE || e->kind == FAIL_HEADER_TOO_LARGE)
            s.parser_errors += e->count;
        else
            s.connection_errors += e->count;
    }
    return s;
}

static void print_summary(const struct result *r)
{
    const struct mb_summary s = summary_of(r);
    struct buf text;

    buf_init(&text, SUMMARY_MAX_BYTES);
    mb_summary_add(&text, &s);
    cli_print(stdout, &text);
}

/* mb prints each failure as it happens; here every kind once, when it is known how many there were. */
static void say_errors(const struct mb_options *o, const struct result *r)
{
    for (size_t i = 0; i < r->error_count; i++)
        note(o, "%llu times %s%s%s", (unsigned long long)r->errors[i].count, fail_kind_text(r->errors[i].kind),
             r->errors[i].detail[0] != '\0' ? ": " : "", r->errors[i].detail);
    for (size_t i = 0; r->generator.limited && i < r->generator.reasons.count; i++)
        note(o, "this machine was the limit: %s", r->generator.reasons.items[i]);
}

static int run(struct load *load, const struct mb_options *o)
{
    struct result *result = NULL;
    struct err err = { 0 };

    interrupt_install_silent();
    if (load_run(load, &result, &err) != 0)
        return refuse(&err);
    print_summary(result);
    fflush(stdout);
    say_errors(o, result);
    result_free(result);
    return 0;
}

static int with_plan(struct mb_plan *p, const struct mb_options *o)
{
    struct mb_responses responses = { .names = &p->names };
    struct err err = { 0 };
    struct load *load = NULL;
    int rc, closed;

    p->plan.stop = interrupt_flag();
    p->plan.arg = &responses;
    if (o->response_file != NULL)
        p->plan.on_records = on_records;
    if (load_prepare(&load, &p->plan, &err) != 0)
        return refuse(&err);
    open_responses(&responses, o);
    rc = run(load, o);
    load_free(load);
    closed = close_responses(&responses, o);
    return rc != 0 ? rc : closed;
}

static int with_options(const struct mb_options *o)
{
    struct mb_plan plan = { 0 };
    struct err err = { 0 };
    struct buf json;
    int rc;

    buf_init(&json, FILE_MAX_BYTES);
    if (use_nameservers(&err) != 0 || file_read(o->request_file, &json, &err) != 0 ||
        mb_plan_make(&plan, o, buf_slice(&json), &err) != 0)
        rc = refuse(&err);
    else
        rc = with_plan(&plan, o);
    mb_plan_release(&plan);
    buf_release(&json);
    return rc;
}

int cmd_mb(int argc, char **argv)
{
    struct mb_options options;
    int exit_code;

    if (mb_options_parse(&options, argc, argv, &exit_code) != 0)
        return exit_code;
    return with_options(&options);
}
