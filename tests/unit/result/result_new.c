/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a result, adding to it, names of kinds and classes, and what happens when memory runs out in the middle. */
#include "result/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../base/alloc_fail.h"
#include "sample.h"

static void test_new_result_knows_itself(void **state)
{
    (void)state;
    struct result *a = NULL, *b = NULL;

    assert_int_equal(result_new(&a, NULL), 0);
    assert_int_equal(result_new(&b, NULL), 0);
    assert_int_equal(strlen(a->id), 36);
    assert_string_not_equal(a->id, b->id);
    assert_int_equal(a->started[strlen(a->started) - 1], 'Z');
    assert_string_equal(a->kind, "load");
    assert_true(a->valid);
    assert_non_null(a->latency);
    assert_non_null(a->service_time);
    assert_true(a->host.cpus > 0);
    assert_true(a->host.memory_bytes > 1000000);
    assert_true(strlen(a->host.kernel) > 5);
    assert_memory_equal(a->host.tool_version, "plimsoll ", 9);
    result_free(a);
    result_free(b);
    result_free(NULL);
}

static void test_messages_are_formatted_and_said_once(void **state)
{
    (void)state;
    struct result *r = sample_empty();

    assert_true(result_add_reason(r, "%d of %s", 5, "many"));
    assert_true(result_add_reason(r, "5 of many"));
    assert_true(result_add_warning(r, "w"));
    assert_int_equal(r->reasons.count, 1);
    assert_string_equal(r->reasons.items[0], "5 of many");
    assert_int_equal(r->warnings.count, 1);
    result_free(r);
}

static void test_config_keeps_order_and_replaces(void **state)
{
    (void)state;
    struct result *r = sample_empty();

    assert_true(result_add_config(r, "b", "%d", 1));
    assert_true(result_add_config(r, "a", "[1.50,  {\"x\": null}]"));
    assert_true(result_add_config_string(r, "b", "a \"quoted\"\tone"));
    assert_true(result_add_config_string(r, "c", NULL));
    assert_false(result_add_config(r, "d", "%f", 0.0 / 0.0));
    assert_false(result_add_config(r, "d", "18446744073709551615"));
    assert_false(result_add_config(r, "d", "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"));
    assert_false(result_add_config(r, "d", "%s", ""));
    assert_int_equal(r->config_count, 3);
    assert_string_equal(r->config[0].name, "b");
    assert_string_equal(r->config[0].json, "\"a \\\"quoted\\\"\\tone\"");
    assert_string_equal(r->config[1].json, "[1.5, {\"x\": null}]");
    assert_string_equal(r->config[2].json, "null");
    result_free(r);
}

static void test_names_go_both_ways(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FAIL_KINDS; i++) {
        enum fail_kind back = FAIL_KINDS;

        assert_int_equal(fail_kind_parse(&back, slice_str(fail_kind_text((enum fail_kind)i))), 0);
        assert_int_equal(back, i);
    }
    enum fail_kind kind = FAIL_DNS;
    assert_int_equal(fail_kind_parse(&kind, SLICE("")), -1);
    assert_int_equal(fail_kind_parse(&kind, SLICE("time")), -1);
    assert_int_equal(fail_kind_parse(&kind, SLICE("timeouts")), -1);
    assert_string_equal(fail_kind_text(FAIL_KINDS), "unknown");
    assert_string_equal(reply_class_text(CLASS_1XX), "1xx");
    assert_string_equal(reply_class_text(CLASS_ERROR), "error");
    assert_string_equal(reply_class_text(CLASSES), "unknown");
    assert_string_equal(phase_text(PHASE_DNS), "dns");
    assert_string_equal(phase_text(PHASE_RECEIVE), "receive");
    assert_string_equal(phase_text(PHASES), "unknown");
}

#define SWEEP_MAX 5000u

/* Every step reports its failure; whatever happened before, result_free() ends it (the sanitizers watch). */
static bool make_and_fill(void)
{
    struct err err = { 0 };
    struct result *r = NULL;
    bool ok = false;

    if (result_new(&r, &err) < 0) {
        assert_null(r);
        assert_int_equal(err.kind, ERR_SYSTEM);
        return false;
    }
    ok = result_add_reason(r, "a reason %d", 1) && result_add_warning(r, "a warning") &&
         result_add_config(r, "a", "[1, {\"b\": 2}]") && result_add_config(r, "a", "2") &&
         result_add_config_string(r, "b", "text");
    result_free(r);
    return ok;
}

