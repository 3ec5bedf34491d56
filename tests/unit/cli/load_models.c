/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/units.h"
#include "made.h"

#define URL "http://127.0.0.1:3000/"

static bool near(double a, double b)
{
    const double gap = a > b ? a - b : b - a;

    return gap <= 1e-9 * (b > 1 ? b : 1);
}

static void test_rates(void **state)
{
    static const struct {
        const char *why, *text;
        double per_s;
    } CASES[] = {
        { "a bare number is for each second", "500", 500 },
        { "said so", "500/s", 500 },
        { "a fraction", "0.5/s", 0.5 },
        { "for each minute", "30/min", 0.5 },
        { "for each hour", "3600/h", 1 },
        { "thousands", "10k", 10000 },
        { "thousands for each second", "1.5k/s", 1500 },
        { "millions", "1M/s", 1000000 },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char line[128];
        struct made m;

        snprintf(line, sizeof(line), "-r|%s|" URL, CASES[i].text);
        make(&m, line);
        if (m.status != 0)
            fail_msg("%s: %s", CASES[i].why, m.err.what);
        const struct load_schedule *s = &m.in.plan.schedule;
        if (s->stage_count != 1 || !near(s->stages[0].from_per_s, CASES[i].per_s) ||
            !near(s->stages[0].to_per_s, CASES[i].per_s) || s->stages[0].length_ns != UINT64_MAX)
            fail_msg("%s: %g", CASES[i].why, s->stages[0].from_per_s);
        assert_int_equal(m.options.duration_ns, 10 * (uint64_t)NS_PER_S); /* a rate has no length of its own */
        release(&m);
    }
}

static void test_stages(void **state)
{
    static const struct {
        const char *why, *text;
        struct load_stage want[3];
        size_t count;
    } CASES[] = {
        { "from each to the next, the first stays",
          "100/s:30s,500/s:1m,0/s:10s",
          { { 100, 100, 30 * (uint64_t)NS_PER_S },
            { 100, 500, 60 * (uint64_t)NS_PER_S },
            { 500, 0, 10 * (uint64_t)NS_PER_S } },
          3 },
        { "all stay",
          "step:100/s:30s,500/s:1m",
          { { 100, 100, 30 * (uint64_t)NS_PER_S }, { 500, 500, 60 * (uint64_t)NS_PER_S } },
          2 },
        { "one stage, a blank behind the comma", "60/min:1s, 2:1s", { { 1, 1, NS_PER_S }, { 1, 2, NS_PER_S } }, 2 },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char line[128];
        uint64_t length_ns = 0;
        struct made m;

        snprintf(line, sizeof(line), "--stages|%s|" URL, CASES[i].text);
        make(&m, line);
        if (m.status != 0 || m.in.plan.schedule.stage_count != CASES[i].count)
            fail_msg("%s: %s", CASES[i].why, m.err.what);
        for (size_t j = 0; j < CASES[i].count; j++) {
            const struct load_stage *got = &m.in.plan.schedule.stages[j], *want = &CASES[i].want[j];

            if (!near(got->from_per_s, want->from_per_s) || !near(got->to_per_s, want->to_per_s) ||
                got->length_ns != want->length_ns)
                fail_msg("%s: stage %zu", CASES[i].why, j);
            length_ns += want->length_ns;
        }
        assert_int_equal(m.in.plan.duration_ns, length_ns);
        release(&m);
    }
}

static void test_connection_stages(void **state)
{
    struct made m;

    make(&m, "-c|10:30s,100:1m|-c|5:1s,20:2s|" URL); /* the last one counts, whole */
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.connection_stage_count, 2);
    assert_int_equal(m.in.plan.connection_stages[1].connections, 20);
    assert_int_equal(m.in.plan.connections, 20);
    assert_int_equal(m.in.plan.duration_ns, 3 * (uint64_t)NS_PER_S);
    release(&m);
    make(&m, "-c|10:30s,100:1m|-c|7|" URL);
    assert_int_equal(m.in.plan.connection_stage_count, 0);
    assert_int_equal(m.in.plan.connections, 7);
    release(&m);
}

