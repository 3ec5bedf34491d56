/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text report: as kept in golden/, and what holds for every one of them. */
#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "golden.h"
#include "sample.h"

#define TEXT_MAX_BYTES (1u << 22)

static void render(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    buf_init(out, TEXT_MAX_BYTES);
    report_text(out, r, options);
    assert_true(buf_ok(out));
}

static bool has(const struct buf *text, const char *part)
{
    return strstr(text->data, part) != NULL;
}

static void need(const struct buf *text, const char *part)
{
    if (!has(text, part))
        fail_msg("the report does not say \"%s\":\n%s", part, text->data);
}

static void need_not(const struct buf *text, const char *part)
{
    if (has(text, part))
        fail_msg("the report says \"%s\":\n%s", part, text->data);
}

static size_t columns(struct slice line)
{
    size_t n = 0;

    for (size_t i = 0; i < line.len; i++)
        n += ((unsigned char)line.ptr[i] & 0xc0) != 0x80;
    return n;
}

/* What every report keeps. */
static void check_manners(const struct buf *text, size_t width)
{
    struct slice rest = buf_slice(text);

    while (rest.len > 0) {
        const struct slice line = slice_split(&rest, '\n');

        if (columns(line) > width)
            fail_msg("%zu columns: %.*s", columns(line), SLICE_FMT(line));
        if (line.len > 0 && line.ptr[line.len - 1] == ' ')
            fail_msg("ends in a space: %.*s", SLICE_FMT(line));
        for (size_t i = 0; i < line.len; i++)
            if ((unsigned char)line.ptr[i] < 0x20 || line.ptr[i] == 0x7f)
                fail_msg("a control character in: %.*s", SLICE_FMT(line));
    }
    need_not(text, "nan");
    need_not(text, "inf ");
    need_not(text, "(null)");
    need_not(text, "\n\n\n");
}

static void check_golden(const char *path, struct result *r, double max_errors)
{
    struct buf text;

    result_judge(r, max_errors, false);
    render(&text, r, NULL);
    golden_check(path, buf_slice(&text));
    check_manners(&text, 80);
    buf_release(&text);
    result_free(r);
}

static struct result *slow_to_send(void)
{
    struct result *r = sample_plain();

    hist_reset(r->service_time);
    for (unsigned i = 1; i <= 1000; i++)
        hist_record(r->service_time, i * UINT64_C(500000));
    return r;
}

static void test_golden(void **state)
{
    (void)state;
    check_golden("plain.txt", sample_plain(), 0.01);
    check_golden("full.txt", sample_full(), 0.1);
    check_golden("invalid.txt", sample_full(), 0.01);
    check_golden("many.txt", sample_many(30, 100), 0.01);
    check_golden("empty.txt", sample_empty(), 0.01);
    check_golden("service_time.txt", slow_to_send(), 0.01);
}

static void test_widths(void **state)
{
    static const unsigned WIDTHS[] = { 60, 80, 100, 200 };

    (void)state;
    for (size_t i = 0; i < sizeof(WIDTHS) / sizeof(WIDTHS[0]); i++) {
        const struct report_text_options options = { .width = WIDTHS[i] };
        struct result *r = sample_many(30, 100);
        struct buf text;

        result_judge(r, 0, false);
        render(&text, r, &options);
        check_manners(&text, WIDTHS[i] < 80 ? 80 : WIDTHS[i]); /* tables of figures do not shrink */
        if (WIDTHS[i] == 200)
            need(&text, "http://host-29.example.test/a/path/that/is/rather/long/29\n");
        buf_release(&text);
        result_free(r);
    }
}

static void test_verdict_stands_first_and_loud(void **state)
{
    struct result *r = sample_full();
    struct buf text;

    (void)state;
    result_judge(r, 0.01, false);
    render(&text, r, NULL);
    assert_true(slice_starts(buf_slice(&text), SLICE("INVALID: 92 of 101 requests ok, 8 failed, 1 unfinished\n"
                                                     "Do not rely on these figures:\n"
                                                     "  * 8 of 101 requests failed")));
    need(&text, "Load generator: IT WAS THE LIMIT");
    need(&text, "client CPU was full");
    buf_release(&text);
    r->interrupted = true;
    render(&text, r, NULL);
    need(&text, "\nINTERRUPTED: figures up to then\n");
    buf_release(&text);
    result_free(r);
}

/* C69: every reason and warning is in the text, as in the document. */
static void test_reasons_and_warnings_are_shown(void **state)
{
    const struct report_text_options wide = { .width = 400 };
    struct result *r = sample_full();
    struct buf text, json;

    (void)state;
    result_judge(r, 0.01, true);
    render(&text, r, &wide);
    buf_init(&json, TEXT_MAX_BYTES);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    assert_true(r->reasons.count > 3 && r->warnings.count > 3);
    for (size_t i = 0; i < r->reasons.count; i++) {
        need(&text, r->reasons.items[i]);
        need(&json, r->reasons.items[i]);
    }
    for (size_t i = 0; i < r->warnings.count; i++) {
        need(&text, r->warnings.items[i]);
        need(&json, r->warnings.items[i]);
    }
    buf_release(&text);
    buf_release(&json);
    result_free(r);
}

