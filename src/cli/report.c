/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll report */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/compare_inputs.h"
#include "cli/complain.h"
#include "cli/print.h"
#include "cli/report_options.h"
#include "report/html.h"
#include "report/svg_report.h"
#include "result/side_alike.h"

static const char WHO[] = "plimsoll report";
enum { HELP_MAX_BYTES = 1 << 16 };
#define PAGE_MAX_BYTES (UINT64_C(1) << 30)

static int render_html(struct buf *out, const struct collection *c, const struct report_options *o,
                       const struct side *history, struct err *err)
{
    const struct html_options options = { .title = o->title,
                                          .metrics = &o->metrics,
                                          .min_change = o->min_change,
                                          .same_session = o->same_session,
                                          .history = history };

    return report_html(out, c, &options, err);
}

static int render_svg(struct buf *out, const struct collection *c, const struct report_options *o,
                      const struct side *history, struct err *err)
{
    (void)history;
    return report_svg(out, c, o->has_plot ? &o->plot : NULL, o->metrics.count > 0 ? o->metrics.items[0] : NULL, err);
}

const struct report_format REPORT_FORMATS[] = {
    { "html", "one page that needs no network", "report.html", render_html },
    { "svg", "a picture for a README or a wiki", "report.svg", render_svg },
};
const size_t REPORT_FORMAT_COUNT = sizeof(REPORT_FORMATS) / sizeof(REPORT_FORMATS[0]);

/* ---- reading ---- */

struct reading {
    struct collection *collection;
    const char *alias; /* NULL: none */
    const char *word;
};

/* A tag or NAME@latest calls the run better than its own name, which others have too; the beginning of an id does not.
 */
static const char *call(const struct reading *reading, const struct result *r)
{
    const struct slice word = slice_str(reading->word);

    if (reading->alias != NULL)
        return reading->alias;
    if (results_word_is_file(reading->word) || slice_starts(slice_str(r->id), word) ||
        slice_starts(slice_str(r->run), word))
        return NULL;
    return reading->word;
}

static int gather(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    const struct reading *reading = arg;

    return collection_add(reading->collection, r, json, call(reading, r), source, err);
}

static int gather_limit(void *arg, struct slice json, const char *source, struct err *err)
{
    const struct reading *reading = arg;

    return collection_add_limit(reading->collection, json, reading->alias, source, err);
}

static int read_runs(struct collection *c, struct results_inputs *in, const struct report_options *o, struct err *err)
{
    in->limit = gather_limit;
    for (size_t i = 0; i < o->words.count; i++) {
        struct reading reading = { c, i < o->aliases.count ? o->aliases.items[i] : NULL, o->words.items[i] };

        collection_begin(c);
        if (results_word_visit(in, o->words.items[i], gather, &reading, err) != 0)
            return -1;
    }
    return collection_tell_apart(c) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* The store's sessions of unchanged code that did what the first two runs did. A store that fails is no reason not to
 * report: what it would have told is then not known, and the page says so. */
static void read_history(struct side *out, struct compare_inputs *in, const struct collection *c)
{
    struct err err = { 0 };

    if (c->count < 2)
        return;
    if (compare_inputs_same_code(in, out, &err) == 0) {
        for (size_t i = 0; i < c->count; i++)
            side_drop_sessions_of(out, &c->runs[i].side);
        if (side_keep_alike(out, &c->runs[0].side, &c->runs[1].side))
            return;
        err_set(&err, ERR_SYSTEM, 0, "out of memory");
    }
    cli_note(WHO, "the store's sessions of unchanged code are left out: %s", err.what);
    side_release(out);
}

/* The page of a document does not take its place. */
static int check_output(const struct report_options *o, const char *path, struct err *err)
{
    struct stat out, in;

    if (strcmp(path, "-") == 0 || stat(path, &out) != 0 || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < o->words.count; i++)
        if (stat(o->words.items[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
            err_set(err, ERR_USAGE, 0, "-o %s is one of the runs that are read", path);
            return err_hint(err, "the report would take its place; give it another name");
        }
    return 0;
}

static int make(struct buf *out, const struct report_options *o, struct err *err)
{
    struct compare_inputs in = { 0 };
    struct collection c = { 0 };
    struct side history = { 0 };
    int failed = read_runs(&c, &in.results, o, err);

    if (failed == 0 && !o->no_store)
        read_history(&history, &in, &c);
    if (failed == 0)
        failed = o->format->render(out, &c, o, history.count > 0 ? &history : NULL, err);
    side_release(&history);
    collection_release(&c);
    compare_inputs_release(&in);
    return failed;
}

static int with_options(const struct report_options *o)
{
    const char *path = o->output != NULL ? o->output : o->format->output;
    struct err err = { 0 };
    struct buf text;
    int code = 0;

    buf_init(&text, PAGE_MAX_BYTES);
    if (check_output(o, path, &err) != 0 || make(&text, o, &err) != 0 || file_write(path, buf_slice(&text), &err) != 0)
        code = cli_complain(WHO, &err);
    else if (strcmp(path, "-") != 0)
        printf("%s\n", path);
    buf_release(&text);
    return code;
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    report_options_help(&text);
    cli_print(stdout, &text);
    return 0;
}

int cmd_report(int argc, char **argv)
{
    struct report_options options;
    struct err err = { 0 };
    bool help;
    int code;

    report_options_init(&options);
    if (report_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    report_options_release(&options);
    return code;
}
