/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets that a request carried, found again in any text. */
#include "http/secrets.h"

#include "../base/edge.h"

#define HEAD                                                                                                  \
    "GET /x?a=1&token=Tok3nInQuery&b=2 HTTP/1.1\r\nHost: a.test\r\nAuthorization: Basic YWxpY2U6U2VzYW1l\r\n" \
    "X-Api-Key: k3yk3y\r\nCookie: theme=dark; id=abcdefgh\r\nX-Token: abc\r\nAccept: */*\r\n\r\nsent body: k3y"

static struct edge edge;

static const struct {
    const char *why, *in, *out;
} CASES[] = {
    { "nothing", "", "" },
    { "no secret", "plain text", "plain text" },
    { "as it was sent", "you sent Basic YWxpY2U6U2VzYW1l, no", "you sent ***, no" },
    { "base64 alone", "[YWxpY2U6U2VzYW1l]", "[***]" },
    { "what it stands for", "alice:Sesame", "***" },
    { "the password alone, and again", "Sesame Sesame", "*** ***" },
    { "the user is no secret", "alice, you", "alice, you" },
    { "a key", "key=k3yk3y.", "key=***." },
    { "of the query", "Tok3nInQuery", "***" },
    { "a cookie", "abcdefgh", "***" },
    { "the whole field", "theme=dark; id=abcdefgh", "***" },
    { "a short cookie is a word", "dark", "dark" },
    { "a short token is too short to mask", "abc", "abc" },
    { "no secret field", "*/* a.test", "*/* a.test" },
    { "cut at the end", "it was Tok3nIn", "it was ***" },
    { "cut too early to tell", "it was Tok", "it was Tok" },
    { "begun but another", "Tok3nInBody", "Tok3nInBody" },
};

static void test_mask(void **state)
{
    struct strlist secrets = STRLIST_INIT;

    assert_true(secrets_add_head(&secrets, edge_put(&edge, HEAD, strlen(HEAD))));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf text;

        buf_init(&text, 1000);
        buf_add_str(&text, "Sesame:");
        buf_add_str(&text, CASES[i].in);
        secrets_mask(&secrets, &text, 7);
        if (!slice_eq(slice_drop(buf_slice(&text), 7), slice_str(CASES[i].out)) ||
            !slice_eq(slice_take(buf_slice(&text), 7), SLICE("Sesame:")))
            fail_msg("%s: \"%.*s\"", CASES[i].why, SLICE_FMT(buf_slice(&text)));
        buf_release(&text);
    }
    strlist_release(&secrets);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_mask) };

    edge = edge_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
