/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/checks.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/keys.h"
#include "suite/number.h"
#include "suite/question.h"

enum { FIGURE_NAME_MAX = 256 };

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a check");
}

/* What several answers gave for one metric. */
struct gathered {
    double sum, best;
    uint32_t count;
};

/* Rates are better when they are higher: told by the name, as "filesPerSecond" and "requests_per_s" have it. */
static bool higher_is_better(const char *name)
{
    return strcasestr(name, "persecond") != NULL || strcasestr(name, "per_s") != NULL ||
           strcasestr(name, "throughput") != NULL;
}

static void gather(struct gathered *g, double value, bool higher)
{
    g->best = g->count == 0 || (higher ? value > g->best : value < g->best) ? value : g->best;
    g->sum += value;
    g->count++;
}

static int take_answer(const struct suite_check *c, struct question *q, struct gathered *figures, struct result *r,
                       struct err *err)
{
    for (size_t k = 0; k < c->metrics.count; k++) {
        const struct suite_pair *m = &c->metrics.items[k];
        struct err inner = { 0 };
        double value = 0;
        bool absent;

        if (number_in_json(buf_slice(&q->answer), m->value, &value, &absent, &inner) != 0) {
            if (!result_add_reason(r, "check %s: %s", c->name, inner.what))
                return no_memory(err);
        } else if (!absent) {
            gather(&figures[k], value, higher_is_better(m->name));
        }
    }
    return 0;
}

/* of: which one of several that the check is asked for; "" when it is asked for itself. */
static void name_figure(char out[FIGURE_NAME_MAX], const struct suite_check *c, const char *of, const char *metric)
{
    snprintf(out, FIGURE_NAME_MAX, "%s%s%s", c->name, of[0] != '\0' ? "." : "", of);
    if (strcmp(metric, c->name) != 0)
        snprintf(out + strlen(out), FIGURE_NAME_MAX - strlen(out), ".%s", metric);
}

static int add_figures(const struct suite_check *c, const char *of, const struct gathered *figures, struct result *r,
                       struct err *err)
{
    for (size_t k = 0; k < c->metrics.count; k++) {
        const char *name = c->metrics.items[k].name;
        const struct gathered *g = &figures[k];
        char whole[FIGURE_NAME_MAX];

        name_figure(whole, c, of, name);
        if (g->count == 0) {
            if (!result_add_warning(r, "check %s: the answer has no \"%s\"%s%s", c->name, c->metrics.items[k].value,
                                    of[0] != '\0' ? ", asked of " : "", of))
                return no_memory(err);
        } else if (!result_set_metric(r, whole, c->best ? g->best : g->sum / g->count, "1", higher_is_better(name))) {
            return no_memory(err);
        }
    }
    return 0;
}

/* False when there is no use in asking again. */
static bool ask(const struct suite_check *c, const char *of, struct question *q, struct result *r)
{
    struct fetch_reply reply;

    buf_clear(&q->answer);
    if (fetch_run(q->fetch, &q->call, &reply) != 0) {
        result_add_reason(r, "check %s: %s", c->name, reply.why);
        return false;
    }
    if ((reply.status < 200 || reply.status > 299) && c->may_fail) {
        result_add_warning(r, "check %s: status %u%s%s", c->name, reply.status, of[0] != '\0' ? ", asked of " : "", of);
        return false;
    }
    if (reply.status < 200 || reply.status > 299) {
        result_add_reason(r, "check %s: status %u: %.*s", c->name, reply.status,
                          (int)(q->answer.len < 200 ? q->answer.len : 200),
                          q->answer.data != NULL ? q->answer.data : "");
        return false;
    }
    return true;
}

/* names: those of the step, and {each}. */
static int run_for(const struct sampler *x, const struct names *names, struct fetch *fetch, const struct suite_check *c,
                   const char *of, struct result *r, struct err *err)
{
    struct gathered *figures = calloc(c->metrics.count + 1, sizeof(*figures));
    struct question q = { 0 };
    char number[16];
    int rc = figures != NULL ? 0 : no_memory(err);
    bool goes_on = true;

    for (uint32_t k = 0; rc == 0 && goes_on && k < c->repeat; k++) {
        struct names own = { 0 }; /* with {repeat}: a fresh prefix for each */

        snprintf(number, sizeof(number), "%u", k + 1);
        rc = names_copy(&own, names) && names_set(&own, "repeat", number) ? 0 : no_memory(err);
        if (rc == 0)
            rc = question_init(&q, fetch, c->url, c->body, &c->headers, &own, err);
        names_release(&own);
        if (rc == 0) {
            q.stop = x->runner->stop;
            q.call.method = c->method;
            q.call.total_ns = c->timeout_ns;
            goes_on = ask(c, of, &q, r);
            if (goes_on)
                rc = take_answer(c, &q, figures, r, err);
        }
        question_release(&q);
    }
    if (rc == 0 && goes_on)
        rc = add_figures(c, of, figures, r, err);
    free(figures);
    return rc;
}

