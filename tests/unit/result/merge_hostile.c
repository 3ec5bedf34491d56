/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts that somebody wrote by hand, or a disk damaged: each member of a document in turn becomes each thing that it is
 * not. Either it is refused, as no result document and with the member's name, or it is merged, in both orders to the
 * same bytes. */
#include "result/merge.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

#define JSON_MAX_BYTES (1u << 24)
/* Of each list, and of all histograms: the others are alike. */
enum { ELEMENTS_MAX = 1, HISTOGRAMS_MAX = 2 };

struct attempt {
    json_t *document;
    const struct result *other; /* a good part of the same plan */
    const char *member, *value; /* in hand */
    size_t histograms;
    size_t refused, merged;
};

static char *json_of(const struct result *r)
{
    struct buf text;

    buf_init(&text, JSON_MAX_BYTES);
    if (result_to_json(r, &text, NULL) != 0)
        fail_msg("a result can not be written");
    return buf_detach(&text);
}

static bool is_of_memory(const struct err *err)
{
    return strstr(err->what, "out of memory") != NULL || strstr(err->what, "no memory") != NULL;
}

/* NULL when it is refused. */
static char *merge_two(const struct attempt *a, const struct result *first, const struct result *second)
{
    struct merge m = { 0 };
    struct result *all = NULL;
    struct err err = { 0 };
    char *json = NULL;

    if (merge_add(&m, first, "one", &err) == 0 && merge_add(&m, second, "other", &err) == 0 &&
        merge_finish(&m, &all, &err) == 0)
        json = json_of(all);
    else if (err.kind != ERR_CONFIG || is_of_memory(&err))
        fail_msg("\"%s\": %s is refused with: %s", a->member, a->value, err.what);
    merge_release(&m);
    result_free(all);
    return json;
}

static void merge_both_ways(struct attempt *a, const struct result *r)
{
    char *one = merge_two(a, r, a->other), *other = merge_two(a, a->other, r);

    if ((one == NULL) != (other == NULL) || (one != NULL && strcmp(one, other) != 0))
        fail_msg("\"%s\": %s is merged to something else in the other order", a->member, a->value);
    a->merged += one != NULL;
    free(one);
    free(other);
}

static void try(struct attempt *a)
{
    char *text = json_dumps(a->document, 0);
    struct result *r = NULL;
    struct err err = { 0 };

    if (result_from_json(&r, slice_str(text), &err) == 0) {
        if (strcmp(a->value, "null") != 0 || r->part_count > 0) /* the same as a member that is absent */
            merge_both_ways(a, r);
    } else {
        a->refused++;
        if (strstr(err.what, "not a result document") == NULL || is_of_memory(&err))
            fail_msg("\"%s\": %s is refused with: %s", a->member, a->value, err.what);
    }
    result_free(r);
    free(text);
}

/* Values of every kind, at the borders of numbers and beyond. */
static const char *const VALUES[] = {
    "null",
    "true",
    "\"x\"",
    "-1",
    "9223372036854775807",
    "-1e300",
    "1e300",
    "{}",
    "[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]",
    "[null, 1, \"x\", {}]",
    "{\"x\": {\"x\": 1}, \"200\": \"y\", \"1000\": 1}",
    "\"HISTFAAAADF4nJNpmSzMwMDAzcDAwMjAwMDMAAGMDAzMbgY7FjDA+Of5md6vY2Q5vJqRCQCE7wcc\"",
};