/* C65: whatever the text says can be had from the JSON: the text made of the document read back is the same. */
static void test_every_figure_is_in_the_json(void **state)
{
    struct result *results[] = { sample_plain(), sample_full(), sample_many(40, 9), sample_empty(), slow_to_send() };

    (void)state;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        struct result *back = NULL;
        struct buf json, before, after;

        result_judge(results[i], 0.01, false);
        buf_init(&json, TEXT_MAX_BYTES);
        assert_int_equal(result_to_json(results[i], &json, NULL), 0);
        assert_int_equal(result_from_json(&back, buf_slice(&json), NULL), 0);
        render(&before, results[i], NULL);
        render(&after, back, NULL);
        assert_string_equal(before.data, after.data);
        buf_release(&json);
        buf_release(&before);
        buf_release(&after);
        result_free(back);
        result_free(results[i]);
    }
}

static void test_colours_only_when_asked(void **state)
{
    const struct report_text_options coloured = { .colours = true };
    struct result *r = sample_full();
    struct buf text;

    (void)state;
    result_judge(r, 0.01, false);
    render(&text, r, &coloured);
    assert_true(slice_starts(buf_slice(&text), SLICE("\033[1;31mINVALID\033[0m: ")));
    need(&text, "\033[1;33mWARNINGS\033[0m:\n");
    buf_release(&text);
    render(&text, r, NULL);
    need_not(&text, "\033");
    buf_release(&text);
    result_free(r);
}

