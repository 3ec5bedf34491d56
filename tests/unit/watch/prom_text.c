/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text format of Prometheus, and which samples are wanted. */
#include "watch/prom_text.h"
#include "watch/source.h"

#include <string.h>

static const char PAGE[] = "# HELP http_requests_total Requests.\n"
                           "# TYPE http_requests_total counter\n"
                           "http_requests_total{code=\"200\",path=\"/a}\\\"b\"} 10 1395066363000\n"
                           "http_requests_total{code=\"500\", path=\"/\",} 2\r\n"
                           "# TYPE queue gauge\n"
                           "queue 3.5e1\n"
                           "# TYPE errors counter\n"
                           "errors 4\n"
                           "# TYPE took histogram\n"
                           "took_bucket{le=\"+Inf\"} 7\n"
                           "took_sum 1.25\n"
                           "took_count 7\n"
                           "# TYPE took_too summary\n"
                           "took_too{quantile=\"0.5\"} 0.1\n"
                           "took_too_count 9\n"
                           "nothing NaN\n"
                           "not a sample\n"
                           "{} 1\n"
                           "open{a=\"b\n"
                           "last_total 1";

static const struct want {
    const char *name;
    double value;
    bool is_counter;
} WANTED[] = {
    { "http_requests_total", 10, true },
    { "http_requests_total", 2, true },
    { "queue", 35, false },
    { "errors", 4, true },
    { "took_bucket", 7, true },
    { "took_sum", 1.25, true },
    { "took_count", 7, true },
    { "took_too", 0.1, false },
    { "took_too_count", 9, true },
    { "last_total", 1, true },
};

static void a_page_is_read(void **state)
{
    struct prom_text p = { .rest = slice_str(PAGE) };
    struct prom_sample sample;
    size_t n = 0;

    (void)state;
    while (prom_text_next(&p, &sample)) {
        assert_true(n < sizeof(WANTED) / sizeof(WANTED[0]));
        if (!slice_eq(sample.name, slice_str(WANTED[n].name)) || sample.value != WANTED[n].value ||
            sample.is_counter != WANTED[n].is_counter)
            fail_msg("%zu: %.*s is %g, counter %d", n, SLICE_FMT(sample.name), sample.value, sample.is_counter);
        n++;
    }
    assert_int_equal(n, sizeof(WANTED) / sizeof(WANTED[0]));
}

static const struct selector_case {
    const char *why, *text;
    double sum; /* of the page's samples; -1: it is no selector */
} SELECTORS[] = {
    { "all of a name", "http_requests_total", 12 },
    { "a label", "http_requests_total{code=\"500\"}", 2 },
    { "two, in any order", "http_requests_total{path=\"/\",code=\"500\"}", 2 },
    { "quoted bytes stay as they came", "http_requests_total{path=\"/a}\\\"b\"}", 10 },
    { "another value", "http_requests_total{code=\"404\"}", 0 },
    { "no labels asked for", "queue{}", 35 },
    { "a name is whole", "queu", 0 },
    { "nothing", "", -1 },
    { "no name", "{a=\"b\"}", -1 },
    { "no end", "queue{a=\"b\"", -1 },
    { "no quotes", "queue{a=b}", -1 },
    { "what follows", "queue{}x", -1 },
    { "spaces", "queue x", -1 },
};

static void selectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(SELECTORS) / sizeof(SELECTORS[0]); i++) {
        const struct selector_case *c = &SELECTORS[i];
        struct prom_text p = { .rest = slice_str(PAGE) };
        struct slice list = slice_str(c->text);
        struct prom_selector s;
        struct prom_sample sample;
        struct err err = { 0 };
        double sum = 0;

        if (prom_selector_next(&list, &s, &err) != 0) {
            if (c->sum >= 0 || err.kind != ERR_USAGE || err.hint[0] == '\0')
                fail_msg("%s: %s", c->why, err.what);
            continue;
        }
        while (prom_text_next(&p, &sample))
            sum += prom_selector_matches(&s, &sample) ? sample.value : 0;
        if (sum != c->sum)
            fail_msg("%s: %g", c->why, sum);
    }
}

static void a_list_of_selectors(void **state)
{
    struct slice list = SLICE("a,b{x=\"1,2\"},c");
    struct prom_selector s;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(prom_selector_next(&list, &s, &err), 0);
    assert_true(slice_eq(s.text, SLICE("a")));
    assert_int_equal(prom_selector_next(&list, &s, &err), 0);
    assert_true(slice_eq(s.text, SLICE("b{x=\"1,2\"}")));
    assert_int_equal(prom_selector_next(&list, &s, &err), 0);
    assert_true(slice_eq(s.text, SLICE("c")));
    assert_int_equal(list.len, 0);
}

static const char *const BAD_URLS[] = { "",
                                        "ftp://h/metrics",
                                        "h:9090/metrics",
                                        "http://",
                                        "http:///m",
                                        "http://h/a b",
                                        "http://u:geheim@h/\x7f",
                                        "http://h/#a b",
                                        "http://h/#a;b" };

static void wrong_addresses(void **state)
{
    const struct source_context context = { .root = "", .cancel_fd = -1 };

    (void)state;
    for (size_t i = 0; i < sizeof(BAD_URLS) / sizeof(BAD_URLS[0]); i++) {
        struct source *s = NULL;
        struct err err = { 0 };

        if (prom_open(&s, slice_str(BAD_URLS[i]), &context, &err) != -1 || err.kind != ERR_USAGE || err.hint[0] == '\0')
            fail_msg("\"%s\": %s", BAD_URLS[i], err.what);
        assert_null(strstr(err.what, "geheim"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_read),
        cmocka_unit_test(selectors),
        cmocka_unit_test(a_list_of_selectors),
        cmocka_unit_test(wrong_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
