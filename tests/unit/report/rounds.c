/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of rounds: what was built in stands there, in text, CSV, the form of shell scripts and Markdown. */
#include "report/rounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/csv.h"
#include "result/rounds_scaling.h"

static const struct {
    uint32_t n;
    double up, stage, start; /* seconds in each phase */
} BUILT_IN[] = { { 1, 5, 12, 5 }, { 2, 5, 12.5, 5 }, { 4, 5.5, 13.5, 5.5 }, { 8, 6, 16, 6 } };

static struct result *new_rounds(void)
{
    struct result *r = NULL;

    assert_int_equal(result_new(&r, NULL), 0);
    assert_int_equal(result_make_rounds(r, NULL), 0);
    assert_non_null(rounds_result_add_series(r->rounds, "push", "push dora{i}"));
    return r;
}

static void end_copy(struct rounds_copy *c, double start_s, double duration_s)
{
    c->ok = true;
    c->start_s = start_s;
    c->duration_s = duration_s;
    c->exit = 0;
    c->user_s = 0.5;
    c->sys_s = 0.25;
    c->max_rss_bytes = 1 << 20;
}

static void finish(struct result *r)
{
    for (size_t i = 0; i < r->rounds->round_count; i++) {
        assert_int_equal(rounds_round_sum(&r->rounds->rounds[i], NULL), 0);
        r->totals.started += r->rounds->rounds[i].concurrency;
        r->totals.ok += r->rounds->rounds[i].ok;
        r->totals.failed += r->rounds->rounds[i].failed;
    }
    r->valid = true;
    assert_int_equal(rounds_scale(r->rounds, NULL), 0);
}

/* Pushes in three phases, of which two are transfers; the last copy of the last round fails. */
static struct result *pushes(void)
{
    struct result *r = new_rounds();

    assert_true(rounds_result_add_phase(r->rounds, "upload", "transfers") &&
                rounds_result_add_phase(r->rounds, "stage", NULL) &&
                rounds_result_add_phase(r->rounds, "start", "transfers"));
    for (size_t k = 0; k < 4; k++) {
        struct rounds_round *round = rounds_result_add_round(r->rounds);

        assert_non_null(round);
        round->concurrency = BUILT_IN[k].n;
        assert_true(rounds_result_set_copies(r->rounds, round, BUILT_IN[k].n));
        for (uint32_t i = 0; i < BUILT_IN[k].n; i++) {
            struct rounds_copy *c = &round->copies[i];

            end_copy(c, 0.001 * i, BUILT_IN[k].up + BUILT_IN[k].stage + BUILT_IN[k].start + 1);
            c->phases[0] = BUILT_IN[k].up;
            c->phases[1] = BUILT_IN[k].stage;
            c->phases[2] = BUILT_IN[k].start;
        }
    }
    r->rounds->rounds[3].copies[7].ok = false;
    r->rounds->rounds[3].copies[7].duration_s = 2;
    r->rounds->rounds[3].copies[7].exit = 1;
    r->rounds->rounds[3].copies[7].failure = strdup("exit 1");
    assert_true(strlist_add(&r->rounds->rounds[3].copies[7].last_lines, SLICE("FAILED\033[2J")));
    finish(r);
    return r;
}

static void expect(const char *text, const char *const *lines)
{
    for (; *lines != NULL; lines++)
        if (strstr(text, *lines) == NULL)
            fail_msg("\"%s\" is not in:\n%s", *lines, text);
}

/* Lines are within the width and do not end in spaces. */
static void check_shape(const char *text, size_t width)
{
    struct slice rest = slice_str(text);

    while (rest.len > 0) {
        const struct slice line = slice_split(&rest, '\n');

        if (line.len > width || slice_ends(line, SLICE(" ")))
            fail_msg("a line of %zu bytes: \"%.*s\"", line.len, SLICE_FMT(line));
    }
}

