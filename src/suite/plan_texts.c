/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "suite/plan.h"

struct checker {
    const struct suite *suite;
    const struct names *names;
    const struct strlist *of_cells; /* "{NAME}": parameters that hold a place of a cell, of no use outside of one */
    struct err *err;
};

static int refuse_place_of_cell(const struct checker *c, const char *text)
{
    for (size_t k = 0; c->of_cells != NULL && k < c->of_cells->count; k++)
        if (strstr(text, c->of_cells->items[k]) != NULL) {
            err_set(c->err, ERR_CONFIG, 0, "the parameter %s holds a place of a cell, and here there is none",
                    c->of_cells->items[k]);
            return err_hint(c->err, "services, setup, facts, verify, summary and teardown belong to the whole run");
        }
    return 0;
}

static int check_text(const struct checker *c, const char *text, unsigned line)
{
    char *filled = text != NULL ? names_text(c->names, text, c->err) : NULL;
    const bool good = filled != NULL && refuse_place_of_cell(c, text) == 0;

    free(filled);
    if (text == NULL || good)
        return 0;
    return line > 0 ? err_prefix(c->err, "%s:%u", c->suite->file, line) : err_prefix(c->err, "%s", c->suite->file);
}

static int check_pairs(const struct checker *c, const struct suite_pairs *pairs)
{
    for (size_t k = 0; k < pairs->count; k++)
        if (check_text(c, pairs->items[k].value, pairs->items[k].line) != 0)
            return -1;
    return 0;
}

static int check_commands(const struct checker *c, const struct suite_commands *list)
{
    for (size_t k = 0; k < list->count; k++)
        if (check_text(c, list->items[k].run, list->items[k].line) != 0)
            return -1;
    return 0;
}

static int check_services(const struct checker *c, bool each_cell)
{
    for (size_t k = 0; k < c->suite->service_count; k++) {
        const struct suite_service *s = &c->suite->services[k];

        if (s->each_cell == each_cell &&
            (check_text(c, s->run, s->line) != 0 || check_text(c, s->ready_at, s->line) != 0))
            return -1;
    }
    return 0;
}

static int check_routes(const struct checker *c)
{
    const struct suite_routes *r = &c->suite->routes;
    const char *const texts[] = { r->to, r->path, r->address, r->http_port, r->https_port, r->cacert };

    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
        if (check_text(c, texts[k], r->line) != 0)
            return -1;
    return 0;
}

static int check_of_run(const struct checker *c)
{
    const struct suite *s = c->suite;

    if (check_routes(c) != 0)
        return -1;

    for (size_t k = 0; k < s->verify_count; k++)
        if (check_text(c, s->verify[k].url, s->verify[k].line) != 0 ||
            check_text(c, s->verify[k].targets, s->verify[k].line) != 0 ||
            check_text(c, s->verify[k].body, s->verify[k].line) != 0 || check_pairs(c, &s->verify[k].headers) != 0)
            return -1;
    if (check_text(c, s->baseline, 0) != 0 || check_text(c, s->tolerance, 0) != 0)
        return -1;
    return check_services(c, false) != 0 || check_commands(c, &s->setup) != 0 || check_commands(c, &s->facts) != 0 ||
                   check_commands(c, &s->teardown) != 0 || check_commands(c, &s->summary) != 0
               ? -1
               : 0;
}

static int check_of_cell(const struct checker *c)
{
    const struct suite *s = c->suite;

    for (size_t k = 0; k < s->check_count; k++)
        if (check_text(c, s->checks[k].url, s->checks[k].line) != 0 ||
            check_text(c, s->checks[k].each, s->checks[k].line) != 0 ||
            check_text(c, s->checks[k].body, s->checks[k].line) != 0 || check_pairs(c, &s->checks[k].headers) != 0)
            return -1;
    for (size_t k = 0; k < s->slo.count; k++)
        if (check_text(c, s->slo.items[k], 0) != 0)
            return -1;
    return check_services(c, true) != 0 || check_commands(c, &s->before_each) != 0 ||
                   check_commands(c, &s->after_each) != 0 || check_commands(c, &s->verify_each) != 0 ||
                   check_pairs(c, &s->parameters) != 0 || check_pairs(c, &s->against) != 0 ||
                   check_pairs(c, &s->options) != 0 || check_pairs(c, &s->watch) != 0 ||
                   check_text(c, s->command, 0) != 0
               ? -1
               : 0;
}

