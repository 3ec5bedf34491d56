/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON emitter alone: numbers that read back, strings that parse whatever is in them, layout. */
#include "result/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static const struct {
    const char *why;
    double value;
    const char *want;
} DOUBLES[] = {
    { "zero", 0, "0" },
    { "no negative zero", -0.0, "0" },
    { "whole", 10, "10" },
    { "a tenth is not 0.10000000000000001", 0.1, "0.1" },
    { "seventeen digits where fewer lie", 0.1 + 0.2, "0.30000000000000004" },
    { "milliseconds", 0.0125, "0.0125" },
    { "microseconds have no exponent", 0.000012, "0.000012" },
    { "one nanosecond", 1e-9, "0.000000001" },
    { "negative and small", -0.0000015, "-0.0000015" },
    { "below a nanosecond", 1e-10, "1e-10" },
    { "an hour in ns", 3599.999999999, "3599.999999999" },
    { "large", 1e22, "1e+22" },
    { "a third", 1.0 / 3, "0.3333333333333333" },
    { "largest", 1.7976931348623157e308, "1.7976931348623157e+308" },
};

static void test_doubles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DOUBLES) / sizeof(DOUBLES[0]); i++) {
        char text[JSON_OUT_DOUBLE_MAX];

        json_format_double(text, DOUBLES[i].value);
        if (strcmp(text, DOUBLES[i].want) != 0)
            fail_msg("%s: %s", DOUBLES[i].why, text);
        if (strtod(text, NULL) != DOUBLES[i].value)
            fail_msg("%s: %s reads back as another number", DOUBLES[i].why, text);
    }
}

static void test_any_double_reads_back(void **state)
{
    (void)state;
    struct rng rng;

    rng_init(&rng, 7);
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = rng_next(&rng);
        char text[JSON_OUT_DOUBLE_MAX];
        double value;

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        if (i % 2 == 0) /* half of them times as they occur */
            value = (double)rng_below(&rng, 3600000000000u) / 1e9;
        json_format_double(text, value);
        if (strtod(text, NULL) != value)
            fail_msg("%a became %s", value, text);
        assert_true(strlen(text) < JSON_OUT_DOUBLE_MAX - 1);
    }
}

static const struct {
    const char *why, *text, *want;
} STRINGS[] = {
    { "empty", "", "\"\"" },
    { "plain", "GET /a?b=c", "\"GET /a?b=c\"" },
    { "quotes and backslashes", "a\"b\\c", "\"a\\\"b\\\\c\"" },
    { "short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
    { "other controls", "\x01\x1b\x1f", "\"\\u0001\\u001b\\u001f\"" },
    { "UTF-8 of each length", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
    { "a lone continuation", "a\x80z", "\"a\xef\xbf\xbdz\"" },
    { "cut short at the end", "a\xe2\x82", "\"a\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "overlong slash", "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "overlong in three bytes", "\xe0\x80\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "a surrogate", "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "beyond U+10FFFF", "\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "not UTF-8 at all", "\xff\xfe", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
};

static void test_strings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(STRINGS) / sizeof(STRINGS[0]); i++) {
        struct buf out;
        json_t *back;

        buf_init(&out, 1024);
        json_add_quoted(&out, slice_str(STRINGS[i].text));
        if (strcmp(out.data, STRINGS[i].want) != 0)
            fail_msg("%s: %s", STRINGS[i].why, out.data);
        back = json_loadb(out.data, out.len, JSON_DECODE_ANY, NULL);
        if (back == NULL)
            fail_msg("%s: %s does not parse", STRINGS[i].why, out.data);
        json_decref(back);
        buf_release(&out);
    }
}

/* Whatever bytes come: what goes out is JSON. */
static void test_random_bytes_parse(void **state)
{
    (void)state;
    struct rng rng;

    rng_init(&rng, 11);
    for (int i = 0; i < 20000; i++) {
        char bytes[24];
        struct buf out;
        json_t *back;

        rng_fill(&rng, bytes, sizeof(bytes));
        buf_init(&out, 1024);
        json_add_quoted(&out, slice_from(bytes, rng_below(&rng, sizeof(bytes) + 1)));
        back = json_loadb(out.data, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (back == NULL)
            fail_msg("%s does not parse", out.data);
        json_decref(back);
        buf_release(&out);
    }
}

static void test_layout(void **state)
{
    (void)state;
    const double numbers[] = { 0.5, NAN, 2 };
    struct buf out;
    struct json_out o = { .buf = &out };

    buf_init(&out, 4096);
    json_out_open(&o, NULL, '{');
    json_out_u64(&o, "a", UINT64_MAX);
    json_out_double(&o, "b", INFINITY);
    json_out_open(&o, "c", '[');
    json_out_close(&o, ']');
    json_out_open(&o, "d", '[');
    json_out_string(&o, NULL, "x");
    json_out_string(&o, NULL, NULL);
    json_out_close(&o, ']');
    json_out_doubles(&o, "e", numbers, 3);
    json_out_doubles(&o, "f", NULL, 0);
    json_out_bool(&o, "g", true);
    json_out_close(&o, '}');
    assert_string_equal(out.data, "{\n"
                                  "  \"a\": 18446744073709551615,\n"
                                  "  \"b\": null,\n"
                                  "  \"c\": [],\n"
                                  "  \"d\": [\n"
                                  "    \"x\",\n"
                                  "    null\n"
                                  "  ],\n"
                                  "  \"e\": [0.5, null, 2],\n"
                                  "  \"f\": [],\n"
                                  "  \"g\": true\n"
                                  "}");
    buf_release(&out);
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    json_t *value = json_loads("[[[[1]]]]", 0, NULL);
    struct buf out;

    buf_init(&out, 1024);
    assert_int_equal(json_add_value(&out, value, 5), 0);
    assert_string_equal(out.data, "[[[[1]]]]");
    assert_int_equal(json_add_value(&out, value, 4), -1);
    json_decref(value);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles), cmocka_unit_test(test_any_double_reads_back),
        cmocka_unit_test(test_strings), cmocka_unit_test(test_random_bytes_parse),
        cmocka_unit_test(test_layout),  cmocka_unit_test(test_depth_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
