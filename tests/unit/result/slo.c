/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Promises: how a clause is read, what is refused and why, and what each figure is held against. */
#include "result/slo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sample.h"

static const struct read_case {
    const char *why, *text;
    enum slo_figure figure;
    int source;
    double percentile;
    enum slo_op op;
    double limit;
    enum slo_scope scope;
} READ[] = {
    { "the everyday one", "p99<50ms", SLO_PERCENTILE, SLO_LATENCY, 99, SLO_BELOW, 0.05, SLO_ALL },
    { "a fraction", "p99.9<=1s", SLO_PERCENTILE, SLO_LATENCY, 99.9, SLO_AT_MOST, 1, SLO_ALL },
    { "spaces are allowed", " mean  < 2 ms ", SLO_MEAN, SLO_LATENCY, 0, SLO_BELOW, 0.002, SLO_ALL },
    { "errors as a share", "errors<0.1%", SLO_ERRORS, SLO_LATENCY, 0, SLO_BELOW, 0.001, SLO_ALL },
    { "no error at all", "errors<=0", SLO_ERRORS, SLO_LATENCY, 0, SLO_AT_MOST, 0, SLO_ALL },
    { "a throughput from below", "requests_per_s>100", SLO_REQUESTS_PER_S, SLO_LATENCY, 0, SLO_ABOVE, 100, SLO_ALL },
    { "a rate with a unit", "requests_per_s>=2.5k/s", SLO_REQUESTS_PER_S, SLO_LATENCY, 0, SLO_AT_LEAST, 2500, SLO_ALL },
    { "the other clock", "service_p50<1ms", SLO_PERCENTILE, SLO_SERVICE_TIME, 50, SLO_BELOW, 0.001, SLO_ALL },
    { "a phase", "tls_max<1s", SLO_MAX, PHASE_TLS, 0, SLO_BELOW, 1, SLO_ALL },
    { "a class", "p99@2xx<1s", SLO_PERCENTILE, SLO_LATENCY, 99, SLO_BELOW, 1, SLO_CLASS },
    { "a target by number", "p99@2<1s", SLO_PERCENTILE, SLO_LATENCY, 99, SLO_BELOW, 1, SLO_TARGET },
    { "each target", "p99@*<1s", SLO_PERCENTILE, SLO_LATENCY, 99, SLO_BELOW, 1, SLO_EACH_TARGET },
    { "each class", "errors@*xx<1%", SLO_ERRORS, SLO_LATENCY, 0, SLO_BELOW, 0.01, SLO_EACH_CLASS },
    { "a target by URL", "errors@http://a.test:80/<1%", SLO_ERRORS, SLO_LATENCY, 0, SLO_BELOW, 0.01, SLO_TARGET },
};

static void test_read(void **state)
{
    for (size_t i = 0; i < sizeof(READ) / sizeof(READ[0]); i++) {
        const struct read_case *t = &READ[i];
        struct err err = { 0 };
        struct slo slo;

        if (slo_parse(&slo, slice_str(t->text), &err) != 0)
            fail_msg("%s: %s", t->why, err.what);
        assert_int_equal(slo.count, 1);
        const struct slo_clause *c = &slo.clauses[0];
        if (c->figure != t->figure || c->source != t->source || c->op != t->op || c->scope != t->scope)
            fail_msg("%s: figure %d, source %d, op %d, scope %d", t->why, c->figure, c->source, c->op, c->scope);
        assert_float_equal(c->limit, t->limit, 1e-12);
        assert_float_equal(c->percentile, t->percentile, 1e-12);
        assert_null(strchr(c->text, ' '));
        slo_release(&slo);
    }
    (void)state;
}

static void test_read_several(void **state)
{
    struct err err = { 0 };
    struct slo slo;

    assert_int_equal(slo_parse(&slo, SLICE("p99 < 50ms, errors<0.1% ,requests_per_s>100"), &err), 0);
    assert_int_equal(slo.count, 3);
    assert_string_equal(slo.clauses[0].text, "p99<50ms");
    assert_string_equal(slo.clauses[1].text, "errors<0.1%");
    assert_string_equal(slo.clauses[2].text, "requests_per_s>100");
    slo_release(&slo);
    (void)state;
}

