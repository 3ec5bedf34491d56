/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases told by lines: lists in YAML and what is wrong with them, and the two published logs of a push. */
#include "rounds/phases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "rounds/stamp.h"

static struct phases *parse(const char *yaml)
{
    struct err err = { 0 };
    struct phases *p = NULL;

    if (phases_parse(&p, "p.yaml", slice_str(yaml), &err) != 0)
        fail_msg("%s", err.what);
    return p;
}

static const struct bad_case {
    const char *why, *yaml, *says;
} BAD[] = {
    { "nothing", "", "p.yaml: neither YAML nor JSON" },
    { "a list", "- name: a\n", "p.yaml:1: a map" },
    { "no phases", "name: x\n", "p.yaml:1: \"phases\" must be a list" },
    { "an empty list", "phases: []\n", "there is no phase" },
    { "no YAML", "phases: [\n", "p.yaml:" },
    { "without a name", "phases:\n  - first: a\n", "p.yaml:2: a phase needs a name" },
    { "without patterns", "phases:\n  - name: a\n", "p.yaml:2: phase \"a\" needs" },
    { "an unknown key", "phases:\n  - name: a\n    frist: x\n", "p.yaml:3: a phase has no key \"frist\"" },
    { "an unknown key at the top", "phases: [{name: a, last: b}]\nstages: 1\n", "p.yaml:2: the document has no key" },
    { "a broken pattern", "phases:\n  - name: a\n    first: 'a(b'\n", "p.yaml:3: \"first\": the pattern" },
    { "a broken pattern for failures", "failed: '['\nphases: [{name: a, last: b}]\n",
      "p.yaml:1: \"failed\": the pattern" },
    { "an empty pattern", "phases:\n  - name: a\n    last: ''\n", "p.yaml:3: \"last\" must be" },
    { "two of one name", "phases:\n  - {name: a, last: b}\n  - {name: a, last: c}\n",
      "p.yaml:3: there are two phases" },
    { "a name that writes to the terminal", "phases:\n  - {name: \"a\\eb\", last: b}\n", "control character" },
    { "a group that is a list", "phases:\n  - name: a\n    last: b\n    group: [x]\n", "p.yaml:4: \"group\" must be" },
};

static void test_mistakes_are_told_with_their_line(void **state)
{
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct phases *p = NULL;
        struct err err = { 0 };

        if (phases_parse(&p, "p.yaml", slice_str(BAD[i].yaml), &err) == 0)
            fail_msg("%s: taken", BAD[i].why);
        assert_null(p);
        if (err.kind != ERR_CONFIG || strstr(err.what, BAD[i].says) == NULL)
            fail_msg("%s: \"%s\"", BAD[i].why, err.what);
    }
    (void)state;
}

struct timed_line {
    const char *text; /* NULL: the end */
    double at_s;
};

