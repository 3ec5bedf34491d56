/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging: what one process would have seen; the same whatever the order and the grouping; refused when it can not be.
 */
#include "result/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "sample.h"

#define MS UINT64_C(1000000)
#define JSON_MAX_BYTES (1u << 24)
enum { PARTS = 5, ROUNDS = 40 };

static void set_text(char **field, const char *text)
{
    free(*field);
    *field = sample_dup(text);
}

/* ---- parts by hand ---- */

/* n requests of latency_ns, all ok, in a window of 10 s. */
static struct result *part(const char *id, uint64_t n, uint64_t latency_ns)
{
    struct result *r = sample_empty();

    memset(r->id, 0, sizeof(r->id));
    snprintf(r->id, sizeof(r->id), "%s", id);
    r->duration_s = 10;
    hist_record_n(r->latency, latency_ns, n);
    hist_record_n(r->service_time, latency_ns, n);
    r->by_class[CLASS_2XX] = sample_hist(0, 0, 0);
    hist_record_n(r->by_class[CLASS_2XX], latency_ns, n);
    r->status[200] = n;
    r->totals = (struct totals){
        .started = n, .sent = n, .ok = n, .ok_in_window = n, .requests_per_s = (double)n / 10
    };
    r->totals.in_window_s = (double)(n * latency_ns) / 1e9;
    r->totals.in_flight_mean = r->totals.in_window_s / 10;
    assert_true(result_add_config(r, "connections", "2") && result_add_config_string(r, "method", "GET"));
    return r;
}

static struct result *merged(struct result *const *parts, size_t n)
{
    struct merge m = { 0 };
    struct result *out = NULL;
    struct err err = { 0 };

    for (size_t i = 0; i < n; i++)
        if (merge_add(&m, parts[i], "a part", &err) != 0)
            fail_msg("%s", err.what);
    if (merge_finish(&m, &out, &err) != 0)
        fail_msg("%s", err.what);
    merge_release(&m);
    return out;
}

static char *json_of(const struct result *r)
{
    struct buf text;
    struct err err = { 0 };

    buf_init(&text, JSON_MAX_BYTES);
    if (result_to_json(r, &text, &err) != 0)
        fail_msg("%s", err.what);
    return buf_detach(&text);
}

/* C70: A has 900 requests of 1 ms, B 100 of 100 ms. */
static void test_percentiles_of_the_whole(void **state)
{
    struct result *parts[] = { part("a", 900, MS), part("b", 100, 100 * MS) }, *all = merged(parts, 2);
    struct hist *one_process = sample_hist(0, 0, 0);

    (void)state;
    hist_record_n(one_process, MS, 900);
    hist_record_n(one_process, 100 * MS, 100);
    assert_true(hist_equal(all->latency, one_process));
    assert_in_range(hist_value_at(all->latency, 90), MS, MS + MS / 1000);
    assert_int_equal(hist_value_at(all->latency, 95), 100 * MS);
    assert_int_equal(hist_sum_ns(all->latency), 900 * MS + 100 * 100 * MS);
    assert_int_equal(all->totals.started, 1000);
    assert_int_equal(all->totals.ok, 1000);
    assert_int_equal(all->status[200], 1000);
    assert_true(all->totals.requests_per_s == 100);
    assert_true(all->duration_s == 10);
    assert_true(all->valid);
    assert_int_equal(all->part_count, 2);
    hist_free(one_process);
    result_free(all);
    result_free(parts[0]);
    result_free(parts[1]);
}

static void test_what_a_merged_document_says_of_its_parts(void **state)
{
    struct result *parts[] = { part("b", 10, MS), part("a", 10, MS) }, *all, *back = NULL;
    char *json;

    (void)state;
    snprintf(parts[0]->host.hostname, sizeof(parts[0]->host.hostname), "other");
    assert_true(strlist_add(&parts[0]->command, SLICE("plimsoll")) && strlist_add(&parts[0]->command, SLICE("load")));
    all = merged(parts, 2);
    assert_string_equal(all->host.hostname, "");
    assert_string_equal(all->host.cpu, parts[1]->host.cpu);
    assert_string_equal(all->parts[0].id, "a");
    assert_string_equal(all->parts[1].host.hostname, "other");
    json = json_of(all);
    assert_non_null(strstr(json, "\"command\": [\n    [],\n    [\n      \"plimsoll\",\n      \"load\"\n    ]\n  ]"));
    assert_int_equal(result_from_json(&back, slice_str(json), NULL), 0);
    assert_int_equal(back->part_count, 2);
    assert_string_equal(back->parts[1].command.items[1], "load");
    free(json);
    result_free(back);
    result_free(all);
    result_free(parts[0]);
    result_free(parts[1]);
}