static json_t *value_of(const char *text)
{
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

static void try_all(struct attempt *a, json_t *container);

static void put(json_t *container, const char *key, size_t i, json_t *value)
{
    assert_int_equal(key != NULL ? json_object_set(container, key, value) : json_array_set(container, i, value), 0);
}

static void try_member(struct attempt *a, json_t *container, const char *key, size_t i)
{
    json_t *value = json_incref(key != NULL ? json_object_get(container, key) : json_array_get(container, i));
    char *half = json_is_string(value) ? strndup(json_string_value(value), json_string_length(value) / 2) : NULL;

    a->member = key != NULL ? key : "an element";
    for (size_t v = 0; v < sizeof(VALUES) / sizeof(VALUES[0]); v++) {
        json_t *instead = value_of(VALUES[v]);

        a->value = VALUES[v];
        put(container, key, i, instead);
        try(a);
        json_decref(instead);
    }
    if (half != NULL) { /* cut */
        json_t *instead = json_string(half);

        a->value = half;
        put(container, key, i, instead);
        try(a);
        json_decref(instead);
    }
    put(container, key, i, value);
    if (json_object_get(value, "hdr") != NULL)
        a->histograms++;
    if (json_object_get(value, "hdr") == NULL || a->histograms <= HISTOGRAMS_MAX)
        try_all(a, value);
    json_decref(value);
    free(half);
}

static void try_all(struct attempt *a, json_t *container)
{
    json_t *names = json_object();
    const char *key;
    json_t *value;
    void *next;

    if (json_is_object(container))
        json_object_update(names, container); /* what is walked over must not change */
    json_object_foreach_safe(names, next, key, value) try_member(a, container, key, 0);
    for (size_t i = 0; i < json_array_size(container) && i < ELEMENTS_MAX; i++)
        try_member(a, container, NULL, i);
    json_decref(names);
}

static struct result *share(struct result *r, const char *id, const char *which)
{
    snprintf(r->id, sizeof(r->id), "%s", id);
    assert_true(result_add_config_string(r, "share", which));
    snprintf(r->start.at, sizeof(r->start.at), "%s", r->started);
    return r;
}

static void try_document(struct result *r, const struct result *other)
{
    char *text = json_of(r);
    struct attempt a = { .document = json_loads(text, 0, NULL), .other = other };

    try_all(&a, a.document);
    assert_true(a.refused > 1000 && a.merged > 300); /* so that neither is for another reason */
    json_decref(a.document);
    free(text);
    result_free(r);
}

static void test_a_part(void **state)
{
    struct result *other = share(sample_full(), "22222222-0000-4000-8000-000000000000", "2/3");

    (void)state;
    try_document(share(sample_full(), "11111111-0000-4000-8000-000000000000", "1/3"), other);
    result_free(other);
}

static void test_a_merged_one(void **state)
{
    struct result *one = share(sample_plain(), "11111111-0000-4000-8000-000000000000", "1/3");
    struct result *two = share(sample_plain(), "22222222-0000-4000-8000-000000000000", "2/3");
    struct result *three = share(sample_plain(), "33333333-0000-4000-8000-000000000000", "3/3"), *all = NULL;
    struct merge m = { 0 };

    (void)state;
    assert_int_equal(merge_add(&m, one, "one", NULL), 0);
    assert_int_equal(merge_add(&m, two, "two", NULL), 0);
    assert_int_equal(merge_finish(&m, &all, NULL), 0);
    merge_release(&m);
    try_document(all, three);
    result_free(one);
    result_free(two);
    result_free(three);
}

/* The errors of those that were once met. */
static void test_what_is_said(void **state)
{
    static const struct {
        const char *why, *member, *value, *said;
    } CASES[] = {
        { "a number as a share", "share", "1", "config: \"share\" must be a string" },
        { "an object as a share", "share", "{}", "config: \"share\" must be a string" },
        { "a share that is none", "share", "\"x\"", "config: \"share\" must be I/N" },
        { "the third of two", "share", "\"3/2\"", "config: \"share\" must be I/N" },
        { "more shares than can be counted", "share", "\"1/18446744073709551615\"", "config: \"share\" must be I/N" },
    };
    struct result *r = share(sample_plain(), "11111111-0000-4000-8000-000000000000", "1/3");
    char *text = json_of(r);
    json_t *document = json_loads(text, 0, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *none = NULL;
        struct err err = { 0 };
        char *changed;

        json_object_set_new(json_object_get(document, "config"), CASES[i].member, value_of(CASES[i].value));
        changed = json_dumps(document, 0);
        if (result_from_json(&none, slice_str(changed), &err) != -1 || err.kind != ERR_CONFIG ||
            strstr(err.what, CASES[i].said) == NULL)
            fail_msg("%s: %s", CASES[i].why, err.what);
        free(changed);
    }
    json_decref(document);
    free(text);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_part),
        cmocka_unit_test(test_a_merged_one),
        cmocka_unit_test(test_what_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