static void test_text(void **state)
{
    static const char *const WANT[] = {
        "VALID: 14 of 15 copies ok, 1 failed",
        "Command       push dora{i}",
        "Rounds        4, of 1, 2, 4, 8 at once",
        "        8   7       1  29.00 s  29.00 s  29.00 s  29.00 s",
        "8       1      25.62 s     29.00 s        29.29 s", /* 205 s over 8, over the ok, over their count */
        "all at once",
        "upload    5.00 s   5.00 s   5.50 s   6.00 s   21 %  +1.00 s",
        "stage    12.00 s  12.50 s  13.50 s  16.00 s   55 %  +4.00 s",
        "(other)   1.00 s   1.00 s   1.00 s   1.00 s    3 %     +0 s",
        "(all)    23.00 s  23.50 s  25.50 s  29.00 s  100 %  +6.00 s",
        "From 1 to 8 at once a copy takes 6.00 s longer; stage takes most",
        "of the growth: +4.00 s (67 %), then upload +1.00 s",
        "transfers (group)  10.00 s  10.00 s  11.00 s  12.00 s   41 %",
        "N at once do 0.0",
        "No interval: a size with one round says nothing about chance.",
        "8 at once, round 4, copy 8: exit 1, after 2.00 s",
        "      | FAILED?[2J",
        NULL,
    };
    struct result *r = pushes();
    struct buf out;

    buf_init(&out, 1u << 20);
    report_text(&out, r, NULL);
    assert_true(buf_ok(&out));
    expect(out.data, WANT);
    check_shape(out.data, 80);
    assert_null(strstr(out.data, "Every duration"));
    buf_clear(&out);
    report_text(&out, r, &(struct report_text_options){ .verbose = true, .width = 200 });
    expect(out.data,
           (const char *const[]){ "Every duration", "29.00 s, 2.00 s (failed)", "peak RSS", "1.00 MiB", NULL });
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_one_at_a_time(void **state)
{
    static const double TIMES[] = { 5, 0.100, 0.101, 0.102, 0.100, 0.101, 0.102, 0.099 };
    struct result *r = new_rounds();
    struct buf out;

    for (size_t i = 0; i < 8; i++) {
        struct rounds_round *round = rounds_result_add_round(r->rounds);

        assert_non_null(round);
        round->concurrency = 1;
        round->sample = (uint32_t)i + 1;
        assert_true(rounds_result_set_copies(r->rounds, round, 1));
        end_copy(&round->copies[0], 0, TIMES[i]);
    }
    finish(r);
    buf_init(&out, 1u << 20);
    report_text(&out, r, NULL);
    expect(out.data, (const char *const[]){
                         "One at a time", "  Time        713 ms +- 1.73 s (mean +- stddev), median 101 ms",
                         "  Range       99.0 ms ... 5.00 s, 8 rounds", "  CPU         500 ms user, 250 ms system",
                         "the first round was much slower", NULL });
    assert_null(strstr(out.data, "outlier"));
    assert_null(strstr(out.data, "Scaling"));
    check_shape(out.data, 80);
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void add_average(struct rounds_result *r, uint32_t series, uint32_t n, double mean_s, uint32_t failed)
{
    struct rounds_round *round = rounds_result_add_round(r);

    assert_non_null(round);
    round->series = series;
    round->concurrency = n;
    round->mean_s = mean_s;
    round->failed = failed;
    round->ok = n - failed;
    round->mean_discounted_s = mean_s * n / (n - failed);
}

static void test_series_side_by_side(void **state)
{
    static const char *const WANT[] = {
        "Side by side",
        "  A  push",
        "  B  eight cells",
        "8  94.00 s  17.33 s*",
        "peak at      5.5    no fit",
        "8 at once took 17.3 s each, less than one alone (29.0 s)",
        "* some failed",
        "        8       2      13.00 s           -        17.33 s",
        NULL,
    };
    struct result *r = new_rounds();
    struct buf out;

    assert_non_null(rounds_result_add_series(r->rounds, "eight cells", NULL));
    for (uint32_t n = 1; n <= 8; n *= 2) {
        add_average(r->rounds, 0, n, 30 + n * n, 0);
        add_average(r->rounds, 1, n, n == 8 ? 13 : 30 - n, n == 8 ? 2 : 0);
    }
    finish(r);
    buf_init(&out, 1u << 20);
    report_text(&out, r, NULL);
    expect(out.data, WANT);
    assert_null(strstr(out.data, "Averages, as they were given")); /* they stand side by side */
    check_shape(out.data, 80);
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_samples(void **state)
{
    static const double TIMES[2][2] = { { 10, 12 }, { 20, 26 } };
    struct result *r = new_rounds();
    struct buf out;

    for (size_t i = 0; i < 4; i++) {
        struct rounds_round *round = rounds_result_add_round(r->rounds);

        assert_non_null(round);
        round->concurrency = (uint32_t)i / 2 + 1;
        round->sample = (uint32_t)i % 2 + 1;
        assert_true(rounds_result_set_copies(r->rounds, round, round->concurrency));
        for (uint32_t k = 0; k < round->concurrency; k++)
            end_copy(&round->copies[k], 0, TIMES[i / 2][i % 2]);
    }
    finish(r);
    buf_init(&out, 1u << 20);
    report_text(&out, r, NULL);
    expect(out.data, (const char *const[]){ "  at once  rounds     mean  stddev\n        1       2  11.00 s  1.41 s\n"
                                            "        2       2  23.00 s  4.24 s\n",
                                            NULL });
    check_shape(out.data, 80);
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_csv(void **state)
{
    struct result *r = pushes();
    struct buf out;

    buf_init(&out, 1u << 20);
    report_csv(&out, r);
    expect(
        out.data,
        (const char *const[]){
            "series,round,concurrency,sample,copy,ok,start_s,duration_s,exit,signal,user_s,sys_s,max_rss_bytes,failure,"
            "phase upload_s,phase stage_s,phase start_s\n",
            "\npush,2,2,1,2,1,0.001,23.5,0,,0.5,0.25,1048576,,5.0,12.5,5.0\n",
            "\npush,4,8,1,8,0,0.007,2.0,1,,0.5,0.25,1048576,exit 1,", NULL });
    buf_release(&out);
    result_free(r);
    r = new_rounds();
    add_average(r->rounds, 0, 4, 33.5, 1);
    buf_init(&out, 1u << 20);
    report_csv(&out, r);
    expect(out.data,
           (const char *const[]){ "sample,average_s,failed,copy,ok", "\npush,1,4,1,33.5,1,,,,,,,,,,\n", NULL });
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_roundup(void **state)
{
    struct result *r = pushes();
    struct buf out;

    buf_init(&out, 1u << 20);
    rounds_roundup(&out, r);
    expect(out.data, (const char *const[]){
                         "Starting round of 1\n23.00\nAverage 23 seconds\nStarting round of 2\n23.50\n23.50\n",
                         "29.00\nCommand exited with non-zero status 1\nAverage 25.625 seconds\n"
                         "Average discounting 1 failed 29.2857 seconds\nRounds:\n1 23\n2 23.5\n4 25.5\n8 25.625\n",
                         NULL });
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_markdown(void **state)
{
    struct result *r = pushes();
    struct buf out;

    buf_init(&out, 1u << 20);
    rounds_markdown(&out, r);
    expect(out.data, (const char *const[]){ "| push | 8 | 1 | 7 | 1 | 29.00 s |", "| upload | stage | start | other |",
                                            "| push | 8 | 6.00 s | 16.00 s | 6.00 s | 1.00 s |", NULL });
    buf_release(&out);
    result_free(r);
    (void)state;
}

/* More rounds than a table holds rows, more phases and sizes than it has columns. */
static void test_many_of_everything(void **state)
{
    struct result *r = new_rounds();
    struct buf out;

    for (size_t i = 0; i < 64; i++) {
        char name[16];

        snprintf(name, sizeof(name), "phase %zu", i);
        assert_true(rounds_result_add_phase(r->rounds, name, i < 40 ? "group" : NULL));
    }
    for (uint32_t n = 1; n <= 120; n++) {
        struct rounds_round *round = rounds_result_add_round(r->rounds);

        assert_non_null(round);
        round->concurrency = n;
        assert_true(rounds_result_set_copies(r->rounds, round, n));
        for (uint32_t i = 0; i < n; i++) {
            end_copy(&round->copies[i], 0, n);
            round->copies[i].ok = i % 3 != 0;
            for (size_t k = 0; k < 64; k++)
                round->copies[i].phases[k] = n / 64.0;
        }
    }
    finish(r);
    buf_init(&out, 1u << 24);
    report_text(&out, r, &(struct report_text_options){ .verbose = true });
    assert_true(buf_ok(&out));
    rounds_markdown(&out, r);
    assert_true(buf_ok(&out));
    buf_release(&out);
    result_free(r);
    (void)state;
}

static void test_nothing_at_all(void **state)
{
    struct result *r = new_rounds();
    struct buf out;

    finish(r);
    buf_init(&out, 1u << 20);
    report_text(&out, r, &(struct report_text_options){ .verbose = true });
    report_csv(&out, r);
    rounds_roundup(&out, r);
    rounds_markdown(&out, r);
    assert_true(buf_ok(&out));
    buf_release(&out);
    result_free(r);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_series_side_by_side),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_roundup),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_many_of_everything),
        cmocka_unit_test(test_nothing_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
