/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's line and summary, to the byte. */
#include "report/mb.h"

#include <string.h>

static const struct line_case {
    const char *why;
    struct mb_line line;
    const char *want;
} LINES[] = {
    { "fifteen columns",
      { .start_us = 1700000000123456,
        .delay_us = 789,
        .status = 200,
        .written = 92,
        .read = 40,
        .thread = 1,
        .socket = 27,
        .connections = 2,
        .requests = 3,
        .connect_us = 1700000000000001,
        .writable_us = 11,
        .established_us = 22,
        .tls_reused = true,
        .error = "" },
      "1700000000123456,789,200,92,40,GET http://a.test:80/,1,27,2,3,1700000000000001,11,22,1,\n" },
    { "a failure",
      { .start_us = 1, .socket = -1, .connections = 1, .error = "socket_write(): connect_refused" },
      "1,0,0,0,0,GET http://a.test:80/,0,-1,1,0,0,0,0,0,socket_write(): connect_refused\n" },
    { "the largest numbers",
      { .start_us = UINT64_MAX,
        .delay_us = UINT64_MAX,
        .status = 999,
        .written = UINT64_MAX,
        .read = UINT64_MAX,
        .thread = UINT32_MAX,
        .socket = INT32_MAX,
        .connections = UINT64_MAX,
        .requests = UINT64_MAX,
        .connect_us = UINT64_MAX,
        .writable_us = UINT64_MAX,
        .established_us = UINT64_MAX,
        .error = "" },
      "18446744073709551615,18446744073709551615,999,18446744073709551615,18446744073709551615,GET http://a.test:80/,"
      "4294967295,2147483647,18446744073709551615,18446744073709551615,18446744073709551615,18446744073709551615,"
      "18446744073709551615,0,\n" },
};

static void test_lines(void **state)
{
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        struct mb_line line = LINES[i].line;
        struct buf out;

        line.method_and_url = SLICE("GET http://a.test:80/");
        buf_init(&out, 4096);
        mb_line_add(&out, &line);
        buf_add_char(&out, '\0');
        if (strcmp(out.data, LINES[i].want) != 0)
            fail_msg("%s: %s", LINES[i].why, out.data);
        buf_release(&out);
    }
    (void)state;
}

static const struct summary_case {
    const char *why;
    struct mb_summary summary;
    const char *want;
} SUMMARIES[] = {
    { "as in mb's own manual",
      { .seconds = 10.05, .sent_bytes = 1546, .received_bytes = 22067, .hits = 14 },
      "Time: 10.05s\nSent: 1.51kiB, 153.83B/s\nRecv: 21.55kiB, 2.14kiB/s\nHits: 14, 1.39/s\n" },
    { "errors",
      { .seconds = 1, .hits = 3, .connection_errors = 1, .parser_errors = 2 },
      "Time: 1.00s\nSent: 0.00B, 0.00B/s\nRecv: 0.00B, 0.00B/s\nHits: 3, 3.00/s\n"
      "Errors connection: 1, status: 0, parser: 2\n" },
    { "1024 bytes are not yet a kiB",
      { .seconds = 1, .sent_bytes = 1024, .received_bytes = 1025 },
      "Time: 1.00s\nSent: 1024.00B, 1024.00B/s\nRecv: 1.00kiB, 1.00kiB/s\nHits: 0, 0.00/s\n" },
    { "much",
      { .seconds = 2, .sent_bytes = UINT64_C(3) << 30, .received_bytes = UINT64_C(5) << 40 },
      "Time: 2.00s\nSent: 3.00GiB, 1.50GiB/s\nRecv: 5.00TiB, 2.50TiB/s\nHits: 0, 0.00/s\n" },
    { "no time passed",
      { .seconds = 0, .sent_bytes = 10, .hits = 1 },
      "Time: 0.00s\nSent: 10.00B, 0.00B/s\nRecv: 0.00B, 0.00B/s\nHits: 1, 0.00/s\n" },
};

static void test_summaries(void **state)
{
    for (size_t i = 0; i < sizeof(SUMMARIES) / sizeof(SUMMARIES[0]); i++) {
        struct buf out;

        buf_init(&out, 4096);
        mb_summary_add(&out, &SUMMARIES[i].summary);
        if (strcmp(out.data, SUMMARIES[i].want) != 0)
            fail_msg("%s:\n%s", SUMMARIES[i].why, out.data);
        buf_release(&out);
    }
    (void)state;
}

static void test_no_room(void **state)
{
    struct buf out;

    buf_init(&out, 10);
    mb_line_add(&out, &LINES[0].line);
    assert_false(buf_ok(&out));
    buf_release(&out);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_summaries),
        cmocka_unit_test(test_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
