/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that were timed elsewhere: every kind of text, failures that are never 0 s, and what can not be read. */
#include "rounds/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/file.h"

#define INPUTS_MAX 4

static struct result *new_rounds(void)
{
    struct result *r = NULL;

    assert_int_equal(result_new(&r, NULL), 0);
    assert_int_equal(result_make_rounds(r, NULL), 0);
    return r;
}

static struct result *import(const char *name, uint32_t concurrency, const char *text)
{
    const struct rounds_input input = { .name = name, .concurrency = concurrency, .text = slice_str(text) };
    struct result *r = new_rounds();
    struct err err = { 0 };

    if (rounds_import(r, &input, 1, NULL, &err) != 0)
        fail_msg("%s: %s", name, err.what);
    return r;
}

static const struct durations_case {
    const char *why, *text;
    uint32_t n, concurrency, copies, ok;
    double mean_ok_s, mean_s;
} DURATIONS[] = {
    { "a number a line", "1\n2\n3\n", 0, 3, 3, 3, 2, 2 },
    { "spaces, line ends of others, no last one", " 1.5 \r\n2.5", 0, 2, 2, 2, 2, 2 },
    { "GNU time: the failure and its time", "10\nCommand exited with non-zero status 1\n2\n30\n", 0, 3, 3, 2, 20, 14 },
    { "the same, said how many", "10\nCommand exited with non-zero status 1\n2\n30\n", 3, 3, 3, 2, 20, 14 },
    { "a line per copy: the failure has no time", "10\nCommand exited with non-zero status 1\n20\n30\n", 4, 4, 4, 3, 20,
      20 },
    { "killed", "Command terminated by signal 9\n4\n6\n", 0, 2, 2, 1, 6, 5 },
    { "a failure at the end", "10\nCommand exited with non-zero status 1\n", 0, 2, 2, 1, 10, 10 },
    { "two failures in a row", "10\nCommand exited with non-zero status 1\nCommand exited with non-zero status 2\n7\n",
      0, 3, 3, 1, 10, 8.5 },
    { "some of a round of 32", "10\n20\n", 32, 32, 2, 2, 15, 15 },
};

static void test_durations(void **state)
{
    for (size_t i = 0; i < sizeof(DURATIONS) / sizeof(DURATIONS[0]); i++) {
        const struct durations_case *t = &DURATIONS[i];
        struct result *r = import("d.txt", t->n, t->text);
        const struct rounds_round *round = &r->rounds->rounds[0];

        if (r->rounds->round_count != 1 || round->concurrency != t->concurrency || round->copy_count != t->copies ||
            round->ok != t->ok)
            fail_msg("%s: %zu copies of %u, %u ok", t->why, round->copy_count, round->concurrency, round->ok);
        if (fabs(round->mean_ok_s - t->mean_ok_s) > 1e-9 || fabs(round->mean_s - t->mean_s) > 1e-9)
            fail_msg("%s: means %g and %g", t->why, round->mean_ok_s, round->mean_s);
        for (size_t k = 0; k < round->copy_count; k++)
            if (round->copies[k].duration_s == 0 || (!round->copies[k].ok && round->copies[k].failure == NULL))
                fail_msg("%s: copy %zu took %g s", t->why, k + 1, round->copies[k].duration_s);
        if (t->concurrency > t->copies && !isnan(round->makespan_s))
            fail_msg("%s: of a part the whole is not known", t->why);
        result_free(r);
    }
    (void)state;
}

static void test_roundup(void **state)
{
    struct result *r = import(
        "push.txt", 0,
        "Deleting app dora1\nStarting round of 1\n32.1\nAverage 32.1 seconds\n"
        "Starting round of 4...\n30\nCommand exited with non-zero status 1\n40\n50\nAverage: 30 seconds\n"
        "Starting round of 2\nAverage 33.5 seconds\nRounds:\n1 32.1\n4 30\n");
    const struct rounds_round *rounds = r->rounds->rounds;

    assert_int_equal(r->rounds->round_count, 3);
    assert_string_equal(r->rounds->series[0].name, "push");
    assert_true(rounds[0].concurrency == 1 && rounds[0].mean_s == 32.1);
    assert_true(rounds[1].concurrency == 4 && rounds[1].ok == 3 && rounds[1].failed == 1 && rounds[1].mean_ok_s == 40);
    assert_true(rounds[2].concurrency == 2 && rounds[2].copy_count == 0 && rounds[2].mean_s == 33.5);
    assert_int_equal(r->warnings.count, 1);
    assert_non_null(
        strstr(r->warnings.items[0], "4 at once: the average given, 30 s, counts 1 failed; it is 40 s without"));
    result_free(r);
    r = import("list.txt", 0, "Rounds:\n1 32.1\n2: 33 seconds\n4, 35.5\n");
    assert_int_equal(r->rounds->round_count, 3);
    assert_true(r->rounds->rounds[2].concurrency == 4 && r->rounds->rounds[2].mean_s == 35.5);
    result_free(r);
    r = import("two.txt", 0,
               "Series: a\nStarting round of 1\n1\nRounds:\n1 1\nSeries: b\nStarting round of 1\n2\nRounds:\n1 2\n");
    assert_int_equal(r->rounds->series_count, 2);
    assert_int_equal(r->rounds->round_count, 2);
    assert_true(r->rounds->rounds[1].series == 1 && r->rounds->rounds[1].mean_s == 2);
    result_free(r);
    (void)state;
}