/* Nobody can tell whether two runs watched the same thing: their parts stay apart, each at the seconds it was read in.
 */
static void test_watched_parts_stay_apart(void **state)
{
    struct result *parts[] = { sample_full(), sample_full() }, *all;
    const struct watched_figure *f;

    (void)state;
    snprintf(parts[0]->id, sizeof(parts[0]->id), "aaaaaaaa-1");
    snprintf(parts[1]->id, sizeof(parts[1]->id), "bbbbbbbb-2");
    snprintf(parts[0]->started, sizeof(parts[0]->started), "2026-03-01T12:00:02.000Z");
    snprintf(parts[1]->started, sizeof(parts[1]->started), "2026-03-01T12:00:00.000Z");
    all = merged(parts, 2);
    assert_int_equal(all->watched_count, 6);
    assert_string_equal(all->watched[0].name, "gateway@aaaaaaaa");
    assert_string_equal(all->watched[1].name, "gateway@bbbbbbbb");
    f = watched_figure(&all->watched[0], "cpu_cores");
    assert_int_equal(f->count, all->interval_count);
    assert_int_equal(all->interval_count, 4);
    assert_true(isnan(f->series[0]) && isnan(f->series[1]) && f->series[2] == 1 && isnan(f->series[3]));
    f = watched_figure(&all->watched[1], "cpu_cores");
    assert_true(f->series[0] == 1 && isnan(f->series[1]) && isnan(f->series[2]) && isnan(f->series[3]));
    assert_true(f->mean == 0.9975);
    result_free(all);
    result_free(parts[0]);
    result_free(parts[1]);
}

/* ---- the window ---- */

static void give_intervals(struct result *r, const uint64_t *ok, size_t n, double last_s)
{
    r->intervals = calloc(n, sizeof(*r->intervals));
    assert_non_null(r->intervals);
    r->interval_count = n;
    for (size_t i = 0; i < n; i++)
        r->intervals[i] = (struct interval){
            .t_s = (double)i, .length_s = i + 1 < n ? 1 : last_s, .started = ok[i], .ok = ok[i]
        };
}