static const struct follow_case {
    const char *why, *yaml;
    struct timed_line lines[8];
    double end_s;
    double want[3]; /* NAN: not seen */
} FOLLOW[] = {
    { "first and last",
      "phases: [{name: a, first: ^go, last: ^done}]",
      { { "x", 1 }, { "go", 2 }, { "done", 5 } },
      9,
      { 3 } },
    { "takes place once",
      "phases: [{name: a, first: ^go, last: ^done}]",
      { { "go", 1 }, { "done", 2 }, { "go", 3 }, { "done", 8 } },
      9,
      { 1 } },
    { "its last line before its first",
      "phases: [{name: a, first: ^go, last: ^done}]",
      { { "done", 1 }, { "go", 4 } },
      9,
      { 5 } },
    { "one line is first and last: the next last counts",
      "phases: [{name: a, first: x, last: x}]",
      { { "x", 1 }, { "x", 4 } },
      9,
      { 3 } },
    { "never seen", "phases: [{name: a, first: ^go, last: ^done}]", { { "x", 1 } }, 9, { NAN } },
    { "has not ended", "phases: [{name: a, first: ^go, last: ^done}]", { { "go", 2 } }, 9, { 7 } },
    { "one line ends a phase and begins another",
      "phases: [{name: a, first: ^a, last: ^b}, {name: b, first: ^b, last: ^c}]",
      { { "a", 1 }, { "b", 3 }, { "c", 7 } },
      9,
      { 2, 4 } },
    { "without last: up to a later one",
      "phases: [{name: a, first: ^a}, {name: b, first: ^b}, {name: c, first: ^c}]",
      { { "a", 1 }, { "c", 5 } },
      9,
      { 4, NAN, 4 } },
    { "without first: from the start, then from end to end",
      "phases: [{name: a, last: ok}, {name: b, last: ok}, {name: c, last: ok}]",
      { { "ok", 1 }, { "ok", 3 }, { "ok", 6 } },
      9,
      { 1, 2, 3 } },
    { "without first, and not seen",
      "phases: [{name: a, last: ok}, {name: b, last: ok}]",
      { { "ok", 1 } },
      9,
      { 1, NAN } },
    { "overlapping ones",
      "phases: [{name: a, first: ^a, last: ^z}, {name: b, first: ^b, last: ^y}]",
      { { "a", 1 }, { "b", 2 }, { "y", 4 }, { "z", 8 } },
      9,
      { 7, 2 } },
    { "progress with carriage returns",
      "phases: [{name: a, first: ^10, last: ^done$}]",
      { { "0 %\r10 %\r20 %", 1 }, { "90 %\rdone\r", 4 } },
      9,
      { 3 } },
    { "a stamp and a name before the text",
      "phases: [{name: a, first: ^go$, last: ^done$}]",
      { { "[2017-07-31 03:50:21] dora1 go", 1 }, { "03:50:25 done", 2 } },
      9,
      { 1 } },
    { "a name without a stamp is text",
      "phases: [{name: a, first: ^go$, last: ^done$}]",
      { { "dora1 go", 1 } },
      9,
      { NAN } },
    { "colours",
      "phases: [{name: a, first: ^go$, last: ^done$}]",
      { { "\033[1;32mgo\033[0m", 1 }, { "\033[Kdone", 2 }, { "\033", 3 } },
      9,
      { 1 } },
    { "JSON is YAML",
      "{\"phases\": [{\"name\": \"a\", \"first\": \"^go\", \"last\": \"^done\"}]}",
      { { "go", 2 }, { "done", 5 } },
      9,
      { 3 } },
};

static void check_durations(const char *why, const double *got, const double *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(got[i]) != isnan(want[i]) || fabs(got[i] - want[i]) > 1e-6)
            fail_msg("%s: phase %zu took %g, not %g s", why, i + 1, got[i], want[i]);
}

static void test_lines_are_followed(void **state)
{
    for (size_t i = 0; i < sizeof(FOLLOW) / sizeof(FOLLOW[0]); i++) {
        const struct follow_case *t = &FOLLOW[i];
        struct phases *p = parse(t->yaml);
        struct phase_reader *r = NULL;
        double got[3];

        assert_int_equal(phase_reader_new(&r, p, NULL), 0);
        for (int again = 0; again < 2; again++) { /* a reader serves one copy after another */
            phase_reader_clear(r);
            assert_false(phase_reader_saw_any(r));
            for (const struct timed_line *l = t->lines; l < t->lines + 8 && l->text != NULL; l++)
                phase_reader_take(r, slice_str(l->text), (uint64_t)(l->at_s * NS_PER_S));
            phase_reader_end(r, 0, (uint64_t)(t->end_s * NS_PER_S), got);
            check_durations(t->why, got, t->want, phases_count(p));
        }
        phase_reader_free(r);
        phases_free(p);
    }
    (void)state;
}

static void test_nul_is_a_byte(void **state)
{
    struct phases *p = parse("phases: [{name: a, first: '^a\\x00b$', last: '^$'}]");
    struct phase_reader *r = NULL;
    double got;

    assert_int_equal(phase_reader_new(&r, p, NULL), 0);
    phase_reader_take(r, slice_from("a\0b", 3), 1 * (uint64_t)NS_PER_S);
    phase_reader_take(r, slice_from("", 0), 3 * (uint64_t)NS_PER_S);
    phase_reader_end(r, 0, 9 * (uint64_t)NS_PER_S, &got);
    assert_true(got == 2);
    phase_reader_free(r);
    phases_free(p);
    (void)state;
}

