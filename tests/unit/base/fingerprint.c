/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fingerprint.h"

#include <string.h>

static void of(const char *bytes, size_t len, size_t piece, char out[UUID_TEXT_MAX])
{
    struct fingerprint f;

    fingerprint_init(&f);
    for (size_t at = 0; at < len; at += piece) {
        fingerprint_add(&f, slice_from(bytes + at, len - at < piece ? len - at : piece));
        fingerprint_add(&f, slice_from(bytes, 0)); /* nothing changes nothing */
    }
    fingerprint_uuid(&f, out);
}

static void test_pieces_do_not_matter(void **state)
{
    char bytes[101], whole[UUID_TEXT_MAX], pieces[UUID_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7);
    of(bytes, sizeof(bytes), sizeof(bytes), whole);
    for (size_t piece = 1; piece < sizeof(bytes); piece++) {
        of(bytes, sizeof(bytes), piece, pieces);
        assert_string_equal(whole, pieces);
    }
}

/* Every bit, every length and every zero byte tells. 3 000 short neighbours: a bad mixer would give some the same. */
static void test_neighbours_differ(void **state)
{
    enum { COUNT = 3000 };
    static char seen[COUNT][UUID_TEXT_MAX];
    char bytes[40] = { 0 };
    size_t n = 0;

    (void)state;
    for (size_t len = 0; len <= sizeof(bytes); len++)
        of(bytes, len, 40, seen[n++]);
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++)
        for (size_t other = 0; other < 8 && n < COUNT; other++) {
            bytes[bit / 8] = (char)(1 << bit % 8);
            bytes[(bit / 8 + 1 + other) % sizeof(bytes)] |= (char)(1 << other);
            of(bytes, sizeof(bytes), 40, seen[n++]);
            memset(bytes, 0, sizeof(bytes));
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (strcmp(seen[i], seen[k]) == 0)
                fail_msg("%zu and %zu are both %s", i, k, seen[i]);
}

static void test_is_a_uuid_of_version_8(void **state)
{
    char text[UUID_TEXT_MAX], again[UUID_TEXT_MAX];
    struct fingerprint f;

    (void)state;
    fingerprint_init(&f);
    fingerprint_uuid(&f, text);
    fingerprint_uuid(&f, again);
    assert_string_equal(text, again);
    assert_int_equal(strlen(text), 36);
    assert_int_equal(text[8], '-');
    assert_int_equal(text[14], '8');
    assert_non_null(strchr("89ab", text[19]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_do_not_matter),
        cmocka_unit_test(test_neighbours_differ),
        cmocka_unit_test(test_is_a_uuid_of_version_8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
