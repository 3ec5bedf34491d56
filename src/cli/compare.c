/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll compare */
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/compare_inputs.h"
#include "cli/compare_options.h"
#include "cli/compare_rules.h"
#include "cli/complain.h"
#include "cli/print.h"
#include "report/calibration.h"
#include "report/compare_forms.h"
#include "report/compare_text.h"
#include "result/comparison.h"
#include "result/side_alike.h"

static const char WHO[] = "plimsoll compare";
enum { HELP_MAX_BYTES = 1 << 16, RULES_MAX_BYTES = 1 << 24 };
#define REPORT_MAX_BYTES (UINT64_C(1) << 30)

/* What is read before anything is compared. news: one side each, against base. */
struct inputs {
    struct compare_inputs reading;
    struct side base, history, *news;
    size_t count;
    struct tolerance_rules rules;
    bool has_rules;
};

static void inputs_release(struct inputs *in)
{
    compare_inputs_release(&in->reading);
    side_release(&in->base);
    side_release(&in->history);
    for (size_t i = 0; i < in->count; i++)
        side_release(&in->news[i]);
    free(in->news);
    tolerance_rules_release(&in->rules);
}

/* The name that all runs of the side have, else the path. */
static const char *usual_name(const struct side *s, const char *path)
{
    const char *name = s->count > 0 ? record_fact(&s->records[0], "name") : NULL;

    for (size_t i = 1; i < s->count && name != NULL; i++) {
        const char *other = record_fact(&s->records[i], "name");

        if (other == NULL || strcmp(name, other) != 0)
            name = NULL;
    }
    return name != NULL ? name : path;
}

