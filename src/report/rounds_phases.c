/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time goes, which phase takes the growth, and what would be saved if one took none. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/rounds_parts.h"
#include "report/table.h"

#define SIZES_SHOWN 6u /* where the width has room for them */
#define SIZE_COLUMNS 10u
#define OTHER_COLUMNS 22u /* indent, share and growth */
#define ROWS_MAX 30u
#define GROUPS_MAX 8u
#define NAMED 3u /* phases in the sentence about growth */
#define GROWTH_MIN 0.05
#define SAVING_MIN 0.02 /* of the time, at any size: what saves less is not listed */

/* The sizes whose phases are known, thinned out to what a table holds: the smallest and the largest stay. */
struct chosen {
    const struct rounds_size *sizes[SIZES_SHOWN];
    size_t count;
};

static size_t room_for_sizes(const struct rounds_report *p)
{
    size_t name = strlen("(other)"), room;

    for (size_t i = 0; i < p->rounds->phase_count; i++)
        if (strlen(p->rounds->phases[i].name) > name)
            name = strlen(p->rounds->phases[i].name);
    room = p->s.width > name + OTHER_COLUMNS ? (p->s.width - name - OTHER_COLUMNS) / SIZE_COLUMNS : 0;
    return room < 2 ? 2 : room < SIZES_SHOWN ? room : SIZES_SHOWN;
}

static struct chosen choose(const struct rounds_report *p, uint32_t series)
{
    const size_t room = room_for_sizes(p);
    size_t count, followed = 0, seen = 0;
    const struct rounds_size *sizes = rounds_sizes_of_series(&p->sizes, series, &count);
    struct chosen c = { .count = 0 };

    for (size_t i = 0; i < count; i++)
        followed += sizes[i].phases != NULL;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i].phases == NULL)
            continue;
        if (followed <= room || seen * (room - 1) >= c.count * (followed - 1))
            c.sizes[c.count++] = &sizes[i];
        seen++;
    }
    return c;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

static void add_head(struct table *t, const struct chosen *c, bool with_growth)
{
    table_cell(t, "at once");
    for (size_t i = 0; i < c->count; i++)
        table_cell(t, "%" PRIu32, c->sizes[i]->concurrency);
    table_cell(t, "share");
    if (with_growth)
        table_cell(t, "growth");
}

static const char *signed_time(char out[UNITS_TEXT_MAX], double s)
{
    char text[UNITS_TEXT_MAX];

    snprintf(out, UNITS_TEXT_MAX, "%c%.28s", s < 0 ? '-' : '+', rounds_time(text, fabs(s)));
    return out;
}

/* What a row shows of a size. */
enum row { ROW_PART, ROW_OTHER, ROW_ALL };

static double row_s(const struct rounds_report *p, const struct rounds_size *size, enum row row,
                    const struct rounds_part *part)
{
    if (row == ROW_PART)
        return rounds_part_s(p->rounds, size, part);
    return row == ROW_OTHER ? size->other_s : size->followed_s;
}

static void add_row(const struct rounds_report *p, struct table *t, const struct chosen *c, enum row row,
                    const struct rounds_part *part)
{
    const struct rounds_size *first = c->sizes[0], *last = c->sizes[c->count - 1];
    const double all = row_s(p, last, row, part);
    char text[UNITS_TEXT_MAX];

    table_cell(t, "%s", row == ROW_PART ? part->name : row == ROW_OTHER ? "(other)" : "(all)");
    for (size_t i = 0; i < c->count; i++)
        table_cell(t, "%s", rounds_time(text, row_s(p, c->sizes[i], row, part)));
    table_cell(t, "%.0f %%", share(all, last->followed_s));
    if (c->count > 1)
        table_cell(t, "%s", signed_time(text, all - row_s(p, first, row, part)));
}

static size_t all_parts(const struct rounds_report *p, struct rounds_part *out)
{
    size_t count = 0;

    for (size_t i = 0; i < p->rounds->phase_count && count < ROWS_MAX; i++)
        out[count++] = (struct rounds_part){ .name = p->rounds->phases[i].name, .phase = i };
    return count;
}

/* A name on the left, figures on the right. */
static void align_columns(char out[TABLE_COLUMNS_MAX + 1], size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        out[i] = i == 0 ? 'l' : 'r';
    out[columns] = '\0';
}

static void add_table(const struct rounds_report *p, const struct chosen *c, const struct rounds_part *parts,
                      size_t count)
{
    char align[TABLE_COLUMNS_MAX + 1];
    struct table t;

    align_columns(align, 1 + c->count + (c->count > 1 ? 2 : 1));
    buf_add_str(p->s.out, "\nPhases: mean time of a copy, share of the last column, growth from the first\n");
    table_init(&t, align);
    add_head(&t, c, c->count > 1);
    for (size_t i = 0; i < count; i++)
        add_row(p, &t, c, ROW_PART, &parts[i]);
    add_row(p, &t, c, ROW_OTHER, NULL);
    add_row(p, &t, c, ROW_ALL, NULL);
    table_print(&t, p->s.out, p->s.width);
    table_release(&t);
}