static const struct refused_case {
    const char *why, *text, *what, *hint;
} REFUSED[] = {
    { "nothing", "", "compares nothing", "p99<50ms" },
    { "a comma too many", "p99<50ms,", "compares nothing", "p99<50ms" },
    { "no operator", "p99=50ms", "compares nothing", "<=" },
    { "unknown figure", "q99<50ms", "\"q99\" is no figure", "requests_per_s" },
    { "no such percentile", "p101<50ms", "\"p101\" is no figure", "p50" },
    { "nothing is below p0", "p0<50ms", "\"p0\" is no figure", "p50" },
    { "two points", "p9.9.9<1s", "no figure", "p50" },
    { "no unit", "p99<50", "p99<50: ", "ms" },
    { "a time for a share", "errors<1ms", "errors<1ms: ", "%" },
    { "a share for a rate", "requests_per_s>1%", "\"1%\" is no rate", "2.5k" },
    { "errors are not a phase's", "tls_errors<1%", "no figure", "errors" },
    { "a class has no service time", "service_p99@2xx<1s", "no figure for \"2xx\"", "class" },
    { "targets are counted from 1", "p99@0<1s", "no figure for \"0\"", "from 1" },
    { "no scope behind @", "p99@<1s", "no figure for \"\"", "class" },
    { "a word that is neither class nor URL", "p99@all<1s", "no figure for \"all\"", "URL" },
    { "targets have no phases", "tls_p99@*<1s", "no figure for \"*\"", "*" },
    { "a class has no service time, nor have all", "service_p99@*xx<1s", "no figure for \"*xx\"", "*xx" },
    { "no limit", "p99<", "p99<: ", "" },
};

/* Each lies at the end of an unreadable page. */
static void test_refused(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof(REFUSED) / sizeof(REFUSED[0]); i++) {
        const struct refused_case *t = &REFUSED[i];
        const size_t len = strlen(t->text);
        struct err err = { 0 };
        struct slo slo;

        memcpy(memory + page - len, t->text, len);
        if (slo_parse(&slo, slice_from(memory + page - len, len), &err) == 0)
            fail_msg("%s: was taken", t->why);
        slo_release(&slo);
        assert_int_equal(err.kind, ERR_USAGE);
        if (strstr(err.what, t->what) == NULL || strstr(err.hint, t->hint) == NULL)
            fail_msg("%s: \"%s\" (%s)", t->why, err.what, err.hint);
    }
    munmap(memory, 2 * page);
    (void)state;
}

static void test_too_many_clauses(void **state)
{
    struct err err = { 0 };
    struct buf text;
    struct slo slo;

    buf_init(&text, 4096);
    for (int i = 0; i < 65; i++)
        buf_add_str(&text, i > 0 ? ",p99<1s" : "p99<1s");
    assert_int_equal(slo_parse(&slo, buf_slice(&text), &err), -1);
    assert_non_null(strstr(err.what, "65 clauses"));
    slo_release(&slo);
    buf_release(&text);
    (void)state;
}

/* sample_plain(): 1000 requests of 1 … 1000 ms, all ok. */
static const struct held_case {
    const char *why, *text;
    bool known, kept;
} HELD[] = {
    { "the rank rule: p50 of 1 … 1000 ms is 500 ms", "p50<=501ms", true, true },
    { "and not less", "p50<499ms", true, false },
    { "the exact maximum", "max<=1s", true, true },
    { "below is not equal", "max<1s", true, false },
    { "the exact minimum", "min>=1ms", true, true },
    { "above is not equal", "min>1ms", true, false },
    { "no error", "errors<=0", true, true },
    { "no error is not below none", "errors<0", true, false },
    { "a class that occurred", "p99@2xx<2s", true, true },
    { "a class that did not occur is not slow", "p99@5xx<1ms", false, true },
    { "all replies are of the class 2xx", "errors@2xx>=1", true, true },
    { "the first target", "p99@1<2s", true, true },
    { "each target", "p99@*<2s", true, true },
    { "each class that occurred", "p99@*xx<2s", true, true },
    { "one of them is slower", "p99@*xx<1ms", true, false },
    { "there is no ninth target", "p99@9<2s", false, false },
    { "no such URL", "p99@http://nowhere.test/<2s", false, false },
    { "a phase that did not occur keeps nothing", "tls_p99<2s", false, false },
};

