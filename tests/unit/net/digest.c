/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/digest.h"

#include <string.h>

/* FIPS 180-4's examples. */
static const struct hash_case {
    const char *text, *want;
} HASHES[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void hashes(void **state)
{
    char hex[DIGEST_HEX_MAX];
    uint8_t out[DIGEST_BYTES];
    struct digest *d;

    (void)state;
    assert_int_equal(digest_new(&d, NULL), 0);
    for (size_t i = 0; i < sizeof(HASHES) / sizeof(HASHES[0]); i++) {
        digest_begin(d);
        for (const char *p = HASHES[i].text; *p != '\0'; p++)
            digest_add(d, slice_from(p, 1));
        digest_end(d, out);
        assert_string_equal(digest_hex(hex, out), HASHES[i].want);
    }
    digest_free(d);
}

/* RFC 4231 4: cases 1, 2 and 6 (a key longer than a block). */
static void authenticates(void **state)
{
    char hex[DIGEST_HEX_MAX], key[131];
    uint8_t out[DIGEST_BYTES];

    (void)state;
    memset(key, 0x0b, 20);
    assert_true(digest_hmac(slice_from(key, 20), SLICE("Hi There"), out));
    assert_string_equal(digest_hex(hex, out), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_true(digest_hmac(SLICE("Jefe"), SLICE("what do ya want for nothing?"), out));
    assert_string_equal(digest_hex(hex, out), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof(key));
    assert_true(digest_hmac(slice_from(key, sizeof(key)),
                            SLICE("Test Using Larger Than Block-Size Key - Hash Key First"), out));
    assert_string_equal(digest_hex(hex, out), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void a_key_may_be_the_result_before(void **state)
{
    uint8_t chained[DIGEST_BYTES], apart[DIGEST_BYTES];

    (void)state;
    assert_true(digest_hmac(SLICE("k"), SLICE("1"), chained));
    assert_true(digest_hmac(slice_from((const char *)chained, DIGEST_BYTES), SLICE("2"), apart));
    assert_true(digest_hmac(slice_from((const char *)chained, DIGEST_BYTES), SLICE("2"), chained));
    assert_memory_equal(chained, apart, DIGEST_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes),
        cmocka_unit_test(authenticates),
        cmocka_unit_test(a_key_may_be_the_result_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
