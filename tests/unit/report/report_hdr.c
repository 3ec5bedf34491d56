/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The percentile distribution that plotters of the HdrHistogram family read. */
#include "report/hdr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "sample.h"

#define MAX_BYTES (1u << 20)

static void check_golden(const char *path, struct hist *h)
{
    struct buf out;

    buf_init(&out, MAX_BYTES);
    report_hdr(&out, h);
    golden_check(path, buf_slice(&out));
    buf_release(&out);
    hist_free(h);
}

static void test_golden(void **state)
{
    (void)state;
    check_golden("thousand.hgrm", sample_hist(1000000, 1000000, 1000));
    check_golden("one.hgrm", sample_hist(1234567, 0, 1));
    check_golden("empty.hgrm", sample_hist(0, 0, 0));
}

/* Values and counts rise, percentiles are between 0 and 1, each line is what the histogram says of its percentile. */
static void check_lines(const struct hist *h)
{
    struct buf out;
    struct slice rest;
    double last_value = 0, last_percentile = -1;
    uint64_t last_count = 0;
    size_t lines = 0;

    buf_init(&out, MAX_BYTES);
    report_hdr(&out, h);
    rest = buf_slice(&out);
    (void)slice_split(&rest, '\n');
    (void)slice_split(&rest, '\n');
    while (rest.len > 0 && rest.ptr[0] != '#') {
        const struct slice text = slice_split(&rest, '\n');
        char line[128], *at = line;
        double value, percentile;
        uint64_t count;

        snprintf(line, sizeof(line), "%.*s", SLICE_FMT(text));
        value = strtod(at, &at);
        percentile = strtod(at, &at);
        count = strtoull(at, &at, 10);
        assert_true(value >= last_value && percentile >= last_percentile && percentile <= 1 && count >= last_count);
        assert_true(count <= hist_count(h));
        if (hist_count(h) < 1000000) /* beyond it 12 decimals do not tell the ranks apart */
            assert_true(fabs(value - (double)hist_value_at(h, percentile * 100) / 1e6) <= 0.0011 * value + 0.001);
        last_value = value;
        last_percentile = percentile;
        last_count = count;
        lines++;
    }
    assert_true(last_percentile == 1 && last_count == hist_count(h));
    assert_true(lines < 400);
    buf_release(&out);
}

static void test_lines_agree_with_the_histogram(void **state)
{
    struct hist *h = sample_hist(100, 7919, 50000);

    (void)state;
    check_lines(h);
    hist_record_n(h, 5000000000u, 3);
    check_lines(h);
    hist_record_n(h, 1000, UINT64_C(1) << 55); /* more than doubles can tell apart: still ends */
    hist_record_n(h, 6000000000u, 1);
    check_lines(h);
    hist_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_lines_agree_with_the_histogram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
