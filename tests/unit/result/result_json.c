/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document: as kept in golden/, the same after reading it back, and refused when it is not one. */
#include "result/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "golden.h"
#include "sample.h"

#define JSON_MAX_BYTES (1u << 24)

static void to_json(const struct result *r, struct buf *out)
{
    struct err err = { 0 };

    buf_init(out, JSON_MAX_BYTES);
    if (result_to_json(r, out, &err) < 0)
        fail_msg("%s", err.what);
}

static void check_round_trip(struct result *r)
{
    struct err err = { 0 };
    struct result *back = NULL;
    struct buf first, second;

    result_judge(r, 0.01, false);
    to_json(r, &first);
    if (result_from_json(&back, buf_slice(&first), &err) < 0)
        fail_msg("%s", err.what);
    to_json(back, &second);
    assert_string_equal(first.data, second.data);
    assert_true(hist_equal(r->latency, back->latency));
    buf_release(&first);
    buf_release(&second);
    result_free(back);
    result_free(r);
}

static void test_round_trip(void **state)
{
    (void)state;
    check_round_trip(sample_empty());
    check_round_trip(sample_plain());
    check_round_trip(sample_full());
    check_round_trip(sample_many(50, 3));
}

/* Latencies over an hour are in no slot, and still come back. */
static void test_overflow_round_trip(void **state)
{
    (void)state;
    struct result *r = sample_plain(), *back = NULL;
    struct buf json;

    hist_record(r->latency, HIST_MAX_NS + 1);
    r->phases[PHASE_DNS] = sample_hist(HIST_MAX_NS + 1, 0, 2);
    to_json(r, &json);
    assert_int_equal(result_from_json(&back, buf_slice(&json), NULL), 0);
    assert_int_equal(hist_overflow(back->latency), 1);
    assert_int_equal(hist_count(back->latency), 1000);
    assert_int_equal(hist_overflow(back->phases[PHASE_DNS]), 2);
    buf_release(&json);
    result_free(back);
    check_round_trip(r);
}

static void test_strange_texts_round_trip(void **state)
{
    (void)state;
    struct result *r = sample_full();

    free(r->name);
    r->name = sample_dup("\xff\x01\"\\");
    free(r->errors[0].first);
    r->errors[0].first = sample_dup("bytes \x80\x81 \x1b[31m \xed\xa0\x80");
    assert_true(strlist_add(&r->labels, SLICE("branch=again")));
    assert_true(strlist_add(&r->labels, SLICE("bare")));
    check_round_trip(r);
}

/* What zlib makes of the slots is its version's business: every "hdr" is checked to be there, and left out. */
static void without_hdr(struct buf *out, struct slice json)
{
    const struct slice mark = SLICE("\"hdr\": \"");

    while (json.len > 0) {
        const struct slice line = slice_split(&json, '\n');
        const ptrdiff_t at = slice_find_slice(line, mark);

        if (at < 0) {
            buf_add_slice(out, line);
        } else {
            assert_true(slice_starts(slice_drop(line, (size_t)at + mark.len), SLICE("HISTFAAA")));
            buf_add_slice(out, slice_take(line, (size_t)at + mark.len));
            buf_add_str(out, "...\"");
        }
        buf_add_char(out, '\n');
    }
}

static void check_golden(const char *path, struct result *r)
{
    struct buf json, plain;

    result_judge(r, 0.01, false);
    to_json(r, &json);
    buf_init(&plain, JSON_MAX_BYTES);
    without_hdr(&plain, buf_slice(&json));
    golden_check(path, buf_slice(&plain));
    buf_release(&plain);
    buf_release(&json);
    result_free(r);
}

static void test_golden(void **state)
{
    (void)state;
    check_golden("full.json", sample_full());
    check_golden("plain.json", sample_plain());
    check_golden("empty.json", sample_empty());
}

static double number_at(const json_t *document, const char *object, const char *key)
{
    const json_t *value = json_object_get(json_object_get(document, object), key);

    if (!json_is_number(value))
        fail_msg("%s.%s is not a number", object, key);
    return json_number_value(value);
}

