/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pages.h"

#include "alloc_fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t resident_pages(void)
{
    unsigned long size;
    unsigned long resident;
    FILE *f = fopen("/proc/self/statm", "re");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
    fclose(f);
    return resident;
}

static void pages_are_zero_and_cost_nothing_untouched(void **state)
{
    const size_t bytes = (size_t)256 << 20;
    struct err err;
    void *p;

    (void)state;
    const size_t before = resident_pages();
    assert_int_equal(pages_map(&p, bytes, &err), 0);
    char *c = p;
    c[0] = 1;
    c[bytes / 2] = 1;
    c[bytes - 1] = 1;
    assert_true(resident_pages() < before + 128); /* no huge page behind one byte */
    assert_int_equal(c[1] | c[bytes / 2 + 1] | c[bytes - 2], 0);
    pages_unmap(p, bytes);
    pages_unmap(NULL, bytes);
}

static void odd_sizes_are_rounded_up(void **state)
{
    static const size_t SIZES[] = { 0, 1, 4095, 4096, 4097 };
    void *p;

    (void)state;
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        assert_int_equal(pages_map(&p, SIZES[i], NULL), 0);
        memset(p, 1, SIZES[i] > 0 ? (SIZES[i] + 4095) / 4096 * 4096 : 4096);
        pages_unmap(p, SIZES[i]);
    }
}

static void failures_are_named(void **state)
{
    struct err err;
    void *p = &err;

    (void)state;
    assert_int_equal(pages_map(&p, SIZE_MAX, &err), -1); /* can not be rounded up */
    assert_null(p);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_int_equal(err.sys, ENOMEM);
    assert_int_equal(pages_map(&p, SIZE_MAX / 2, &err), -1); /* the kernel says no */
    assert_null(p);
    alloc_fail_at(1);
    p = &err;
    assert_int_equal(pages_map(&p, 4096, &err), -1);
    assert_true(alloc_fail_end());
    assert_null(p);
    assert_string_equal(err.what, "cannot map 4096 bytes of memory: Cannot allocate memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_zero_and_cost_nothing_untouched),
        cmocka_unit_test(odd_sizes_are_rounded_up),
        cmocka_unit_test(failures_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
