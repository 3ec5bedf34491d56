/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What failed, with the last of what it said. */
#include <inttypes.h>
#include <math.h>

#include "report/fit.h"
#include "report/rounds_parts.h"

#define SHOWN 10u /* without -v */
#define LINES 5u

struct counter {
    const struct rounds_report *p;
    size_t seen;
};

/* Whether the next one is shown; prints the title before the first. */
static bool next(struct counter *c, const char *title)
{
    if (c->seen++ == 0)
        buf_printf(c->p->s.out, "\n%s\n", title);
    return c->p->verbose || c->seen <= SHOWN;
}

static void end(const struct counter *c)
{
    if (!c->p->verbose && c->seen > SHOWN)
        buf_printf(c->p->s.out, "  %zu of %zu are shown; -v and --json have all\n", (size_t)SHOWN, c->seen);
}

static void add_lines(const struct rounds_report *p, const struct strlist *lines)
{
    const size_t first = !p->verbose && lines->count > LINES ? lines->count - LINES : 0;

    for (size_t i = first; i < lines->count; i++) {
        buf_add_str(p->s.out, "      | ");
        fit_line(p->s.out, slice_str(lines->items[i]), p->s.width - 8, FIT_HEAD);
        while (p->s.out->len > 0 && p->s.out->data[p->s.out->len - 1] == ' ')
            p->s.out->data[--p->s.out->len] = '\0';
        buf_add_char(p->s.out, '\n');
    }
}

static void add_line(const struct rounds_report *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_line(const struct rounds_report *p, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    buf_init(&text, 4096);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    fit_paragraph(p->s.out, "  ", buf_slice(&text), p->s.width);
    buf_release(&text);
}

static void add_copy(const struct rounds_report *p, const struct rounds_round *round, const struct rounds_copy *c)
{
    char after[UNITS_TEXT_MAX];
    const char *failure = c->failure != NULL ? c->failure : c->unfinished ? "unfinished" : "failed";

    if (isnan(c->duration_s))
        add_line(p, "%" PRIu32 " at once, round %" PRIu32 ", copy %" PRIu32 ": %s", round->concurrency, round->number,
                 c->index, failure);
    else
        add_line(p, "%" PRIu32 " at once, round %" PRIu32 ", copy %" PRIu32 ": %s, after %s", round->concurrency,
                 round->number, c->index, failure, rounds_time(after, c->duration_s));
    add_lines(p, &c->last_lines);
}

static void add_copies(const struct rounds_report *p)
{
    struct counter counter = { .p = p };

    for (size_t i = 0; i < p->rounds->round_count; i++) {
        const struct rounds_round *round = &p->rounds->rounds[i];

        for (size_t k = 0; k < round->copy_count; k++)
            if (!round->copies[k].ok && next(&counter, "Failures"))
                add_copy(p, round, &round->copies[k]);
    }
    end(&counter);
}

static void add_hooks(const struct rounds_report *p)
{
    struct counter counter = { .p = p };

    for (size_t i = 0; i < p->rounds->round_count; i++) {
        const struct rounds_round *round = &p->rounds->rounds[i];

        for (size_t k = 0; k < round->hook_failure_count; k++) {
            const struct rounds_hook_failure *f = &round->hook_failures[k];

            if (!next(&counter, "Set-ups and clean-ups that failed"))
                continue;
            add_line(p, "%" PRIu32 " at once, round %" PRIu32 ", %s of copy %" PRIu32 ": %s", round->concurrency,
                     round->number, f->what, f->index, f->failure);
            add_lines(p, &f->last_lines);
        }
    }
    end(&counter);
}

static void add_left_behind(const struct rounds_report *p)
{
    struct counter counter = { .p = p };

    for (size_t i = 0; i < p->rounds->round_count; i++) {
        const struct rounds_round *round = &p->rounds->rounds[i];

        for (size_t k = 0; k < round->left_behind.count; k++)
            if (next(&counter, "Processes that outlived their copy"))
                add_line(p, "%" PRIu32 " at once, round %" PRIu32 ", %s", round->concurrency, round->number,
                         round->left_behind.items[k]);
    }
    end(&counter);
}

void rounds_part_failures(const struct rounds_report *p)
{
    add_copies(p);
    add_hooks(p);
    add_left_behind(p);
}
