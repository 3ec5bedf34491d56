/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison in all its forms: the published table of 30 cells, one number a side; names that fight back; no memory.
 */
#include "report/compare_forms.h"
#include "report/compare_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

static const struct published {
    const char *test_type, *routes, *connections, *keepalive;
    double base, new, deviation_percent;
} PUBLISHED[] = {
    { "http", "500", "1", "0", 49891.0, 46461.5, -6.87 },
    { "http", "500", "1", "1", 11783.5, 12906.5, 9.53 },
    { "http", "500", "1", "50", 54539.0, 58022.5, 6.39 },
    { "http", "500", "20", "0", 86976.0, 84292.5, -3.09 },
    { "http", "500", "20", "1", 22313.5, 20943.0, -6.14 },
    { "http", "500", "20", "50", 83683.5, 79965.0, -4.44 },
    { "edge", "500", "1", "0", 119625.0, 118971.0, -0.55 },
    { "edge", "500", "1", "1", 3711.5, 3722.0, 0.28 },
    { "edge", "500", "1", "50", 98786.5, 99759.5, 0.98 },
    { "edge", "500", "20", "0", 58950.5, 60889.0, 3.29 },
    { "edge", "500", "20", "1", 3599.5, 3600.0, 0.01 },
    { "edge", "500", "20", "50", 53534.5, 55297.0, 3.29 },
    { "passthrough", "500", "1", "0", 136808.0, 136920.5, 0.08 },
    { "passthrough", "500", "1", "1", 3714.0, 3726.5, 0.34 },
    { "passthrough", "500", "1", "50", 109858.0, 110773.5, 0.83 },
    { "passthrough", "500", "20", "0", 142737.5, 144544.0, 1.27 },
    { "passthrough", "500", "20", "1", 3587.0, 3606.5, 0.54 },
    { "passthrough", "500", "20", "50", 102508.0, 104091.5, 1.54 },
    { "reencrypt", "500", "1", "0", 122159.0, 127332.0, 4.23 },
    { "reencrypt", "500", "1", "1", 3738.5, 3753.0, 0.39 },
    { "reencrypt", "500", "1", "50", 92213.0, 95030.5, 3.06 },
    { "reencrypt", "500", "20", "0", 16137.5, 16473.5, 2.08 },
    { "reencrypt", "500", "20", "1", 3618.0, 3642.0, 0.66 },
    { "reencrypt", "500", "20", "50", 15873.0, 16269.0, 2.49 },
    { "mix", "2000", "1", "0", 164314.5, 174642.0, 6.29 },
    { "mix", "2000", "1", "1", 26342.0, 27006.5, 2.52 },
    { "mix", "2000", "1", "50", 141775.0, 150033.0, 5.82 },
    { "mix", "2000", "5", "0", 65049.5, 67484.5, 3.74 },
    { "mix", "2000", "5", "1", 25241.0, 26139.0, 3.56 },
    { "mix", "2000", "5", "50", 63860.0, 66353.5, 3.90 },
};

static void add(struct side *s, const struct published *p, double value)
{
    struct record *r = side_add(s, "table");

    assert_non_null(r);
    assert_true(record_add_fact(r, FACT_CELL, "test_type", p->test_type));
    assert_true(record_add_fact(r, FACT_CELL, "routes", p->routes));
    assert_true(record_add_fact(r, FACT_CELL, "conn_per_targetroute", p->connections));
    assert_true(record_add_fact(r, FACT_CELL, "keepalive", p->keepalive));
    assert_true(record_add_metric(r, "requests_per_second", value, true, false));
}

/* The published runs with a rule, compared. */
struct scene {
    struct side base, new;
    struct tolerance_rules rules;
    struct comparison c;
};

static void begin_with(struct scene *s, double tolerancy, double max_failures)
{
    struct strlist path = STRLIST_INIT;
    struct err err = { 0 };

    *s = (struct scene){ 0 };
    for (size_t i = 0; i < COUNT(PUBLISHED); i++) {
        add(&s->base, &PUBLISHED[i], PUBLISHED[i].base);
        add(&s->new, &PUBLISHED[i], PUBLISHED[i].new);
    }
    assert_true(side_set_name(&s->base, "20220809") && side_set_name(&s->new, "20220810"));
    assert_true(tolerance_path_split(&path, SLICE("test_type/*/routes/*/avg(requests_per_second)")));
    if (tolerance_rules_add(&s->rules, &path, tolerancy, max_failures, &err) != 0 ||
        comparison_make(&s->c, &s->base, &s->new, NULL, &(struct comparison_options){ .rules = &s->rules }, &err) != 0)
        fail_msg("%s", err.what);
    strlist_release(&path);
}

static void scene_end(struct scene *s)
{
    comparison_release(&s->c);
    tolerance_rules_release(&s->rules);
    side_release(&s->base);
    side_release(&s->new);
}

static void published_table_of_unchanged_software(void **state)
{
    static const struct {
        int tolerancy, max_failures;
        size_t failures;
        int exit;
    } RULES[] = { { -10, 0, 0, 0 }, { -25, 33, 0, 0 }, { -15, 0, 0, 0 },
                  { -5, 0, 2, 1 },  { -5, 33, 2, 0 },  { 5, 0, 4, 1 } };

    (void)state;
    for (size_t i = 0; i < COUNT(RULES); i++) {
        struct scene s;

        begin_with(&s, RULES[i].tolerancy, RULES[i].max_failures);
        assert_int_equal(s.rules.items[0].comparisons, COUNT(PUBLISHED));
        assert_int_equal(s.rules.items[0].failures, RULES[i].failures);
        assert_int_equal(comparison_exit_code(&s.c, false), RULES[i].exit);
        assert_int_equal(comparison_exit_code(&s.c, true), RULES[i].exit != 0 ? 1 : 4);
        scene_end(&s);
    }
}