static void test_the_rate_is_that_of_the_common_window(void **state)
{
    static const struct {
        const char *why, *start_a, *start_b;
        double length_a, length_b;
        uint64_t ok_a[4], ok_b[4];
        size_t n_a, n_b;
        double length, rate;
        const char *warns; /* NULL: nothing of the window */
    } CASES[] = {
        { "the same second", "12:00:00.000", "12:00:00.004", 3, 3, { 10, 20, 30 }, { 1, 2, 3 }, 3, 3, 3, 22, NULL },
        { "a second later",
          "12:00:00.000",
          "12:00:01.000",
          3,
          3,
          { 10, 20, 30 },
          { 1, 2, 3 },
          3,
          3,
          2,
          26.5,
          "ran together" },
        { "two seconds later",
          "12:00:00.000",
          "12:00:02.000",
          3,
          3,
          { 10, 20, 30 },
          { 1, 2, 3 },
          3,
          3,
          1,
          31,
          "ran together" },
        { "one ends sooner",
          "12:00:00.000",
          "12:00:00.000",
          4,
          2,
          { 10, 20, 30, 40 },
          { 1, 2 },
          4,
          2,
          2,
          16.5,
          "ran together" },
        { "the same rest of a second",
          "12:00:00.000",
          "12:00:00.000",
          1.5,
          1.5,
          { 10, 5 },
          { 2, 1 },
          2,
          2,
          1.5,
          12,
          NULL },
        { "shorter than a second: mean rates",
          "12:00:00.000",
          "12:00:00.100",
          0.5,
          0.5,
          { 50 },
          { 100 },
          1,
          1,
          0.4,
          300,
          NULL },
        { "not at the same time",
          "12:00:00.000",
          "12:30:00.000",
          3,
          3,
          { 10, 20, 30 },
          { 1, 2, 3 },
          3,
          3,
          0,
          0,
          "no rate" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *parts[] = { part("a", 0, MS), part("b", 0, MS) }, *all;
        bool warned = false;

        for (int k = 0; k < 2; k++) {
            struct result *r = parts[k];
            const uint64_t *ok = k == 0 ? CASES[i].ok_a : CASES[i].ok_b;
            const size_t n = k == 0 ? CASES[i].n_a : CASES[i].n_b;

            snprintf(r->started, sizeof(r->started), "2026-03-01T%sZ", k == 0 ? CASES[i].start_a : CASES[i].start_b);
            r->duration_s = k == 0 ? CASES[i].length_a : CASES[i].length_b;
            give_intervals(r, ok, n, r->duration_s - (double)(n - 1));
            for (size_t s = 0; s < n; s++)
                r->totals.ok += ok[s];
            r->totals.started = r->totals.ok_in_window = r->totals.ok;
            r->totals.requests_per_s = (double)r->totals.ok / r->duration_s;
        }
        all = merged(parts, 2);
        for (size_t w = 0; w < all->warnings.count; w++)
            warned |= CASES[i].warns == NULL ? strstr(all->warnings.items[w], "parts") != NULL
                                             : strstr(all->warnings.items[w], CASES[i].warns) != NULL;
        if (all->duration_s < CASES[i].length - 1e-9 || all->duration_s > CASES[i].length + 1e-9 ||
            all->totals.requests_per_s < CASES[i].rate * 0.999999 ||
            all->totals.requests_per_s > CASES[i].rate * 1.000001)
            fail_msg("%s: %g/s over %g s", CASES[i].why, all->totals.requests_per_s, all->duration_s);
        if (warned != (CASES[i].warns != NULL))
            fail_msg("%s: warned %d", CASES[i].why, warned);
        result_free(all);
        result_free(parts[0]);
        result_free(parts[1]);
    }
}

/* ---- what is refused ---- */

static void expect_refusal(const char *why, const struct result *a, const struct result *b, const char *word)
{
    struct merge m = { 0 };
    struct err err = { 0 };

    assert_int_equal(merge_add(&m, a, "a.json", NULL), 0);
    if (merge_add(&m, b, "b.json", &err) == 0)
        fail_msg("%s: not refused", why);
    if (strstr(err.what, word) == NULL || strstr(err.what, "b.json") == NULL || err.kind != ERR_CONFIG)
        fail_msg("%s: \"%s\" lacks \"%s\"", why, err.what, word);
    merge_release(&m);
}

static void test_what_can_not_be_merged_is_refused(void **state)
{
    struct result *a = part("a", 10, MS), *b = part("b", 10, MS), *c = part("c", 10, MS), *all;
    struct result *pair[2] = { a, b };

    (void)state;
    expect_refusal("the same part", a, a, "there already");
    all = merged(pair, 2);
    expect_refusal("a part of a merged one", all, b, "b.json");
    expect_refusal("a merged one that has it", b, all, "there already");
    assert_true(result_add_config_string(c, "method", "PUT"));
    expect_refusal("another method", a, c, "method is \"PUT\", in a.json it is \"GET\"");
    expect_refusal("another method than in a merged one", all, c, "method");
    assert_true(result_add_config_string(c, "method", "GET") && result_add_config(c, "connections", "3"));
    expect_refusal("another number of connections", a, c, "connections is 3");
    expect_refusal("the same of a merged one", all, c, "configured differently");
    assert_true(result_add_config(c, "connections", "2"));
    snprintf(c->host.tool_version, sizeof(c->host.tool_version), "plimsoll 0.0.1");
    expect_refusal("another version", a, c, "0.0.1");
    snprintf(c->host.tool_version, sizeof(c->host.tool_version), "%s", a->host.tool_version);
    c->latency->_coarse = true;
    expect_refusal("another layout", a, c, "another layout");
    c->latency->_coarse = false;
    set_text(&c->kind, "rounds");
    expect_refusal("another kind", a, c, "rounds");
    set_text(&c->kind, "load");
    c->started[0] = '\0';
    expect_refusal("no start", a, c, "started");
    result_free(all);
    result_free(a);
    result_free(b);
    result_free(c);
}

static void test_shares(void **state)
{
    static const struct {
        const char *why, *shares[3];
        size_t n;
        bool valid;
    } CASES[] = {
        { "all three", { "1/3", "2/3", "3/3" }, 3, true },
        { "one is missing", { "1/3", "3/3" }, 2, false },
        { "of different plans", { "1/2", "2/3" }, 2, false },
        { "one is of another run", { "1/2", "2/2", "2/2" }, 3, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct result *parts[3], *all;

        for (size_t k = 0; k < CASES[i].n; k++) {
            const char id[] = { (char)('z' - (char)k), '\0' };

            parts[k] = part(id, 10, MS);
            assert_true(result_add_config_string(parts[k], "share", CASES[i].shares[k]));
            assert_true(result_add_config(parts[k], "threads", "1"));
        }
        all = merged(parts, CASES[i].n);
        if (all->valid != CASES[i].valid)
            fail_msg("%s: valid %d", CASES[i].why, all->valid);
        for (size_t k = 0; k < all->config_count; k++)
            if (strcmp(all->config[k].name, "connections") == 0)
                assert_string_equal(all->config[k].json, "2");        /* of the plan, not a sum */
        assert_string_equal(all->parts[0].share, CASES[i].shares[0]); /* in the order of the shares, not of the ids */
        for (size_t k = 0; k < CASES[i].n; k++)
            result_free(parts[k]);
        result_free(all);
    }
}

/* ---- any order, any grouping: the same bytes ---- */

static char *random_text(struct rng *rng, const char *of)
{
    char text[32];

    snprintf(text, sizeof(text), "%s %u", of, (unsigned)rng_below(rng, 3));
    return sample_dup(text);
}

static void random_errors(struct rng *rng, struct error_entry **errors, size_t *count, uint64_t *failed)
{
    *count = rng_below(rng, 4);
    *errors = calloc(*count + 1, sizeof(**errors));
    assert_non_null(*errors);
    for (size_t i = 0; i < *count; i++) {
        (*errors)[i] = (struct error_entry){ .kind = (enum fail_kind)i,
                                             .detail = random_text(rng, "detail"),
                                             .first = rng_below(rng, 3) > 0 ? random_text(rng, "first") : NULL,
                                             .count = 1 + rng_below(rng, 5),
                                             .first_at_s = (double)rng_below(rng, 4) / 2,
                                             .last_at_s = 2 + rng_unit(rng) };
        *failed += (*errors)[i].count;
    }
}

static void random_target(struct rng *rng, struct target_result *t)
{
    uint64_t failed = 0;

    t->url = random_text(rng, "http://host/");
    t->method = sample_dup("GET");
    t->latency = sample_hist(1000, 1 + rng_below(rng, 100000), rng_below(rng, 100));
    t->service_time = sample_hist(900, 1 + rng_below(rng, 100000), rng_below(rng, 100));
    random_errors(rng, &t->errors, &t->error_count, &failed);
    t->totals.ok = t->totals.ok_in_window = hist_count(t->latency);
    t->totals.failed = failed;
    t->totals.started = t->totals.ok + failed;
    t->totals.in_flight_mean = rng_unit(rng) * 10;
    t->totals.requests_per_s = rng_unit(rng) * 1000;
    t->status[200] = t->totals.ok;
}

static void random_intervals(struct rng *rng, struct result *r)
{
    uint64_t ok[4] = { 0 };
    const size_t n = 1 + rng_below(rng, 4);

    for (size_t i = 0; i < n; i++)
        ok[i] = rng_below(rng, 50);
    give_intervals(r, ok, n, 0.25 + rng_unit(rng) / 2);
    r->duration_s = (double)(n - 1) + r->intervals[n - 1].length_s;
    for (size_t i = 0; i < n; i++) {
        struct hist *h = sample_hist(1 + rng_below(rng, 1000000), 77, ok[i]);

        uint64_t kinds[FAIL_KINDS] = { [FAIL_RESET] = rng_below(rng, 3), [FAIL_TIMEOUT] = rng_below(rng, 5) };

        assert_int_equal(interval_add_failed(&r->intervals[i], kinds[FAIL_RESET] + kinds[FAIL_TIMEOUT], kinds, NULL),
                         0);
        r->intervals[i].in_flight = rng_unit(rng) * 7;
        assert_int_equal(interval_set_latency(&r->intervals[i], h, NULL), 0);
        hist_free(h);
    }
}

static struct result *random_part(struct rng *rng, unsigned number)
{
    struct result *r = sample_full();

    snprintf(r->id, sizeof(r->id), "%08x-0000-4000-8000-%012u", (unsigned)rng_below(rng, UINT32_MAX), number);
    clock_format_rfc3339(r->started, UINT64_C(1772366400000000000) + rng_below(rng, 3000) * NS_PER_MS);
    set_text(&r->name, rng_below(rng, 2) == 0 ? "name" : "other");
    assert_true(strlist_add(&r->labels, rng_below(rng, 2) == 0 ? SLICE("k=v") : SLICE("k=w")));
    for (size_t i = 0; i < r->interval_count; i++)
        interval_release(&r->intervals[i]);
    free(r->intervals);
    random_intervals(rng, r);
    for (size_t i = 0; i < r->target_count; i++) {
        struct target_result *t = &r->targets[i];

        free(t->url);
        free(t->method);
        hist_free(t->latency);
        hist_free(t->service_time);
        for (size_t k = 0; k < t->error_count; k++) {
            free(t->errors[k].detail);
            free(t->errors[k].first);
        }
        free(t->errors);
        memset(t, 0, sizeof(*t));
        random_target(rng, t);
    }
    hist_record_n(r->latency, rng_below(rng, 1000000000), rng_below(rng, 1000));
    r->totals.in_flight_mean = rng_unit(rng) * 100;
    r->totals.in_window_s = r->totals.in_flight_mean * r->duration_s;
    r->totals.requests_per_s = rng_unit(rng) * 1e5;
    r->generator.rate_asked = rng_unit(rng) * 1000;
    r->generator.rate_achieved = rng_unit(rng) * 1000;
    assert_true(result_add_config(r, "seed", "%u", (unsigned)rng_below(rng, 2)));
    assert_true(result_add_config(r, "requests", rng_below(rng, 3) == 0 ? "null" : "7"));
    if (rng_below(rng, 2) == 0)
        assert_true(result_add_config(r, "threads", "2"));
    if (rng_below(rng, 4) == 0)
        assert_true(result_add_reason(r, "reason %u", number));
    return r;
}

/* Merges parts[from .. to) in a random grouping; half of what is merged on the way goes through its document. */
static struct result *in_groups(struct rng *rng, struct result **parts, size_t n)
{
    struct result *sides[2], *all, *back = NULL;
    size_t cut;
    char *json;

    if (n == 1)
        return NULL;
    cut = 1 + rng_below(rng, n - 1);
    sides[0] = in_groups(rng, parts, cut);
    sides[1] = in_groups(rng, parts + cut, n - cut);
    all = merged(
        (struct result *[]){ sides[0] != NULL ? sides[0] : parts[0], sides[1] != NULL ? sides[1] : parts[cut] }, 2);
    result_free(sides[0]);
    result_free(sides[1]);
    if (rng_below(rng, 2) == 0)
        return all;
    json = json_of(all);
    assert_int_equal(result_from_json(&back, slice_str(json), NULL), 0);
    free(json);
    result_free(all);
    return back;
}

static void shuffle(struct rng *rng, struct result **parts, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = rng_below(rng, i);
        struct result *swap = parts[i - 1];

        parts[i - 1] = parts[k];
        parts[k] = swap;
    }
}

static void check_same(const char *a, const char *b, unsigned seed)
{
    size_t at = 0;

    if (strcmp(a, b) == 0)
        return;
    while (a[at] == b[at])
        at++;
    at = at > 100 ? at - 100 : 0;
    fail_msg("seed %u: they differ near\n%.300s\nand\n%.300s", seed, a + at, b + at);
}

static void test_neither_order_nor_grouping_matters(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        struct result *parts[PARTS], *all, *other;
        struct rng rng;
        char *want, *got;

        rng_init(&rng, seed);
        for (unsigned i = 0; i < PARTS; i++)
            parts[i] = random_part(&rng, i);
        all = merged(parts, PARTS);
        want = json_of(all);
        for (int i = 0; i < 4; i++) {
            shuffle(&rng, parts, PARTS);
            other = in_groups(&rng, parts, PARTS);
            got = json_of(other);
            check_same(want, got, seed);
            free(got);
            result_free(other);
        }
        free(want);
        result_free(all);
        for (unsigned i = 0; i < PARTS; i++)
            result_free(parts[i]);
    }
}

