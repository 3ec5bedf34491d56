/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_repeat.h"

#include "../base/edge.h"

#include <string.h>

static struct edge edge;

static const struct use_case {
    const char *why;
    struct slice block;
    bool is_readable, reads;
    unsigned additions;
} USES[] = {
    { "no field at all", SLICE(""), true, false, 0 },
    { "the static table's last", SLICE("\xbd"), true, false, 0 },
    { "the dynamic table's first", SLICE("\xbe"), true, true, 0 },
    { "an index of three bytes", SLICE("\xff\x80\x01"), true, true, 0 },
    { "index 0 is an error", SLICE("\x80"), false, false, 0 },
    { "an index that is cut", SLICE("\xff"), false, true, 0 },
    { "an index without end", SLICE("\xff\x80\x80\x80\x80\x80\x80\x80"), false, true, 0 },
    { "a literal, its name static",
      SLICE("\x0f\x0d\x02"
            "17"),
      true, false, 0 },
    { "a literal, its name dynamic",
      SLICE("\x0f\x2f\x02"
            "17"),
      true, true, 0 },
    { "a literal, its name a string",
      SLICE("\x00\x01"
            "a"
            "\x02"
            "17"),
      true, false, 0 },
    { "never indexed",
      SLICE("\x1f\x0d\x02"
            "17"),
      true, false, 0 },
    { "a value that is cut",
      SLICE("\x0f\x0d\x03"
            "17"),
      false, false, 0 },
    { "a value that is missing",
      SLICE("\x00\x01"
            "a"),
      false, false, 0 },
    { "an empty value",
      SLICE("\x00\x01"
            "a"
            "\x00"),
      true, false, 0 },
    { "a Huffman string is a string",
      SLICE("\x00\x81"
            "a"
            "\x82"
            "17"),
      true, false, 0 },
    { "added, its name static",
      SLICE("\x5c\x02"
            "17"),
      true, false, 1 },
    { "added, its name dynamic",
      SLICE("\x7e\x02"
            "17"),
      true, true, 1 },
    { "added twice, its name a string",
      SLICE("\x40\x01"
            "a"
            "\x01"
            "1"
            "\x40\x01"
            "a"
            "\x01"
            "1"),
      true, false, 2 },
    { "nginx's way",
      SLICE("\x88\x5c\x02"
            "17"
            "\x5f\x01"
            "t"),
      true, false, 2 },
    { "adds a field and points at it",
      SLICE("\x5c\x02"
            "17"
            "\xbe"),
      true, true, 1 },
    { "the table's size", SLICE("\x20\x88"), false, false, 0 },
};

static void blocks_are_looked_over(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(USES) / sizeof(*USES); i++) {
        const struct use_case *c = &USES[i];
        const struct h2_block_use use = h2_block_use(edge_put(&edge, c->block.ptr, c->block.len));

        if (use.is_readable != c->is_readable || use.reads != c->reads || use.additions != c->additions)
            fail_msg("%s: readable %d, reads %d, additions %u", c->why, use.is_readable, use.reads, use.additions);
    }
}

static const struct slice ALONE = SLICE("\x88"), READS = SLICE("\x88\xbe"),
                          ADDS = SLICE("\x88\x5c\x02"
                                       "17"),
                          ADDS_OTHER = SLICE("\x88\x5c\x02"
                                             "18"),
                          BOTH = SLICE("\xbe\x5c\x02"
                                       "19");

static void learn(struct h2_repeat *r, struct slice block)
{
    const struct h2_head head = { .has_status = true, .status = 200 };

    h2_repeat_learn(r, block);
    h2_repeat_field(r, SLICE(":status"), SLICE("200"));
    h2_repeat_learnt(r, &head);
}

static void what_was_learnt_is_found(void **state)
{
    struct h2_repeat r = { 0 };
    const struct h2_repeat_block *b;
    struct slice name, value;
    unsigned index = 0;
    size_t at = 0;

    (void)state;
    assert_null(h2_repeat_find(&r, ALONE));
    assert_null(h2_repeat_find(&r, SLICE("")));
    h2_repeat_learn(&r, ALONE);
    h2_repeat_field(&r, SLICE(":status"), SLICE("200"));
    h2_repeat_field(&r, SLICE("a"), SLICE(""));
    assert_null(h2_repeat_find(&r, ALONE)); /* not all of it is known yet */
    h2_repeat_learnt(&r, &(struct h2_head){ .has_length = true, .length = 17 });
    b = h2_repeat_find(&r, ALONE);
    assert_non_null(b);
    assert_int_equal(b->head.length, 17);
    assert_true(h2_repeat_next(b, &index, &at, &name, &value));
    assert_true(slice_eq(name, SLICE(":status")) && slice_eq(value, SLICE("200")));
    assert_true(h2_repeat_next(b, &index, &at, &name, &value));
    assert_true(slice_eq(name, SLICE("a")) && value.len == 0);
    assert_false(h2_repeat_next(b, &index, &at, &name, &value));
}

static void two_blocks_are_remembered(void **state)
{
    struct h2_repeat r = { 0 };

    (void)state;
    learn(&r, ADDS);
    learn(&r, ADDS_OTHER);
    assert_non_null(h2_repeat_find(&r, ADDS));
    assert_non_null(h2_repeat_find(&r, ADDS_OTHER));
    learn(&r, ALONE);
    assert_null(h2_repeat_find(&r, ADDS));
    assert_non_null(h2_repeat_find(&r, ADDS_OTHER));
}