/* Copies of a round print at the same time. */
static void test_a_watch_keeps_copies_apart(void **state)
{
    struct phases *p = parse("failed: ^no\nphases: [{name: a, first: ^go, last: ^done}]");
    struct phase_watch *w = NULL;
    double got = NAN;
    struct rounds_copy copy = { .duration_s = 10, .phases = &got };
    static const struct {
        uint32_t copy;
        const char *text;
        uint64_t at_s;
    } LINES[] = { { 7, "go", 101 }, { 2, "go", 102 }, { 7, "done", 103 }, { 2, "done", 109 } };

    assert_int_equal(phase_watch_new(&w, p, NULL), 0);
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++)
        assert_true(phase_watch_line(w, &(struct line){ .copy = LINES[i].copy,
                                                        .time_ns = LINES[i].at_s * NS_PER_S,
                                                        .bytes = slice_str(LINES[i].text) }));
    copy.index = 7;
    phase_watch_copy(w, &copy, 100 * (uint64_t)NS_PER_S);
    assert_true(got == 2);
    copy.index = 2;
    phase_watch_copy(w, &copy, 100 * (uint64_t)NS_PER_S);
    assert_true(got == 7);
    got = NAN;
    copy.index = 3; /* printed nothing */
    phase_watch_copy(w, &copy, 100 * (uint64_t)NS_PER_S);
    copy.index = 4000;
    phase_watch_copy(w, &copy, 100 * (uint64_t)NS_PER_S);
    assert_true(isnan(got));
    phase_watch_free(w);
    phases_free(p);
    (void)state;
}

/* Published for the two logs, ± 1 s; the two that are given as a range by their middle. -1: not published. */
static const char *const PUSH_PHASES[] = { "create",           "upload app", "download buildpacks", "create container",
                                           "download package", "stage",      "upload droplet",      "start" };
static const struct push_case {
    const char *log;
    double seconds[8];
    double total;
} PUSHES[] = {
    { DATA_DIR "/push-single.log", { -1, 5, -1, -1, 2, 12, 6, 5 }, 31 },
    { DATA_DIR "/push-of-32.log", { 3, 8, -1, -1, 3, 18, 4, 9.5 }, 47.5 },
};

static double follow_log(const char *path, struct phase_reader *r, double *durations)
{
    struct stamp_clock clock = { 0 };
    struct buf text;
    struct slice rest;

    buf_init(&text, 1u << 20);
    assert_int_equal(file_read(path, &text, NULL), 0);
    for (rest = buf_slice(&text); rest.len > 0;) {
        const struct slice line = slice_split(&rest, '\n');
        struct stamp s;

        if (stamp_read(&s, line))
            (void)stamp_clock_read(&clock, &s);
        phase_reader_take(r, line, clock.now_ns);
    }
    phase_reader_end(r, 0, clock.now_ns, durations);
    buf_release(&text);
    return (double)clock.now_ns / NS_PER_S;
}

static void test_the_published_pushes(void **state)
{
    struct phases *p = NULL;
    struct phase_reader *r = NULL;
    struct rounds_result *names = NULL;
    double got[8], growth_most = 0;
    double both[2][8];

    assert_int_equal(phases_load(&p, "cf-push", NULL), 0);
    assert_int_equal(phases_count(p), 8);
    assert_int_equal(rounds_result_new(&names, NULL), 0);
    assert_true(phases_add_to(p, names));
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(names->phases[i].name, PUSH_PHASES[i]);
    assert_int_equal(phase_reader_new(&r, p, NULL), 0);
    for (size_t k = 0; k < 2; k++) {
        phase_reader_clear(r);
        if (fabs(follow_log(PUSHES[k].log, r, got) - PUSHES[k].total) > 1)
            fail_msg("%s: total", PUSHES[k].log);
        assert_true(phase_reader_saw_any(r) && !phase_reader_saw_failed(r));
        for (size_t i = 0; i < 8; i++) {
            if (isnan(got[i]) || (PUSHES[k].seconds[i] >= 0 && fabs(got[i] - PUSHES[k].seconds[i]) > 1))
                fail_msg("%s: %s took %g s", PUSHES[k].log, PUSH_PHASES[i], got[i]);
            both[k][i] = got[i];
        }
    }
    for (size_t i = 0; i < 8; i++)
        growth_most = fmax(growth_most, both[1][i] - both[0][i]);
    assert_true(both[1][5] - both[0][5] == growth_most); /* staging */
    rounds_result_free(names);
    phase_reader_free(r);
    phases_free(p);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes_are_told_with_their_line),
        cmocka_unit_test(test_lines_are_followed),
        cmocka_unit_test(test_nul_is_a_byte),
        cmocka_unit_test(test_a_watch_keeps_copies_apart),
        cmocka_unit_test(test_the_published_pushes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