static void test_csv_of_averages(void **state)
{
    struct result *r = import("r.csv", 0,
                              "cells,concurrency,average_s,failed\n4,1,31.86,0\n4,32,55.4847,2\n8,1,31.91,\n");
    const struct rounds_round *rounds = r->rounds->rounds;

    assert_int_equal(r->rounds->series_count, 2);
    assert_string_equal(r->rounds->series[0].name, "cells=4");
    assert_true(rounds[1].mean_s == 55.4847 && rounds[1].failed == 2 && rounds[1].ok == 30);
    assert_true(fabs(rounds[1].mean_discounted_s - 59.18) < 0.005); /* as published */
    assert_true(rounds[2].series == 1 && rounds[2].failed == 0);
    assert_int_equal(r->warnings.count, 1);
    assert_non_null(strstr(r->warnings.items[0], "59.1837"));
    assert_true(r->totals.started == 34 && r->totals.failed == 2 && r->valid);
    result_free(r);
    (void)state;
}

static void test_csv_of_copies(void **state)
{
    struct result *r = import("r.csv", 0,
                              "\xef\xbb\xbf"
                              "concurrency,sample,copy,duration_s,exit,failure,phase up_s,\"note, quoted\"\r\n"
                              "2,1,1,1.5,0,,0.5,x\r\n2,1,2,2.5,1,\"exit 1, alas\",,x\n2,2,1,3,0,,1,x\n2,2,2,5,0,,2,x\n"
                              "2,,,Command exited with non-zero status 3,,,,x\n");
    const struct rounds_round *rounds = r->rounds->rounds;

    assert_int_equal(r->rounds->round_count, 3);
    assert_string_equal(r->rounds->phases[0].name, "up");
    assert_string_equal(r->rounds->series[0].name, "note, quoted=x");
    assert_true(rounds[0].ok == 1 && rounds[0].failed == 1 && rounds[0].copies[1].duration_s == 2.5);
    assert_string_equal(rounds[0].copies[1].failure, "exit 1, alas");
    assert_true(rounds[0].copies[0].phases[0] == 0.5 && isnan(rounds[0].copies[1].phases[0]));
    assert_true(rounds[1].sample == 2 && rounds[1].mean_ok_s == 4);
    assert_true(rounds[2].sample == 3 && rounds[2].failed == 1 && isnan(rounds[2].copies[0].duration_s));
    result_free(r);
    r = import("plain.csv", 0, "n,seconds\n1,3\n2,4\n2,5\n2,6\n2,7\n");
    assert_int_equal(r->rounds->round_count, 3); /* two at once: two rounds of two */
    assert_true(r->rounds->rounds[2].sample == 2 && r->rounds->rounds[2].mean_s == 6.5);
    result_free(r);
    (void)state;
}

static void test_hyperfine(void **state)
{
    struct result *r = import(
        "h.json", 0,
        "{\"results\": [{\"command\": \"sleep 1\", \"mean\": 1.5, \"user\": 0.25, \"system\": 0.5,"
        "\"times\": [1.0, 2.0, 1.5e0], \"exit_codes\": [0, 0, 1]}, {\"command\": \"true\", \"times\": [0.0005]}]}");
    const struct rounds_round *rounds = r->rounds->rounds;

    assert_int_equal(r->rounds->series_count, 2);
    assert_string_equal(r->rounds->series[0].name, "sleep 1");
    assert_int_equal(r->rounds->round_count, 4);
    assert_true(rounds[1].concurrency == 1 && rounds[1].sample == 2 && rounds[1].mean_ok_s == 2);
    assert_true(rounds[1].copies[0].user_s == 0.25 && rounds[1].copies[0].sys_s == 0.5);
    assert_true(rounds[2].failed == 1 && rounds[3].series == 1 && rounds[3].mean_ok_s == 0.0005);
    result_free(r);
    (void)state;
}