/* C11: i ms for i = 1 … 1000. Percentiles within the histogram's 0.1 %, count, sum, mean, min and max exact. */
static void test_figures_of_a_known_run(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double want, tolerance;
    } CASES[] = {
        { "count", 1000, 0 },
        { "sum_ns", 500500e6, 0 },
        { "mean", 0.5005, 0 },
        { "min", 0.001, 0 },
        { "max", 1.0, 0 },
        { "p50", 0.5, 0.0005 },
        { "p90", 0.9, 0.0009 },
        { "p99", 0.99, 0.00099 },
        { "p999", 0.999, 0.000999 },
        { "p9999", 1.0, 0 },
        { "stddev", 0.2886749902572095, 0.0003 },
    };
    struct result *r = sample_plain();
    struct buf json;
    json_t *document;

    to_json(r, &json);
    document = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const double got = number_at(document, "latency", CASES[i].key);

        if (got < CASES[i].want - CASES[i].tolerance || got > CASES[i].want + CASES[i].tolerance)
            fail_msg("%s is %.17g, not %.17g", CASES[i].key, got, CASES[i].want);
    }
    json_decref(document);
    buf_release(&json);
    result_free(r);
}

/* Asking for one that is there already does not write a key twice. */
static void test_percentile_keys_are_unique(void **state)
{
    (void)state;
    struct result *r = sample_full();
    struct buf json;
    json_t *document;

    r->percentiles[0] = 99.9;
    r->percentiles[1] = 99.9;
    to_json(r, &json);
    document = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    json_decref(document);
    buf_release(&json);
    result_free(r);
}

/* A document with one piece of text exchanged. */
static void exchanged(struct buf *out, struct slice json, const char *from, const char *to)
{
    const ptrdiff_t at = slice_find_slice(json, slice_str(from));

    if (at < 0)
        fail_msg("the document has no %s", from);
    buf_add_slice(out, slice_take(json, (size_t)at));
    buf_add_str(out, to);
    buf_add_slice(out, slice_drop(json, (size_t)at + strlen(from)));
}

static const struct refused_case {
    const char *why, *from, *to, *says;
} REFUSED[] = {
    { "another format", "\"plimsoll-result\"", "\"other\"", "\"format\" is not" },
    { "no format", "\"format\"", "\"formal\"", "\"format\" is not" },
    { "a newer version", "\"version\": 1", "\"version\": 2", "its version is 2" },
    { "a verdict is needed", "\"valid\": ", "\"valued\": ", "\"valid\" is missing" },
    { "a text as a verdict", "\"valid\": true", "\"valid\": \"true\"", "\"valid\" is missing" },
    { "no totals", "\"totals\"", "\"total\"", "totals: missing" },
    { "totals is no object", "\"totals\": {", "\"totals\": [], \"x\": {", "\"totals\" must be an object" },
    { "a negative count", "\"started\": 101", "\"started\": -1", "\"started\" must be a whole number" },
    { "a fraction as a count", "\"started\": 101", "\"started\": 1.5", "\"started\" must be a whole number" },
    { "a text as a number", "\"duration_s\": 5,", "\"duration_s\": \"5\",", "\"duration_s\" must be a number" },
    { "a number as a text", "\"name\": \"", "\"name\": 5, \"y\": \"", "\"name\" must be a string" },
    { "an id that is too long", "\"id\": \"", "\"id\": \"0123456789", "\"id\" is longer than 36 bytes" },
    { "a label that is no text", "\"branch\": \"main\"", "\"branch\": 1", "label \"branch\" must be a string" },
    { "reasons that are no list", "\"reasons\": []", "\"reasons\": {}", "\"reasons\" must be a list" },
    { "a command of numbers", "\"command\": [", "\"command\": [1,", "\"command\" must hold strings" },
    { "an unknown kind of failure", "\"kind\": \"timeout\"", "\"kind\": \"tired\"", "\"tired\" is not a kind" },
    { "an unknown kind in a second", "\"timeout\": 5", "\"tired\": 5", "\"tired\" is no kind of error" },
    { "kinds of a second that are no numbers", "\"timeout\": 5", "\"timeout\": \"5\"", "\"timeout\" must be a whole" },
    { "a status of words", "\"200\": 90", "\"ok\": 90", "\"ok\" is not a status" },
    { "a status out of range", "\"200\": 90", "\"1000\": 90", "\"1000\" is not a status" },
    { "a percentile above 100", "[99.95, 25]", "[101, 25]", "between 0 and 100" },
    { "count against slots", "\"count\": 92,", "\"count\": 91,", "disagree" },
    { "min outside the slots", "\"min\": 0.001,", "\"min\": 0.5,", "latency: minimum" },
    { "broken base64", "\"HISTFAAA", "\"HISTF*AA", "tls: " },
    { "a latency without slots", "\"hdr\"", "\"hrd\"", "without \"hdr\"" },
    { "addresses of numbers", "\"addresses\": [", "\"addresses\": [5,", "addresses: entry 0 must be an object" },
    { "a config nested for ever", "\"source\": null",
      "\"source\": [[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]", "nested too deeply" },
    { "a key twice", "\"name\": ", "\"id\": \"x\", \"name\": ", "duplicate" },
    { "cut short", "\"generator\"", "", "not JSON: line" },
};

