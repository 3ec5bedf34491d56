/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/verify.h"

#include <stdlib.h>
#include <string.h>

#include "http/redact.h"
#include "pattern/pattern.h"
#include "suite/keys.h"

#define SHOWN_MAX ((size_t)256 << 10)
#define VERIFY_TIMEOUT_NS (UINT64_C(30) * 1000000000)
enum { BEGINNING = 120 };

static void redact(struct buf *out, const struct buf *bytes)
{
    buf_init(out, SHOWN_MAX);
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

static int say_answer(const struct question *q, struct err *err)
{
    const struct slice begin = slice_take(buf_slice(&q->answer), BEGINNING);

    return begin.len > 0 ? err_hint(err, "it answered \"%.*s\"", SLICE_FMT(begin)) : -1;
}

static int check_body(const char *pattern, struct question *q, const char *where, struct err *err)
{
    struct pattern *p;
    struct pattern_matcher *m = NULL;
    int rc;

    if (pattern == NULL)
        return 0;
    if (pattern_new(&p, pattern, err) != 0)
        return err_prefix(err, "%s", where);
    rc = pattern_matcher_new(&m, err);
    if (rc == 0 && pattern_find(p, m, buf_slice(&q->answer)) != PATTERN_FOUND) {
        err_set(err, ERR_CONFIG, 0, "%s: verification of %s: the body does not match \"%s\"", where, q->shown, pattern);
        rc = say_answer(q, err);
    }
    pattern_matcher_free(m);
    pattern_free(p);
    return rc;
}

/* One of "200,404,2xx". */
static bool is_expected(const char *list, unsigned status)
{
    struct slice rest = slice_str(list);
    char exact[8], class[8];

    snprintf(exact, sizeof(exact), "%u", status % 1000);
    snprintf(class, sizeof(class), "%uxx", status / 100 % 10);
    while (rest.len > 0) {
        const struct slice one = slice_trim(slice_split(&rest, ','));

        if (slice_eq(one, slice_str(exact)) || slice_eq_nocase(one, slice_str(class)))
            return true;
    }
    return false;
}

static int judge(struct question *q, unsigned status, const struct verify_expect *expect, const char *where,
                 struct err *err)
{
    if (!is_expected(expect->status != NULL ? expect->status : "2xx,3xx", status)) {
        err_set(err, ERR_CONFIG, 0, "%s: verification of %s: status %u, expected %s", where, q->shown, status,
                expect->status != NULL ? expect->status : "2xx or 3xx");
        return say_answer(q, err);
    }
    if (expect->has_size && q->answer.len != expect->size_bytes) {
        err_set(err, ERR_CONFIG, 0, "%s: verification of %s: a body of %zu bytes, expected %llu", where, q->shown,
                q->answer.len, (unsigned long long)expect->size_bytes);
        return say_answer(q, err);
    }
    return check_body(expect->body, q, where, err);
}

int verify_ask(const struct runner *runner, struct question *q, const struct verify_expect *expect, const char *where,
               struct err *err)
{
    struct fetch_reply reply;
    int rc;

    q->stop = runner->stop;
    q->call.total_ns = VERIFY_TIMEOUT_NS;
    if (runner->show_verify && runner->on_bytes != NULL)
        question_show(q);
    if (fetch_run(q->fetch, &q->call, &reply) != 0)
        rc = err_set(err, ERR_CONFIG, 0, "%s: verification of %s: %s", where, q->shown, reply.why);
    else
        rc = judge(q, reply.status, expect, where, err);
    if (q->call.on_bytes != NULL)
        show_question(runner, q);
    return rc;
}

static int verify(const struct runner *runner, struct fetch *fetch, const struct suite_verify *v,
                  const struct names *names, struct err *err)
{
    char where[300], status[8];
    struct verify_expect expect = { .status = "2xx", .body = v->body_regex };
    struct question q = { 0 };
    int rc;

    snprintf(where, sizeof(where), "%s:%u", runner->plan->suite->file, v->line);
    if (v->targets != NULL) {
        char *pattern = names_text(names, v->targets, err);

        rc = pattern != NULL ? verify_targets(runner, fetch, pattern, v->insecure, where, err) : -1;
        free(pattern);
        return rc;
    }
    snprintf(status, sizeof(status), "%u", v->status % 1000);
    if (v->status != 0)
        expect.status = status;
    rc = question_init(&q, fetch, v->url, v->body, &v->headers, names, err);
    if (rc == 0) {
        q.call.method = v->method;
        q.call.insecure = v->insecure;
        rc = verify_ask(runner, &q, &expect, where, err);
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
