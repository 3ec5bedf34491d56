/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs, without the command line: the order of rounds, what callbacks are told, stopping, and memory that runs
 * out. */
#include "rounds/rounds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "alloc_fail.h"
#include "rounds/order.h"

struct told {
    unsigned lines, copies, rounds;
    volatile int stop;
};

static void on_line(void *arg, const struct line *line)
{
    struct told *seen = arg;

    assert_true(slice_eq(line->bytes, SLICE("hello")));
    seen->lines++;
}

static void on_copy(void *arg, const struct rounds_round *round, struct rounds_copy *copy, uint64_t start_ns)
{
    struct told *seen = arg;

    assert_true(copy->index <= round->concurrency);
    assert_true(start_ns > 0);
    seen->copies++;
}

static void on_round(void *arg, const struct rounds_round *round)
{
    struct told *seen = arg;

    assert_int_equal(round->number, ++seen->rounds);
}

static void stop_after_one(void *arg, const struct rounds_round *round)
{
    (void)round;
    ((struct told *)arg)->stop = 1;
}

static const uint32_t SIZES[] = { 1, 3 };
static const char *const HELLO[] = { "/bin/echo", "hello" };

static struct result *new_result(void)
{
    struct result *r = NULL;

    if (result_new(&r, NULL) != 0)
        return NULL;
    if (result_make_rounds(r, NULL) == 0 && rounds_result_add_series(r->rounds, "a", "echo") != NULL)
        return r;
    result_free(r);
    return NULL;
}

static struct rounds_plan plan_of(struct result *result, struct told *seen)
{
    return (struct rounds_plan){
        .commands = { { HELLO, 2, "a" } },
        .command_count = 1,
        .sizes = SIZES,
        .size_count = 2,
        .samples = 2,
        .kill_after_ns = 1000000000u,
        .result = result,
        .stop = &seen->stop,
        .arg = seen,
        .on_line = on_line,
        .on_copy = on_copy,
        .on_round = on_round,
    };
}

static void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_callbacks_are_told_everything_once(void **state)
{
    (void)state;
    struct result *r = new_result();
    struct told seen = { 0 };
    const struct rounds_plan plan = plan_of(r, &seen);
    struct err err = { 0 };

    if (rounds_run(&plan, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(seen.rounds, 4);
    assert_int_equal(seen.copies, 8);
    assert_int_equal(seen.lines, 8);
    assert_int_equal(r->totals.ok, 8);
    result_judge(r, 0, false);
    assert_true(r->valid);
    no_child_is_left();
    result_free(r);
}

static void test_stopped_between_two_rounds(void **state)
{
    (void)state;
    struct result *r = new_result();
    struct told seen = { 0 };
    struct rounds_plan plan = plan_of(r, &seen);

    plan.on_round = stop_after_one;
    assert_int_equal(rounds_run(&plan, NULL), 0);
    assert_true(r->interrupted);
    assert_int_equal(r->rounds->round_count, 1);
    assert_int_equal(r->totals.ok, 1);
    result_free(r);
}

static void test_order(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        enum rounds_order order;
        size_t commands;
        uint32_t warmup;
        const char *want; /* size, then the command's letter; w for a warm-up */
    } CASES[] = {
        { "every size, then again", ROUNDS_INTERLEAVED, 1, 0, "1a 3a 1a 3a " },
        { "as written", ROUNDS_AS_WRITTEN, 1, 0, "1a 1a 3a 3a " },
        { "two commands, each first in turn", ROUNDS_INTERLEAVED, 2, 0, "1a 1b 3b 3a 1b 1a 3a 3b " },
        { "warm-ups of the first size", ROUNDS_AS_WRITTEN, 2, 1, "w1a w1b 1a 1b 1b 1a 3b 3a 3a 3b " },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct rounds_plan plan = {
            .command_count = CASES[i].commands,
            .sizes = SIZES,
            .size_count = 2,
            .samples = 2,
            .warmup = CASES[i].warmup,
            .order = CASES[i].order,
        };
        struct order_entry *list = NULL;
        struct buf got;
        size_t count;

        buf_init(&got, 1000);
        assert_int_equal(order_make(&list, &count, &plan, NULL), 0);
        for (size_t k = 0; k < count; k++)
            buf_printf(&got, "%s%u%c ", list[k].warmup ? "w" : "", (unsigned)list[k].concurrency, "ab"[list[k].series]);
        if (!slice_eq(buf_slice(&got), slice_str(CASES[i].want)))
            fail_msg("%s: %s", CASES[i].why, got.data);
        buf_release(&got);
        free(list);
    }
}

/* Each allocation of a run refused in turn: it may end early, but it ends, and takes its children along. */
static void test_survives_every_refused_allocation(void **state)
{
    (void)state;
    bool refused = true;

    for (unsigned nth = 1; refused; nth++) {
        struct result *r = new_result();
        struct told seen = { 0 };
        struct rounds_plan plan = plan_of(r, &seen);
        int rc;

        assert_non_null(r);
        plan.samples = 1;
        alloc_fail_at(nth);
        rc = rounds_run(&plan, NULL);
        refused = alloc_fail_end();
        if (rc == 0 && !refused)
            assert_int_equal(r->totals.ok, 4);
        no_child_is_left();
        result_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callbacks_are_told_everything_once),
        cmocka_unit_test(test_stopped_between_two_rounds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