/* number: 0 for base, then as they were given. */
static int name_side(struct side *s, const char *path, const struct strlist *aliases, size_t number, struct err *err)
{
    if (!side_set_name(s, number < aliases->count ? aliases->items[number] : usual_name(s, path)))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static int read_side(struct compare_inputs *in, struct side *s, char *const *paths, size_t count,
                     const struct strlist *aliases, size_t number, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (compare_inputs_add(in, s, paths[i], NULL, err) != 0)
            return -1;
    if (compare_inputs_end_side(in, err) != 0)
        return -1;
    return name_side(s, paths[0], aliases, number, err);
}

static int read_rules(struct inputs *in, const char *path, struct err *err)
{
    struct buf text;
    int failed;

    if (path == NULL)
        return 0;
    buf_init(&text, RULES_MAX_BYTES);
    failed = file_read(path, &text, err);
    if (failed == 0)
        failed = compare_rules_parse(&in->rules, path, buf_slice(&text), err);
    if (failed != 0)
        err_prefix(err, "--tolerance");
    in->has_rules = failed == 0;
    buf_release(&text);
    return failed;
}

static int read_news(struct inputs *in, const struct compare_options *o, struct err *err)
{
    const size_t count = o->new.count > 0 ? 1 : o->sides.count;

    in->news = calloc(count, sizeof(*in->news));
    if (in->news == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (; in->count < count; in->count++) {
        struct side *s = &in->news[in->count];
        const int failed = o->new.count > 0
                               ? read_side(&in->reading, s, o->new.items, o->new.count, &o->aliases, 1, err)
                               : read_side(&in->reading, s, &o->sides.items[in->count], 1, &o->aliases, 1 + in->count,
                                           err);

        if (failed != 0) {
            side_release(s);
            return -1;
        }
    }
    return 0;
}

static bool holds_both(const struct compare_options *o)
{
    return o->base.count == 1 && o->new.count + o->sides.count == 0;
}

/* One file with both sides. */
static int read_both(struct inputs *in, const struct compare_options *o, struct err *err)
{
    const char *path = o->base.items[0];

    if (!results_word_is_file(path) && strpbrk(path, "./") == NULL) {
        err_set(err, ERR_USAGE, 0, "there is nothing to compare %s with", path);
        return err_hint(err, "plimsoll compare %.60s NEW; a file alone is a report that holds both sides", path);
    }
    in->news = calloc(1, sizeof(*in->news));
    if (in->news == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    in->count = 1;
    if (compare_inputs_both(&in->reading, &in->base, &in->news[0], path, err) != 0)
        return -1;
    return name_side(&in->base, path, &o->aliases, 0, err) != 0 ||
                   name_side(&in->news[0], path, &o->aliases, 1, err) != 0
               ? -1
               : 0;
}

static int read_sides(struct inputs *in, const struct compare_options *o, struct err *err)
{
    if (holds_both(o))
        return read_both(in, o, err);
    if (o->new.count + o->sides.count == 0) {
        err_set(err, ERR_USAGE, 0, "no NEW was given");
        return err_hint(err, "plimsoll compare BASE NEW, each a file, a folder, a quoted pattern or a stored run");
    }
    if (read_side(&in->reading, &in->base, o->base.items, o->base.count, &o->aliases, 0, err) != 0)
        return -1;
    return read_news(in, o, err);
}

/* Stored sessions of unchanged code that did what is compared. A store that fails is no reason not to compare: what it
 * would have told is then not known, and the report says so. */
static void take_stored_history(struct inputs *in, const struct compare_options *o)
{
    struct err err = { 0 };
    bool ok = compare_inputs_same_code(&in->reading, &in->history, &err) == 0;

    for (size_t i = 0; i < in->count && ok; i++)
        ok = side_take_sessions(&in->news[i], &in->history);
    ok = ok && side_take_sessions(&in->base, &in->history);
    side_drop_sessions_of(&in->history, &in->base);
    for (size_t i = 0; i < in->count; i++)
        side_drop_sessions_of(&in->history, &in->news[i]);
    if (ok && in->count > 0)
        ok = side_keep_alike(&in->history, &in->base, &in->news[0]);
    if (ok)
        return;
    cli_note(WHO, "the store's sessions of unchanged code are left out: %s", err.what);
    side_release(&in->history);
}

static int read_inputs(struct inputs *in, const struct compare_options *o, struct err *err)
{
    in->reading.per_target = o->per_target;
    if (read_sides(in, o, err) != 0 || read_rules(in, o->tolerance, err) != 0)
        return -1;
    for (size_t i = 0; i < o->history.count; i++)
        if (compare_inputs_add(&in->reading, &in->history, o->history.items[i], o->history.items[i], err) != 0)
            return -1;
    if (compare_inputs_end_side(&in->reading, err) != 0)
        return -1;
    if (o->history.count == 0 && !o->no_store)
        take_stored_history(in, o);
    return 0;
}

static void render(struct buf *out, const struct comparison *c, const struct compare_options *o)
{
    switch (o->format) {
    case COMPARE_TABLE:
        compare_text(out, c);
        break;
    case COMPARE_MARKDOWN:
        compare_markdown(out, c);
        break;
    case COMPARE_JSON:
        compare_json(out, c);
        break;
    case COMPARE_CSV:
        compare_csv(out, c);
        break;
    case COMPARE_JUNIT:
        compare_junit(out, c, o->strict);
        break;
    }
}

static int compare_with(struct buf *out, int *code, struct inputs *in, size_t number, const struct compare_options *o,
                        struct err *err)
{
    const struct comparison_options options = {
        .by = &o->by,
        .metrics = &o->metrics,
        .min_change = o->min_change,
        .same_session = o->same_session,
        .rules = in->has_rules ? &in->rules : NULL,
    };
    struct comparison c;
    const int failed = comparison_make(&c, &in->base, &in->news[number], in->history.count > 0 ? &in->history : NULL,
                                       &options, err);

    if (failed == 0) {
        render(out, &c, o);
        *code = comparison_exit_code(&c, o->strict);
    }
    comparison_release(&c);
    return failed;
}

/* 1 before 3 before 4 before 0. */
static int worse(int a, int b)
{
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

/* Several documents in JSON are a list; the other forms stand one below the other. */
static int compare_all(struct buf *out, int *code, struct inputs *in, const struct compare_options *o, struct err *err)
{
    const bool list = o->format == COMPARE_JSON && in->count > 1;

    *code = 0;
    buf_add_str(out, list ? "[\n" : "");
    for (size_t i = 0; i < in->count; i++) {
        int one = 0;

        if (i > 0)
            buf_add_str(out, list ? ",\n" : "\n");
        if (compare_with(out, &one, in, i, o, err) != 0)
            return -1;
        *code = worse(*code, one);
    }
    buf_add_str(out, list ? "]\n" : "");
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int publish(const struct buf *text, const char *path, struct err *err)
{
    if (path != NULL)
        return file_write(path, buf_slice(text), err);
    fwrite(text->data, 1, text->len, stdout);
    return 0;
}

/* ---- calibration ---- */

static int read_unchanged(struct inputs *in, const struct compare_options *o, struct err *err)
{
    in->reading.per_target = o->per_target;
    if (o->paths.count == 0)
        return compare_inputs_same_code(&in->reading, &in->base, err);
    for (size_t i = 0; i < o->paths.count; i++)
        if (compare_inputs_add(&in->reading, &in->base, o->paths.items[i], NULL, err) != 0)
            return -1;
    if (compare_inputs_end_side(&in->reading, err) != 0)
        return -1;
    if (!o->no_store && compare_inputs_same_code(&in->reading, &in->history, NULL) == 0 &&
        !side_take_sessions(&in->base, &in->history))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static int calibrate(struct buf *out, struct inputs *in, const struct compare_options *o, struct err *err)
{
    const struct comparison_options options = {
        .by = &o->by, .metrics = &o->metrics, .min_change = o->min_change, .same_session = o->same_session
    };
    struct calibration c = { 0 };
    int failed = read_unchanged(in, o, err);

    if (failed == 0 && in->base.count == 0) {
        failed = err_set(err, ERR_CONFIG, 0, "no run of unchanged code is stored");
        err_hint(err, "plimsoll results tag --same-code RUN... NAME marks them; or name runs or files");
    }
    if (failed == 0)
        failed = calibration_make(&c, &in->base, &options, err);
    if (failed == 0 && o->format == COMPARE_JSON)
        calibration_to_json(&c, out);
    else if (failed == 0)
        report_calibration(out, &c);
    calibration_release(&c);
    return failed != 0 || buf_ok(out) ? failed : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* `compare a1.json a2.json b1.json b2.json` is seldom what was meant. */
static void hint_at_quotes(const struct inputs *in)
{
    size_t samples = in->base.count;

    for (size_t i = 0; i < in->count; i++)
        samples += in->news[i].count;
    if (in->count > 1 && samples == in->count + 1)
        cli_note(WHO, "%zu sides of one sample each; quote a pattern to make its files one side: 'a*.json' 'b*.json'",
                 samples);
}

static int with_options(const struct compare_options *o)
{
    struct err err = { 0 };
    struct inputs in = { 0 };
    struct buf text;
    int code = 0;

    buf_init(&text, REPORT_MAX_BYTES);
    if ((o->calibrate ? calibrate(&text, &in, o, &err) != 0
                      : read_inputs(&in, o, &err) != 0 || compare_all(&text, &code, &in, o, &err) != 0) ||
        publish(&text, o->output, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        hint_at_quotes(&in);
    buf_release(&text);
    inputs_release(&in);
    return code;
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    compare_options_help(&text);
    cli_print(stdout, &text);
    return 0;
}

int cmd_compare(int argc, char **argv)
{
    struct compare_options options;
    struct err err = { 0 };
    bool help;
    int code;

    compare_options_init(&options);
    if (compare_options_parse(&options, argc, argv, &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    compare_options_release(&options);
    return code;
}