static void a_changed_table_makes_forget_what_reads_it(void **state)
{
    static const struct {
        const char *why;
        struct slice then;
        bool is_passed, is_kept;
    } CASES[] = {
        { "nothing is changed", SLICE("\x89"), false, true },
        { "a field is added",
          SLICE("\x88\x5c\x02"
                "17"),
          false, false },
        { "a field is added by what is never remembered",
          SLICE("\xbe\x5c\x02"
                "19"),
          false, false },
        { "another size", SLICE("\x20\x88"), false, false },
        { "not looked over", SLICE(""), true, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct h2_repeat r = { 0 };

        learn(&r, READS);
        assert_non_null(h2_repeat_find(&r, READS));
        if (CASES[i].is_passed)
            h2_repeat_pass(&r);
        else
            learn(&r, CASES[i].then);
        if ((h2_repeat_find(&r, READS) != NULL) != CASES[i].is_kept)
            fail_msg("%s", CASES[i].why);
    }
}

static void what_was_skipped_changes_the_table_too(void **state)
{
    struct h2_repeat r = { 0 };

    (void)state;
    learn(&r, ADDS);
    learn(&r, READS);
    h2_repeat_skip(&r, h2_repeat_find(&r, ADDS));
    assert_null(h2_repeat_find(&r, READS));
}

static void what_adds_and_reads_is_not_remembered(void **state)
{
    struct h2_repeat r = { 0 };

    (void)state;
    learn(&r, BOTH);
    assert_null(h2_repeat_find(&r, BOTH));
}

static void what_is_too_large_is_not_remembered(void **state)
{
    static const char text[H2_REPEAT_TEXT_MAX + 1];
    const struct slice fits = slice_from(text, H2_REPEAT_TEXT_MAX), more = slice_from(text, sizeof(text));
    char many[H2_REPEAT_BLOCK_MAX + 1];
    struct h2_repeat r = { 0 };

    (void)state;
    memset(many, 0x88, sizeof(many));
    learn(&r, slice_from(many, sizeof(many)));
    assert_null(h2_repeat_find(&r, slice_from(many, sizeof(many))));
    learn(&r, slice_from(many, sizeof(many) - 1));
    assert_non_null(h2_repeat_find(&r, slice_from(many, sizeof(many) - 1)));

    for (unsigned i = 0; i < 3; i++) {
        r = (struct h2_repeat){ 0 };
        h2_repeat_learn(&r, ALONE);
        h2_repeat_field(&r, i == 1 ? more : SLICE(""), i == 0 ? fits : i == 2 ? more : SLICE(""));
        h2_repeat_learnt(&r, &(struct h2_head){ 0 });
        assert_int_equal(h2_repeat_find(&r, ALONE) != NULL, i == 0);
    }

    r = (struct h2_repeat){ 0 };
    h2_repeat_learn(&r, ALONE);
    for (unsigned i = 0; i <= H2_REPEAT_FIELDS_MAX; i++)
        h2_repeat_field(&r, SLICE("a"), SLICE("b"));
    h2_repeat_learnt(&r, &(struct h2_head){ 0 });
    assert_null(h2_repeat_find(&r, ALONE));
}

static void what_was_skipped_is_owed_in_order(void **state)
{
    const struct h2_repeat_block *owed[H2_REPEAT_OWED_MAX], *a, *b;
    struct h2_repeat r = { 0 };

    (void)state;
    learn(&r, ADDS);
    learn(&r, ADDS_OTHER);
    a = h2_repeat_find(&r, ADDS);
    b = h2_repeat_find(&r, ADDS_OTHER);
    h2_repeat_skip(&r, a);
    h2_repeat_skip(&r, b);
    h2_repeat_skip(&r, b);
    assert_int_equal(h2_repeat_owed(&r, owed), 3);
    assert_true(owed[0] == a && owed[1] == b && owed[2] == b);
    h2_repeat_paid(&r);
    assert_int_equal(h2_repeat_owed(&r, owed), 0);

    for (unsigned i = 0; i < 1000; i++)
        h2_repeat_skip(&r, i % 3 == 0 ? a : b);
    assert_int_equal(h2_repeat_owed(&r, owed), H2_REPEAT_OWED_MAX);
    for (unsigned i = 0; i < H2_REPEAT_OWED_MAX; i++)
        assert_true(owed[i] == ((1000 - H2_REPEAT_OWED_MAX + i) % 3 == 0 ? a : b));
}

static void what_adds_much_is_owed_less_often(void **state)
{
    const struct slice twice = SLICE("\x40\x01"
                                     "a"
                                     "\x01"
                                     "1"
                                     "\x40\x01"
                                     "a"
                                     "\x01"
                                     "1");
    const struct h2_repeat_block *owed[H2_REPEAT_OWED_MAX];
    struct h2_repeat r = { 0 };

    (void)state;
    learn(&r, twice);
    for (unsigned i = 0; i < 1000; i++)
        h2_repeat_skip(&r, h2_repeat_find(&r, twice));
    assert_int_equal(h2_repeat_owed(&r, owed), H2_REPEAT_OWED_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_looked_over),
        cmocka_unit_test(what_was_learnt_is_found),
        cmocka_unit_test(two_blocks_are_remembered),
        cmocka_unit_test(a_changed_table_makes_forget_what_reads_it),
        cmocka_unit_test(what_was_skipped_changes_the_table_too),
        cmocka_unit_test(what_adds_and_reads_is_not_remembered),
        cmocka_unit_test(what_is_too_large_is_not_remembered),
        cmocka_unit_test(what_was_skipped_is_owed_in_order),
        cmocka_unit_test(what_adds_much_is_owed_less_often),
    };

    edge = edge_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
