/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/s3_sign.h"

#include <string.h>

/* The example of Amazon's S3 API reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version
 * 4)": its own signature stands there. The others were made with the same keys by an independent implementation. */
#define KEY_ID "AKIAIOSFODNN7EXAMPLE"
#define SECRET "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
enum { MAY_24_2013 = 1369353600 };

static const struct sign_case {
    const char *why;
    struct s3_keys keys;
    const char *method, *scheme, *host, *path;
    unsigned expires_s;
    time_t now;
    const char *want;
} CASES[] = {
    { "Amazon's example",
      { KEY_ID, SECRET, "us-east-1", NULL },
      "GET",
      "https",
      "examplebucket.s3.amazonaws.com",
      "/test.txt",
      86400,
      MAY_24_2013,
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z"
      "&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404" },
    { "HEAD, a port, another region, a leap day",
      { KEY_ID, SECRET, "eu-central-1", NULL },
      "HEAD",
      "http",
      "127.0.0.1:4568",
      "/assets/0f8fad5b-d9cb-469f-a165-70867728950e",
      60,
      1709182799,
      "http://127.0.0.1:4568/assets/0f8fad5b-d9cb-469f-a165-70867728950e?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20240229%2Feu-central-1%2Fs3%2Faws4_request"
      "&X-Amz-Date=20240229T045959Z"
      "&X-Amz-Expires=60"
      "&X-Amz-SignedHeaders=host"
      "&X-Amz-Signature=c07fceeff00ad0673b019e586574fce42ea1c4abbdf2467b9e7ce6b35aba2d12" },
    { "the token of temporary credentials is signed too",
      { KEY_ID, SECRET, "eu-west-1", "FwoGZXIvYXdzE+/=Ab" },
      "GET",
      "https",
      "s3.eu-west-1.amazonaws.com",
      "/b/k",
      1,
      4102444799,
      "https://s3.eu-west-1.amazonaws.com/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20991231%2Feu-west-1%2Fs3%2Faws4_request"
      "&X-Amz-Date=20991231T235959Z"
      "&X-Amz-Expires=1"
      "&X-Amz-Security-Token=FwoGZXIvYXdzE%2B%2F%3DAb"
      "&X-Amz-SignedHeaders=host"
      "&X-Amz-Signature=e43964c6e8599a4b8e8838623275085fb45eb58d53df6e1027a3bf598880a415" },
};

static void signs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct sign_case *c = &CASES[i];
        const struct s3_place place = { slice_str(c->scheme), slice_str(c->host), slice_str(c->path) };
        struct buf out;
        buf_init(&out, 8192);
        if (!s3_sign_url(&out, &c->keys, c->method, &place, c->expires_s, c->now) || strcmp(out.data, c->want) != 0)
            fail_msg("%s:\n%s\n%s", c->why, out.data, c->want);
        buf_release(&out);
    }
}

static void what_does_not_fit_is_told(void **state)
{
    const struct s3_place place = { SLICE("http"), SLICE("h"), SLICE("/k") };
    struct buf out;

    (void)state;
    buf_init(&out, 20);
    assert_false(s3_sign_url(&out, &CASES[0].keys, "GET", &place, 60, MAY_24_2013));
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(signs), cmocka_unit_test(what_does_not_fit_is_told) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
