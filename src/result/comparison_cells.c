/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/comparison_parts.h"

#include <stdlib.h>
#include <string.h>

/* Labels that name a run, not a kind of run. */
static const char *const RUN_LABELS[] = { "name",    "sample",  "run", "run_id", "id",   "commit", "git_commit",
                                          "git_sha", "version", "try", "date",   "uuid", "host",   "side" };
enum { KEY_MAX_BYTES = 1 << 26 };

static bool names_a_run(const struct fact *f)
{
    if (f->role != FACT_LABEL)
        return false;
    for (size_t i = 0; i < sizeof(RUN_LABELS) / sizeof(RUN_LABELS[0]); i++)
        if (strcmp(RUN_LABELS[i], f->name) == 0)
            return true;
    return false;
}

static bool may_be_dimension(const struct fact *f)
{
    return f->role == FACT_CELL || f->role == FACT_WORKLOAD || f->role == FACT_PLACE ||
           (f->role == FACT_LABEL && !names_a_run(f));
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool varies_within(const struct side *s, const char *name)
{
    const char *first = s->count > 0 ? record_fact(&s->records[0], name) : NULL;
    size_t at = 0;

    for (size_t i = 1; i < s->count; i++)
        if (!same_text(first, record_fact_near(&s->records[i], name, &at)))
            return true;
    return false;
}

static bool is_known(const struct comparison *c, const char *name)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            if (record_fact(&comparison_side(c, side)->records[i], name) != NULL)
                return true;
    return false;
}

static int take_given(struct comparison *c, const struct strlist *by, struct err *err)
{
    for (size_t i = 0; i < by->count; i++) {
        if (!is_known(c, by->items[i])) {
            err_set(err, ERR_USAGE, 0, "no run has \"%s\"", by->items[i]);
            return err_hint(err, "a label, a member of the documents' config, \"target\" or \"path\"");
        }
        if (!strlist_contains(&c->dimensions, slice_str(by->items[i])) &&
            !strlist_add(&c->dimensions, slice_str(by->items[i])))
            return comparison_no_memory(err);
    }
    return 0;
}

static int find_dimensions(struct comparison *c, struct err *err)
{
    const struct fact **facts = NULL;
    size_t count = 0;
    int failed = comparison_list_facts(c, &facts, &count, err);

    for (size_t i = 0; i < count && failed == 0; i++) {
        const struct fact *f = facts[i];

        if (may_be_dimension(f) &&
            (f->role == FACT_CELL || varies_within(c->base, f->name) || varies_within(c->new, f->name)) &&
            !strlist_add(&c->dimensions, slice_str(f->name)))
            failed = comparison_no_memory(err);
    }
    free(facts);
    return failed;
}

/* One record on its way into a cell. */
struct member {
    char *key;
    const char *started, *source;
    size_t record;
    int side;
};

static char *make_key(const struct comparison *c, const struct record *r, char between)
{
    struct buf key;

    buf_init(&key, KEY_MAX_BYTES);
    buf_add_str(&key, "");
    for (size_t i = 0; i < c->dimensions.count; i++) {
        const char *value = record_fact(r, c->dimensions.items[i]);

        if (i > 0)
            buf_add_char(&key, between);
        buf_add_str(&key, value != NULL ? value : "-");
    }
    if (c->dimensions.count == 0)
        buf_add_str(&key, "all");
    return buf_detach(&key);
}

static int by_key_and_time(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = strverscmp(x->key, y->key);

    if (order == 0)
        order = strcmp(x->key, y->key);
    if (order == 0)
        order = x->side - y->side;
    if (order == 0)
        order = strcmp(x->started, y->started);
    if (order == 0)
        order = strverscmp(x->source, y->source);
    return order != 0 ? order : (x->record > y->record) - (x->record < y->record);
}

static int collect_members(struct member **out, size_t *count, const struct comparison *c, struct err *err)
{
    const size_t all = c->base->count + c->new->count + comparison_side_count(c, 2);

    *count = 0;
    *out = calloc(all + 1, sizeof(**out));
    if (*out == NULL)
        return comparison_no_memory(err);
    for (int side = 0; side < 3; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++) {
            const struct record *r = &comparison_side(c, side)->records[i];
            struct member *m = &(*out)[*count];

            *m = (struct member){ make_key(c, r, '\x1f'), r->started, r->source != NULL ? r->source : "", i, side };
            if (m->key == NULL)
                return comparison_no_memory(err);
            (*count)++;
        }
    qsort(*out, *count, sizeof(**out), by_key_and_time);
    return 0;
}

static bool name_cell(struct comparison_cell *cell, const struct comparison *c, const struct record *r)
{
    cell->values = calloc(c->dimensions.count + 1, sizeof(*cell->values));
    cell->label = make_key(c, r, '/');
    for (size_t i = 0; cell->values != NULL && i < c->dimensions.count; i++) {
        const char *value = record_fact(r, c->dimensions.items[i]);

        cell->values[i] = strdup(value != NULL ? value : "-");
        if (cell->values[i] == NULL)
            return false;
    }
    return cell->values != NULL && cell->label != NULL;
}

/* members[0 .. n) are one cell, by side and then by time. */
static bool fill_cell(struct comparison_cell *cell, const struct member *members, size_t n)
{
    cell->base = calloc(n + 1, sizeof(size_t));
    cell->new = calloc(n + 1, sizeof(size_t));
    cell->history = calloc(n + 1, sizeof(size_t));
    if (cell->base == NULL || cell->new == NULL || cell->history == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (members[i].side == 0)
            cell->base[cell->base_count++] = members[i].record;
        else if (members[i].side == 1)
            cell->new[cell->new_count++] = members[i].record;
        else
            cell->history[cell->history_count++] = members[i].record;
    }
    return true;
}

static int fill_cells(struct comparison *c, const struct member *members, size_t count, struct err *err)
{
    c->cells = calloc(count + 1, sizeof(*c->cells));
    if (c->cells == NULL)
        return comparison_no_memory(err);
    for (size_t from = 0, n; from < count; from += n) {
        struct comparison_cell *cell = &c->cells[c->cell_count];
        const struct side *side = comparison_side(c, members[from].side);

        for (n = 1; from + n < count && strcmp(members[from].key, members[from + n].key) == 0;)
            n++;
        if (members[from].side == 2)
            continue; /* a cell of the history alone */
        c->cell_count++;
        if (!name_cell(cell, c, &side->records[members[from].record]) || !fill_cell(cell, members + from, n))
            return comparison_no_memory(err);
    }
    return 0;
}

int comparison_find_cells(struct comparison *c, const struct strlist *by, struct err *err)
{
    struct member *members = NULL;
    size_t count = 0;
    int failed = by != NULL && by->count > 0 ? take_given(c, by, err) : find_dimensions(c, err);

    if (failed == 0)
        failed = collect_members(&members, &count, c, err);
    if (failed == 0)
        failed = fill_cells(c, members, count, err);
    for (size_t i = 0; i < count; i++)
        free(members[i].key);
    free(members);
    return failed;
}
