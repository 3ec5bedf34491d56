/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/strlist.h"

#include "alloc_fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void items_are_copies_and_end_in_null(void **state)
{
    struct strlist l = STRLIST_INIT;
    char text[16];

    (void)state;
    assert_false(strlist_contains(&l, SLICE("0")));
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_true(strlist_add(&l, slice_str(text)));
        assert_int_equal(l.count, i + 1);
        assert_null(l.items[l.count]);
    }
    assert_string_equal(l.items[0], "0");
    assert_string_equal(l.items[99], "99");
    assert_true(strlist_contains(&l, SLICE("42")));
    assert_false(strlist_contains(&l, SLICE("100")));
    assert_false(strlist_contains(&l, slice_from("999", 3)));
    strlist_release(&l);
    assert_int_equal(l.count, 0);
    assert_null(l.items);
    strlist_release(&l);
}

static void a_failed_add_changes_nothing(void **state)
{
    (void)state;
    for (unsigned nth = 1; nth < 200; nth++) {
        struct strlist l = STRLIST_INIT;
        size_t added = 0;
        alloc_fail_at(nth);
        for (int i = 0; i < 20; i++)
            added += strlist_add(&l, SLICE("item"));
        const bool refused = alloc_fail_end();
        assert_int_equal(l.count, added);
        assert_int_equal(added, refused ? 19 : 20);
        assert_null(l.items[l.count]);
        for (size_t i = 0; i < l.count; i++)
            assert_string_equal(l.items[i], "item");
        strlist_release(&l);
        if (!refused) {
            assert_true(nth > 20);
            return;
        }
    }
    fail_msg("the sweep did not end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_copies_and_end_in_null),
        cmocka_unit_test(a_failed_add_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