/* Codes that Linux does not know, and null, are failures: they are not 0. */
static void test_hyperfine_exits_of_elsewhere(void **state)
{
    struct result *r = import("h.json", 0,
                              "{\"results\": [{\"command\": \"x\", \"times\": [1, 2, 3, 4, 5],"
                              "\"exit_codes\": [0, null, -1, 3221225477]}]}");

    assert_true(r->totals.started == 5 && r->totals.ok == 1 && r->totals.failed == 4);
    result_free(r);
    (void)state;
}

/* What a script's report says against itself is told. */
static const struct {
    const char *why, *text, *says; /* says NULL: nothing */
} ROUNDUPS[] = {
    { "all there", "Starting round of 2\n1.04\n2.04\nAverage 1.5 seconds\n", NULL },
    { "a time is missing", "Starting round of 4\n1\n2\n3\n",
      "4 at once: the times of 3 copies alone are there, 1 is missing" },
    { "an average of other numbers", "Starting round of 2\n1\n2\nAverage 9.0 seconds\n",
      "2 at once: the average given, 9 s, is not that of the durations, 1.5 s" },
    { "an average that counts failures' times",
      "Starting round of 2\n1\nCommand exited with non-zero status 1\n5\nAverage 3.0 seconds\n", NULL },
};

static void test_roundups_against_themselves(void **state)
{
    for (size_t i = 0; i < sizeof(ROUNDUPS) / sizeof(ROUNDUPS[0]); i++) {
        struct result *r = import("r.txt", 0, ROUNDUPS[i].text);
        const bool any = r->warnings.count > 0;

        if (any != (ROUNDUPS[i].says != NULL) || (any && strcmp(r->warnings.items[0], ROUNDUPS[i].says) != 0))
            fail_msg("%s: \"%s\"", ROUNDUPS[i].why, any ? r->warnings.items[0] : "");
        result_free(r);
    }
    (void)state;
}

static struct buf read_data(const char *name)
{
    struct buf text;
    char path[512];

    buf_init(&text, 1u << 20);
    snprintf(path, sizeof(path), "%s/%s", DATA_DIR, name);
    assert_int_equal(file_read(path, &text, NULL), 0);
    return text;
}

static void test_published_logs(void **state)
{
    struct buf alone = read_data("push-single.log"), among = read_data("push-of-32.log");
    const struct rounds_input inputs[] = { { "alone.log", 1, 0, buf_slice(&alone) },
                                           { "among.log", 32, 0, buf_slice(&among) } };
    struct result *r = new_rounds();
    const struct rounds_round *rounds;

    assert_int_equal(rounds_import(r, inputs, 2, NULL, NULL), 0);
    rounds = r->rounds->rounds;
    assert_int_equal(r->rounds->phase_count, 8); /* found without being asked for */
    assert_int_equal(r->rounds->round_count, 2);
    assert_true(rounds[0].concurrency == 1 && fabs(rounds[0].mean_ok_s - 31) <= 1);
    assert_true(rounds[1].concurrency == 32 && rounds[1].copy_count == 1 && fabs(rounds[1].mean_ok_s - 47.5) <= 1);
    assert_true(fabs(rounds[1].copies[0].phases[5] - 18) <= 1);
    assert_string_equal(r->warnings.items[0], "stamps of whole seconds in 2 logs: each of their times is right to 1 s");
    result_free(r);
    buf_release(&alone);
    buf_release(&among);
    (void)state;
}