static void text_of_the_published_table(void **state)
{
    struct scene s;
    struct buf out;
    char deviation[32];

    (void)state;
    begin_with(&s, -10, 0);
    buf_init(&out, 1 << 20);
    compare_text(&out, &s.c);
    assert_true(buf_ok(&out));
    assert_non_null(strstr(out.data, "One sample a side: cannot tell (30 of 30 cells)."));
    assert_non_null(strstr(out.data, "Overall shift: +1.5 % (geometric mean of 30 ratios"));
    assert_non_null(strstr(out.data, "Largest deviation: 9.53% in http/500/1/1"));
    assert_non_null(strstr(out.data, "tolerances hold"));
    assert_null(strstr(out.data, "Fail  |"));
    for (size_t i = 0; i < COUNT(PUBLISHED); i++) {
        snprintf(deviation, sizeof(deviation), " %.2f%% ", PUBLISHED[i].deviation_percent);
        if (strstr(out.data, deviation) == NULL)
            fail_msg("the deviation %s of row %zu is not shown", deviation, i);
    }
    buf_release(&out);
    scene_end(&s);
}

static void json_is_what_is_promised(void **state)
{
    static const char *const MEMBERS[] = { "base", "new", "metric", "min_change", "summary", "overall", "cells" };
    static const char *const OF_CELLS[] = { "cell",      "metric",       "base",        "new",
                                            "change",    "interval",     "p_adjusted",  "verdict",
                                            "tolerance", "samples_base", "samples_new", "samples_needed" };
    struct scene s;
    struct buf out;
    json_t *document, *cell;

    (void)state;
    begin_with(&s, -10, 0);
    buf_init(&out, 1 << 20);
    compare_json(&out, &s.c);
    document = json_loadb(out.data, out.len, 0, NULL);
    assert_non_null(document);
    for (size_t i = 0; i < COUNT(MEMBERS); i++)
        assert_non_null(json_object_get(document, MEMBERS[i]));
    assert_int_equal(json_array_size(json_object_get(document, "cells")), 30);
    cell = json_array_get(json_object_get(document, "cells"), 0);
    for (size_t i = 0; i < COUNT(OF_CELLS); i++)
        assert_non_null(json_object_get(cell, OF_CELLS[i]));
    assert_true(json_is_null(json_object_get(cell, "interval")));
    assert_string_equal(json_string_value(json_object_get(cell, "tolerance")), "pass");
    assert_string_equal(json_string_value(json_object_get(cell, "verdict")), "inconclusive");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "summary"), "inconclusive")), 30);
    json_decref(document);
    buf_release(&out);
    scene_end(&s);
}

static void junit(struct buf *out, const struct comparison *c)
{
    compare_junit(out, c, true);
}

static void (*const FORMS[])(struct buf *, const struct comparison *) = { compare_text, compare_json, compare_csv,
                                                                          junit, compare_markdown };

static void hostile_names(void **state)
{
    static const char *const NAMES[] = {
        "\x1b[2J", "a\nb", "\xff\xfe", "=cmd()", "</testcase>", "\"", "a|b\\", "\xc3"
    };
    struct side base = { 0 }, new = { 0 };
    struct comparison c;

    (void)state;
    for (size_t i = 0; i < COUNT(NAMES); i++)
        for (int k = 0; k < 4; k++) {
            const struct published p = { NAMES[i], "1", "1", "1", 0, 0, 0 };

            add(&base, &p, 100 + k);
            add(&new, &p, 100 + k);
        }
    assert_true(side_set_name(&base, "\x1b[31m") && side_set_name(&new, "\xff"));
    assert_int_equal(comparison_make(&c, &base, &new, NULL, &(struct comparison_options){ 0 }, NULL), 0);
    for (size_t f = 0; f < COUNT(FORMS); f++) {
        struct buf out;

        buf_init(&out, 1 << 20);
        FORMS[f](&out, &c);
        assert_true(buf_ok(&out));
        if (f != 2 && memchr(out.data, '\x1b', out.len) != NULL) /* CSV carries what there was */
            fail_msg("form %zu lets control characters through", f);
        if (f == 1) {
            json_t *document = json_loadb(out.data, out.len, 0, NULL);

            assert_non_null(document);
            json_decref(document);
        }
        if (f == 2)
            assert_non_null(strstr(out.data, "\"'=cmd()\""));
        buf_release(&out);
    }
    comparison_release(&c);
    side_release(&base);
    side_release(&new);
}

/* A buffer that is too small at every place: the form fails, and nothing else happens. */
static void no_room(void **state)
{
    struct scene s;

    (void)state;
    begin_with(&s, -5, 0);
    for (size_t f = 0; f < COUNT(FORMS); f++) {
        struct buf whole;

        buf_init(&whole, 1 << 20);
        FORMS[f](&whole, &s.c);
        assert_true(buf_ok(&whole));
        for (size_t max = 1; max < whole.len; max += 37) {
            struct buf out;

            buf_init(&out, max);
            FORMS[f](&out, &s.c);
            assert_false(buf_ok(&out));
            buf_release(&out);
        }
        buf_release(&whole);
    }
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_table_of_unchanged_software),
        cmocka_unit_test(text_of_the_published_table),
        cmocka_unit_test(json_is_what_is_promised),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