/* Also that they are those of what failed. */
static void count_kinds(const struct result *r, uint64_t sum[FAIL_KINDS])
{
    for (size_t i = 0; i < r->interval_count; i++) {
        uint64_t here = 0;

        for (size_t k = 0; r->intervals[i].by_kind != NULL && k < FAIL_KINDS; k++) {
            here += r->intervals[i].by_kind[k];
            sum[k] += r->intervals[i].by_kind[k];
        }
        assert_int_equal(here, r->intervals[i].failed);
    }
}

/* A part of a version that did not keep kinds: those of its seconds are then not known, those of others are. */
static void test_unknown_kinds_stay_unknown(void **state)
{
    const uint64_t kinds[FAIL_KINDS] = { [FAIL_TIMEOUT] = 2 };
    struct interval v = { 0 };

    (void)state;
    assert_int_equal(interval_add_failed(&v, 0, NULL, NULL), 0);
    assert_null(v.by_kind);
    assert_int_equal(interval_add_failed(&v, 2, kinds, NULL), 0);
    assert_int_equal(interval_add_failed(&v, 0, NULL, NULL), 0);
    assert_int_equal(v.by_kind[FAIL_TIMEOUT], 2);
    assert_int_equal(interval_add_failed(&v, 1, NULL, NULL), 0);
    assert_null(v.by_kind);
    assert_int_equal(interval_add_failed(&v, 2, kinds, NULL), 0);
    assert_null(v.by_kind);
    assert_int_equal(v.failed, 5);
    interval_release(&v);
}