struct growth {
    const char *name;
    double s;
};

static int by_growth(const void *a, const void *b)
{
    const struct growth *x = a, *y = b;

    return (y->s > x->s) - (y->s < x->s);
}

/* "From 1 to 32 at once a copy takes 17.0 s longer: stage takes 35 % of that (+6.00 s), then …" */
static void say_growth(const struct rounds_report *p, const struct chosen *c, const struct rounds_part *parts,
                       size_t count)
{
    const struct rounds_size *first = c->sizes[0], *last = c->sizes[c->count - 1];
    const double all = last->followed_s - first->followed_s;
    struct growth list[ROWS_MAX + 1];
    char text[UNITS_TEXT_MAX];
    struct buf say;

    if (c->count < 2)
        return;
    for (size_t i = 0; i < count; i++)
        list[i] = (struct growth){ parts[i].name, rounds_part_s(p->rounds, last, &parts[i]) -
                                                      rounds_part_s(p->rounds, first, &parts[i]) };
    list[count] = (struct growth){ "what is in no phase", last->other_s - first->other_s };
    qsort(list, count + 1, sizeof(*list), by_growth);
    buf_init(&say, 4096);
    if (all < GROWTH_MIN * first->followed_s) {
        buf_printf(&say, "From %" PRIu32 " to %" PRIu32 " at once a copy takes hardly longer (%s).", first->concurrency,
                   last->concurrency, signed_time(text, all));
    } else {
        buf_printf(&say, "From %" PRIu32 " to %" PRIu32 " at once a copy takes %s longer; ", first->concurrency,
                   last->concurrency, rounds_time(text, all));
        buf_printf(&say, "%s takes most of the growth: %s", list[0].name, signed_time(text, list[0].s));
        buf_printf(&say, " (%.0f %%)", share(list[0].s, all));
        for (size_t i = 1; i <= count && i < NAMED && list[i].s > GROWTH_MIN * all; i++)
            buf_printf(&say, ", then %s %s", list[i].name, signed_time(text, list[i].s));
        buf_add_char(&say, '.');
    }
    section_line(&p->s, "", "%s", buf_ok(&say) ? say.data : "");
    buf_release(&say);
}

static bool matters(const struct rounds_report *p, const struct chosen *c, const struct rounds_part *part)
{
    for (size_t i = 0; i < c->count; i++)
        if (rounds_part_s(p->rounds, c->sizes[i], part) > SAVING_MIN * c->sizes[i]->followed_s)
            return true;
    return false;
}

static void add_saving(const struct rounds_report *p, struct table *t, const struct chosen *c,
                       const struct rounds_part *part)
{
    char text[UNITS_TEXT_MAX];

    table_cell(t, "%s%s", part->name, part->is_group ? " (group)" : "");
    for (size_t i = 0; i < c->count; i++)
        table_cell(t, "%s", rounds_time(text, rounds_part_s(p->rounds, c->sizes[i], part)));
    table_cell(t, "%.0f %%",
               share(rounds_part_s(p->rounds, c->sizes[c->count - 1], part), c->sizes[c->count - 1]->followed_s));
}

static void add_what_if(const struct rounds_report *p, const struct chosen *c, const struct rounds_part *parts,
                        size_t count)
{
    struct rounds_part groups[GROUPS_MAX];
    const size_t group_count = rounds_groups(p->rounds, groups, GROUPS_MAX);
    char align[TABLE_COLUMNS_MAX + 1];
    struct table t;

    align_columns(align, c->count + 2);
    buf_add_str(p->s.out, "\nWhat if a phase took no time: saved per copy, share of the last column\n");
    table_init(&t, align);
    add_head(&t, c, false);
    for (size_t i = 0; i < group_count; i++)
        add_saving(p, &t, c, &groups[i]);
    for (size_t i = 0; i < count; i++)
        if (matters(p, c, &parts[i]))
            add_saving(p, &t, c, &parts[i]);
    table_print(&t, p->s.out, p->s.width);
    table_release(&t);
}

void rounds_part_phases(const struct rounds_report *p, uint32_t series)
{
    const struct chosen c = choose(p, series);
    struct rounds_part parts[ROWS_MAX];
    const size_t count = all_parts(p, parts);

    if (c.count == 0)
        return;
    add_table(p, &c, parts, count);
    say_growth(p, &c, parts, count);
    add_what_if(p, &c, parts, count);
}
