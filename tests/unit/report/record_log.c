/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log's lines: cells as the header names them, times to the nanosecond. */
#include "report/record_log.h"

#include <string.h>

#define ABSENT LOG_LINE_ABSENT

static const struct {
    const char *why;
    struct log_line line;
    const char *want;
} LINES[] = {
    { "all that a line can hold",
      { .due_ns = 1500000001,
        .latency_ns = 2000000,
        .service_time_ns = 1999999,
        .connect_ns = 100,
        .tls_ns = 0,
        .send_ns = 10,
        .wait_ns = 1000,
        .receive_ns = 3600000000000u,
        .bytes_received = 1234,
        .body_bytes = 1000,
        .connection = 7,
        .target = 2,
        .status = 200,
        .reused = true },
      "1.500000001,0.002000000,0.001999999,0.000000100,0.000000000,0.000000010,0.000001000,3600.000000000,200,,1234,"
      "1000,2,"
      "7,1,0,0,0\n" },
    { "what does not apply is empty",
      { .latency_ns = 5,
        .service_time_ns = ABSENT,
        .connect_ns = ABSENT,
        .tls_ns = ABSENT,
        .send_ns = ABSENT,
        .wait_ns = ABSENT,
        .receive_ns = ABSENT,
        .error = "connect_refused",
        .retried = true },
      "0.000000000,0.000000005,,,,,,,,connect_refused,0,0,0,0,0,0,1,0\n" },
    { "due before the window, in the warm-up",
      { .due_ns = -250000000,
        .latency_ns = ABSENT,
        .service_time_ns = ABSENT,
        .connect_ns = ABSENT,
        .tls_ns = ABSENT,
        .send_ns = ABSENT,
        .wait_ns = ABSENT,
        .receive_ns = ABSENT,
        .error = "",
        .warmup = true,
        .unfinished = true },
      "-0.250000000,,,,,,,,,,0,0,0,0,0,1,0,1\n" },
    { "the largest of everything",
      { .due_ns = INT64_MIN,
        .latency_ns = UINT64_MAX - 1,
        .service_time_ns = UINT64_MAX - 1,
        .connect_ns = UINT64_MAX - 1,
        .tls_ns = UINT64_MAX - 1,
        .send_ns = UINT64_MAX - 1,
        .wait_ns = UINT64_MAX - 1,
        .receive_ns = UINT64_MAX - 1,
        .bytes_received = UINT64_MAX,
        .body_bytes = UINT64_MAX,
        .connection = UINT64_MAX,
        .target = UINT32_MAX,
        .status = UINT16_MAX,
        .error = "a kind that is far longer than any kind that there is" },
      "-9223372036.854775808,18446744073.709551614,18446744073.709551614,18446744073.709551614,18446744073.709551614,"
      "18446744073.709551614,18446744073.709551614,18446744073.709551614,65535,a kind that is far longer than any kind "
      ","
      "18446744073709551615,18446744073709551615,4294967295,18446744073709551615,0,0,0,0\n" },
};

static size_t commas(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += *text == ',';
    return n;
}

static void test_lines(void **state)
{
    struct buf header;

    (void)state;
    buf_init(&header, 1024);
    log_line_add_header(&header);
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        struct buf out;

        buf_init(&out, 1024);
        log_line_add(&out, &LINES[i].line);
        if (strcmp(out.data, LINES[i].want) != 0)
            fail_msg("%s:\n  want %s  got  %s", LINES[i].why, LINES[i].want, out.data);
        assert_int_equal(commas(out.data), commas(header.data));
        buf_release(&out);
    }
    buf_release(&header);
}

static void test_units_are_in_the_names(void **state)
{
    struct buf header;

    (void)state;
    buf_init(&header, 1024);
    log_line_add_header(&header);
    assert_string_equal(header.data,
                        "due_s,latency_s,service_time_s,connect_s,tls_s,send_s,wait_s,receive_s,status,error,"
                        "received_bytes,body_bytes,target,connection,reused,warmup,retried,unfinished\n");
    buf_release(&header);
}

/* Lines follow each other, and a full buffer is said once at the end. */
static void test_full_buffer(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 1000);
    log_line_add(&out, &LINES[1].line);
    const size_t one = out.len;
    log_line_add(&out, &LINES[1].line);
    assert_int_equal(out.len, 2 * one);
    for (int i = 0; i < 50; i++)
        log_line_add(&out, &LINES[1].line);
    assert_false(buf_ok(&out));
    assert_true(out.len <= 1000);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_units_are_in_the_names),
        cmocka_unit_test(test_full_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