static void test_held(void **state)
{
    struct result *r = sample_plain();

    for (size_t i = 0; i < sizeof(HELD) / sizeof(HELD[0]); i++) {
        const struct held_case *t = &HELD[i];
        struct slo_outcome outcome;
        struct err err = { 0 };
        struct slo slo;

        if (slo_parse(&slo, slice_str(t->text), &err) != 0)
            fail_msg("%s: %s", t->why, err.what);
        const bool kept = slo_evaluate(&slo, r, &outcome);
        if (outcome.known != t->known || outcome.kept != t->kept || kept != t->kept)
            fail_msg("%s: known %d, kept %d, value %g", t->why, outcome.known, outcome.kept, outcome.value);
        slo_release(&slo);
    }
    result_free(r);
    (void)state;
}

static void test_held_target_by_url(void **state)
{
    struct result *r = sample_full();
    struct slo_outcome outcome;
    struct err err = { 0 };
    struct buf text;
    struct slo slo;

    buf_init(&text, 4096);
    buf_printf(&text, "errors@%s<100%%", r->targets[1].url);
    assert_int_equal(slo_parse(&slo, buf_slice(&text), &err), 0);
    assert_true(slo_evaluate(&slo, r, &outcome));
    assert_float_equal(outcome.value, (double)r->targets[1].totals.failed / (double)r->targets[1].totals.started,
                       1e-12);
    slo_release(&slo);
    buf_release(&text);
    result_free(r);
    (void)state;
}

/* The first target is twice as slow as the second, and the third had no request. */
static void test_the_worst_target_counts(void **state)
{
    static const struct {
        const char *why, *text;
        bool known, kept;
        size_t worst, targets;
    } CASES[] = {
        { "a limit from above: the slowest", "max@*<1s", true, false, 1, 2 },
        { "which is below this one", "max@*<3s", true, true, 1, 2 },
        { "a limit from below: the fastest", "max@*>500ms", true, true, 2, 2 },
        { "a target without a figure", "max@*<1h", false, false, 3, 3 },
    };
    struct result *r = sample_full();
    struct err err = { 0 };
    struct hist slow, fast;

    assert_int_equal(hist_init(&slow, &err), 0);
    assert_int_equal(hist_init(&fast, &err), 0);
    hist_record(&slow, UINT64_C(2000000000));
    hist_record(&fast, UINT64_C(900000000));
    struct target_result targets[3] = { { .latency = &slow }, { .latency = &fast }, { 0 } };
    struct target_result *own = r->targets;
    const size_t own_count = r->target_count;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct slo_outcome o;
        struct slo slo;

        r->targets = targets;
        r->target_count = CASES[i].targets;
        assert_int_equal(slo_parse(&slo, slice_str(CASES[i].text), &err), 0);
        const bool kept = slo_evaluate(&slo, r, &o);
        if (kept != CASES[i].kept || o.known != CASES[i].known || o.worst != CASES[i].worst)
            fail_msg("%s: kept %d, known %d, worst %zu", CASES[i].why, kept, o.known, o.worst);
        slo_release(&slo);
    }
    r->targets = own;
    r->target_count = own_count;
    hist_release(&slow);
    hist_release(&fast);
    result_free(r);
    (void)state;
}

