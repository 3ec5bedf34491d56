/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a search for the limit as text and as document. */
#include "report/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct limit_report *r, double level, bool kept, const char *broke)
{
    struct limit_trial *t = limit_report_add(r);

    *t = (struct limit_trial){ .level = level,
                               .stage = "expand",
                               .requests_per_s = level,
                               .sent_per_s = level,
                               .has_latency = true,
                               .p50_s = 0.001,
                               .p99_s = 0.02,
                               .started = 1000,
                               .ok = 1000,
                               .kept = kept,
                               .broke = broke != NULL ? strdup(broke) : NULL };
}

static struct limit_report *found(void)
{
    struct limit_report *r;

    assert_int_equal(limit_report_new(&r, NULL), 0);
    r->url = strdup("http://a.test/");
    r->promise = strdup("p99<50ms");
    r->from = 100;
    r->to = 1e6;
    r->precision = 0.02;
    r->step_s = 5;
    r->confirm_rounds = 3;
    r->safe = 1987;
    r->broken = 2008;
    r->confirmed = true;
    add(r, 1000, true, NULL);
    add(r, 3200, false, "p99<50ms (800 ms)");
    add(r, 1987, true, NULL);
    add(r, 2008, false, "p99<50ms (52.0 ms)");
    return r;
}

static void nothing(struct limit_report *r)
{
    (void)r;
}

static void generator(struct limit_report *r)
{
    r->trials[3].generator_limited = true;
    assert_true(strlist_add(&r->generator_reasons, SLICE("worker 0 used 99 % of its CPU")));
}

/* Far above the answer the generator may well be the limit: that says nothing about the answer. */
static void generator_far_above(struct limit_report *r)
{
    r->trials[1].generator_limited = true;
}

static void connections(struct limit_report *r)
{
    r->trials[3].connections_limited = true;
}

static void at_the_top(struct limit_report *r)
{
    r->broken = INFINITY;
    r->safe = 4000;
}

static void none(struct limit_report *r)
{
    r->safe = 0;
    r->broken = 0.2;
    r->confirmed = false;
}

static void of_connections(struct limit_report *r)
{
    r->of_connections = true;
    r->safe = 1;
    r->broken = 2;
}

static void interrupted(struct limit_report *r)
{
    r->confirmed = false;
    r->interrupted = true;
}

static void many_trials(struct limit_report *r)
{
    for (int i = 0; i < 60; i++)
        add(r, 10 + i, true, NULL);
}

static const struct shown_case {
    const char *why;
    void (*change)(struct limit_report *r);
    const char *shown, *absent;
} SHOWN[] = {
    { "the answer and its interval", nothing, "1,987/s; the limit lies between it and 2,008/s", "WAS THE LIMIT" },
    { "how sure", nothing, "in 3 more rounds", "no:" },
    { "which clause broke first, at the lowest level", nothing, "at 2,008/s: p99<50ms (52.0 ms)", "at 3,200/s:" },
    { "the generator", generator, "WAS THE LIMIT", "was not the limit" },
    { "and why it was", generator, "worker 0 used 99 % of its CPU", NULL },
    { "only where the answer was decided", generator_far_above, "was not the limit", "WAS THE LIMIT" },
    { "too few connections", connections, "all were busy and none was slow", NULL },
    { "the top was reached", at_the_top, "at least 4,000/s, the highest that was tried", "lies between" },
    { "nothing was found", none, "nothing: not even 0.20/s keeps the promise", "lies between" },
    { "one connection", of_connections, "1 connection; the limit lies between it and 2 connections", "/s;" },
    { "interrupted", interrupted, "no: the search was interrupted", "more round" },
    { "more trials than lines: the answer stays", many_trials, "52.0 ms", NULL },
    { "and it is said", many_trials, "of 64 trials are shown", NULL },
};

static void test_shown(void **state)
{
    for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++) {
        const struct shown_case *t = &SHOWN[i];
        struct limit_report *r = found();
        struct buf text;

        t->change(r);
        buf_init(&text, 1u << 20);
        report_limit(&text, r, 0);
        assert_true(buf_ok(&text));
        if (strstr(text.data, t->shown) == NULL || (t->absent != NULL && strstr(text.data, t->absent) != NULL))
            fail_msg("%s:\n%s", t->why, text.data);
        for (struct slice rest = buf_slice(&text); rest.len > 0;) {
            const struct slice line = slice_split(&rest, '\n');

            if (line.len > 80 || slice_ends(line, SLICE(" ")))
                fail_msg("%s: \"%.*s\"", t->why, SLICE_FMT(line));
        }
        buf_release(&text);
        limit_report_free(r);
    }
    (void)state;
}

