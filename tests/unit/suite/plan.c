/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/plan.h"

#include <math.h>
#include <stdlib.h>

#include "suite_file.h"

/* The suite's cells, one name after the other. */
static void cells_of(const struct plan *p, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t k = 0; k < p->cell_count; k++)
        snprintf(out + strlen(out), room - strlen(out), "%s%s", k > 0 ? " " : "", p->cells[k].name);
}

static void steps_of(const struct plan *p, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t k = 0; k < p->step_count; k++)
        snprintf(out + strlen(out), room - strlen(out), "%s%s%u%s", k > 0 ? " " : "", p->cells[p->steps[k].cell].name,
                 p->steps[k].sample,
                 p->sides == 1           ? ""
                 : p->steps[k].side == 0 ? "a"
                                         : "b");
}

static int plan_of(struct suite **s, struct plan **p, const char *text, const char *only, struct err *err)
{
    struct strlist list = STRLIST_INIT;
    int rc;

    *p = NULL;
    if (read_suite(s, text, NULL, err) != 0)
        return -1;
    if (only != NULL)
        assert_true(strlist_add(&list, slice_str(only)));
    rc = plan_make(p, *s, &list, 7, err);
    strlist_release(&list);
    return rc;
}

static void test_cells(void **state)
{
    static const struct {
        const char *why, *text, *only, *cells; /* cells: or what the error says */
        bool good;
    } CASES[] = {
        { "no matrix", "command: x\n", NULL, "all", true },
        { "the last dimension varies fastest", "command: x\nmatrix: {a: [1, 2], b: [x, y]}\n", NULL, "1/x 1/y 2/x 2/y",
          true },
        { "exclude needs all of its pairs", "command: x\nmatrix: {a: [1, 2], b: [x, y]}\nexclude: [{a: 2, b: y}]\n",
          NULL, "1/x 1/y 2/x", true },
        { "exclude with one pair, and a list", "command: x\nmatrix: {a: [1, 2, 3], b: [x, y]}\nexclude: {a: [1, 3]}\n",
          NULL, "2/x 2/y", true },
        { "include adds cells outside of the product",
          "command: x\nmatrix: {a: [1], b: [x]}\ninclude: [{a: 9, b: [y, z]}]\n", NULL, "1/x 9/y 9/z", true },
        { "include takes all values of what it does not name",
          "command: x\nmatrix: {a: [1], b: [x, y]}\ninclude: {a: 2}\n", NULL, "1/x 1/y 2/x 2/y", true },
        { "a cell is there once", "command: x\nmatrix: {a: [1, 2], b: [x]}\ninclude: {a: [2, 3]}\n", NULL,
          "1/x 2/x 3/x", true },
        { "values from a parameter", "command: x\nparameters: {n: [1, 2]}\nmatrix: {a: '{n}', b: [x]}\n", NULL,
          "1/x 2/x", true },
        { "a dimension called as the parameter that fills it",
          "command: x\nparameters: {a: [1, 2]}\nmatrix: {a: '{a}'}\n", NULL, "1 2", true },
        { "only some", "command: x\nmatrix: {a: [1, 2], b: [x, y]}\n", "*/y", "1/y 2/y", true },
        { "only none", "command: x\nmatrix: {a: [1, 2]}\n", "3", "no cell of", false },
        { "nothing left", "command: x\nmatrix: {a: [1]}\nexclude: {a: 1}\n", NULL, "has no cell left", false },
        { "exclude of no dimension", "command: x\nmatrix: {a: [1]}\nexclude: {c: 1}\n", NULL, "\"c\" is no dimension",
          false },
        { "an unknown parameter", "command: x\nmatrix: {a: '{nn}'}\n", NULL, "{nn}", false },
        { "no samples", "command: x\nsamples: 0\n", NULL, "samples", false },
        { "samples in words", "command: x\nsamples: many\n", NULL, "samples", false },
        { "quiet without a unit", "command: x\nquiet: 5\n", NULL, "quiet", false },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char cells[512] = "";
        struct suite *s;
        struct plan *p;
        struct err err = { 0 };
        const int rc = plan_of(&s, &p, CASES[i].text, CASES[i].only, &err);

        if (rc == 0)
            cells_of(p, cells, sizeof(cells));
        if ((rc == 0) != CASES[i].good || (rc == 0 && strcmp(cells, CASES[i].cells) != 0) ||
            (rc != 0 && strstr(err.what, CASES[i].cells) == NULL))
            fail_msg("%s: %s%s", CASES[i].why, cells, err.what);
        plan_free(p);
        suite_free(s);
    }
}