static void test_what_is_not_a_document_is_refused(void **state)
{
    (void)state;
    struct result *r = sample_full();
    struct buf json;

    to_json(r, &json);
    for (size_t i = 0; i < sizeof(REFUSED) / sizeof(REFUSED[0]); i++) {
        struct err err = { 0 };
        struct result *back = NULL;
        struct buf changed;

        buf_init(&changed, JSON_MAX_BYTES);
        exchanged(&changed, buf_slice(&json), REFUSED[i].from, REFUSED[i].to);
        if (result_from_json(&back, buf_slice(&changed), &err) == 0)
            fail_msg("accepted: %s", REFUSED[i].why);
        assert_null(back);
        if (strstr(err.what, REFUSED[i].says) == NULL)
            fail_msg("%s: says \"%s\"", REFUSED[i].why, err.what);
        buf_release(&changed);
    }
    buf_release(&json);
    result_free(r);
}

/* The escape of U+0000 would end a text for every reader; a backslash before it makes it another text. */
static void test_escaped_nul(void **state)
{
    const struct slice json = SLICE("{\"format\":\"plimsoll-result\",\"version\":1,\"valid\":false,\"totals\":{},"
                                    "\"name\":\"a\\u0000b\\\\u0000\\\\\\u0000\"}");
    struct result *r = NULL;
    struct err err = { 0 };

    (void)state;
    if (result_from_json(&r, json, &err) != 0)
        fail_msg("%s", err.what);
    assert_string_equal(r->name, "a\xef\xbf\xbd"
                                 "b\\u0000\\\xef\xbf\xbd");
    result_free(r);
}

/* Every prefix of a document ends right before a page that can not be read. */
static void test_no_byte_beyond_the_input_is_read(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct result *r = sample_empty();
    struct buf json;

    to_json(r, &json);
    const size_t room = (json.len + page - 1) / page * page;
    char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + room, page, PROT_NONE), 0);
    for (size_t len = 0; len + 2 < json.len; len += len < 64 ? 1 : 13) {
        char *at = memory + room - len;
        struct result *back = NULL;

        memcpy(at, json.data, len);
        assert_int_equal(result_from_json(&back, slice_from(at, len), NULL), -1);
    }
    munmap(memory, room + page);
    buf_release(&json);
    result_free(r);
}

/* Of version 1 from elsewhere: what is unknown to us may be missing, and unknown members are no harm. */
static void test_smallest_document(void **state)
{
    (void)state;
    const struct slice json = SLICE(
        "{\"format\":\"plimsoll-result\",\"version\":1,\"valid\":false,\"totals\":{},\"new\":[1]}");
    struct result *r = NULL;

    assert_int_equal(result_from_json(&r, json, NULL), 0);
    assert_false(r->valid);
    assert_int_equal(r->totals.started, 0);
    assert_int_equal(hist_count(r->latency), 0);
    check_round_trip(r);
}

static void test_too_small_a_buffer_is_an_error(void **state)
{
    (void)state;
    struct result *r = sample_full();
    struct err err = { 0 };
    struct buf json;

    buf_init(&json, 1000);
    assert_int_equal(result_to_json(r, &json, &err), -1);
    assert_int_not_equal(err.kind, ERR_NONE);
    buf_release(&json);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_overflow_round_trip),
        cmocka_unit_test(test_strange_texts_round_trip),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_figures_of_a_known_run),
        cmocka_unit_test(test_percentile_keys_are_unique),
        cmocka_unit_test(test_what_is_not_a_document_is_refused),
        cmocka_unit_test(test_no_byte_beyond_the_input_is_read),
        cmocka_unit_test(test_escaped_nul),
        cmocka_unit_test(test_smallest_document),
        cmocka_unit_test(test_too_small_a_buffer_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
