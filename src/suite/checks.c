/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/checks.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/keys.h"
#include "suite/number.h"
#include "suite/question.h"

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
static int add_figures(const struct suite_check *c, const char *of, const struct gathered *figures, struct result *r,
                       struct err *err)
{
    for (size_t k = 0; k < c->metrics.count; k++) {
        const char *name = c->metrics.items[k].name;
        const struct gathered *g = &figures[k];
        char whole[256];

        snprintf(whole, sizeof(whole), "%s%s%s", c->name, of[0] != '\0' ? "." : "", of);
        if (strcmp(name, c->name) != 0)
            snprintf(whole + strlen(whole), sizeof(whole) - strlen(whole), ".%s", name);
        if (g->count == 0) {
            if (!result_add_warning(r, "check %s: the answer has no \"%s\"", c->name, c->metrics.items[k].value))
                return no_memory(err);
        } else if (!result_set_metric(r, whole, c->best ? g->best : g->sum / g->count, "1", higher_is_better(name))) {
            return no_memory(err);
        }
    }
    return 0;
}

/* False when there is no use in asking again. */
static bool ask(const struct suite_check *c, struct question *q, struct result *r)
{
    struct fetch_reply reply;

    buf_clear(&q->answer);
    if (fetch_run(q->fetch, &q->call, &reply) != 0) {
        result_add_reason(r, "check %s: %s", c->name, reply.why);
        return false;
    }
    if ((reply.status < 200 || reply.status > 299) && c->may_fail) {
        result_add_warning(r, "check %s: status %u", c->name, reply.status);
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
            goes_on = ask(c, &q, r);
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

/* "local=http://127.0.0.1:1,far=https://x": the name goes into the metrics; without one the text does. */
static int run_for_each(const struct sampler *x, struct fetch *fetch, const struct suite_check *c, struct result *r,
                        struct err *err)
{
    char *list = names_text(x->names, c->each, err);
    struct slice rest = slice_str(list);
    int rc = list != NULL ? 0 : -1;

    while (rc == 0 && rest.len > 0) {
        struct slice text = slice_trim(slice_split(&rest, ','));
        struct slice after = text;
        const struct slice name = slice_split(&after, '=');
        const bool is_named = after.len > 0 && is_word(name);
        char *of = slice_dup(is_named ? name : text);
        char *value = slice_dup(is_named ? after : text);
        struct names own = { 0 };

        if (of == NULL || value == NULL || !names_copy(&own, x->names) || !names_set(&own, "each", value))
            rc = no_memory(err);
        else if (text.len > 0)
            rc = run_for(x, &own, fetch, c, of, r, err);
        names_release(&own);
        free(of);
        free(value);
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
    int rc = 0;

    if (fetch_new(&fetch, err) != 0)
        return -1;
    for (size_t k = 0; rc == 0 && k < s->check_count; k++)
        if (!s->checks[k].once || x->step->sample == 0)
            rc = run_check(x, fetch, &s->checks[k], r, err);
    fetch_free(fetch);
    r->valid = r->reasons.count == 0;
    return rc;
}
