/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/loader.h"

#include <pthread.h>
#include <stdlib.h>

enum { TRIES = 5000000, COPIES = 2000, TARGETS = 3 };

struct writer {
    struct run run;
    struct loader worker;
    _Atomic bool end;
};

static struct writer *writer_new(void)
{
    struct writer *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    w->run.target_count = TARGETS;
    w->worker.run = &w->run;
    w->worker.tallies = calloc(TARGETS, sizeof(*w->worker.tallies));
    assert_non_null(w->worker.tallies);
    assert_int_equal(pulse_init(&w->worker.pulse, TARGETS, NULL), 0);
    return w;
}

static void writer_free(struct writer *w)
{
    pulse_release(&w->worker.pulse);
    free(w->worker.tallies);
    free(w);
}

static void count(struct loader *w, uint64_t k)
{
    for (size_t i = 0; i < TARGETS; i++) {
        w->tallies[i].started = 3 * k;
        w->tallies[i].ok = 2 * k;
        w->tallies[i].failed = k;
    }
    w->failed_by_kind[FAIL_RESET] = TARGETS * k;
    w->in_flight = k;
}

static void test_a_copy_has_every_figure(void **state)
{
    struct writer *w = writer_new();
    uint64_t got[PULSE_TARGETS + TARGETS * PULSE_PER_TARGET];

    assert_int_equal(pulse_size(TARGETS), sizeof(got) / sizeof(got[0]));
    count(&w->worker, 7);
    w->worker.tallies[1].bytes_received = 100;
    w->worker.tallies[2].retried = 4;
    w->worker.tallies[2].unfinished = 5;
    w->worker.open_connections = 6;
    pulse_publish(&w->worker);
    assert_true(pulse_read(&w->worker.pulse, got));
    assert_int_equal(got[PULSE_STARTED], 63);
    assert_int_equal(got[PULSE_OK], 42);
    assert_int_equal(got[PULSE_FAILED], 21);
    assert_int_equal(got[PULSE_UNFINISHED], 5);
    assert_int_equal(got[PULSE_RETRIED], 4);
    assert_int_equal(got[PULSE_BYTES_RECEIVED], 100);
    assert_int_equal(got[PULSE_IN_FLIGHT], 7);
    assert_int_equal(got[PULSE_CONNECTIONS], 6);
    assert_int_equal(got[PULSE_KINDS + FAIL_RESET], 21);
    assert_int_equal(got[PULSE_TARGETS + PULSE_PER_TARGET + PULSE_TARGET_OK], 14);
    writer_free(w);
}

static void test_nobody_looks(void **state)
{
    struct loader worker = { 0 };

    pulse_publish(&worker); /* does nothing, and needs nothing */
    pulse_release(&worker.pulse);
}

static void *write_on(void *arg)
{
    struct writer *w = arg;

    for (uint64_t k = 1; !atomic_load(&w->end); k++) {
        count(&w->worker, k);
        pulse_publish(&w->worker);
    }
    return NULL;
}

static void test_a_copy_is_whole_or_none(void **state)
{
    struct writer *w = writer_new();
    uint64_t got[PULSE_TARGETS + TARGETS * PULSE_PER_TARGET], last = 0, taken = 0;
    pthread_t thread;

    pulse_publish(&w->worker);
    assert_int_equal(pthread_create(&thread, NULL, write_on, w), 0);
    for (int i = 0; i < TRIES && taken < COPIES; i++) {
        uint64_t k;

        if (!pulse_read(&w->worker.pulse, got))
            continue;
        taken++;
        k = got[PULSE_IN_FLIGHT];
        assert_true(k >= last);
        last = k;
        assert_int_equal(got[PULSE_STARTED], 3 * TARGETS * k);
        assert_int_equal(got[PULSE_OK], 2 * TARGETS * k);
        assert_int_equal(got[PULSE_KINDS + FAIL_RESET], TARGETS * k);
        for (size_t t = 0; t < TARGETS; t++)
            assert_int_equal(got[PULSE_TARGETS + t * PULSE_PER_TARGET + PULSE_TARGET_FAILED], k);
    }
    atomic_store(&w->end, true);
    pthread_join(thread, NULL);
    assert_true(taken > 0);
    writer_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_has_every_figure),
        cmocka_unit_test(test_nobody_looks),
        cmocka_unit_test(test_a_copy_is_whole_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