/* The sums that a merged document must have, from the parts. */
static void test_counts_are_exact(void **state)
{
    struct result *parts[PARTS], *all;
    uint64_t started = 0, latencies = 0, sum_ns = 0, errors = 0, in_all = 0, in_intervals = 0, in_parts = 0;
    uint64_t kinds[2][FAIL_KINDS] = { { 0 } };
    struct rng rng;

    (void)state;
    rng_init(&rng, 4711);
    for (unsigned i = 0; i < PARTS; i++) {
        parts[i] = random_part(&rng, i);
        started += parts[i]->totals.started;
        latencies += hist_count(parts[i]->latency);
        sum_ns += hist_sum_ns(parts[i]->latency);
        for (size_t k = 0; k < parts[i]->error_count; k++)
            errors += parts[i]->errors[k].count;
        for (size_t k = 0; k < parts[i]->interval_count; k++)
            in_parts += parts[i]->intervals[k].ok;
        count_kinds(parts[i], kinds[0]);
    }
    all = merged(parts, PARTS);
    for (size_t k = 0; k < all->error_count; k++)
        in_all += all->errors[k].count;
    for (size_t k = 0; k < all->interval_count; k++)
        in_intervals += all->intervals[k].ok;
    count_kinds(all, kinds[1]);
    assert_int_equal(all->totals.started, started);
    assert_int_equal(hist_count(all->latency), latencies);
    assert_int_equal(hist_sum_ns(all->latency), sum_ns);
    assert_int_equal(in_all, errors);
    assert_int_equal(in_intervals, in_parts);
    assert_true(kinds[0][FAIL_RESET] > 0 && kinds[0][FAIL_TIMEOUT] > 0);
    assert_memory_equal(kinds[0], kinds[1], sizeof(kinds[0]));
    result_free(all);
    for (unsigned i = 0; i < PARTS; i++)
        result_free(parts[i]);
}

