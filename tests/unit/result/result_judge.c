/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict: what makes a run invalid, what is only a warning, and the exit code of each. */
#include "result/result.h"

#include <string.h>

#include "sample.h"

static void nothing(struct result *r)
{
    (void)r;
}

static void interrupt(struct result *r)
{
    r->interrupted = true;
}

static void limit_without_reason(struct result *r)
{
    strlist_release(&r->generator.reasons);
}

static void all_sent_that_was_due(struct result *r)
{
    r->totals.not_sent = 0;
    r->totals.sent = r->totals.started;
}

static void some_could_not_be_sent(struct result *r)
{
    r->totals.not_sent = 0;
    r->totals.sent = r->totals.started - 3;
}

static void rate_met(struct result *r)
{
    r->generator.rate_achieved = 24.8;
}

static void short_of_half_a_request(struct result *r)
{
    r->generator.rate_asked = 2.5;
    r->generator.rate_achieved = 2.5 - 0.5 / r->duration_s;
}

static void no_rate(struct result *r)
{
    r->generator.rate_asked = 0;
}

static void given_reason(struct result *r)
{
    assert_true(result_add_reason(r, "the target was never reached"));
}

static void break_law(struct result *r)
{
    r->totals.in_flight_mean = 99;
}

static const struct verdict_case {
    const char *why;
    void (*change)(struct result *r);
    double max_errors;
    bool strict;
    bool valid;
    int exit_code;
    const char *reason, *warning; /* one that is there; NULL: none at all */
    const char *absent;           /* a text that neither list has */
} VERDICTS[] = {
    { "few failures: valid and said", nothing, 0.1, false, true, 0, NULL, "8 of 101 requests failed: 7.92 %", "above" },
    { "too many failures", nothing, 0.01, false, false, 3, "8 of 101 requests failed: 7.92 %, above the limit of 1 %",
      "7 requests were due and not sent", "strict" },
    { "exactly the limit is allowed", nothing, 8.0 / 101, false, true, 0, NULL, "8 of 101", "above" },
    { "an unfinished request is named with its age", nothing, 0.1, false, true, 0, NULL,
      "unfinished at the end: 1 of 101 requests, the oldest after 2.50 s", NULL },
    { "a limited generator is a warning", nothing, 0.1, false, true, 0, NULL,
      "the load generator was the limit: client CPU was full: worker 0 used 99 % of a core", NULL },
    { "also when it does not say why", limit_without_reason, 0.1, false, true, 0, NULL,
      "the load generator was the limit", "the limit:" },
    { "a missed rate", nothing, 0.1, false, true, 0, NULL,
      "rate not met: 20.2 of 25.0/s; 7 requests were due and not sent", NULL },
    { "chance had less come due, or the last reply was slow", all_sent_that_was_due, 0.1, false, true, 0, NULL,
      "8 of 101", "rate not met" },
    { "a missed rate with nothing left to send", some_could_not_be_sent, 0.1, false, true, 0, NULL,
      "rate not met: 20.2 of 25.0/s", "not sent" },
    { "within 1 % a rate is met, what was not sent is still said", rate_met, 0.1, false, true, 0, NULL,
      "not sent: 7 requests", "rate not met" },
    { "requests are whole: what is less than one is not missed", short_of_half_a_request, 0.1, false, true, 0, NULL,
      "not sent: 7 requests", "rate not met" },
    { "no rate was asked for", no_rate, 0.1, false, true, 0, NULL, "8 of 101", "rate not met" },
    { "the log held up the measuring", nothing, 0.1, false, true, 0, NULL, "workers waited for it 2 times", NULL },
    { "strict: warnings are reasons", nothing, 0.1, true, false, 3, "strict: rate not met", "rate not met", NULL },
    { "interrupted and valid", interrupt, 0.1, false, true, 130, NULL, "8 of 101", NULL },
    { "interrupted and invalid", interrupt, 0.01, false, false, 130, "above the limit", "due and", NULL },
    { "a reason given before stays", given_reason, 0.1, false, false, 3, "the target was never reached", "8 of 101",
      NULL },
    { "a broken law", break_law, 0.1, false, false, 3, "Little's law", "8 of 101", NULL },
};

static bool says(const struct strlist *list, const char *part)
{
    for (size_t i = 0; i < list->count; i++)
        if (strstr(list->items[i], part) != NULL)
            return true;
    return false;
}

static void check_verdict(const struct verdict_case *c, const struct result *r)
{
    if (r->valid != c->valid)
        fail_msg("%s: valid is %d", c->why, r->valid);
    if (result_exit_code(r) != c->exit_code)
        fail_msg("%s: exit %d", c->why, result_exit_code(r));
    if (c->reason != NULL ? !says(&r->reasons, c->reason) : r->reasons.count > 0)
        fail_msg("%s: reasons", c->why);
    if (c->warning != NULL ? !says(&r->warnings, c->warning) : r->warnings.count > 0)
        fail_msg("%s: warnings", c->why);
    if (c->absent != NULL && (says(&r->reasons, c->absent) || says(&r->warnings, c->absent)))
        fail_msg("%s: says \"%s\"", c->why, c->absent);
}

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(VERDICTS) / sizeof(VERDICTS[0]); i++) {
        struct result *r = sample_full();

        VERDICTS[i].change(r);
        result_judge(r, VERDICTS[i].max_errors, VERDICTS[i].strict);
        check_verdict(&VERDICTS[i], r);
        result_free(r);
    }
}

static void test_nothing_ok_is_invalid(void **state)
{
    (void)state;
    struct result *r = sample_empty();

    result_judge(r, 1, false);
    assert_false(r->valid);
    assert_string_equal(r->reasons.items[0], "no request succeeded");
    result_free(r);
    r = sample_empty();
    r->nothing_due = true;
    result_judge(r, 1, true);
    assert_true(r->valid);
    result_free(r);
}

static void test_clean_run_has_neither(void **state)
{
    (void)state;
    struct result *r = sample_plain();

    result_judge(r, 0, true);
    assert_true(r->valid);
    assert_int_equal(r->reasons.count + r->warnings.count, 0);
    assert_int_equal(result_exit_code(r), 0);
    result_free(r);
}

/* Judging again (after a document was read) adds nothing twice. */
static void test_judging_twice_is_the_same(void **state)
{
    (void)state;
    struct result *r = sample_full();
    size_t reasons = 0, warnings = 0;

    result_judge(r, 0.01, true);
    reasons = r->reasons.count;
    warnings = r->warnings.count;
    result_judge(r, 0.01, true);
    assert_int_equal(r->reasons.count, reasons);
    assert_int_equal(r->warnings.count, warnings);
    result_free(r);
}

static void test_overflow_is_said(void **state)
{
    (void)state;
    struct result *r = sample_plain();

    r->totals.started++;
    r->totals.ok++;
    hist_record(r->latency, HIST_MAX_NS + 1);
    r->status[200]++;
    hist_record(r->by_class[CLASS_2XX], HIST_MAX_NS + 1);
    r->targets[0].totals.started++;
    r->targets[0].totals.ok++;
    hist_record(r->targets[0].latency, HIST_MAX_NS + 1);
    result_judge(r, 0, false);
    assert_true(r->valid);
    assert_string_equal(r->warnings.items[0], "above one hour, so in no percentile: 1 latencies");
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_nothing_ok_is_invalid),
        cmocka_unit_test(test_clean_run_has_neither),
        cmocka_unit_test(test_judging_twice_is_the_same),
        cmocka_unit_test(test_overflow_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
