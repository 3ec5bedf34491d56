/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results list */
#include "cli/results.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/complain.h"
#include "cli/print.h"
#include "cli/storing.h"
#include "report/runs_table.h"

#define LIST_MAX_BYTES (UINT64_C(1) << 30)

static unsigned terminal_width(void)
{
    struct winsize size = { 0 };

    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

int results_print(const struct listing *runs, bool json, struct err *err)
{
    struct buf text;
    int failed = 0;

    buf_init(&text, LIST_MAX_BYTES);
    if (json)
        listing_to_json(runs, &text);
    else
        failed = report_runs_table(&text, runs, terminal_width(), err);
    if (failed == 0 && !buf_ok(&text))
        failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (failed == 0)
        cli_print(stdout, &text);
    else
        buf_release(&text);
    return failed;
}

static void say_nothing_there(const struct runstore *s)
{
    struct buf path;

    if (s != NULL) {
        cli_note(RESULTS_WHO, "no such run in %s", runstore_path(s));
        return;
    }
    buf_init(&path, 1u << 12);
    if (storing_path(&path, NULL) == 0)
        cli_note(RESULTS_WHO, "nothing is stored yet; %s will be the place", path.data);
    buf_release(&path);
}

int results_list(const struct results_options *o)
{
    const struct runstore_filter filter = {
        o->name, o->kind, o->tag, o->since, o->until, &o->labels, (size_t)o->limit
    };
    struct listing runs = { 0 };
    struct runstore *s = NULL;
    struct err err = { 0 };
    int failed = storing_open(&s, STORE_READ, &err);

    if (failed == 0 && s != NULL)
        failed = runstore_list(s, &filter, &runs, &err);
    if (failed == 0 && (o->json || runs.count > 0))
        failed = results_print(&runs, o->json, &err);
    else if (failed == 0)
        say_nothing_there(s);
    listing_release(&runs);
    runstore_close(s);
    return failed == 0 ? 0 : cli_complain(RESULTS_WHO, &err);
}
