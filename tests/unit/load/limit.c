/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counts as a kept promise in one trial of the search for the limit. */
#include "load/limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void nothing(struct result *r)
{
    (void)r;
}

static void not_sent(struct result *r)
{
    r->totals.not_sent = 50; /* of 1050 due */
}

static void few_not_sent(struct result *r)
{
    r->totals.not_sent = 10;
}

static void unfinished(struct result *r)
{
    r->totals.started += 100;
    r->totals.unfinished = 100;
}

static void failing(struct result *r)
{
    r->totals.ok = 900;
    r->totals.failed = 100;
}

static void slow(struct result *r)
{
    for (int i = 0; i < 100; i++)
        hist_record(r->latency, 200 * NS_PER_MS);
}

static void slow_and_busy(struct result *r)
{
    slow(r);
    r->totals.in_flight_mean = 10;
}

static void slow_by_itself_and_busy(struct result *r)
{
    slow_and_busy(r);
    for (int i = 0; i < 100; i++)
        hist_record(r->service_time, 200 * NS_PER_MS);
}

static void none_ok(struct result *r)
{
    r->totals.ok = 0;
    r->totals.failed = 1000;
    hist_reset(r->latency);
}

static const struct judged_case {
    const char *why;
    void (*change)(struct result *r);
    bool of_connections, kept;
    const char *broke; /* a part of it */
    bool connections_limited;
} JUDGED[] = {
    { "all is well", nothing, false, true, NULL, false },
    { "the load was not offered", not_sent, false, false, "rate not met (50 requests not sent)", false },
    { "2 % may be missing", few_not_sent, false, true, NULL, false },
    { "a target that hangs has not carried it", unfinished, false, false, "100 requests unfinished", false },
    { "busy connections are in flight at the end", unfinished, true, true, NULL, false },
    { "errors", failing, false, false, "errors<1% (10 %)", false },
    { "slow", slow, false, false, "p99<50ms (200 ms)", false },
    { "all connections busy, none slow", slow_and_busy, false, false, "p99<50ms (200 ms)", true },
    { "all connections busy because they are slow", slow_by_itself_and_busy, false, false, "p99<50ms", false },
    { "in the search for connections they are all busy", slow_and_busy, true, false, "p99<50ms", false },
    { "nothing succeeded: both clauses break", none_ok, false, false, "p99<50ms (no figure), errors<1%", false },
};

static struct result *trial(void)
{
    struct err err = { 0 };
    struct result *r;

    assert_int_equal(result_new(&r, &err), 0);
    r->duration_s = 1;
    r->totals = (struct totals){
        .started = 1000, .sent = 1000, .ok = 1000, .ok_in_window = 1000, .requests_per_s = 1000, .in_flight_mean = 1
    };
    for (int i = 0; i < 1000; i++) {
        hist_record(r->latency, NS_PER_MS);
        hist_record(r->service_time, NS_PER_MS);
    }
    return r;
}

static void test_judged(void **state)
{
    struct err err = { 0 };
    struct slo promise;

    assert_int_equal(slo_parse(&promise, SLICE("p99<50ms,errors<1%"), &err), 0);
    for (size_t i = 0; i < sizeof(JUDGED) / sizeof(JUDGED[0]); i++) {
        const struct judged_case *t = &JUDGED[i];
        const struct limit_config config = { .promise = &promise, .of_connections = t->of_connections };
        struct limit_trial one = { .level = 1000 };
        struct result *r = trial();

        t->change(r);
        assert_true(limit_judge(&one, &config, r, 10));
        if (one.kept != t->kept || one.connections_limited != t->connections_limited)
            fail_msg("%s: kept %d, connections %d: %s", t->why, one.kept, one.connections_limited,
                     one.broke != NULL ? one.broke : "");
        if (t->broke == NULL ? one.broke != NULL : one.broke == NULL || strstr(one.broke, t->broke) == NULL)
            fail_msg("%s: \"%s\"", t->why, one.broke != NULL ? one.broke : "");
        free(one.broke);
        result_free(r);
    }
    slo_release(&promise);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_judged) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
