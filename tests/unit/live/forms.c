/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/forms.h"

#include <stdlib.h>

#include "golden.h"
#include "sample_live.h"

static void test_json(void **state)
{
    struct live_figures *x = sample_figures();
    struct buf out;

    buf_init(&out, 1 << 20);
    live_json(&out, x);
    golden_check("live.json", buf_slice(&out));
    buf_release(&out);
    free(x);
}

static void test_metrics(void **state)
{
    struct live_figures *x = sample_figures();
    struct buf out;

    (void)live_row_add(&x->table, SLICE("a \"quoted\" \\ name\n"));
    (void)live_row_add(&x->table, SLICE("twice"));
    x->table.rows[3].values[1] = 1;
    (void)live_row_add(&x->table, SLICE("twice"));
    x->table.rows[4].values[1] = 2;
    x->table.rows[2].values[1] = 3;
    buf_init(&out, 1 << 20);
    live_metrics(&out, x);
    golden_check("metrics.txt", buf_slice(&out));
    buf_release(&out);
    free(x);
}

static void test_buckets(void **state)
{
    struct live_latency v;
    struct hist *h = NULL;
    uint64_t sum = 0;

    assert_int_equal(live_bucket_bound_ns(0), 10000);
    assert_int_equal(live_bucket_bound_ns(4), 200000);
    assert_int_equal(live_bucket_bound_ns(20), UINT64_C(50000000000));
    assert_true(live_bucket_bound_ns(21) == UINT64_MAX);
    assert_int_equal(hist_new(&h, NULL), 0);
    hist_record_n(h, 1, 5);
    hist_record_n(h, 150000, 7);
    hist_record_n(h, UINT64_C(60000000000), 2);
    live_latency_set(&v, h);
    assert_int_equal(v.buckets[0], 5);
    assert_int_equal(v.buckets[4], 7);
    assert_int_equal(v.buckets[21], 2);
    for (size_t i = 0; i < LIVE_BUCKETS; i++)
        sum += v.buckets[i];
    assert_int_equal(sum, v.count);
    hist_free(h);
}

static void test_points_are_a_ring(void **state)
{
    struct live_figures *x = calloc(1, sizeof(*x));

    live_figures_init(x, "load");
    for (unsigned i = 0; i < LIVE_POINTS + 5; i++)
        live_add_point(x, &(struct live_point){ .failed = i });
    assert_int_equal(live_points_kept(x), LIVE_POINTS);
    assert_int_equal(live_point_at(x, 0)->failed, 5);
    assert_int_equal(live_point_at(x, LIVE_POINTS - 1)->failed, LIVE_POINTS + 4);
    free(x);
}

/* A name is cut between characters. */
static void test_texts_stay_utf8(void **state)
{
    char out[6];

    live_text_set(out, sizeof(out), SLICE("abcd\xe6\x9d\xb1"));
    assert_string_equal(out, "abcd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_points_are_a_ring),
        cmocka_unit_test(test_texts_stay_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
