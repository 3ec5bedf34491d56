/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's CSV. */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "imports.h"

#define AT "1796063785000000"

static const char ROWS[] = AT
    ",5000,200,100,400,GET http://127.0.0.1:80/a,0,7,1,1," AT ",300,0,0,\n"
    "1796063785005000,1000,200,100,400,GET http://127.0.0.1:80/a,0,7,1,2," AT ",300,0,0,\n"
    "1796063785006000,2000,503,100,200,GET https://127.0.0.1:80/b,1,8,1,1,1796063785006000,300,900,1,\n"
    "1796063785008000,2000,304,100,200,GET http://127.0.0.1:80/a?x=1,2,y,1,8,1,2," AT ",300,900,0,\n"
    "1796063785009000,91000,0,100,0,GET http://127.0.0.1:80/a,1,-1,1,1,1796063785009000,0,0,0,timeout\n";

static void test_rows(void **state)
{
    struct imported in;
    const struct result *r = import_one(&in, ROWS, IMPORT_MB);

    (void)state;
    has_total(r, TOTAL_STARTED, 5);
    has_total(r, TOTAL_OK, 3);
    has_total(r, TOTAL_FAILED, 2);
    has_total(r, TOTAL_BYTES_SENT, 500);
    has_total(r, TOTAL_BYTES_RECEIVED, 1200);
    has_total(r, TOTAL_CONNECTIONS_OPENED, 3);
    has_no_total(r, TOTAL_UNFINISHED);
    assert_true(r->duration_s == 0.1 && r->totals.requests_per_s == 30);
    assert_string_equal(r->started, "2026-11-30T18:36:25.000Z");
    assert_int_equal(hist_count(r->latency), 3);
    assert_int_equal(hist_max_ns(r->latency), 5000000);
    assert_int_equal(hist_sum_ns(r->latency), 8000000);
    assert_int_equal(hist_count(r->by_class[CLASS_5XX]), 1);
    assert_int_equal(hist_max_ns(r->by_class[CLASS_ERROR]), 91000000);
    assert_int_equal(hist_count(r->phases[PHASE_CONNECT]), 2);
    assert_int_equal(hist_max_ns(r->phases[PHASE_TLS]), 600000);
    assert_int_equal(r->totals.tls_resumed, 1);
    assert_int_equal(r->status[503], 1);
    assert_int_equal(r->status[0], 0);
    has_seen(r, "mb error: timeout", 1);
    assert_int_equal(r->error_count, 1);
    assert_string_equal(r->errors[0].detail, "status 503");
    assert_int_equal(r->target_count, 3);
    assert_string_equal(r->targets[2].url, "http://127.0.0.1:80/a?x=1,2,y"); /* commas and all */
    assert_string_equal(r->targets[0].method, "GET");
    assert_int_equal(r->targets[0].totals.started, 3);
    imported_release(&in);
}

static void test_many_targets(void **state)
{
    struct imported in;
    const struct result *r;
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 20);
    for (unsigned i = 0; i < 200; i++)
        buf_printf(&text, AT ",%u,200,1,1,GET http://h/%u,0,7,1,%u," AT ",300,0,0,\n", 1000 + i, i, i + 1);
    r = import_one(&in, text.data, IMPORT_MB);
    assert_int_equal(r->target_count, 0);
    assert_int_equal(r->warnings.count, 1);
    has_total(r, TOTAL_OK, 200);
    imported_release(&in);
    buf_release(&text);
}

static const struct {
    const char *why, *text, *said;
} WRONG[] = {
    { "cut within a row", AT ",5000,200,100,400,GET http://h/,0,7,1,1," AT ",300,0,0,\n" AT ",5000,20",
      "one.txt:2: cut off" },
    { "a column too few", AT ",5000,200,100,400,GET http://h/,0,7,1,1," AT ",300,0\n", "one.txt:1: not a row" },
    { "a word for a number", AT ",fast,200,100,400,GET http://h/,0,7,1,1," AT ",300,0,0,\n", "one.txt:1: not a row" },
    { "a status that is none", AT ",5000,2000,100,400,GET http://h/,0,7,1,1," AT ",300,0,0,\n", "status 2000" },
    { "too large a number", "99999999999999999999,5000,200,1,4,GET http://h/,0,7,1,1," AT ",300,0,0,\n", "not a row" },
    { "nothing", "", "no rows" },
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        import_refused(WRONG[i].why, WRONG[i].text, IMPORT_MB, WRONG[i].said);
}

/* Longer than one piece that is read at once, through a file: every row is counted, whichever piece ends within it. */
static void test_long_file(void **state)
{
    char path[] = "/tmp/plimsoll-mb-XXXXXX";
    const int fd = mkstemp(path);
    struct imported in = { 0 };
    struct err err = { 0 };
    FILE *file = fdopen(fd, "w");

    (void)state;
    assert_non_null(file);
    for (unsigned i = 0; i < 30000; i++)
        fprintf(file, "%llu,%u,200,100,400,GET http://h/%.*s,0,7,1,%u,0,300,0,0,\n", 1796063785000000ull + i, i % 1000,
                (int)(i % 40), "0123456789012345678901234567890123456789", i + 1);
    assert_int_equal(fclose(file), 0);
    if (import_file(&in, path, IMPORT_AUTO, NULL, &err) != 0)
        fail_msg("%s", err.what);
    has_total(in.results[0], TOTAL_STARTED, 30000);
    assert_int_equal(hist_sum_ns(in.results[0]->latency), UINT64_C(30000) * 999 * 1000 / 2);
    assert_int_equal(in.results[0]->target_count, 40);
    imported_release(&in);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_many_targets),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_long_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