static void test_document(void **state)
{
    struct limit_report *r = found();
    struct err err = { 0 };
    struct buf text;

    buf_init(&text, 1u << 20);
    assert_int_equal(limit_report_to_json(r, &text, &err), 0);
    assert_non_null(strstr(text.data, "\"format\": \"plimsoll-limit\""));
    assert_non_null(strstr(text.data, "\"safe\": 1987"));
    assert_non_null(strstr(text.data, "\"broke_first\": \"p99<50ms (52.0 ms)\""));
    buf_clear(&text);
    r->broken = INFINITY;
    assert_int_equal(limit_report_to_json(r, &text, &err), 0);
    assert_non_null(strstr(text.data, "\"broken\": null"));
    buf_release(&text);
    buf_init(&text, 100); /* too small: said, not cut */
    assert_int_equal(limit_report_to_json(r, &text, &err), -1);
    buf_release(&text);
    limit_report_free(r);
    (void)state;
}

/* What is read back is what was written, to the byte: also what was watched, an open end, nothing found. */
static void test_document_read_back(void **state)
{
    void (*const changes[])(struct limit_report *) = { nothing, generator,      connections, at_the_top,
                                                       none,    of_connections, interrupted, many_trials };

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct limit_report *r = found(), *back = NULL;
        struct buf first, second;
        struct err err = { 0 };

        changes[i](r);
        assert_true(strlist_add(&r->command, SLICE("plimsoll")) && strlist_add(&r->command, SLICE("limit")));
        snprintf(r->host.hostname, sizeof(r->host.hostname), "h");
        r->trials[1].has_latency = false;
        buf_init(&first, 1u << 20);
        buf_init(&second, 1u << 20);
        assert_int_equal(limit_report_to_json(r, &first, NULL), 0);
        assert_true(limit_report_looks_like(buf_slice(&first)));
        if (limit_report_from_json(&back, buf_slice(&first), &err) != 0)
            fail_msg("%zu: %s", i, err.what);
        assert_int_equal(limit_report_to_json(back, &second, NULL), 0);
        assert_string_equal(first.data, second.data);
        limit_report_free(back);
        limit_report_free(r);
        buf_release(&first);
        buf_release(&second);
    }
}

static const struct {
    const char *why, *json, *says;
} REFUSED[] = {
    { "no JSON", "{", "not JSON" },
    { "another document", "{\"format\":\"plimsoll-result\",\"version\":1}", "is not \"plimsoll-limit\"" },
    { "a later version", "{\"format\":\"plimsoll-limit\",\"version\":2}", "\"version\" is not 1" },
    { "a list", "[\"plimsoll-limit\"]", "not an object" },
    { "a trial that is none", "{\"format\":\"plimsoll-limit\",\"version\":1,\"trials\":[1]}", "must be an object" },
    { "a level of words", "{\"format\":\"plimsoll-limit\",\"version\":1,\"trials\":[{\"level\":\"x\"}]}", "level" },
    { "a level beyond all", "{\"format\":\"plimsoll-limit\",\"version\":1,\"safe\":1e300}", "\"safe\" is no rate" },
    { "a level below nothing", "{\"format\":\"plimsoll-limit\",\"version\":1,\"trials\":[{\"level\":-1}]}", "level" },
};

static void test_what_is_no_limit_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(REFUSED) / sizeof(REFUSED[0]); i++) {
        struct limit_report *back = NULL;
        struct err err = { 0 };

        if (limit_report_from_json(&back, slice_str(REFUSED[i].json), &err) == 0)
            fail_msg("accepted: %s", REFUSED[i].why);
        assert_null(back);
        if (strstr(err.what, REFUSED[i].says) == NULL)
            fail_msg("%s: says \"%s\"", REFUSED[i].why, err.what);
    }
    assert_false(limit_report_looks_like(SLICE("{\"format\": \"plimsoll-result\"")));
    assert_false(limit_report_looks_like(SLICE("")));
}

static void test_trial_line(void **state)
{
    struct limit_report *r = found();
    struct buf text;

    buf_init(&text, 4096);
    report_limit_trial(&text, r, &r->trials[3]);
    assert_string_equal(text.data, "2,008/s: broken, p50 1.00 ms, p99 20.0 ms; p99<50ms (52.0 ms)");
    buf_release(&text);
    limit_report_free(r);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_document_read_back),
        cmocka_unit_test(test_what_is_no_limit_is_refused),
        cmocka_unit_test(test_trial_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
