/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_options_check.h"

#include <ctype.h>
#include <string.h>

#include "cli/load_options.h"
#include "cli/rounds_options.h"
#include "suite/checks.h"

static int judge_load(const struct strlist *words, struct err *err)
{
    struct load_options o;
    bool help;
    int rc;

    load_options_init(&o);
    rc = load_options_parse(&o, (int)words->count, words->items, &help, err);
    load_options_release(&o);
    return rc;
}

static int judge_rounds(const struct strlist *words, struct err *err)
{
    struct rounds_options o;
    bool help;
    int rc;

    rounds_options_init(&o);
    rc = rounds_options_parse(&o, (int)words->count, words->items, &help, err);
    rounds_options_release(&o);
    return rc;
}

/* Whether a message is about the option --NAME. */
static bool names_option(const char *said, const char *name)
{
    const size_t n = strlen(name);

    for (const char *at = said; (at = strstr(at, "--")) != NULL; at += 2)
        if (strncmp(at + 2, name, n) == 0 && !isalnum((unsigned char)at[2 + n]) && at[2 + n] != '-')
            return true;
    return false;
}

static unsigned line_of(const struct suite *s, const char *said)
{
    const char *const words = s->doer == DOER_LOAD ? "url" : "command";
    unsigned line = suite_line(s, s->doer == DOER_LOAD ? "load" : "rounds");

    if (names_option(said, "slo") && suite_line(s, "slo") > 0)
        return suite_line(s, "slo");
    for (size_t k = 0; k < s->watch.count; k++)
        if (names_option(said, "watch") && strstr(said, s->watch.items[k].name) != NULL)
            return s->watch.items[k].line;
    for (size_t k = 0; k < s->options.count; k++) {
        if (names_option(said, s->options.items[k].name))
            return s->options.items[k].line;
        if (strcmp(s->options.items[k].name, words) == 0)
            line = s->options.items[k].line;
    }
    return line;
}

static int place(const struct plan *p, const struct plan_step *step, struct err *err)
{
    const struct suite *s = p->suite;
    const unsigned line = line_of(s, err != NULL ? err->what : "");

    return p->cell_count > 1 ? err_prefix(err, "%s:%u: cell %s", s->file, line, p->cells[step->cell].name)
                             : err_prefix(err, "%s:%u", s->file, line);
}

static bool is_same(const struct strlist *a, const struct strlist *b)
{
    for (size_t k = 0; k < a->count; k++)
        if (k >= b->count || strcmp(a->items[k], b->items[k]) != 0)
            return false;
    return a->count == b->count;
}

/* last: the words that were found good before these. */
static int check_step(const struct plan *p, const struct plan_step *step, struct strlist *last, struct err *err)
{
    const struct runner runner = { .plan = p, .program = "plimsoll" };
    struct names names = { 0 };
    struct strlist words = STRLIST_INIT, own;
    const struct sampler x = { .runner = &runner, .step = step, .names = &names, .json_path = "sample.json" };
    int rc = plan_trial_names(p, step, &names, err);

    if (rc == 0)
        rc = sample_words(&x, &words, err);
    names_release(&names);
    if (rc == 0 && !is_same(&words, last)) {
        own = (struct strlist){ words.items + 1, words.count - 1 }; /* "load", ... */
        rc = p->suite->doer == DOER_LOAD ? judge_load(&own, err) : judge_rounds(&own, err);
        if (rc != 0)
            place(p, step, err);
    }
    strlist_release(last);
    *last = words;
    return rc;
}

static int check_names(const struct plan *p, const struct plan_step *step, struct err *err)
{
    struct names names = { 0 };
    int rc = plan_trial_names(p, step, &names, err);

    if (rc == 0)
        rc = checks_judge(p->suite, &names, err);
    names_release(&names);
    return rc;
}

int run_options_check(const struct plan *p, struct err *err)
{
    struct strlist last = STRLIST_INIT;
    int rc = 0;

    if (p->suite->doer == DOER_COMMAND)
        return 0;
    for (uint32_t cell = 0; rc == 0 && cell < p->cell_count; cell++)
        for (uint32_t side = 0; rc == 0 && side < p->sides; side++) {
            const struct plan_step step = { .cell = cell, .side = side };

            rc = p->suite->doer == DOER_CHECKS ? check_names(p, &step, err) : check_step(p, &step, &last, err);
        }
    strlist_release(&last);
    return rc;
}
