/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll compare */
#include "cli/commands.h"

#include <string.h>

#include "base/file.h"
#include "cli/compare_inputs.h"
#include "cli/compare_options.h"
#include "cli/complain.h"
#include "report/compare_forms.h"
#include "report/compare_text.h"
#include "result/comparison.h"

static const char WHO[] = "plimsoll compare";
enum { HELP_MAX_BYTES = 1 << 16, RULES_MAX_BYTES = 1 << 24 };
#define REPORT_MAX_BYTES (UINT64_C(1) << 30)

/* What one comparison is made of. */
struct inputs {
    struct side base, new, history;
    struct tolerance_rules rules;
    bool has_rules;
};

static void inputs_release(struct inputs *in)
{
    side_release(&in->base);
    side_release(&in->new);
    side_release(&in->history);
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

static int read_side(struct side *s, const struct strlist *paths, const char *alias, struct err *err)
{
    for (size_t i = 0; i < paths->count; i++)
        if (compare_inputs_add(s, paths->items[i], NULL, err) != 0)
            return -1;
    if (!side_set_name(s, alias != NULL ? alias : usual_name(s, paths->items[0])))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static int read_rules(struct inputs *in, const char *path, struct err *err)
{
    struct buf text;
    int failed;

    if (path == NULL)
        return 0;
    buf_init(&text, RULES_MAX_BYTES);
    failed = file_read(path, &text, err);
    if (failed == 0 && tolerance_rules_parse(&in->rules, buf_slice(&text), err) != 0)
        failed = err_prefix(err, "--tolerance %s", path);
    in->has_rules = failed == 0;
    buf_release(&text);
    return failed;
}

static int read_inputs(struct inputs *in, const struct compare_options *o, struct err *err)
{
    if (read_side(&in->base, &o->base, o->alias_base, err) != 0 ||
        read_side(&in->new, &o->new, o->alias_new, err) != 0 || read_rules(in, o->tolerance, err) != 0)
        return -1;
    for (size_t i = 0; i < o->history.count; i++)
        if (compare_inputs_add(&in->history, o->history.items[i], o->history.items[i], err) != 0)
            return -1;
    return 0;
}

static int write_report(const struct comparison *c, const struct compare_options *o, struct err *err)
{
    struct buf text;
    int failed;

    buf_init(&text, REPORT_MAX_BYTES);
    switch (o->format) {
    case COMPARE_TABLE:
        compare_text(&text, c);
        break;
    case COMPARE_MARKDOWN:
        compare_markdown(&text, c);
        break;
    case COMPARE_JSON:
        compare_json(&text, c);
        break;
    case COMPARE_CSV:
        compare_csv(&text, c);
        break;
    case COMPARE_JUNIT:
        compare_junit(&text, c, o->strict);
        break;
    }
    failed = buf_ok(&text) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (failed == 0 && o->output != NULL)
        failed = file_write(o->output, buf_slice(&text), err);
    else if (failed == 0)
        fwrite(text.data, 1, text.len, stdout);
    buf_release(&text);
    return failed;
}

static int with_options(const struct compare_options *o)
{
    struct err err = { 0 };
    struct inputs in = { 0 };
    struct comparison c = { 0 };
    int code;

    if (read_inputs(&in, o, &err) == 0) {
        const struct comparison_options options = {
            .by = &o->by,
            .metrics = &o->metrics,
            .min_change = o->min_change,
            .same_session = o->same_session,
            .rules = in.has_rules ? &in.rules : NULL,
        };

        if (comparison_make(&c, &in.base, &in.new, in.history.count > 0 ? &in.history : NULL, &options, &err) == 0 &&
            write_report(&c, o, &err) == 0)
            code = comparison_exit_code(&c, o->strict);
        else
            code = cli_complain(WHO, &err);
    } else {
        code = cli_complain(WHO, &err);
    }
    comparison_release(&c);
    inputs_release(&in);
    return code;
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    compare_options_help(&text);
    fwrite(text.data, 1, text.len, stdout);
    buf_release(&text);
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
