/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways out of a worker while it measures: its seconds and its ended requests. */
#include "load/interval_log.h"
#include "load/record_ring.h"

#include <pthread.h>
#include <string.h>

static void intervals_come_back_as_written(void **state)
{
    struct interval_log log;
    struct hist *h, *read;
    struct interval_counts c;
    size_t cursor = 0;

    (void)state;
    assert_int_equal(interval_log_init(&log, 10, NULL), 0);
    assert_int_equal(hist_new(&h, NULL), 0);
    assert_int_equal(hist_new(&read, NULL), 0);
    assert_false(interval_log_next(&log, &cursor, &c, read));
    for (uint64_t i = 0; i < 5; i++) {
        hist_reset(h);
        for (uint64_t k = 0; k <= i; k++)
            hist_record(h, (k + 1) * 1000003);
        assert_true(interval_log_add(&log, &(struct interval_counts){ .index = i, .ok = i + 1, .bytes = 7 * i }, h));
    }
    for (uint64_t i = 0; i < 5; i++) {
        hist_reset(read);
        assert_true(interval_log_next(&log, &cursor, &c, read));
        assert_int_equal(c.index, i);
        assert_int_equal(c.ok, i + 1);
        assert_int_equal(c.bytes, 7 * i);
        assert_int_equal(hist_count(read), i + 1);
        assert_int_equal(hist_sum_ns(read), (i + 1) * (i + 2) / 2 * 1000003);
        assert_int_equal(hist_max_ns(read), (i + 1) * 1000003);
    }
    assert_false(interval_log_next(&log, &cursor, &c, read));
    hist_free(h);
    hist_free(read);
    interval_log_release(&log);
}

static void a_full_log_says_so_and_loses_nothing_written(void **state)
{
    struct interval_log log;
    struct interval_counts c;
    struct hist *h;
    size_t cursor = 0;
    uint64_t written = 0, read = 0;

    (void)state;
    assert_int_equal(interval_log_init(&log, 1, NULL), 0);
    assert_int_equal(hist_new(&h, NULL), 0);
    for (uint64_t v = 1; v < HIST_MAX_NS / 3; v += v / 700 + 1) /* a worst case: nearly every slot in use */
        hist_record(h, v);
    while (written < 100000 && interval_log_add(&log, &(struct interval_counts){ .index = written }, h))
        written++;
    assert_in_range(written, 1, 99999);
    while (interval_log_next(&log, &cursor, &c, NULL))
        assert_int_equal(c.index, read++);
    assert_int_equal(read, written);
    hist_free(h);
    interval_log_release(&log);
}

#define RECORDS 300000u

static void *produce(void *arg)
{
    for (uint64_t i = 0; i < RECORDS; i++)
        record_ring_push(arg, &(struct load_record){ .due_ns = i, .end_ns = ~i });
    return NULL;
}

struct taken {
    uint64_t count, wrong;
};

static void take(void *arg, const struct load_record *records, size_t count)
{
    struct taken *t = arg;

    for (size_t i = 0; i < count; i++)
        t->wrong += records[i].due_ns != t->count + i || records[i].end_ns != ~(t->count + i);
    t->count += count;
}

/* Many more than the ring holds: the producer waits, nothing is lost, the order stays. */
static void the_ring_keeps_every_record_in_order(void **state)
{
    struct record_ring ring;
    struct taken taken = { 0 };
    pthread_t thread;

    (void)state;
    assert_int_equal(record_ring_init(&ring, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, produce, &ring), 0);
    while (taken.count < RECORDS)
        record_ring_drain(&ring, take, &taken);
    pthread_join(thread, NULL);
    assert_int_equal(taken.count, RECORDS);
    assert_int_equal(taken.wrong, 0);
    record_ring_release(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_come_back_as_written),
        cmocka_unit_test(a_full_log_says_so_and_loses_nothing_written),
        cmocka_unit_test(the_ring_keeps_every_record_in_order),
    };

    return cmocka_run_group_tests_name("load logs", tests, NULL, NULL);
}