static void test_new_survives_every_refused_allocation(void **state)
{
    (void)state;
    for (unsigned nth = 1; nth < SWEEP_MAX; nth++) {
        bool ok;

        alloc_fail_at(nth);
        ok = make_and_fill();
        if (!alloc_fail_end()) {
            assert_true(ok);
            assert_true(nth > 10);
            return;
        }
        if (ok)
            fail_msg("allocation %u failed and nobody noticed", nth);
    }
    fail_msg("the sweep did not end");
}

static void test_json_survives_every_refused_allocation(void **state)
{
    (void)state;
    struct result *r = sample_full();
    struct buf json;

    buf_init(&json, 1u << 22);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    for (unsigned nth = 1; nth < SWEEP_MAX; nth++) {
        struct err err = { 0 };
        struct result *back = NULL;
        struct buf again;
        int rc;

        buf_init(&again, 1u << 22);
        alloc_fail_at(nth);
        rc = result_from_json(&back, buf_slice(&json), &err);
        if (rc == 0)
            rc = result_to_json(back, &again, &err);
        const bool refused = alloc_fail_end();
        /* The quick reader leaves it to the thorough one when it gets no memory: then all must be there. */
        if (refused && rc == 0 && !slice_eq(buf_slice(&again), buf_slice(&json)))
            fail_msg("allocation %u failed and nobody noticed", nth);
        if (refused && rc != 0 && err.kind != ERR_SYSTEM)
            fail_msg("allocation %u: %s", nth, err.what);
        if (!refused)
            assert_int_equal(rc, 0);
        buf_release(&again);
        result_free(back);
        if (!refused) {
            assert_true(nth > 50);
            buf_release(&json);
            result_free(r);
            return;
        }
    }
    fail_msg("the sweep did not end");
}

/* The JSON library's own allocations too: its object files are not ours, so it gets a malloc() that is. Jansson 2.14
 * passes over some refusals while it collects a token, so here a refusal need not be an error; it must do no harm. */
static void *counted[8192];
static size_t counted_count;

static void *counted_malloc(size_t size)
{
    void *p = malloc(size);

    if (p != NULL && counted_count == sizeof(counted) / sizeof(counted[0]))
        fail_msg("more than %zu values", counted_count);
    if (p != NULL)
        counted[counted_count++] = p;
    return p;
}

static void counted_free(void *p)
{
    for (size_t i = counted_count; i-- > 0;)
        if (counted[i] == p) {
            counted[i] = counted[--counted_count];
            break;
        }
    free(p);
}

/* Values end with the blocks that they lie in (json_memory.h), not one by one; here they lie in none. */
static void end_counted(void)
{
    while (counted_count > 0)
        free(counted[--counted_count]);
}

static void test_parsing_survives_every_refused_allocation(void **state)
{
    struct result *r = sample_empty();
    struct buf json;
    bool refused = true;

    (void)state;
    buf_init(&json, 1u << 22);
    assert_int_equal(result_to_json(r, &json, NULL), 0);
    json_set_alloc_funcs(counted_malloc, counted_free);
    for (unsigned nth = 1; refused; nth++) {
        struct err err = { 0 };
        struct result *back = NULL;
        int rc;

        alloc_fail_at(nth);
        rc = result_from_json(&back, buf_slice(&json), &err);
        refused = alloc_fail_end();
        if (rc < 0 && (back != NULL || err.what[0] == '\0'))
            fail_msg("allocation %u: no error", nth);
        if (!refused)
            if (rc != 0 || nth < 200)
                fail_msg("after %u: %s", nth, err.what);
        result_free(back);
        end_counted();
    }
    json_set_alloc_funcs(malloc, free);
    buf_release(&json);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_result_knows_itself),
        cmocka_unit_test(test_messages_are_formatted_and_said_once),
        cmocka_unit_test(test_config_keeps_order_and_replaces),
        cmocka_unit_test(test_names_go_both_ways),
        cmocka_unit_test(test_new_survives_every_refused_allocation),
        cmocka_unit_test(test_json_survives_every_refused_allocation),
        cmocka_unit_test(test_parsing_survives_every_refused_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