static void test_order(void **state)
{
    static const struct {
        const char *why, *text, *steps;
    } CASES[] = {
        { "interleaved unless said", "command: x\nmatrix: {a: [p, q]}\nsamples: 2\n", "p0 q0 p1 q1" },
        { "as written", "command: x\nmatrix: {a: [p, q]}\nsamples: 2\norder: as-written\n", "p0 p1 q0 q1" },
        { "two sides, in turns", "command: x\nparameters: {t: 1}\nagainst: {t: 2}\nmatrix: {a: [p, q]}\nsamples: 2\n",
          "p0a p0b q0a q0b p1b p1a q1b q1a" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char steps[512];
        struct suite *s;
        struct plan *p;
        struct err err = { 0 };

        if (plan_of(&s, &p, CASES[i].text, NULL, &err) != 0)
            fail_msg("%s", err.what);
        steps_of(p, steps, sizeof(steps));
        if (strcmp(steps, CASES[i].steps) != 0)
            fail_msg("%s: %s", CASES[i].why, steps);
        plan_free(p);
        suite_free(s);
    }
}

/* Every round of a shuffled plan holds every cell once; the same seed gives the same plan. */
static void test_shuffled(void **state)
{
    char text[] = "command: x\nmatrix: {a: [p, q, r, s, t]}\nsamples: 20\norder: shuffled\n";
    char steps[2][1024];
    bool moved = false;

    for (int turn = 0; turn < 2; turn++) {
        struct suite *s;
        struct plan *p;
        struct err err = { 0 };

        assert_int_equal(plan_of(&s, &p, text, NULL, &err), 0);
        for (uint32_t round = 0; round < 20; round++) {
            unsigned seen = 0;

            for (uint32_t k = 0; k < 5; k++) {
                const struct plan_step *step = &p->steps[round * 5 + k];

                assert_int_equal(step->sample, round);
                seen |= 1u << step->cell;
                moved = moved || step->cell != k;
            }
            assert_int_equal(seen, 0x1f);
        }
        steps_of(p, steps[turn], sizeof(steps[turn]));
        plan_free(p);
        suite_free(s);
    }
    assert_true(moved);
    assert_string_equal(steps[0], steps[1]);
}

/* The arithmetic of the published router benchmarks. */
static void test_budget(void **state)
{
    static const struct {
        const char *why, *clients, *routes, *termination;
        double need;
        bool over, tight;
    } CASES[] = {
        { "half of two routers, but 12 500 in the fullest", "20", "500", "edge", 20000, false, false },
        { "http needs one a client", "20", "500", "http", 10000, false, false },
        { "a mix", "10", "2000", "mix", 30000, false, false },
        { "a mix of named parts", "10", "2000", "http+passthrough+edge+reencrypt", 30000, false, false },
        { "a full fit is tight", "200", "100", "reencrypt", 40000, false, true },
        { "an uneven spread overflows one of them", "170", "100", "edge", 34000, false, true },
        { "over", "80", "400", "mix", 48000, true, false },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char text[512];
        struct suite *s;
        struct plan *p;
        struct err err = { 0 };
        const struct cell_need *need;

        snprintf(text, sizeof(text),
                 "command: x\nmatrix: {t: ['%s']}\nbudget: {clients: %s, routes: %s, termination: '{t}', routers: 2, "
                 "maxconn: 20000}\n",
                 CASES[i].termination, CASES[i].clients, CASES[i].routes);
        if (plan_of(&s, &p, text, NULL, &err) != 0)
            fail_msg("%s: %s", CASES[i].why, err.what);
        need = &p->cells[0].need;
        if (!need->known || fabs(need->need - CASES[i].need) > 1e-9 || need->is_over != CASES[i].over ||
            need->is_tight != CASES[i].tight || fabs(need->worst - CASES[i].need / 2 * 1.25) > 1e-9)
            fail_msg("%s: needs %g, fullest %g, over %d, tight %d", CASES[i].why, need->need, need->worst,
                     need->is_over, need->is_tight);
        plan_free(p);
        suite_free(s);
    }
}

static void test_names(void **state)
{
    static const struct {
        const char *why, *text, *want; /* NULL: refused */
    } CASES[] = {
        { "a parameter and a dimension", "{target}/{a}", "http://x/p" },
        { "what the runner knows", "{cell} {sample} {side}", "p 1 a" },
        { "what load fills in stays", "{seq} {uuid} {random:8} {connection}", "{seq} {uuid} {random:8} {connection}" },
        { "a doubled place is text", "{{target}} {{seq}}", "{target} {seq}" },
        { "JSON is text", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}" },
        { "a value is not filled in again", "{nested}", "{target}" },
        { "an unknown one", "{tarket}", NULL },
    };
    struct suite *s;
    struct plan *p;
    struct err err = { 0 };
    const struct plan_step step = { 0 };
    struct names names = { 0 };

    assert_int_equal(plan_of(&s, &p,
                             "command: x\nparameters: {target: 'http://x', nested: '{target}'}\nmatrix: {a: [p]}\n",
                             NULL, &err),
                     0);
    assert_int_equal(plan_names(p, &step, &names, &err), 0);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char *text = names_text(&names, CASES[i].text, &err);

        if ((text == NULL) != (CASES[i].want == NULL) || (text != NULL && strcmp(text, CASES[i].want) != 0))
            fail_msg("%s: %s", CASES[i].why, text);
        free(text);
    }
    assert_non_null(strstr(err.hint, "{target}"));
    names_release(&names);
    plan_free(p);
    suite_free(s);
}

