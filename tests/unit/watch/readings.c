/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what sources say to figures on the grid. */
#include "watch/reading.h"
#include "watch/text.h"
#include "watch/track.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define S UINT64_C(1000000000)

static const struct name_case {
    const char *why, *given;
    bool counts;
    const char *name;
    enum reading_kind kind;
} NAMES[] = {
    { "a gauge keeps its name", "queue_depth", false, "queue_depth", READING_GAUGE },
    { "a counter becomes a rate", "http_requests_total", true, "http_requests_per_s", READING_COUNTER },
    { "also one whose name does not say so", "http_requests", true, "http_requests_per_s", READING_COUNTER },
    { "labels stay behind it", "hits_total{code=\"200\"}", true, "hits_per_s{code=\"200\"}", READING_COUNTER },
    { "CPU seconds have one name for all", "process_cpu_seconds_total", true, "cpu_cores", READING_COUNTER },
    { "whatever the type was called", "process_cpu_seconds_total", false, "cpu_cores", READING_COUNTER },
    { "memory too", "process_resident_memory_bytes", false, "rss_bytes", READING_GAUGE },
    { "node_exporter's are of the idle machine too", "node_cpu_seconds_total", true, "node_cpu_seconds_per_s",
      READING_COUNTER },
};

static void names_become_those_of_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const struct name_case *c = &NAMES[i];
        struct reading r = { 0 };

        reading_add_named(&r, slice_str(c->given), c->counts, 5);
        if (r.count != 1 || strcmp(r.values[0].name, c->name) != 0 || r.values[0].kind != c->kind)
            fail_msg("%s: %s became %s", c->why, c->given, r.values[0].name);
    }
}

static void values_of_one_name_are_added_up(void **state)
{
    struct reading r = { 0 };
    char name[16];

    (void)state;
    reading_add(&r, SLICE("a"), READING_GAUGE, 1.5);
    reading_add(&r, SLICE("a"), READING_GAUGE, 2);
    reading_add(&r, SLICE("a"), READING_GAUGE, NAN);
    assert_int_equal(r.count, 1);
    assert_float_equal(r.values[0].value, 3.5, 1e-9);
    for (int i = 0; i < READING_VALUES_MAX + 3; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        reading_add(&r, slice_str(name), READING_GAUGE, i);
    }
    assert_int_equal(r.count, READING_VALUES_MAX);
    assert_true(r.is_full);
}

static void only_fit_names(void **state)
{
    char longest[READING_NAME_MAX + 1];

    (void)state;
    assert_true(reading_name_is_fit(SLICE("a{b=\"c\"}")));
    assert_false(reading_name_is_fit(SLICE("")));
    assert_false(reading_name_is_fit(SLICE("a b")));
    assert_false(reading_name_is_fit(SLICE("a\033[2J")));
    assert_false(reading_name_is_fit(slice_from("a\0b", 3)));
    assert_false(reading_name_is_fit(SLICE("spec"))); /* would be there twice */
    assert_false(reading_name_is_fit(SLICE("missed")));
    memset(longest, 'x', sizeof(longest));
    assert_false(reading_name_is_fit(slice_from(longest, sizeof(longest))));
}

static void tell(struct tracks *t, enum reading_kind kind, double value, size_t tick, uint64_t at)
{
    struct reading r = { 0 };

    reading_add(&r, SLICE("x"), kind, value);
    assert_true(tracks_add(t, &r, tick, at));
}

static void counters_become_rates(void **state)
{
    struct tracks t = { 0 };

    (void)state;
    tell(&t, READING_COUNTER, 100, 0, 10 * S);
    tell(&t, READING_COUNTER, 101, 1, 11 * S);
    tell(&t, READING_COUNTER, 104, 2, 13 * S);            /* late: over two seconds */
    tell(&t, READING_COUNTER, 104.2, 3, 13 * S + S / 10); /* too short for a value of its own */
    assert_int_equal(t.count, 1);
    assert_float_equal(track_value(&t.items[0], 0), 1, 1e-9);
    assert_float_equal(track_value(&t.items[0], 1), 1.5, 1e-9);
    assert_true(isnan(track_value(&t.items[0], 2)));
    assert_float_equal(track_mean(&t.items[0]), 4.2 / 3.1, 1e-9);
    assert_float_equal(t.items[0].max, 1.5, 1e-9);
    tracks_release(&t);
}