static void test_the_rest(void **state)
{
    struct made m;

    make(&m, "--burst|100:500ms|--grow|50|--max-in-flight|1k|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.schedule.burst_size, 100);
    assert_int_equal(m.in.plan.schedule.burst_period_ns, 500 * NS_PER_MS);
    assert_int_equal(m.in.plan.grow, 50);
    assert_int_equal(m.in.plan.max_in_flight, 1000);
    release(&m);
    make(&m, "--think|10ms..1s|--ramp-up|2s|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.think_min_ns, 10 * NS_PER_MS);
    assert_int_equal(m.in.plan.think_max_ns, NS_PER_S);
    assert_int_equal(m.in.plan.ramp_up_ns, 2 * (uint64_t)NS_PER_S);
    release(&m);
    make(&m, "-r|5|--arrivals|poisson|--think|0s|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.schedule.arrivals, LOAD_ARRIVALS_POISSON);
    release(&m);
}

static void test_bad_input(void **state)
{
    static const struct {
        const char *why, *line, *what, *hint;
    } CASES[] = {
        { "rate 0", "-r|0|" URL, "\"0\"", "500" },
        { "rate -1", "-r|-1|" URL, "\"-1\"", "500" },
        { "no rate", "-r||" URL, "\"\"", "500" },
        { "an unknown period", "-r|5/d|" URL, "\"5/d\"", "30/min" },
        { "two points", "-r|1.5.2|" URL, "\"1.5.2\"", "500" },
        { "a point at the end", "-r|5.|" URL, "\"5.\"", "500" },
        { "scientific notation", "-r|1e9|" URL, "\"1e9\"", "10k" },
        { "a rate beyond any machine", "-r|9999999M|" URL, "\"9999999M\"", "10k" },
        { "no number", "-r|nan|" URL, "\"nan\"", "500" },
        { "unknown arrivals", "-r|5|--arrivals|random|" URL, "\"random\"", "poisson" },
        { "a stage without length", "--stages|100/s|" URL, "\"100/s\"", "100/s:30s" },
        { "a stage without unit", "--stages|100/s:30|" URL, "\"30\"", "30s" },
        { "a stage of no length", "--stages|100/s:0s|" URL, "\"100/s:0s\"", "100/s:30s" },
        { "a stage missing", "--stages|100/s:1s,|" URL, "\"\"", "100/s:30s" },
        { "stages that send nothing", "--stages|0/s:1s|" URL, "\"0/s:1s\"", "above 0" },
        { "a burst of nothing", "--burst|0:1s|" URL, "\"0:1s\"", "100:1s" },
        { "a burst without period", "--burst|100|" URL, "\"100\"", "100:1s" },
        { "think backwards", "--think|2s..1s|" URL, "\"2s..1s\"", "1s..2s" },
        { "half a think time", "--think|1s..|" URL, "\"\"", "1.5s" },
        { "a stage without connections", "-c|10:1s,0:1s|" URL, "\"0\"", "1" },
        { "a stage of connections without length", "-c|10:1s,5|" URL, "\"5\"", "-" },
        { "grow below the start", "-r|5|-c|10|--grow|5|" URL, "5", "-c" },
        { "arrivals without rate", "--arrivals|poisson|" URL, "--arrivals", "--rate" },
        { "grow without rate", "--grow|50|" URL, "--grow", "--rate" },
        { "a limit without rate", "--max-in-flight|50|" URL, "--max-in-flight", "--rate" },
        { "two schedules", "-r|5|--stages|5:1s|" URL, "--rate and --stages", "drop" },
        { "rate and burst", "-r|5|--burst|5:1s|" URL, "--rate and --burst", "drop" },
        { "stages and burst", "--stages|5:1s|--burst|5:1s|" URL, "--stages and --burst", "drop" },
        { "random bursts", "--burst|5:1s|--arrivals|poisson|" URL, "--burst and --arrivals", "together" },
        { "rate and think", "-r|5|--think|1s|" URL, "--rate and --think", "schedule" },
        { "stages and ramp", "--stages|5:1s|--ramp-up|1s|" URL, "--stages and --ramp-up", "schedule" },
        { "rate and stages of connections", "-r|5|-c|5:1s,6:1s|" URL, "--rate and stages", "schedule" },
        { "ramp and stages of connections", "--ramp-up|1s|-c|5:1s,6:1s|" URL, "--ramp-up and stages", "drop" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        make(&m, CASES[i].line);
        if (m.status != -1 || m.err.kind != ERR_USAGE || strstr(m.err.what, CASES[i].what) == NULL ||
            strstr(m.err.hint, CASES[i].hint) == NULL)
            fail_msg("%s: %d %s / %s", CASES[i].why, m.status, m.err.what, m.err.hint);
        release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),    cmocka_unit_test(test_stages),    cmocka_unit_test(test_connection_stages),
        cmocka_unit_test(test_the_rest), cmocka_unit_test(test_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