/* The copies of a round, their starts told by their stamps. */
static void test_logs_of_one_round(void **state)
{
    const struct rounds_input inputs[] = {
        { "1.log", 0, 0, SLICE("2017-07-31 03:50:20 go\n2017-07-31 03:50:24 done\n") },
        { "2.log", 0, 0, SLICE("2017-07-31 03:50:21 go\nno stamp\n2017-07-31 03:50:31 FAILED\n") },
        { "3.log", 0, 7, SLICE("2017-07-31 03:50:21 go\n2017-07-31 02:50:31 back\n2017-07-31 02:50:33 done\n") },
    };
    struct phases *phases = NULL;
    struct result *r = new_rounds();
    const struct rounds_round *rounds;

    assert_int_equal(
        phases_parse(&phases, "p", SLICE("failed: ^FAILED\nphases: [{name: a, first: go, last: done}]"), NULL), 0);
    assert_int_equal(rounds_import(r, inputs, 3, phases, NULL), 0);
    rounds = r->rounds->rounds;
    assert_int_equal(r->rounds->round_count, 2);
    assert_true(rounds[0].concurrency == 2 && rounds[0].ok == 1 && rounds[0].failed == 1);
    assert_true(rounds[0].copies[1].start_s == 1 && rounds[0].copies[1].duration_s == 10 && rounds[0].makespan_s == 11);
    assert_true(rounds[0].copies[0].phases[0] == 4);
    assert_true(rounds[1].concurrency == 1 && rounds[1].copies[0].duration_s == 2); /* the step took none */
    assert_int_equal(r->warnings.count, 2);
    assert_non_null(strstr(r->warnings.items[0], "3.log: the clock went back 1 time"));
    result_free(r);
    phases_free(phases);
    (void)state;
}

static void test_own_json_lines(void **state)
{
    struct phases *phases = NULL;
    const struct rounds_input input = {
        "copy-001.jsonl", 0, 1,
        SLICE("{\"t\": 0.100000000, \"stream\": \"stdout\", \"line\": \"go \\u00e4 \\\"x\\\"\"}\n"
              "{\"t\": 2.600000000, \"stream\": \"stderr\", \"line\": \"done\", \"whole\": false}\n")
    };
    struct result *r = new_rounds();

    assert_int_equal(phases_parse(&phases, "p", SLICE("phases: [{name: a, first: '\"x\"$', last: done}]"), NULL), 0);
    assert_int_equal(rounds_import(r, &input, 1, phases, NULL), 0);
    assert_true(fabs(r->rounds->rounds[0].copies[0].phases[0] - 2.5) < 1e-6);
    assert_true(fabs(r->rounds->rounds[0].mean_ok_s - 2.6) < 1e-6);
    assert_int_equal(r->warnings.count, 1); /* no exit code is known, and no line for failures */
    assert_non_null(strstr(r->warnings.items[0], "1 of 1 logs do not tell how their copy ended: it counts as ok"));
    result_free(r);
    phases_free(phases);
    (void)state;
}

static const struct end_case {
    const char *why, *text;
    bool ok, timed_out, unfinished, exec_failed, told;
    int exit, signal;
    double duration_s;
} ENDS[] = {
    { "JSON: exit 0", "{\"t\": 0.5, \"line\": \"a\"}\n{\"t\": 2.5, \"end\": \"exit 0\", \"ok\": true, \"exit\": 0}\n",
      true, false, false, false, true, 0, 0, 2.5 },
    { "JSON: nothing was printed", "{\"t\": 2.5, \"end\": \"exit 3\", \"ok\": false, \"exit\": 3}\n", false, false,
      false, false, true, 3, 0, 2.5 },
    { "JSON: one that it left behind prints after it",
      "{\"t\": 9.5, \"line\": \"late\"}\n{\"t\": 2.5, \"end\": \"exit 0\", \"ok\": true, \"exit\": 0}\n", true, false,
      false, false, true, 0, 0, 2.5 },
    { "JSON: stopped",
      "{\"t\": 1.0, \"end\": \"timed out after 1 s\", \"ok\": false, \"signal\": 15, \"timed_out\": true}\n", false,
      true, false, false, true, -1, 15, 1 },
    { "JSON: printed words are no end",
      "{\"t\": 0.5, \"line\": \"{\\\"t\\\": 1, \\\"end\\\": \\\"exit 3\\\", \\\"ok\\\": false}\"}\n", true, false,
      false, false, false, 0, 0, 0.5 },
    { "text: exit 0, more exact than the stamps", "Mar 01 12:00:00 a\n#plimsoll ended after 0.25 s: ok: exit 0\n", true,
      false, false, false, true, 0, 0, 0.25 },
    { "text: expected not to be 0", "#plimsoll ended after 0.25 s: ok: exit 4\n", true, false, false, false, true, 4, 0,
      0.25 },
    { "text: a signal", "Mar 01 12:00:00 a\n#plimsoll ended after 1 s: failed: signal 9 (Killed)\n", false, false,
      false, false, true, -1, 9, 1 },
    { "text: never ran", "#plimsoll ended after 0.0 s: failed: cannot run x: No such file or directory\n", false, false,
      false, true, true, -1, 0, 0 },
    { "text: Ctrl-C", "#plimsoll ended after 1.0 s: failed: stopped\n", false, false, true, false, true, -1, 0, 1 },
    { "text: printed words are no end", "12:00:00 a\n12:00:03 #plimsoll ended after 1 s: failed: exit 1\n", true, false,
      false, false, false, 0, 0, 3 },
    { "text of others: GNU time's line",
      "12:00:00 a\n12:00:03 Command exited with non-zero status 3\n12:00:03 0.0user\n", false, false, false, false,
      true, 3, 0, 3 },
    { "text of others: GNU time's line without a stamp", "12:00:00 a\n12:00:03 b\nCommand terminated by signal 9\n",
      false, false, false, false, true, -1, 9, 3 },
    { "text: only the last line", "12:00:00 a\n#plimsoll ended after 1 s: failed: exit 1\n12:00:03 b\n", true, false,
      false, false, false, 0, 0, 3 },
};