/* Three shares, two of them on one machine, which all of them saw: once, whatever the order. */
static void test_a_machine_counts_once(void **state)
{
    struct result *parts[] = { part("a", 1, MS), part("b", 1, MS), part("c", 1, MS) };
    struct result *back[] = { parts[2], parts[0], parts[1] }, *all, *other;
    char *one, *two;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct generator_health *g = &parts[i]->generator;

        snprintf(parts[i]->host.hostname, sizeof(parts[i]->host.hostname), "%s", i < 2 ? "left" : "right");
        g->time_wait_start = 350 + i;
        g->time_wait_end = 400;
        g->ports_used = 400 + 10 * (i + 1); /* the last ones are its own */
        g->ports_available = 28232;
        g->retransmits = 7;
    }
    all = merged(parts, 3);
    other = merged(back, 3);
    assert_int_equal(all->generator.time_wait_start, 351 + 352);
    assert_int_equal(all->generator.time_wait_end, 800);
    assert_int_equal(all->generator.ports_used, 400 + 10 + 20 + 400 + 30);
    assert_int_equal(all->generator.ports_available, 2 * 28232);
    assert_int_equal(all->generator.retransmits, 14);
    one = json_of(all);
    two = json_of(other);
    assert_string_equal(one, two);
    free(one);
    free(two);
    result_free(all);
    result_free(other);
    for (size_t i = 0; i < 3; i++)
        result_free(parts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_machine_counts_once),
        cmocka_unit_test(test_percentiles_of_the_whole),
        cmocka_unit_test(test_what_a_merged_document_says_of_its_parts),
        cmocka_unit_test(test_watched_parts_stay_apart),
        cmocka_unit_test(test_the_rate_is_that_of_the_common_window),
        cmocka_unit_test(test_what_can_not_be_merged_is_refused),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_neither_order_nor_grouping_matters),
        cmocka_unit_test(test_unknown_kinds_stay_unknown),
        cmocka_unit_test(test_counts_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
