/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/routes.h"

#include <stdio.h>
#include <string.h>

#include "serve/decode.h"
#include "serve/pattern.h"
#include "serve/query.h"

static const struct route_case {
    const char *why;
    enum request_method method;
    const char *path;
    enum route_found want;
    const char *pattern, *arg;
} CASES[] = {
    { "the root", REQUEST_GET, "/", ROUTE_OK, "/", "" },
    { "a number", REQUEST_GET, "/bytes/12", ROUTE_OK, "/bytes/{n}", "12" },
    { "a suffix", REQUEST_GET, "/12.html", ROUTE_OK, "/{n}.html", "12" },
    { "HEAD comes with GET", REQUEST_HEAD, "/healthz", ROUTE_OK, "/healthz", "" },
    { "an empty argument is no argument", REQUEST_GET, "/bytes/", ROUTE_NO_PATH, NULL, NULL },
    { "a bare suffix is no argument", REQUEST_GET, "/.html", ROUTE_NO_PATH, NULL, NULL },
    { "an argument is one segment", REQUEST_GET, "/bytes/1/2", ROUTE_NO_PATH, NULL, NULL },
    { "a suffix does not make two segments one", REQUEST_GET, "/a/1.html", ROUTE_NO_PATH, NULL, NULL },
    { "more than an exact path", REQUEST_GET, "/healthz/", ROUTE_NO_PATH, NULL, NULL },
    { "less than an exact path", REQUEST_GET, "/health", ROUTE_NO_PATH, NULL, NULL },
    { "the wrong method", REQUEST_DELETE, "/healthz", ROUTE_NO_METHOD, NULL, NULL },
};

static void finds_routes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct route_case *c = &CASES[i];
        const struct route *r = NULL;
        struct slice arg;
        unsigned allowed;
        enum route_found got = route_find(c->method, slice_str(c->path), &r, &arg, &allowed);
        if (got != c->want)
            fail_msg("%s: %d", c->why, got);
        if (got == ROUTE_OK && (strcmp(r->pattern, c->pattern) != 0 || !slice_eq(arg, slice_str(c->arg))))
            fail_msg("%s: %s with \"%.*s\"", c->why, r->pattern, SLICE_FMT(arg));
        if ((got == ROUTE_NO_METHOD) != (allowed != 0 && got != ROUTE_OK))
            fail_msg("%s: allowed %x", c->why, allowed);
    }
}

static void every_route_can_be_found_and_says_what_it_is(void **state)
{
    size_t count;
    const struct route *routes = route_table(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct route *r = &routes[i], *found;
        char path[256];
        struct slice arg;
        unsigned allowed;
        snprintf(path, sizeof(path), "%.*s%s%.*s", SLICE_FMT(r->prefix), r->arg ? "1" : "", SLICE_FMT(r->suffix));
        for (int m = 0; m < REQUEST_METHODS; m++) {
            if ((r->methods & 1u << m) == 0)
                continue;
            if (route_find((enum request_method)m, slice_str(path), &found, &arg, &allowed) != ROUTE_OK || found != r)
                fail_msg("%s %s is hidden by another row", request_method_name((enum request_method)m), r->pattern);
        }
        assert_non_null(r->start);
        assert_int_equal(r->pattern[0], '/');
    }
}

static void lists_what_is_allowed(void **state)
{
    char out[ROUTE_ALLOW_MAX];

    (void)state;
    assert_true(slice_eq(route_allow(out, 1u << REQUEST_GET | 1u << REQUEST_HEAD), SLICE("GET, HEAD, OPTIONS")));
    assert_true(slice_eq(route_allow(out, 1u << REQUEST_PUT), SLICE("PUT, OPTIONS")));
    assert_true(slice_eq(route_allow(out, ~0u), SLICE("GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")));
}

static void the_pattern_is_periodic(void **state)
{
    char a[200], b[200];

    (void)state;
    for (uint64_t offset = 0; offset < 130; offset++) {
        pattern_copy(a, offset, sizeof(a));
        for (size_t i = 0; i < sizeof(a); i++)
            b[i] = pattern_bytes()[(offset + i) % PATTERN_LINE];
        assert_memory_equal(a, b, sizeof(a));
    }
    assert_int_equal(pattern_bytes()[63], '\n');
}

static const struct query_case {
    const char *why, *query, *name;
    enum query_found want;
    const char *value;
} QUERIES[] = {
    { "the first", "a=1&b=2", "a", QUERY_FOUND, "1" },
    { "the last", "a=1&b=2", "b", QUERY_FOUND, "2" },
    { "the first of two", "a=1&a=2", "a", QUERY_FOUND, "1" },
    { "a name that begins like another", "ab=1&a=2", "a", QUERY_FOUND, "2" },
    { "empty", "a=&b", "a", QUERY_FOUND, "" },
    { "without an equals sign", "a=&b", "b", QUERY_FOUND, "" },
    { "plus and percent", "a=x+y%2Bz%20%41", "a", QUERY_FOUND, "x y+z A" },
    { "an equals sign in the value", "a=b=c", "a", QUERY_FOUND, "b=c" },
    { "absent", "a=1", "b", QUERY_ABSENT, "" },
    { "no query", "", "b", QUERY_ABSENT, "" },
    { "a cut escape", "a=%4", "a", QUERY_BAD, NULL },
    { "no hex", "a=%zz", "a", QUERY_BAD, NULL },
    { "a lonely percent sign", "a=%", "a", QUERY_BAD, NULL },
    { "too long", "a=0123456789012345678901234567890123456789", "a", QUERY_BAD, NULL },
};

static void reads_queries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(QUERIES) / sizeof(QUERIES[0]); i++) {
        const struct query_case *c = &QUERIES[i];
        struct buf out;
        buf_init(&out, 32);
        enum query_found got = query_value(slice_str(c->query), slice_str(c->name), &out);
        if (got != c->want || (c->value != NULL && !slice_eq(buf_slice(&out), slice_str(c->value))))
            fail_msg("%s: %d \"%.*s\"", c->why, got, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_routes),          cmocka_unit_test(every_route_can_be_found_and_says_what_it_is),
        cmocka_unit_test(lists_what_is_allowed), cmocka_unit_test(the_pattern_is_periodic),
        cmocka_unit_test(reads_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