static void test_how_copies_of_kept_logs_ended(void **state)
{
    for (size_t i = 0; i < sizeof(ENDS) / sizeof(ENDS[0]); i++) {
        const struct end_case *t = &ENDS[i];
        struct result *r = import("x", 0, t->text);
        const struct rounds_copy *c = &r->rounds->rounds[0].copies[0];
        bool told = true;

        for (size_t k = 0; k < r->warnings.count; k++)
            told = told && strstr(r->warnings.items[k], "do not tell") == NULL;
        if (c->ok != t->ok || c->timed_out != t->timed_out || c->unfinished != t->unfinished ||
            c->exec_failed != t->exec_failed || told != t->told)
            fail_msg("%s: ok %d, timed out %d, unfinished %d, exec failed %d, told %d", t->why, c->ok, c->timed_out,
                     c->unfinished, c->exec_failed, told);
        if (fabs(c->duration_s - t->duration_s) > 1e-9 ||
            (told && (c->exit != t->exit || c->signal != t->signal || c->ok != (c->failure == NULL))))
            fail_msg("%s: %g s, exit %d, signal %d, %s", t->why, c->duration_s, c->exit, c->signal, c->failure);
        result_free(r);
    }
    (void)state;
}

/* Two documents of ours, with phases of their own, side by side. */
static void test_documents(void **state)
{
    struct result *a = import("a.csv", 0, "concurrency,duration_s,phase up_s\n1,5,2\n"), *r = new_rounds();
    struct result *b = import("b.csv", 0, "concurrency,duration_s,phase down_s,phase up_s\n1,7,1,3\n");
    struct buf text[2];
    struct rounds_input inputs[2] = { { .name = "dir/a.json" }, { .name = "b.json" } };

    assert_true(strlist_add(&b->labels, SLICE("cells=8")));
    for (size_t i = 0; i < 2; i++) {
        buf_init(&text[i], 1u << 20);
        assert_int_equal(result_to_json(i == 0 ? a : b, &text[i], NULL), 0);
        inputs[i].text = buf_slice(&text[i]);
    }
    assert_int_equal(rounds_import(r, inputs, 2, NULL, NULL), 0);
    assert_int_equal(r->rounds->series_count, 2);
    assert_string_equal(r->rounds->series[0].name, "a");
    assert_string_equal(r->rounds->series[1].name, "b cells=8");
    assert_int_equal(r->rounds->phase_count, 2);
    assert_true(r->rounds->rounds[0].copies[0].phases[0] == 2 && isnan(r->rounds->rounds[0].copies[0].phases[1]));
    assert_true(r->rounds->rounds[1].copies[0].phases[0] == 3 && r->rounds->rounds[1].copies[0].phases[1] == 1);
    buf_release(&text[0]);
    buf_release(&text[1]);
    result_free(a);
    result_free(b);
    result_free(r);
    (void)state;
}

