/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/deadline.h"

static void ends_in_order(void **state)
{
    struct deadlines d;
    struct deadline a = { 0 }, b = { 0 }, c = { 0 };
    enum deadline_kind kind;

    (void)state;
    deadlines_init(&d);
    d.length_ns[DEADLINE_HEAD] = 100;
    d.length_ns[DEADLINE_IDLE] = 30;
    assert_true(deadlines_next_ns(&d) == UINT64_MAX);
    deadline_begin(&d, &a, DEADLINE_HEAD, 0);
    deadline_begin(&d, &b, DEADLINE_IDLE, 10);
    deadline_begin(&d, &c, DEADLINE_IDLE, 20);
    assert_int_equal(deadlines_next_ns(&d), 40);
    assert_null(deadlines_expired(&d, 39, &kind));
    assert_ptr_equal(deadlines_expired(&d, 40, &kind), &b);
    assert_int_equal(kind, DEADLINE_IDLE);
    assert_int_equal(deadline_kind(&b), DEADLINE_NONE);
    deadline_begin(&d, &c, DEADLINE_IDLE, 60); /* moved, not doubled */
    assert_null(deadlines_expired(&d, 89, &kind));
    assert_ptr_equal(deadlines_expired(&d, 100, &kind), &a);
    assert_int_equal(kind, DEADLINE_HEAD);
    assert_ptr_equal(deadlines_expired(&d, 100, &kind), &c);
    assert_null(deadlines_expired(&d, UINT64_MAX, &kind));
}

static void changes_its_kind(void **state)
{
    struct deadlines d;
    struct deadline a = { 0 };
    enum deadline_kind kind;

    (void)state;
    deadlines_init(&d);
    d.length_ns[DEADLINE_HEAD] = 10;
    d.length_ns[DEADLINE_BODY] = 1000;
    deadline_begin(&d, &a, DEADLINE_HEAD, 0);
    deadline_begin(&d, &a, DEADLINE_BODY, 5);
    assert_int_equal(deadline_kind(&a), DEADLINE_BODY);
    assert_null(deadlines_expired(&d, 500, &kind));
    deadline_end(&a);
    deadline_end(&a);
    assert_true(deadlines_next_ns(&d) == UINT64_MAX);
}

static void a_length_of_zero_never_ends(void **state)
{
    struct deadlines d;
    struct deadline a = { 0 };
    enum deadline_kind kind;

    (void)state;
    deadlines_init(&d);
    d.length_ns[DEADLINE_HEAD] = 10;
    deadline_begin(&d, &a, DEADLINE_HEAD, 0);
    deadline_begin(&d, &a, DEADLINE_SEND, 0);
    assert_int_equal(deadline_kind(&a), DEADLINE_NONE);
    assert_null(deadlines_expired(&d, UINT64_MAX, &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_in_order),
        cmocka_unit_test(changes_its_kind),
        cmocka_unit_test(a_length_of_zero_never_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
