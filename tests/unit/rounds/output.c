/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a stream, however the bytes arrive, and the last lines that a failure shows. */
#include "rounds/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (1u << 22)

struct scene {
    struct output output;
    struct output_reader reader;
    struct buf lines; /* each in brackets; one that has no end without the second */
    size_t longest;
    int feed; /* the other end of its pipe */
};

static void on_line(void *arg, const struct line *line)
{
    struct scene *s = arg;

    assert_int_equal(line->copy, 7);
    assert_true(line->first_ns <= line->time_ns);
    s->longest = line->bytes.len > s->longest ? line->bytes.len : s->longest;
    buf_add_char(&s->lines, '[');
    buf_add_slice(&s->lines, line->bytes);
    buf_add_str(&s->lines, line->whole ? "]" : "");
}

static void begin(struct scene *s)
{
    int ends[2];

    memset(s, 0, sizeof(*s));
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    output_init(&s->output, ends[0], 7, LINE_STDERR);
    s->feed = ends[1];
    s->reader.scratch = malloc(OUTPUT_READ_BYTES);
    assert_non_null(s->reader.scratch);
    s->reader.on_line = on_line;
    s->reader.arg = s;
    buf_init(&s->lines, TEXT_MAX_BYTES);
}

static void feed(struct scene *s, const char *bytes, size_t len)
{
    size_t got;

    if (len == 0)
        return;
    assert_int_equal(write(s->feed, bytes, len), len);
    assert_int_equal(output_read(&s->output, &s->reader, &got), OUTPUT_SOME);
    assert_int_equal(got, len);
    assert_int_equal(output_read(&s->output, &s->reader, &got), OUTPUT_NOTHING);
}

static void end(struct scene *s)
{
    size_t got;

    close(s->feed);
    assert_int_equal(output_read(&s->output, &s->reader, &got), OUTPUT_ENDED);
    output_flush(&s->output, &s->reader);
    buf_add_char(&s->lines, '\0');
}

static void release(struct scene *s)
{
    output_release(&s->output);
    buf_release(&s->lines);
    free(s->reader.scratch);
}

static const char TEXT[] = "one\n\ntwo\0nul\r\n\n three";
static const char WANT[] = "[one][][two\0nul\r][][ three";

static void test_lines_split_at_every_byte(void **state)
{
    (void)state;
    const size_t len = sizeof(TEXT) - 1;

    for (size_t at = 0; at <= len; at++) {
        struct scene s;

        begin(&s);
        feed(&s, TEXT, at);
        feed(&s, TEXT + at, len - at);
        end(&s);
        if (s.lines.len != sizeof(WANT) || memcmp(s.lines.data, WANT, sizeof(WANT)) != 0)
            fail_msg("split at byte %zu: %s", at, s.lines.data);
        assert_int_equal(s.output.bytes, len);
        release(&s);
    }
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    struct scene s;

    begin(&s);
    for (size_t i = 0; i < sizeof(TEXT) - 1; i++)
        feed(&s, TEXT + i, 1);
    end(&s);
    assert_memory_equal(s.lines.data, WANT, sizeof(WANT));
    release(&s);
}

/* Pieces of a long line: whatever the reads were, none is longer than promised, and put together they are the line. */
static void test_long_lines_come_in_pieces(void **state)
{
    (void)state;
    static const size_t LENGTHS[] = { LINE_MAX_BYTES - 1, LINE_MAX_BYTES, LINE_MAX_BYTES + 1, 3 * LINE_MAX_BYTES };
    static const size_t READS[] = { 4096, 40000, 60000 };
    char *text = malloc(3 * LINE_MAX_BYTES + 1);

    assert_non_null(text);
    for (size_t l = 0; l < sizeof(LENGTHS) / sizeof(LENGTHS[0]); l++) {
        for (size_t r = 0; r < sizeof(READS) / sizeof(READS[0]); r++) {
            const size_t len = LENGTHS[l] + 1;
            size_t letters = 0;
            struct scene s;

            memset(text, 'x', LENGTHS[l]);
            text[LENGTHS[l]] = '\n';
            begin(&s);
            for (size_t at = 0; at < len; at += READS[r])
                feed(&s, text + at, len - at < READS[r] ? len - at : READS[r]);
            end(&s);
            for (size_t i = 0; i < s.lines.len; i++)
                letters += s.lines.data[i] == 'x';
            assert_int_equal(letters, LENGTHS[l]);
            assert_true(s.longest <= LINE_MAX_BYTES);
            assert_int_equal(s.lines.data[s.lines.len - 2], ']');
            release(&s);
        }
    }
    free(text);
}

static void test_last_lines(void **state)
{
    (void)state;
    static const struct {
        const char *why, *text, *want; /* lines with | between */
    } CASES[] = {
        { "nothing", "", "" },
        { "fewer than asked for", "a\nb\n", "a|b" },
        { "the last ones", "a\nb\nc\nd\n", "b|c|d" },
        { "no end", "a\nb", "a|b" },
        { "empty lines at the end", "a\n\n\n", "a" },
        { "an empty line between", "a\n\nb\n", "a||b" },
        { "carriage returns: what was to be seen at last", "10%\r50%\r100%\r\nok\n", "100%|ok" },
        { "what a terminal would obey", "\x1b[2Jx\x07\ty\n", "?[2Jx? y" },
        { "not UTF-8",
          "a\xff"
          "b\xc3\xa4\n",
          "a?b\xc3\xa4" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct strlist lines = STRLIST_INIT;
        struct buf got;
        struct scene s;

        begin(&s);
        feed(&s, CASES[i].text, strlen(CASES[i].text));
        end(&s);
        buf_init(&got, 1000);
        assert_true(output_last_lines(&s.output, &lines, 3));
        for (size_t k = 0; k < lines.count; k++)
            buf_printf(&got, "%s%s", k > 0 ? "|" : "", lines.items[k]);
        if (!slice_eq(buf_slice(&got), slice_str(CASES[i].want)))
            fail_msg("%s: %s", CASES[i].why, got.data);
        buf_release(&got);
        strlist_release(&lines);
        release(&s);
    }
}

/* Of much output the end is kept, from the beginning of a line on, unless there is none. */
static void test_last_lines_of_much(void **state)
{
    (void)state;
    struct strlist lines = STRLIST_INIT;
    struct scene s;

    begin(&s);
    for (unsigned i = 0; i < 2000; i++) {
        char line[32];

        snprintf(line, sizeof(line), "line %u\n", i);
        feed(&s, line, strlen(line));
    }
    end(&s);
    assert_true(output_last_lines(&s.output, &lines, 2));
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.items[0], "line 1998");
    assert_string_equal(lines.items[1], "line 1999");
    strlist_release(&lines);
    release(&s);

    begin(&s);
    for (unsigned i = 0; i < 2 * OUTPUT_TAIL_BYTES; i++)
        feed(&s, "y", 1);
    end(&s);
    assert_true(output_last_lines(&s.output, &lines, 2));
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.items[0][0], 'y');
    strlist_release(&lines);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_split_at_every_byte), cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_long_lines_come_in_pieces), cmocka_unit_test(test_last_lines),
        cmocka_unit_test(test_last_lines_of_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
