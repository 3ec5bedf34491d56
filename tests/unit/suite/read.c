/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/keys.h"

#include "suite_file.h"

static void test_whole(void **state)
{
    static const char TEXT[] = "name: ingress\n"
                               "about: how many requests a router carries\n"
                               "parameters: {target: 'http://127.0.0.1', conns: [1, 20], scale: small}\n"
                               "scales:\n"
                               "  small: {conns: [1, 2]}\n"
                               "  large: {conns: [10, 200]}\n"
                               "matrix:\n"
                               "  termination: [http, edge]\n"
                               "  connections: '{conns}'\n"
                               "samples: 2\n"
                               "order: as-written\n"
                               "load: {url: '{target}/1024.html', header: ['A: 1', 'B: 2'], insecure: true}\n"
                               "setup:\n"
                               "  - echo one\n"
                               "  - {run: echo two, timeout: 5s, may_fail: true}\n"
                               "services: [{name: web, run: 'nginx -g x', ready: {port: 80}, timeout: 3s}]\n"
                               "verify: {url: '{target}', status: 200, body: ok}\n"
                               "facts: {version: haproxy -v}\n"
                               "gate: {metric: requests_per_s, min_change: 5%}\n"
                               "slo: p99<50ms\n";
    struct suite *s;
    struct err err = { 0 };

    if (read_suite(&s, TEXT, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_string_equal(s->name, "ingress");
    assert_string_equal(pairs_get(&s->parameters, "conns"), "1,2");
    assert_int_equal(s->dimension_count, 2);
    assert_string_equal(s->dimensions[1].values.items[0], "{conns}");
    assert_int_equal(s->order, ORDER_AS_WRITTEN);
    assert_int_equal(s->doer, DOER_LOAD);
    assert_int_equal(s->options.count, 4); /* the header twice */
    assert_string_equal(s->options.items[2].value, "B: 2");
    assert_int_equal(s->setup.count, 2);
    assert_int_equal(s->setup.items[0].timeout_ns, 60000000000);
    assert_int_equal(s->setup.items[1].timeout_ns, 5000000000);
    assert_true(s->setup.items[1].may_fail && !s->setup.items[0].may_fail);
    assert_int_equal(s->services[0].ready, READY_PORT);
    assert_string_equal(s->services[0].ready_at, "80");
    assert_int_equal(s->verify[0].status, 200);
    assert_string_equal(s->facts.items[0].name, "version");
    assert_true(s->gate_min_change > 0.0499 && s->gate_min_change < 0.0501);
    assert_int_equal(s->slo.count, 1);
    suite_free(s);
}

static void test_parameters(void **state)
{
    static const char TEXT[] = "parameters: {a: 1, b: 2, scale: small}\n"
                               "scales: {small: {a: 10}, large: {a: 100, b: 200}}\n"
                               "command: 'true'\n";
    static const struct {
        const char *why, *set, *other, *a, *b; /* a: NULL: refused with b in the message or hint */
    } CASES[] = {
        { "the scale that the suite names", "b=3", NULL, "10", "3" },
        { "another scale", "scale=large", NULL, "100", "200" },
        { "what is said wins over the scale, in any order", "a=7", "scale=large", "7", "200" },
        { "a value may hold =", "b=x=y", NULL, "10", "x=y" },
        { "no such scale", "scale=huge", NULL, NULL, "small, large" },
        { "no such parameter", "sacle=large", NULL, NULL, "\"scale\"" },
        { "no value", "a", NULL, NULL, "NAME=VALUE" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct strlist sets = STRLIST_INIT;
        struct suite *s;
        struct err err = { 0 };
        int rc;

        assert_true(strlist_add(&sets, slice_str(CASES[i].set)));
        if (CASES[i].other != NULL)
            assert_true(strlist_add(&sets, slice_str(CASES[i].other)));
        rc = read_suite(&s, TEXT, &sets, &err);
        if (CASES[i].a == NULL) {
            if (rc == 0 || (strstr(err.what, CASES[i].b) == NULL && strstr(err.hint, CASES[i].b) == NULL))
                fail_msg("%s: %s (%s)", CASES[i].why, err.what, err.hint);
        } else if (rc != 0 || strcmp(pairs_get(&s->parameters, "a"), CASES[i].a) != 0 ||
                   strcmp(pairs_get(&s->parameters, "b"), CASES[i].b) != 0) {
            fail_msg("%s: %s", CASES[i].why, err.what);
        }
        suite_free(s);
        strlist_release(&sets);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *why, *text, *says, *hints;
    } CASES[] = {
        { "an unknown key", "comand: x\n", ":1:1: a suite has no key \"comand\"", "did you mean \"command\"?" },
        { "an unknown key in a part", "command: x\nservices:\n  - {name: a, runs: b}\n",
          ":3:15: a service has no key \"runs\"", "\"run\"" },
        { "nothing to do", "name: x\n", "does not say what a sample is", "load, rounds, checks and command" },
        { "two things to do", "command: x\nload: {url: y}\n", ":2:8: a sample is one of", "" },
        { "an empty dimension", "command: x\nmatrix: {a: []}\n", "the dimension \"a\" has no values", "" },
        { "a word that is none", "command: x\norder: random\n",
          ":2:8: \"order\" is \"random\", it must be one of interleaved|shuffled|as-written", "" },
        { "a duration without its unit", "command: x\ntimeout: 5\n", ":2:10: \"timeout\":", "" },
        { "a flag", "command: x\nsetup: {run: a, may_fail: yes}\n", ":2:27: \"may_fail\" must be true or false", "" },
        { "a list where a map belongs", "command: x\nparameters: [a]\n", "\"parameters\" must be a map", "" },
        { "a command without one", "command: x\nsetup: {timeout: 5s}\n", ":2:9: a command needs \"run\"", "" },
        { "two services of a name", "command: x\nservices: [{name: a, run: b}, {name: a, run: b}]\n",
          "there are two services called \"a\"", "" },
        { "metrics of a load", "load: {url: x}\nmetrics: {name: a}\n", "\"metrics\" goes with \"command\" alone", "" },
        { "against what is no parameter", "command: x\nparameters: {target: 1}\nagainst: {tarGet: 2}\n",
          "no parameter \"tarGet\"", "did you mean \"target\"?" },
        { "broken YAML", "command: [x\n", ":", "" },
        { "nothing at all", "", "neither YAML nor JSON", "" },
        { "a list", "- a\n", "a suite must be a map", "" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct suite *s;
        struct err err = { 0 };

        if (read_suite(&s, CASES[i].text, NULL, &err) == 0 || s != NULL || err.kind != ERR_CONFIG ||
            strstr(err.what, CASES[i].says) == NULL || strstr(err.hint, CASES[i].hints) == NULL)
            fail_msg("%s: \"%s\" (%s)", CASES[i].why, err.what, err.hint);
    }
}

static void test_schema_names_every_key(void **state)
{
    static const char *const SOME[] = { "matrix", "each_cell", "over_budget", "best", "regex", "may_fail", "against" };
    struct buf out;

    buf_init(&out, (size_t)1 << 20);
    suite_schema(&out);
    for (size_t i = 0; i < sizeof(SOME) / sizeof(SOME[0]); i++)
        if (slice_find_slice(buf_slice(&out), slice_str(SOME[i])) < 0)
            fail_msg("%s is missing", SOME[i]);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_schema_names_every_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