static void a_missed_reading_loses_nothing_of_the_mean(void **state)
{
    struct tracks t = { 0 };

    (void)state;
    tell(&t, READING_COUNTER, 0, 0, 0);
    tell(&t, READING_COUNTER, 9, 3, 3 * S); /* 1 and 2 failed */
    tell(&t, READING_COUNTER, 10, 4, 4 * S);
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(track_value(&t.items[0], i)));
    assert_float_equal(track_value(&t.items[0], 3), 1, 1e-9);
    assert_float_equal(track_mean(&t.items[0]), 2.5, 1e-9);
    tracks_release(&t);
}

static void a_counter_that_starts_anew_is_not_negative(void **state)
{
    struct tracks t = { 0 };

    (void)state;
    tell(&t, READING_COUNTER, 100, 0, 0);
    tell(&t, READING_COUNTER, 102, 1, 1 * S);
    tell(&t, READING_COUNTER, 1, 2, 2 * S);
    tell(&t, READING_COUNTER, 3, 3, 3 * S);
    assert_float_equal(track_mean(&t.items[0]), 2, 1e-9);
    assert_true(isnan(track_value(&t.items[0], 1)));
    assert_float_equal(track_value(&t.items[0], 2), 2, 1e-9);
    tracks_release(&t);
}

static void gauges_count_from_the_first_interval_on(void **state)
{
    struct tracks t = { 0 };

    (void)state;
    tell(&t, READING_GAUGE, 1000, 0, 0); /* before the window */
    assert_true(isnan(track_mean(&t.items[0])));
    tell(&t, READING_GAUGE, 10, 1, S);
    tell(&t, READING_GAUGE, 20, 2, 2 * S);
    assert_float_equal(track_mean(&t.items[0]), 15, 1e-9);
    assert_float_equal(t.items[0].max, 20, 1e-9);
    assert_float_equal(track_value(&t.items[0], 0), 10, 1e-9);
    assert_true(isnan(track_value(&t.items[0], 7)));
    tracks_release(&t);
}

static void words_lists_and_numbers(void **state)
{
    double d;
    uint64_t n;

    (void)state;
    assert_int_equal(text_list_length(SLICE("0-3,5")), 5);
    assert_int_equal(text_list_length(SLICE(" 0\t")), 1);
    assert_int_equal(text_list_length(SLICE("3-0")), 0);
    assert_int_equal(text_list_length(SLICE("0-99999999999")), 0);
    assert_int_equal(text_list_length(SLICE("")), 0);
    assert_true(slice_eq(text_word(SLICE(" a  bc\td "), 1), SLICE("bc")));
    assert_int_equal(text_word(SLICE("a b"), 2).len, 0);
    assert_true(text_find(SLICE("xa 1\na_b 2\na: 3 kB\n"), "a", &n));
    assert_int_equal(n, 3);
    assert_false(text_find(SLICE("a -1\n"), "a", &n));
    assert_true(text_double(SLICE("-1.5e3"), &d));
    assert_float_equal(d, -1500, 1e-9);
    assert_false(text_double(SLICE("nan"), &d));
    assert_false(text_double(SLICE("+Inf"), &d));
    assert_false(text_double(SLICE("1 2"), &d));
    assert_false(text_double(SLICE(""), &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_those_of_figures),
        cmocka_unit_test(values_of_one_name_are_added_up),
        cmocka_unit_test(only_fit_names),
        cmocka_unit_test(counters_become_rates),
        cmocka_unit_test(a_missed_reading_loses_nothing_of_the_mean),
        cmocka_unit_test(a_counter_that_starts_anew_is_not_negative),
        cmocka_unit_test(gauges_count_from_the_first_interval_on),
        cmocka_unit_test(words_lists_and_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