static void test_estimate(void **state)
{
    static const struct {
        const char *why, *text;
        double s; /* NAN: not known */
    } CASES[] = {
        { "length, warm-up, and what is between them",
          "load: {url: x, duration: 60s, warmup: 5s}\nmatrix: {a: [1, 2]}\nsamples: 2\nquiet: 60s\n", 4 * 65 + 3 * 60 },
        { "load runs for 10 s unless said", "load: {url: x}\n", 10 },
        { "by count", "load: {url: x, requests: 100}\n", (double)NAN },
        { "a command", "command: x\n", (double)NAN },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct suite *s;
        struct plan *p;
        struct err err = { 0 };

        assert_int_equal(plan_of(&s, &p, CASES[i].text, NULL, &err), 0);
        if (isnan(CASES[i].s) ? !isnan(p->estimate_s) : fabs(p->estimate_s - CASES[i].s) > 1e-6)
            fail_msg("%s: %g", CASES[i].why, p->estimate_s);
        plan_free(p);
        suite_free(s);
    }
}

static void test_many_cells(void **state)
{
    struct buf text;
    struct suite *s;
    struct plan *p;
    struct err err = { 0 };
    char *whole;

    buf_init(&text, (size_t)1 << 20);
    buf_add_str(&text, "command: x\nsamples: 3\nmatrix:\n  a: [0");
    for (int k = 1; k < 100; k++)
        buf_printf(&text, ", %d", k);
    buf_add_str(&text, "]\n  b: [0");
    for (int k = 1; k < 100; k++)
        buf_printf(&text, ", %d", k);
    buf_add_str(&text, "]\n");
    whole = buf_detach(&text);
    if (plan_of(&s, &p, whole, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(p->cell_count, 10000);
    assert_int_equal(p->step_count, 30000);
    assert_string_equal(p->cells[9999].name, "99/99");
    plan_free(p);
    suite_free(s);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),      cmocka_unit_test(test_order), cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_budget),     cmocka_unit_test(test_names), cmocka_unit_test(test_estimate),
        cmocka_unit_test(test_many_cells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
