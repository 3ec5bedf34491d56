/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/failures.h"

#include <errno.h>
#include <string.h>

static const struct failure REFUSED = { .kind = FAIL_CONNECT_REFUSED, .sys = ECONNREFUSED, .note = "" };
static const struct failure STATUS_503 = { .kind = FAIL_STATUS, .status = 503, .note = "" };

static const struct failure_seen NOTHING;

static void counts_by_target_and_reason(void **state)
{
    struct failures f;

    (void)state;
    assert_int_equal(failures_init(&f, &(struct failures_limits){ .targets = 2 }, NULL), 0);
    failures_note(&f, 0, &REFUSED, 10, &NOTHING);
    failures_note(&f, 0, &REFUSED, 20, &NOTHING);
    failures_note(&f, 1, &REFUSED, 30, &NOTHING);
    failures_note(&f, 0, &STATUS_503, 40, &NOTHING);
    assert_int_equal(f.count, 3);
    assert_int_equal(f.entries[0].count, 2);
    assert_int_equal(f.entries[0].first_ns, 10);
    assert_int_equal(f.entries[0].last_ns, 20);
    assert_int_equal(f.entries[1].count, 1);
    failures_release(&f);
}

static void a_note_outlives_its_source(void **state)
{
    char text[] = "alert unrecognized_name";
    const struct failure why = { .kind = FAIL_TLS, .note = text };
    struct failures f;
    struct buf detail;

    (void)state;
    assert_int_equal(failures_init(&f, &(struct failures_limits){ .targets = 1 }, NULL), 0);
    failures_note(&f, 0, &why, 1, &NOTHING);
    memset(text, 'x', sizeof(text) - 1);
    buf_init(&detail, 1000);
    failure_detail(&f.entries[0].why, &detail);
    assert_string_equal(detail.data, "alert unrecognized_name");
    buf_release(&detail);
    failures_release(&f);
}

static void details_say_what_was_seen(void **state)
{
    static const struct {
        const char *why;
        struct failure failure;
        const char *want;
    } CASES[] = {
        { "a status", { .kind = FAIL_STATUS, .status = 503, .note = "" }, "status 503" },
        { "an errno is a sentence",
          { .kind = FAIL_CONNECT_REFUSED, .sys = ECONNREFUSED, .note = "" },
          "Connection refused" },
        { "both",
          { .kind = FAIL_TRUNCATED, .sys = ECONNRESET, .note = "in the body" },
          "Connection reset by peer: in the body" },
        { "nothing to say", { .kind = FAIL_CLOSED_EARLY, .note = "" }, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct buf b;

        buf_init(&b, 1000);
        buf_add_str(&b, "");
        failure_detail(&CASES[i].failure, &b);
        if (!slice_eq(buf_slice(&b), slice_str(CASES[i].want)))
            fail_msg("%s: got '%.*s'", CASES[i].why, SLICE_FMT(buf_slice(&b)));
        buf_release(&b);
    }
}

static void the_example_is_in_two_pieces_and_without_secrets(void **state)
{
    const struct slice kept = SLICE("HTTP/1.1 500 Oops\r\nSet-Cookie: sid=topsecret\r\nX-A");
    const struct slice rest = SLICE(": 1\r\n\r\nbody of-this-row, of-its-body");
    struct failures f;
    struct buf text;

    (void)state;
    assert_int_equal(failures_init(&f, &(struct failures_limits){ .targets = 1, .request_slot = 256 }, NULL), 0);
    failures_note(&f, 0, &STATUS_503, 1,
                  &(struct failure_seen){
                      kept, rest, SLICE("GET / HTTP/1.1\r\nX-Api-Key: of-this-row\r\n\r\npassword=of-its-body") });
    buf_init(&text, 10000);
    failure_example(&f, &f.entries[0], &(struct strlist)STRLIST_INIT, &text);
    assert_non_null(strstr(text.data, "HTTP/1.1 500 Oops"));
    assert_non_null(strstr(text.data, "X-A: 1"));
    assert_non_null(strstr(text.data, "body"));
    assert_null(strstr(text.data, "topsecret"));
    assert_non_null(strstr(text.data, "body ***, ***"));
    buf_release(&text);
    failures_release(&f);
}

static void the_first_n_are_saved_whole(void **state)
{
    const struct slice reply = SLICE("HTTP/1.1 500 Oops\r\n\r\n0123456789");
    struct failures f;

    (void)state;
    assert_int_equal(
        failures_init(&f, &(struct failures_limits){ .targets = 1, .saved_max = 2, .saved_slot = 4096 }, NULL), 0);
    for (uint64_t i = 0; i < 5; i++)
        failures_note(&f, 0, &STATUS_503, i, &(struct failure_seen){ .reply = reply });
    assert_int_equal(f.saved_count, 2);
    assert_int_equal(f.saved[1].at_ns, 1);
    assert_int_equal(f.saved[1].len, reply.len);
    assert_memory_equal(f.saved_bytes + 4096, reply.ptr, reply.len);
    failures_release(&f);
}

/* However many reasons a hostile peer invents, every failure is counted. */
static void a_full_table_still_counts_all(void **state)
{
    struct failures f;
    uint64_t sum = 0;

    (void)state;
    assert_int_equal(failures_init(&f, &(struct failures_limits){ .targets = 1 }, NULL), 0);
    for (int i = 0; i < 5000; i++) {
        char note[32];

        snprintf(note, sizeof(note), "reason %d", i);
        failures_note(&f, 0, &(struct failure){ .kind = FAIL_BAD_MESSAGE, .note = note }, 1, &NOTHING);
    }
    assert_int_equal(f.count, f.capacity);
    for (size_t i = 0; i < f.count; i++)
        sum += f.entries[i].count;
    assert_int_equal(sum, 5000);
    failures_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_target_and_reason),
        cmocka_unit_test(a_note_outlives_its_source),
        cmocka_unit_test(details_say_what_was_seen),
        cmocka_unit_test(the_example_is_in_two_pieces_and_without_secrets),
        cmocka_unit_test(the_first_n_are_saved_whole),
        cmocka_unit_test(a_full_table_still_counts_all),
    };

    return cmocka_run_group_tests_name("load failures", tests, NULL, NULL);
}
