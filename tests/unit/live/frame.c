/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/frame.h"

#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "live/cells.h"
#include "sample_live.h"

static void check_golden(const char *path, const struct live_figures *x, const struct frame_form *form)
{
    struct frame f;
    struct buf all;

    frame_init(&f);
    buf_init(&all, 1 << 20);
    frame_draw(&f, x, form);
    assert_true(f.count <= form->rows);
    for (size_t i = 0; i < f.count; i++) {
        buf_add_slice(&all, frame_line(&f, i));
        buf_add_char(&all, '\n');
    }
    golden_check(path, buf_slice(&all));
    buf_release(&all);
    frame_release(&f);
}

static void test_frames(void **state)
{
    static const struct {
        const char *path;
        struct frame_form form;
    } CASES[] = {
        { "80x24.txt", { .columns = 80, .rows = 24, .utf8 = true, .has_keys = true } },
        { "120x40.txt", { .columns = 120, .rows = 40, .utf8 = true, .has_keys = true } },
        { "80x24-colour.txt", { .columns = 80, .rows = 24, .utf8 = true, .colour = true, .has_keys = true } },
        { "80x24-ascii.txt", { .columns = 80, .rows = 24, .has_keys = true } },
        { "40x12.txt", { .columns = 40, .rows = 12, .utf8 = true, .has_keys = true } },
        { "80x24-paused.txt", { .columns = 80, .rows = 24, .utf8 = true, .has_keys = true, .paused = true } },
        { "80x24-help.txt", { .columns = 80, .rows = 24, .utf8 = true, .has_keys = true, .help = true } },
    };
    struct live_figures *x = sample_figures();

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        check_golden(CASES[i].path, x, &CASES[i].form);
    free(x);
}

static void test_nothing_is_known_yet(void **state)
{
    const struct frame_form form = { .columns = 80, .rows = 24, .utf8 = true };
    struct live_figures *x = calloc(1, sizeof(*x));

    live_figures_init(x, "load");
    check_golden("empty.txt", x, &form);
    free(x);
}

static void test_parts_of_a_whole(void **state)
{
    const struct frame_form form = { .columns = 80, .rows = 24, .utf8 = true, .has_keys = true };
    struct live_figures *x = sample_figures();

    x->command = "run";
    x->step_word = "sample";
    x->step = 3;
    x->steps = 12;
    live_text_set(x->step_name, sizeof(x->step_name), SLICE("edge/500 sample 1 of 3 (b)"));
    x->is_stopping = true;
    live_text_set(x->message, sizeof(x->message), SLICE("plimsoll run: warning: the teardown failed"));
    check_golden("run.txt", x, &form);
    free(x);
}

/* The cells of a line without its SGR sequences; anything else that a terminal would obey is a fault. */
static size_t width_of(struct slice line, bool colour)
{
    struct buf plain;
    size_t width;

    buf_init(&plain, 1 << 16);
    while (line.len > 0) {
        if (line.ptr[0] == '\033') {
            assert_true(colour && line.len > 2 && line.ptr[1] == '[');
            line = slice_drop(line, 2);
            while (line.len > 0 && (line.ptr[0] == ';' || (line.ptr[0] >= '0' && line.ptr[0] <= '9')))
                line = slice_drop(line, 1);
            assert_true(line.len > 0 && line.ptr[0] == 'm');
        } else {
            assert_true((unsigned char)line.ptr[0] >= 0x20);
            buf_append(&plain, line.ptr, 1);
        }
        line = slice_drop(line, 1);
    }
    width = cells_width(buf_slice(&plain), true);
    buf_release(&plain);
    return width;
}

static void test_no_size_is_exceeded(void **state)
{
    struct live_figures *x = sample_figures();
    struct frame f;

    memset(x->message, 'm', sizeof(x->message) - 1);
    for (int i = 0; i < 2 * LIVE_ROWS; i++)
        (void)live_row_add(&x->table, SLICE("http://127.0.0.1:8080/one/more/target/with/a/long/name"));
    x->ok = x->failed = x->started = x->bytes_received = UINT64_MAX / 4;
    frame_init(&f);
    for (unsigned columns = 1; columns < 200; columns += columns < 90 ? 1 : 13)
        for (unsigned rows = 1; rows < 150; rows += rows < 30 ? 1 : 17) {
            const unsigned bits = columns + 3 * rows; /* each of the sixteen forms, some 200 times */
            const struct frame_form form = { columns,         rows,           (bits & 1) != 0, true, (bits & 2) != 0,
                                             (bits & 4) != 0, (bits & 8) != 0 };

            frame_draw(&f, x, &form);
            assert_true(f.count > 0 && f.count <= rows);
            for (size_t i = 0; i < f.count; i++)
                assert_true(width_of(frame_line(&f, i), form.colour) <= columns);
        }
    frame_release(&f);
    free(x);
}

/* What matters most is there as long as there is any room for it. */
static void test_the_small_keep_the_main_figures(void **state)
{
    const struct frame_form form = { .columns = 60, .rows = 5, .utf8 = true, .has_keys = true };
    static const char *const WORDS[] = { "plimsoll load", "1.23 k requests/s", "ok 14,000", "q stop" };
    struct live_figures *x = sample_figures();
    struct frame f;

    frame_init(&f);
    frame_draw(&f, x, &form);
    for (size_t k = 0; k < sizeof(WORDS) / sizeof(WORDS[0]); k++) {
        bool found = false;

        for (size_t i = 0; i < f.count; i++)
            found = found || slice_find_slice(frame_line(&f, i), slice_str(WORDS[k])) >= 0;
        if (!found)
            fail_msg("%s is not there", WORDS[k]);
    }
    frame_release(&f);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_nothing_is_known_yet),
        cmocka_unit_test(test_parts_of_a_whole),
        cmocka_unit_test(test_no_size_is_exceeded),
        cmocka_unit_test(test_the_small_keep_the_main_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