static void test_every_clause_counts(void **state)
{
    struct result *r = sample_plain();
    struct slo_outcome outcomes[2];
    struct err err = { 0 };
    struct slo slo;

    assert_int_equal(slo_parse(&slo, SLICE("p99<10s,p50<1ms"), &err), 0);
    assert_false(slo_evaluate(&slo, r, outcomes));
    assert_true(outcomes[0].kept);
    assert_false(outcomes[1].kept);
    assert_false(slo_evaluate(&slo, r, NULL));
    slo_release(&slo);
    result_free(r);
    (void)state;
}

static void test_nothing_ran(void **state)
{
    struct result *r = sample_empty();
    struct err err = { 0 };
    struct slo slo;

    assert_int_equal(slo_parse(&slo, SLICE("p99<10s"), &err), 0);
    assert_false(slo_evaluate(&slo, r, NULL));
    slo_release(&slo);
    assert_int_equal(slo_parse(&slo, SLICE("errors<1%"), &err), 0);
    assert_false(slo_evaluate(&slo, r, NULL));
    slo_release(&slo);
    result_free(r);
    (void)state;
}

static const struct shown_case {
    const char *clause;
    double value;
    const char *want;
} SHOWN[] = {
    { "p99<50ms", 0.0498, "49.8 ms" },
    { "errors<1%", 0.00125, "0.125 %" },
    { "requests_per_s>1", 2004.2, "2,004/s" },
    { "requests_per_s>1", 0.5, "0.5/s" },
};

static void test_shown(void **state)
{
    char text[SLO_TEXT_MAX];

    for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++) {
        struct err err = { 0 };
        struct slo slo;

        assert_int_equal(slo_parse(&slo, slice_str(SHOWN[i].clause), &err), 0);
        assert_string_equal(slo_format_value(text, &slo.clauses[0], SHOWN[i].value), SHOWN[i].want);
        slo_release(&slo);
    }
    (void)state;
}

/* The promises are in the document and come back from it; a broken one is exit 1, before an invalid run's 3. */
static void promises_of_a_run(void **state)
{
    struct result *r = NULL, *back = NULL;
    struct err err = { 0 };
    struct slo slo;
    struct buf text;

    buf_init(&text, 1 << 24);
    assert_int_equal(result_new(&r, &err), 0);
    r->totals = (struct totals){ .started = 4, .ok = 3, .failed = 1, .requests_per_s = 3 };
    r->duration_s = 1;
    for (uint64_t i = 1; i <= 3; i++)
        hist_record(r->latency, i * 10000000);
    assert_int_equal(result_exit_code(r), 0);
    assert_int_equal(slo_parse(&slo, SLICE("max<=30ms,tls_max<1s,errors<50%,requests_per_s>=2"), &err), 0);
    assert_int_equal(result_judge_slo(r, &slo, &err), 0);
    assert_int_equal(r->promise_count, 4);
    assert_true(r->promises[0].kept && !r->promises[1].kept && r->promises[2].kept && r->promises[3].kept);
    assert_true(r->valid);
    assert_int_equal(result_exit_code(r), 1);
    assert_int_equal(result_to_json(r, &text, &err), 0);
    if (result_from_json(&back, buf_slice(&text), &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(back->promise_count, 4);
    assert_string_equal(back->promises[0].clause, "max<=30ms");
    assert_true(back->promises[0].unit == PROMISE_SECONDS && back->promises[0].known && back->promises[0].kept);
    assert_true(!back->promises[1].known && !back->promises[1].kept);
    assert_true(back->promises[2].unit == PROMISE_SHARE && back->promises[3].unit == PROMISE_PER_S);
    r->valid = false;
    assert_int_equal(result_exit_code(r), 1);
    r->interrupted = true;
    assert_int_equal(result_exit_code(r), 130);
    buf_release(&text);
    slo_release(&slo);
    result_free(r);
    result_free(back);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_several),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_many_clauses),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_held_target_by_url),
        cmocka_unit_test(test_the_worst_target_counts),
        cmocka_unit_test(test_every_clause_counts),
        cmocka_unit_test(test_nothing_ran),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(promises_of_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
