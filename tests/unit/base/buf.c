/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include "alloc_fail.h"

#include <stdlib.h>
#include <string.h>

static void appends_end_in_nul(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, 1000);
    assert_null(b.data); /* nothing is allocated before it is needed */
    buf_add_str(&b, "ab");
    buf_add_char(&b, 'c');
    buf_add_slice(&b, SLICE("de"));
    buf_append(&b, "f\0g", 3);
    buf_add_str(&b, NULL);
    buf_add_slice(&b, (struct slice){ NULL, 0 });
    buf_printf(&b, "%d-%s", 12, "x");
    assert_int_equal(b.len, 12);
    assert_memory_equal(b.data, "abcdef\0g12-x", 13);
    assert_true(slice_eq(buf_slice(&b), slice_from("abcdef\0g12-x", 12)));
    assert_true(buf_ok(&b));
    buf_release(&b);
    assert_null(b.data);
    buf_add_str(&b, "again"); /* as after buf_init() */
    assert_string_equal(b.data, "again");
    buf_release(&b);
}

static void the_maximum_is_exact_and_failing_is_sticky(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, 5);
    buf_add_str(&b, "12345");
    assert_true(buf_ok(&b));
    buf_append(&b, "", 0);
    assert_true(buf_ok(&b)); /* nothing more is not too much */
    buf_add_char(&b, '6');
    assert_false(buf_ok(&b));
    assert_string_equal(b.data, "12345");
    buf_clear(&b);
    assert_true(buf_ok(&b));
    buf_add_str(&b, "123456"); /* all or nothing */
    assert_false(buf_ok(&b));
    assert_string_equal(b.data, "");
    buf_add_char(&b, '1');
    buf_printf(&b, "x");
    assert_int_equal(b.len, 0);
    assert_null(buf_reserve(&b, 0));
    assert_null(buf_detach(&b));
    buf_release(&b);
}

static void printf_grows_up_to_the_maximum(void **state)
{
    static const struct {
        const char *why;
        size_t max;
        int width;
        bool ok;
    } CASES[] = {
        { "fits into the first allocation", 10000, 255, true },
        { "exactly full", 10000, 256, true },
        { "one byte more than the first allocation", 10000, 257, true },
        { "many times the first allocation", 10000, 9000, true },
        { "exactly the maximum", 300, 300, true },
        { "one above the maximum", 300, 301, false },
        { "no room at all", 0, 1, false },
        { "nothing into no room", 0, 0, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf b;
        buf_init(&b, CASES[i].max);
        buf_printf(&b, "%*s", CASES[i].width, "");
        if (buf_ok(&b) != CASES[i].ok || b.len != (CASES[i].ok ? (size_t)CASES[i].width : 0) ||
            (b.data != NULL && strlen(b.data) != b.len))
            fail_msg("%s", CASES[i].why);
        buf_release(&b);
    }
}

static void reserved_bytes_are_added_by_the_caller(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, 100000);
    buf_add_str(&b, "head ");
    char *room = buf_reserve(&b, 5000);
    assert_non_null(room);
    memset(room, 'x', 5000);
    b.len += 4; /* less than reserved */
    char *text = buf_detach(&b);
    assert_string_equal(text, "head xxxx");
    free(text);
    assert_int_equal(b.len, 0);
    assert_null(b.data);
    text = buf_detach(&b); /* nothing is "", not NULL: NULL says that it failed */
    assert_string_equal(text, "");
    free(text);
    assert_null(buf_reserve(&b, SIZE_MAX)); /* no overflow in len + n */
    assert_false(buf_ok(&b));
    buf_release(&b);
    buf_init(&b, SIZE_MAX);
    buf_add_char(&b, 'x');
    assert_null(buf_reserve(&b, SIZE_MAX - 1));
    buf_release(&b);
}

static void growth_is_geometric(void **state)
{
    struct buf b;
    size_t moves = 0;
    size_t cap = 0;

    (void)state;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < (1 << 20); i++) {
        buf_add_char(&b, (char)i);
        moves += b._cap != cap;
        cap = b._cap;
    }
    assert_true(buf_ok(&b));
    assert_true(moves <= 14);
    for (size_t i = 0; i < b.len; i++)
        if (b.data[i] != (char)i)
            fail_msg("byte %zu was lost in a move", i);
    buf_release(&b);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (unsigned nth = 1;; nth++) {
        struct buf b;
        buf_init(&b, 100000);
        alloc_fail_at(nth);
        for (int i = 0; i < 300; i++)
            buf_printf(&b, "line %d\n", i);
        char *text = buf_detach(&b);
        const bool refused = alloc_fail_end();
        assert_int_equal(text == NULL, refused);
        free(text);
        buf_release(&b);
        if (!refused) {
            assert_true(nth > 3); /* the sweep has met several allocations */
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_end_in_nul),
        cmocka_unit_test(the_maximum_is_exact_and_failing_is_sticky),
        cmocka_unit_test(printf_grows_up_to_the_maximum),
        cmocka_unit_test(reserved_bytes_are_added_by_the_caller),
        cmocka_unit_test(growth_is_geometric),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