static bool is_word(struct slice text)
{
    for (size_t k = 0; k < text.len; k++)
        if (!isalnum((unsigned char)text.ptr[k]) && strchr("_-.", text.ptr[k]) == NULL)
            return false;
    return text.len > 0;
}

/* One of a list "local=http://127.0.0.1:1,far=https://x": the name goes into the metrics; without one the text does. */
struct each {
    char *of, *value;
};

static void each_release(struct each *e)
{
    free(e->of);
    free(e->value);
}

/* The next of rest, which has some. False: no memory. */
static bool each_next(struct slice *rest, struct each *out)
{
    const struct slice text = slice_trim(slice_split(rest, ','));
    struct slice after = text;
    const struct slice name = slice_split(&after, '=');
    const bool is_named = after.len > 0 && is_word(name);

    out->of = slice_dup(is_named ? name : text);
    out->value = slice_dup(is_named ? after : text);
    return out->of != NULL && out->value != NULL;
}

static int run_for_each(const struct sampler *x, struct fetch *fetch, const struct suite_check *c, struct result *r,
                        struct err *err)
{
    char *list = names_text(x->names, c->each, err);
    struct slice rest = slice_str(list);
    int rc = list != NULL ? 0 : -1;

    while (rc == 0 && rest.len > 0) {
        struct each one;
        struct names own = { 0 };

        if (!each_next(&rest, &one) || !names_copy(&own, x->names) || !names_set(&own, "each", one.value))
            rc = no_memory(err);
        else if (one.value[0] != '\0')
            rc = run_for(x, &own, fetch, c, one.of, r, err);
        names_release(&own);
        each_release(&one);
    }
    free(list);
    return rc;
}

static int run_check(const struct sampler *x, struct fetch *fetch, const struct suite_check *c, struct result *r,
                     struct err *err)
{
    return c->each != NULL ? run_for_each(x, fetch, c, r, err) : run_for(x, x->names, fetch, c, "", r, err);
}

int checks_run(const struct sampler *x, struct result *r, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;
    struct fetch *fetch;
    bool wanted = false;
    int rc = 0;

    if (fetch_new(&fetch, err) != 0)
        return -1;
    for (size_t k = 0; rc == 0 && k < s->check_count; k++)
        if (!s->checks[k].once || x->step->sample == 0) {
            wanted = wanted || s->checks[k].metrics.count > 0;
            rc = run_check(x, fetch, &s->checks[k], r, err);
        }
    fetch_free(fetch);
    if (rc == 0 && wanted && r->metric_count == 0 && r->reasons.count == 0 &&
        !result_add_reason(r, "no answer had a figure"))
        rc = no_memory(err);
    r->valid = r->reasons.count == 0;
    return rc;
}

/* ---- before anything is asked ---- */

static int take_name(const struct suite *s, const struct suite_check *c, const char *of, struct strlist *taken,
                     struct err *err)
{
    for (size_t k = 0; k < c->metrics.count; k++) {
        char name[FIGURE_NAME_MAX];

        name_figure(name, c, of, c->metrics.items[k].name);
        if (strlist_contains(taken, slice_str(name))) {
            err_set(err, ERR_CONFIG, 0, "%s:%u: check %s: two figures would be called \"%s\"", s->file, c->line,
                    c->name, name);
            return err_hint(err, "checks, and what one is asked for with \"each\", need names of their own");
        }
        if (!strlist_add(taken, slice_str(name)))
            return no_memory(err);
    }
    return 0;
}

static int take_names(const struct suite *s, const struct suite_check *c, const struct names *names,
                      struct strlist *taken, struct err *err)
{
    char *list = c->each != NULL ? names_text(names, c->each, err) : NULL;
    struct slice rest = slice_str(list != NULL ? list : "");
    int rc = c->each == NULL ? take_name(s, c, "", taken, err) : list != NULL ? 0 : -1;

    while (rc == 0 && rest.len > 0) {
        struct each one;

        if (!each_next(&rest, &one))
            rc = no_memory(err);
        else if (one.value[0] != '\0')
            rc = take_name(s, c, one.of, taken, err);
        each_release(&one);
    }
    free(list);
    return rc;
}

int checks_judge(const struct suite *s, const struct names *names, struct err *err)
{
    struct strlist taken = STRLIST_INIT;
    int rc = 0;

    for (size_t k = 0; rc == 0 && k < s->check_count; k++)
        rc = take_names(s, &s->checks[k], names, &taken, err);
    strlist_release(&taken);
    return rc;
}
