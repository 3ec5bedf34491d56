/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/comparison_parts.h"

#include <stdlib.h>
#include <string.h>

/* The sessions by name; one of a side whose records name none is called so that nobody else can be. */
static int session_number(struct strlist *names, const struct record *r, int side, uint32_t *out, struct err *err)
{
    static const char *const OF_SIDE[] = { "\1base", "\1new", "\1history" };
    const char *name = r->session != NULL ? r->session : OF_SIDE[side];

    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0) {
            *out = (uint32_t)i;
            return 0;
        }
    *out = (uint32_t)names->count;
    return strlist_add(names, slice_str(name)) ? 0 : comparison_no_memory(err);
}

static int number_sessions(const struct comparison *c, struct comparison_order *o, struct err *err)
{
    struct strlist names = STRLIST_INIT;
    int failed = 0;

    for (int side = 0; side < 3 && failed == 0; side++) {
        const size_t n = comparison_side_count(c, side);

        o->round[side] = calloc(n + 1, sizeof(uint32_t));
        o->session[side] = calloc(n + 1, sizeof(uint32_t));
        if (o->round[side] == NULL || o->session[side] == NULL)
            failed = comparison_no_memory(err);
        for (size_t i = 0; i < n && failed == 0; i++)
            failed = session_number(&names, &comparison_side(c, side)->records[i], side, &o->session[side][i], err);
    }
    strlist_release(&names);
    return failed;
}

static bool has_session(const uint32_t *sessions, size_t n, uint32_t session)
{
    for (size_t i = 0; i < n; i++)
        if (sessions[i] == session)
            return true;
    return false;
}

static bool all_in(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
    for (size_t i = 0; i < n_a; i++)
        if (!has_session(b, n_b, a[i]))
            return false;
    return true;
}

/* Every session has both sides. */
static bool share_sessions(const struct comparison *c, const struct comparison_order *o)
{
    return all_in(o->session[0], c->base->count, o->session[1], c->new->count) &&
           all_in(o->session[1], c->new->count, o->session[0], c->base->count);
}

static bool several_sessions(const struct comparison *c, const struct comparison_order *o)
{
    for (size_t i = 1; i < c->base->count; i++)
        if (o->session[0][i] != o->session[0][0])
            return true;
    return false;
}

/* For every record of both sides. */
static bool every(const struct comparison *c, bool (*holds)(const struct record *))
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            if (!holds(&comparison_side(c, side)->records[i]))
                return false;
    return true;
}

static bool has_round(const struct record *r)
{
    return r->has_round;
}

static bool has_no_session_but_a_start(const struct record *r)
{
    return r->session == NULL && r->started[0] != '\0';
}

/* Base and new of a cell, sorted by their start, come in pairs: the i-th of each side before the next of either. */
static bool takes_turns(const struct comparison *c, const struct comparison_cell *cell)
{
    for (size_t i = 0; i + 1 < cell->base_count; i++) {
        const char *base = c->base->records[cell->base[i]].started, *new = c->new->records[cell->new[i]].started;
        const char *next_base = c->base->records[cell->base[i + 1]].started;
        const char *next_new = c->new->records[cell->new[i + 1]].started;

        if (strcmp(base, next_new) >= 0 || strcmp(new, next_base) >= 0)
            return false;
    }
    return true;
}

static bool all_take_turns(const struct comparison *c)
{
    bool some = false;

    for (size_t i = 0; i < c->cell_count; i++) {
        const struct comparison_cell *cell = &c->cells[i];

        if (cell->base_count == 0 || cell->new_count == 0)
            continue;
        if (cell->base_count != cell->new_count || !takes_turns(c, cell))
            return false;
        some |= cell->base_count >= 2;
    }
    return some;
}

static void rounds_by_turn(const struct comparison *c, struct comparison_order *o)
{
    for (size_t i = 0; i < c->cell_count; i++)
        for (uint32_t k = 0; k < c->cells[i].base_count && k < c->cells[i].new_count; k++) {
            o->round[0][c->cells[i].base[k]] = k;
            o->round[1][c->cells[i].new[k]] = k;
        }
}

static void rounds_as_told(const struct comparison *c, struct comparison_order *o)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            o->round[side][i] = comparison_side(c, side)->records[i].round;
}

static void rounds_by_session(const struct comparison *c, struct comparison_order *o)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            o->round[side][i] = o->session[side][i];
}

int comparison_find_order(struct comparison *c, struct comparison_order *out, bool same_session, struct err *err)
{
    bool named;

    memset(out, 0, sizeof(*out));
    if (number_sessions(c, out, err) != 0)
        return -1;
    named = c->base->count > 0 && c->new->count > 0 && share_sessions(c, out);
    c->design = COMPARE_SESSIONS;
    if (named && several_sessions(c, out)) {
        c->design = COMPARE_INTERLEAVED;
        rounds_by_session(c, out);
    } else if (every(c, has_round) && (named || every(c, has_no_session_but_a_start))) {
        c->design = COMPARE_INTERLEAVED;
        rounds_as_told(c, out);
    } else if ((named || every(c, has_no_session_but_a_start)) && all_take_turns(c)) {
        c->design = COMPARE_INTERLEAVED;
        rounds_by_turn(c, out);
    } else if (named || same_session) {
        c->design = COMPARE_ONE_SESSION;
    }
    return 0;
}

void comparison_order_release(struct comparison_order *o)
{
    for (int side = 0; side < 3; side++) {
        free(o->round[side]);
        free(o->session[side]);
    }
    memset(o, 0, sizeof(*o));
}