/* A percentile that is the maximum for want of requests is marked; one that is not is not. */
static void test_percentiles_beyond_the_count_are_marked(void **state)
{
    static const struct {
        const char *why;
        size_t count;
        const char *says, *not_says;
    } CASES[] = {
        { "p99.9 of 50 is the maximum", 50, "50.0 ms*  50.0 ms*  50.0 ms", NULL },
        { "p99 of 100 is the 99th", 100, "99.0 ms  100 ms*  100 ms", "99.0 ms*" },
        { "p99.9 of 999 is the maximum", 999, "999 ms*  999 ms", "990 ms*" },
        { "p99.9 of 1000 is the 999th", 1000, "990 ms  999 ms  1.00 s", "999 ms*" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *r = sample_empty();
        struct buf text;

        hist_free(r->latency);
        r->latency = sample_hist(1000000, 1000000, CASES[i].count);
        render(&text, r, NULL);
        if (!has(&text, CASES[i].says) || (CASES[i].not_says != NULL && has(&text, CASES[i].not_says)))
            fail_msg("%s:\n%s", CASES[i].why, text.data);
        if (has(&text, "the maximum: there are too few requests for this percentile") != (CASES[i].count < 1000))
            fail_msg("%s: the star is explained when there is one, and only then", CASES[i].why);
        buf_release(&text);
        result_free(r);
    }
}

/* C68: the meaning of what stands in the columns is said in the report itself. */
static void test_columns_are_explained(void **state)
{
    static const char *const SAYS[] = {
        "Latency       from when a request was due to the last byte of its reply",
        "Service time  from its first byte sent to the last byte of its reply",
        "p50 ... p99.9 50 % ... 99.9 % of the requests took at most this long",
        "latency up to  requests",
        "failed requests  of started  first at  last at  kind",
        "Errors (times from the start of the window)",
        "TCP connection",
        "TLS handshake",
        "sent to first byte back",
        "requests/s (90 ok replies inside the window)",
        "% of a core, per thread",
        "how late its timers fired",
    };
    struct result *r = sample_full();
    struct buf text;

    (void)state;
    result_judge(r, 0.1, false);
    render(&text, r, NULL);
    for (size_t i = 0; i < sizeof(SAYS) / sizeof(SAYS[0]); i++)
        need(&text, SAYS[i]);
    buf_release(&text);
    result_free(r);
}

#define NASTY "\033]0;owned\007 \x7f\xc2\x9b\xe2\x80\xae"

static void replace(char **text, const char *by)
{
    free(*text);
    *text = sample_dup(by);
}

/* A server's words can not reach the terminal as commands, and long ones do not break the lines. */
static void test_hostile_texts(void **state)
{
    char longest[2000];
    struct result *r = sample_full();
    struct buf text;

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    replace(&r->errors[0].detail, longest);
    replace(&r->errors[1].detail, NASTY);
    replace(&r->errors[1].first, "HTTP/1.1 503 " NASTY "\r\n\tX: y\n\xff\xfe\n\n\n\n\nend\n\n\n");
    replace(&r->targets[0].url, longest);
    replace(&r->targets[1].url, NASTY);
    replace(&r->addresses[0].address, longest);
    replace(&r->name, NASTY);
    replace(&r->tls_cipher, NASTY);
    assert_true(result_add_warning(r, "%s", longest));
    assert_true(result_add_warning(r, "%s", NASTY));
    result_judge(r, 0.1, false);
    render(&text, r, NULL);
    need_not(&text, "\033");
    need_not(&text, "\xc2\x9b");
    need_not(&text, "\xe2\x80\xae");
    need(&text, "xxxx...xxxx");
    need(&text, "?]0;owned? ?[U+009B][U+202E]");
    buf_release(&text);
    r->target_count = 1; /* the line of a single target */
    render(&text, r, NULL);
    need(&text, "Target        GET xxxx");
    buf_release(&text);
    r->target_count = 2;
    result_free(r);
}

/* Nothing known about anything: NULL everywhere. */
static void test_missing_parts_are_left_out(void **state)
{
    struct result *r = sample_empty();
    struct buf text;

    (void)state;
    r->targets = calloc(2, sizeof(*r->targets));
    r->addresses = calloc(2, sizeof(*r->addresses));
    r->errors = calloc(1, sizeof(*r->errors));
    assert_true(r->targets != NULL && r->addresses != NULL && r->errors != NULL);
    r->target_count = r->address_count = 2;
    r->error_count = 1;
    render(&text, r, NULL);
    check_manners(&text, 80);
    need_not(&text, "Rate ");
    need_not(&text, "TLS ");
    need_not(&text, "phase");
    need_not(&text, "Warm-up");
    need_not(&text, "CPU");
    buf_release(&text);
    result_free(r);
}

static void test_many_kinds_of_errors_are_shortened(void **state)
{
    struct result *r = sample_plain();
    struct buf text;

    (void)state;
    r->errors = calloc(100, sizeof(*r->errors));
    assert_non_null(r->errors);
    r->error_count = 100;
    for (size_t i = 0; i < 100; i++) {
        char detail[32];

        snprintf(detail, sizeof(detail), "status %zu", 400 + i);
        r->errors[i] = (struct error_entry){ .kind = FAIL_STATUS,
                                             .detail = sample_dup(detail),
                                             .count = (i * 37) % 100 };
    }
    render(&text, r, NULL);
    need(&text, "  and 88 more kinds, less frequent\n");
    need(&text, "   99       9.9 %      0 ns     0 ns  status  status 427\n"); /* 27 * 37 = 999 */
    need(&text, "   88       8.8 %");
    need_not(&text, "   87       8.7 %");
    buf_release(&text);
    result_free(r);
}

/* Where URLs differ is what tells the targets apart: what all share is said once. */
static void test_common_part_of_urls_is_said_once(void **state)
{
    static const struct {
        const char *why, *a, *b, *says, *row;
    } CASES[] = {
        { "two paths of a server", "http://a.test:8080/x/one", "http://a.test:8080/x/two",
          "  all URLs begin with http://a.test:8080/x\n", "  /one\n" },
        { "a slash is the border", "http://a.test:8080/one1", "http://a.test:8080/one2",
          "  all URLs begin with http://a.test:8080\n", "  /one1\n" },
        { "nothing but the scheme", "https://a.test/x", "https://b.test/x", NULL, "  https://a.test/x\n" },
        { "one the beginning of the other", "http://a.test/x", "http://a.test/x/y",
          "  all URLs begin with http://a.test\n", "  /x\n" },
        { "the same twice", "http://a.test/x", "http://a.test/x", "  all URLs begin with http://a.test\n", "  /x\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *r = sample_full();
        struct buf text;

        replace(&r->targets[0].url, CASES[i].a);
        replace(&r->targets[1].url, CASES[i].b);
        render(&text, r, NULL);
        if (CASES[i].says == NULL)
            need_not(&text, "all URLs begin");
        else
            need(&text, CASES[i].says);
        need(&text, CASES[i].row);
        buf_release(&text);
        result_free(r);
    }
}

static void test_small_buffer_fails_cleanly(void **state)
{
    struct result *r = sample_full();
    struct buf text;

    (void)state;
    buf_init(&text, 200);
    report_text(&text, r, NULL);
    assert_false(buf_ok(&text));
    buf_release(&text);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_verdict_stands_first_and_loud),
        cmocka_unit_test(test_reasons_and_warnings_are_shown),
        cmocka_unit_test(test_every_figure_is_in_the_json),
        cmocka_unit_test(test_colours_only_when_asked),
        cmocka_unit_test(test_percentiles_beyond_the_count_are_marked),
        cmocka_unit_test(test_columns_are_explained),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_missing_parts_are_left_out),
        cmocka_unit_test(test_many_kinds_of_errors_are_shortened),
        cmocka_unit_test(test_common_part_of_urls_is_said_once),
        cmocka_unit_test(test_small_buffer_fails_cleanly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
