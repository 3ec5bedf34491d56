/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/print.h"
#include "cli/rounds_compare.h"

#include "cli/complain.h"
#include "cli/outputs.h"
#include "report/compare_text.h"
#include "result/comparison.h"

#define TEXT_MAX_BYTES (1u << 24)
enum { EXIT_INVALID = 3 };

static void print(const struct comparison *c, FILE *to)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    buf_add_char(&text, '\n');
    compare_text(&text, c);
    cli_print(to, &text);
}

static bool fill_sides(struct side sides[2], const struct result *r)
{
    static const char *const NAMES[] = { "A", "B" };
    bool ok = true;

    for (uint32_t i = 0; i < 2 && ok; i++)
        ok = side_set_name(&sides[i], NAMES[i]) && side_add_rounds(&sides[i], r, i, NAMES[i]);
    return ok;
}

/* 130, then 1 before 3 before 4 before 0. */
static int worse(int a, int b)
{
    if (a == 130 || a == 0 || b == 0)
        return a != 0 ? a : b;
    return a < b ? a : b;
}

int rounds_compare(const struct result *r, const struct rounds_options *o, int code, const char *who)
{
    const struct comparison_options options = { .same_session = true };
    struct side sides[2] = { { 0 } };
    struct comparison c;
    struct err err = { 0 };

    if (!fill_sides(sides, r)) {
        cli_note(who, "out of memory for the comparison");
        code = worse(code, EXIT_INVALID);
    } else if (comparison_make(&c, &sides[0], &sides[1], NULL, &options, &err) != 0) {
        code = worse(code, cli_complain(who, &err));
        comparison_release(&c);
    } else {
        print(&c, outputs_use_stdout(&o->outputs) ? stderr : stdout);
        code = worse(code, comparison_exit_code(&c, o->strict));
        comparison_release(&c);
    }
    side_release(&sides[0]);
    side_release(&sides[1]);
    return code;
}
