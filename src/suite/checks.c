/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/checks.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "http/redact.h"
#include "pattern/pattern.h"
#include "suite/keys.h"
#include "suite/number.h"
#include "web/fetch.h"

#define ANSWER_MAX ((size_t)64 << 20)
#define SHOWN_MAX ((size_t)64 << 10)
#define VERIFY_TIMEOUT_NS (UINT64_C(30) * 1000000000)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a check");
}

/* A request with its texts filled in; asked once or several times. */
struct question {
    struct fetch *fetch;
    const volatile int *stop;
    char *url, *body;
    char shown[300]; /* the URL without its secrets */
    struct strlist headers;
    struct fetch_call call;
    struct buf answer;
    struct buf sent, received; /* shown */
};

static bool is_stopped(void *arg)
{
    const struct question *q = arg;

    return q->stop != NULL && *q->stop != 0;
}

static void show(void *arg, bool is_sent, struct slice bytes)
{
    struct question *q = arg;

    buf_add_slice(is_sent ? &q->sent : &q->received, bytes);
}

static int fill_headers(struct question *q, const struct suite_pairs *pairs, const struct names *names, struct err *err)
{
    for (size_t k = 0; k < pairs->count; k++) {
        char *value = names_text(names, pairs->items[k].value, err);
        struct buf line;
        bool good;

        if (value == NULL)
            return -1;
        buf_init(&line, SHOWN_MAX);
        buf_printf(&line, "%s: %s", pairs->items[k].name, value);
        good = buf_ok(&line) && strlist_add(&q->headers, buf_slice(&line));
        buf_release(&line);
        free(value);
        if (!good)
            return no_memory(err);
    }
    return 0;
}

static int question_init(struct question *q, struct fetch *fetch, const char *url, const char *body,
                         const struct suite_pairs *headers, const struct names *names, struct err *err)
{
    struct buf shown;

    *q = (struct question){ .fetch = fetch };
    buf_init(&q->answer, ANSWER_MAX);
    buf_init(&q->sent, SHOWN_MAX);
    buf_init(&q->received, SHOWN_MAX);
    q->url = names_text(names, url, err);
    if (q->url == NULL || fill_headers(q, headers, names, err) != 0)
        return -1;
    buf_init(&shown, SHOWN_MAX);
    redact_url(&shown, slice_str(q->url));
    snprintf(q->shown, sizeof(q->shown), "%s", shown.data != NULL ? shown.data : "");
    buf_release(&shown);
    if (body != NULL) {
        q->body = names_text(names, body, err);
        if (q->body == NULL)
            return -1;
    }
    q->call = (struct fetch_call){ .url = q->url,
                                   .headers = (const char *const *)q->headers.items,
                                   .header_count = q->headers.count,
                                   .body = slice_str(q->body),
                                   .into = &q->answer,
                                   .is_stopped = is_stopped,
                                   .arg = q };
    return 0;
}

static void question_release(struct question *q)
{
    free(q->url);
    free(q->body);
    strlist_release(&q->headers);
    buf_release(&q->answer);
    buf_release(&q->sent);
    buf_release(&q->received);
}

/* ---- checks ---- */

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

/* ---- verifications ---- */

static void redact(struct buf *out, const struct buf *bytes)
{
    buf_init(out, 4 * SHOWN_MAX);
    redact_head(out, buf_slice(bytes));
}

static void show_question(const struct runner *runner, struct question *q)
{
    struct buf sent, received;

    redact(&sent, &q->sent);
    redact(&received, &q->received);
    runner->on_bytes(runner->arg, q->shown, buf_slice(&sent), buf_slice(&received));
    buf_release(&sent);
    buf_release(&received);
}

static int check_body(const struct suite_verify *v, struct question *q, struct err *err)
{
    struct pattern *p;
    struct pattern_matcher *m = NULL;
    int rc;

    if (v->body_regex == NULL)
        return 0;
    if (pattern_new(&p, v->body_regex, err) != 0)
        return -1;
    rc = pattern_matcher_new(&m, err);
    if (rc == 0 && pattern_find(p, m, buf_slice(&q->answer)) != PATTERN_FOUND) {
        err_set(err, ERR_CONFIG, 0, "verification of %s: the body does not match \"%s\"", q->shown, v->body_regex);
        rc = err_hint(err, "it begins with \"%.*s\"", (int)(q->answer.len < 120 ? q->answer.len : 120),
                      q->answer.data != NULL ? q->answer.data : "");
    }
    pattern_matcher_free(m);
    pattern_free(p);
    return rc;
}

static int check_status(const struct suite_verify *v, const struct question *q, unsigned status, struct err *err)
{
    if (v->status != 0 ? status == v->status : status >= 200 && status <= 299)
        return 0;
    err_set(err, ERR_CONFIG, 0, "verification of %s: status %u, expected %s", q->shown, status,
            v->status != 0 ? "another" : "2xx");
    if (v->status != 0)
        err_set(err, ERR_CONFIG, 0, "verification of %s: status %u, expected %u", q->shown, status, v->status);
    return err_hint(err, "it answered \"%.*s\"", (int)(q->answer.len < 120 ? q->answer.len : 120),
                    q->answer.data != NULL ? q->answer.data : "");
}

static int verify(const struct runner *runner, struct fetch *fetch, const struct suite_verify *v,
                  const struct names *names, struct err *err)
{
    struct question q;
    struct fetch_reply reply;
    int rc = question_init(&q, fetch, v->url, v->body, &v->headers, names, err);

    if (rc == 0) {
        q.stop = runner->stop;
        q.call.method = v->method;
        q.call.insecure = v->insecure;
        q.call.total_ns = VERIFY_TIMEOUT_NS;
        q.call.on_bytes = runner->show_verify && runner->on_bytes != NULL ? show : NULL;
        if (fetch_run(fetch, &q.call, &reply) != 0)
            rc = err_set(err, ERR_CONFIG, 0, "verification of %s: %s", q.shown, reply.why);
        else if (check_status(v, &q, reply.status, err) != 0 || check_body(v, &q, err) != 0)
            rc = -1;
        if (q.call.on_bytes != NULL)
            show_question(runner, &q);
    }
    question_release(&q);
    return rc;
}

int verify_all(const struct runner *runner, const struct names *names, struct err *err)
{
    const struct suite *s = runner->plan->suite;
    struct fetch *fetch;
    int rc = 0;

    if (s->verify_count == 0)
        return 0;
    if (fetch_new(&fetch, err) != 0)
        return -1;
    for (size_t k = 0; rc == 0 && k < s->verify_count; k++)
        rc = verify(runner, fetch, &s->verify[k], names, err);
    fetch_free(fetch);
    return rc;
}