/* No crash and nothing lost in silence but a warning; what leaks, the sanitizer tells. */
static void test_refused_allocations(void **state)
{
    static const char *const TEXTS[] = {
        "1\nCommand exited with non-zero status 1\n2\n3\n",
        "Series: a\nStarting round of 2\n1\n2\nAverage 1.5 seconds\nRounds:\n",
        "cells,concurrency,average_s,failed\n4,1,31.86,0\n4,32,55.4847,2\n",
        "concurrency,copy,duration_s,failure,phase up_s\n2,1,1.5,,0.5\n2,2,2.5,\"exit 1, alas\",\n",
        "{\"results\": [{\"command\": \"sleep 1\", \"times\": [1.0, 2.0], \"exit_codes\": [0, 1]}]}",
        "2017-07-31 03:50:20 Creating app x\n2017-07-31 03:50:24 FAILED\n",
        "{\"t\": 0.1, \"stream\": \"stdout\", \"line\": \"Creating app x\"}\n",
        "{\"t\": 0.1, \"line\": \"Creating app x\"}\n{\"t\": 0.2, \"end\": \"exit 1\", \"ok\": false}\n",
        "12:00:00 a\n#plimsoll ended after 1 s: failed: exit 1\n",
        "12:00:00 a\n12:00:03 Command exited with non-zero status 3\n",
    };

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        const struct rounds_input input = { .name = "x", .text = slice_str(TEXTS[i]) };
        bool refused = true;

        for (unsigned nth = 1; refused; nth++) {
            struct result *r = new_rounds();
            int rc;

            alloc_fail_at(nth);
            rc = rounds_import(r, &input, 1, NULL, NULL);
            refused = alloc_fail_end();
            if (rc == 0 && (r->rounds->round_count == 0 || r->totals.started == 0))
                fail_msg("text %zu: allocation %u was refused and nobody said so", i, nth);
            result_free(r);
        }
    }
    (void)state;
}

static const struct bad_case {
    const char *why, *text, *says;
} BAD[] = {
    { "nothing", "", "nothing else that can be read" },
    { "prose", "It took long.\n", "x: no line begins with a stamp" },
    { "no times", "concurrency,cells\n1,4\n", "x:1: there is no column with times" },
    { "no number", "concurrency,duration_s\n1,fast\n", "x:2: a number was expected, not \"fast\"" },
    { "a negative duration", "concurrency,duration_s\n1,-3\n", "x:2: a number" },
    { "not a number", "concurrency,duration_s\n1,nan\n", "x:2: a number" },
    { "nobody at once", "concurrency,duration_s\n0,3\n", "x:2: \"concurrency\" must be 1 or more" },
    { "more failures than copies", "concurrency,average_s,failed\n1,1,0\n2,20,5\n", "x:3: more failed than ran" },
    { "a short row", "concurrency,duration_s\n1\n", "x:2: 1 fields, the header has 2" },
    { "an open quote", "concurrency,duration_s\n1,\"3\n", "x:2: a quote does not end" },
    { "a header alone", "concurrency,duration_s\n", "there are no rounds" },
    { "more than a round", "Starting round of 2\n1\n2\n3\n", "x:4: 3 copies, but 2 ran at once" },
    { "a round of none", "Starting round of 0\n", "x:1: a round of 1 to" },
    { "a round of words", "1\nStarting round of many\n", "x:2: a round of 1 to" },
    { "JSON of others", "{\"a\": 1}", "x:1: neither a result" },
    { "broken JSON", "{\"results\": [", "x" },
    { "hyperfine without times", "{\"results\": [{\"command\": \"x\"}]}", "x:1: \"command\" and \"times\"" },
    { "hyperfine with words for times", "{\"results\": [{\"command\": \"x\", \"times\": [\"a\"]}]}",
      "a number of seconds" },
    { "a document of another kind", "{\"format\": \"plimsoll-result\", \"version\": 1, \"kind\": \"load\"}", "x" },
    { "broken JSON lines", "{\"t\": 1}\n{\"t\":\n", "x" },
};

static void test_what_can_not_be_read(void **state)
{
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        const struct rounds_input input = { .name = "x", .text = slice_str(BAD[i].text) };
        struct result *r = new_rounds();
        struct err err = { 0 };

        if (rounds_import(r, &input, 1, NULL, &err) == 0)
            fail_msg("%s: taken", BAD[i].why);
        if (err.kind != ERR_CONFIG || strstr(err.what, BAD[i].says) == NULL)
            fail_msg("%s: \"%s\"", BAD[i].why, err.what);
        result_free(r);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_roundup),
        cmocka_unit_test(test_csv_of_averages),
        cmocka_unit_test(test_csv_of_copies),
        cmocka_unit_test(test_hyperfine),
        cmocka_unit_test(test_hyperfine_exits_of_elsewhere),
        cmocka_unit_test(test_roundups_against_themselves),
        cmocka_unit_test(test_published_logs),
        cmocka_unit_test(test_logs_of_one_round),
        cmocka_unit_test(test_own_json_lines),
        cmocka_unit_test(test_how_copies_of_kept_logs_ended),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_what_can_not_be_read),
        cmocka_unit_test(test_refused_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