/* What only the runner knows, with a value that will do wherever it may stand: a number, a port, a name. */
static bool add_runners_names(struct names *names, const struct suite *s)
{
    static const char *const NAMES[] = { "run", "work", "plimsoll", "documents", "repeat", "each" };
    bool good = true;

    for (size_t k = 0; good && k < sizeof(NAMES) / sizeof(NAMES[0]); k++)
        good = names_set(names, NAMES[k], "1");
    for (size_t k = 0; good && k < s->service_count; k++) {
        char name[256];

        snprintf(name, sizeof(name), "port:%s", s->services[k].name);
        good = names_set(names, name, "1");
        snprintf(name, sizeof(name), "pid:%s", s->services[k].name);
        good = good && names_set(names, name, "1");
    }
    return good;
}

/* Parameters that can not be filled in without a cell. */
static bool find_those_of_cells(struct strlist *out, const struct suite *s, const struct names *run)
{
    bool good = true;

    for (size_t k = 0; good && k < s->parameters.count; k++) {
        char *filled = names_text(run, s->parameters.items[k].value, NULL);
        char name[256];

        if (filled == NULL) {
            snprintf(name, sizeof(name), "{%s}", s->parameters.items[k].name);
            good = strlist_add(out, slice_str(name));
        }
        free(filled);
    }
    return good;
}

int plan_check_texts(const struct plan *p, struct err *err)
{
    struct names run = { 0 }, cell = { 0 };
    struct strlist of_cells = STRLIST_INIT;
    const struct plan_step first = { 0 };
    const struct checker of_run = { p->suite, &run, &of_cells, err }, of_cell = { p->suite, &cell, NULL, err };
    int rc = -1;

    if (!add_runners_names(&run, p->suite) || !add_runners_names(&cell, p->suite))
        err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
    else if (plan_parameters(p, &run, err) != 0 || plan_names(p, &first, &cell, err) != 0)
        rc = -1;
    else if (!find_those_of_cells(&of_cells, p->suite, &run))
        err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
    else
        rc = check_of_run(&of_run) != 0 || check_of_cell(&of_cell) != 0 ? -1 : 0;
    strlist_release(&of_cells);
    names_release(&run);
    names_release(&cell);
    return rc;
}

int plan_trial_names(const struct plan *p, const struct plan_step *step, struct names *out, struct err *err)
{
    if (!add_runners_names(out, p->suite))
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
    if (plan_names(p, step, out, err) != 0)
        return -1;
    names_fill_values(out);
    return 0;
}

/* ---- the mark ---- */

/* With its NUL: "ab", "c" is not "a", "bc". */
static void mark_text(struct fingerprint *f, const char *text)
{
    const struct slice s = slice_str(text);

    fingerprint_add(f, s);
    fingerprint_add(f, slice_from("", 1));
}

static void mark_pairs(struct fingerprint *f, const struct suite_pairs *pairs)
{
    for (size_t k = 0; k < pairs->count; k++) {
        mark_text(f, pairs->items[k].name);
        mark_text(f, pairs->items[k].value);
    }
    mark_text(f, "");
}

void plan_mark(const struct plan *p, char out[PLAN_MARK_MAX])
{
    const struct suite *s = p->suite;
    struct fingerprint f;
    char uuid[UUID_TEXT_MAX];

    fingerprint_init(&f);
    mark_pairs(&f, &s->parameters);
    mark_pairs(&f, &s->against);
    mark_pairs(&f, &s->options);
    mark_text(&f, s->command);
    for (size_t k = 0; k < s->check_count; k++) {
        mark_text(&f, s->checks[k].url);
        mark_pairs(&f, &s->checks[k].metrics);
    }
    for (size_t d = 0; d < s->dimension_count; d++)
        mark_text(&f, s->dimensions[d].name);
    fingerprint_uuid(&f, uuid);
    snprintf(out, PLAN_MARK_MAX, "%.8s", uuid);
}
