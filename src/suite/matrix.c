/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/matrix.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(const struct maker *m)
{
    return err_set(m->err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
}

/* Appends a text of the file, filled in and split at its commas. */
static int add_values(const struct maker *m, const char *text, unsigned line, struct strlist *out)
{
    char *filled = names_text(&m->parameters, text, m->err);
    struct slice rest;
    int rc = 0;

    if (filled == NULL)
        return err_prefix(m->err, "%s:%u", m->suite->file, line);
    rest = slice_str(filled);
    do {
        if (!strlist_add(out, slice_trim(slice_split(&rest, ','))))
            rc = no_memory(m);
    } while (rc == 0 && rest.len > 0);
    free(filled);
    return rc;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two cells of one name could not be told apart, by anyone. */
static int refuse_twins(const struct maker *m, size_t d)
{
    const struct strlist *values = &m->values[d];
    char **sorted = calloc(values->count + 1, sizeof(*sorted));
    int rc = sorted != NULL ? 0 : no_memory(m);

    for (size_t k = 0; rc == 0 && k < values->count; k++)
        sorted[k] = values->items[k];
    if (rc == 0)
        qsort(sorted, values->count, sizeof(*sorted), by_text);
    for (size_t k = 1; rc == 0 && k < values->count; k++)
        if (strcmp(sorted[k - 1], sorted[k]) == 0) {
            err_set(m->err, ERR_CONFIG, 0, "%s:%u: the dimension \"%s\" has the value \"%.60s\" twice", m->suite->file,
                    m->suite->dimensions[d].line, m->suite->dimensions[d].name, sorted[k]);
            rc = err_hint(m->err, "more samples of a cell are what samples: says");
        }
    free(sorted);
    return rc;
}

static int fill_dimensions(struct maker *m)
{
    const struct suite *s = m->suite;

    m->values = calloc(s->dimension_count + 1, sizeof(*m->values));
    if (m->values == NULL)
        return no_memory(m);
    for (size_t d = 0; d < s->dimension_count; d++) {
        for (size_t v = 0; v < s->dimensions[d].values.count; v++)
            if (add_values(m, s->dimensions[d].values.items[v], s->dimensions[d].line, &m->values[d]) != 0)
                return -1;
        if (refuse_twins(m, d) != 0)
            return -1;
    }
    return 0;
}

static ptrdiff_t find_dimension(const struct maker *m, const struct suite_pair *pair)
{
    for (size_t d = 0; d < m->suite->dimension_count; d++)
        if (strcmp(m->suite->dimensions[d].name, pair->name) == 0)
            return (ptrdiff_t)d;
    err_set(m->err, ERR_CONFIG, 0, "%s:%u: \"%s\" is no dimension of the matrix", m->suite->file, pair->line,
            pair->name);
    return -1;
}

/* By dimension the values that a map names; dimensions it does not name stay empty. The caller frees. */
static struct strlist *values_of_map(const struct maker *m, const struct suite_pairs *map)
{
    struct strlist *out = calloc(m->suite->dimension_count + 1, sizeof(*out));

    if (out == NULL) {
        no_memory(m);
        return NULL;
    }
    for (size_t k = 0; k < map->count; k++) {
        const ptrdiff_t d = find_dimension(m, &map->items[k]);

        if (d >= 0 && add_values(m, map->items[k].value, map->items[k].line, &out[d]) == 0)
            continue;
        for (size_t i = 0; i < m->suite->dimension_count; i++)
            strlist_release(&out[i]);
        free(out);
        return NULL;
    }
    return out;
}

static void free_values(const struct maker *m, struct strlist *values)
{
    for (size_t d = 0; values != NULL && d < m->suite->dimension_count; d++)
        strlist_release(&values[d]);
    free(values);
}

static char *cell_name(const struct maker *m, char **values)
{
    struct buf name;
    char *text;

    if (m->suite->dimension_count == 0)
        return strdup("all");
    buf_init(&name, (size_t)64 << 10);
    for (size_t d = 0; d < m->suite->dimension_count; d++)
        buf_printf(&name, "%s%s", d > 0 ? "/" : "", values[d]);
    text = name.len > 0 ? buf_detach(&name) : strdup("");
    buf_release(&name);
    return text;
}

void matrix_free_cell(const struct suite *s, struct plan_cell *cell)
{
    for (size_t d = 0; cell->values != NULL && d < s->dimension_count; d++)
        free(cell->values[d]);
    free(cell->values);
    free(cell->name);
}

static bool fits(const struct maker *m, const struct strlist *map, const struct strlist *values, const size_t *at)
{
    for (size_t d = 0; d < m->suite->dimension_count; d++)
        if (map[d].count > 0 && !strlist_contains(&map[d], slice_str(values[d].items[at[d]])))
            return false;
    return true;
}

static int add_cell(struct maker *m, const struct strlist *values, const size_t *at)
{
    struct plan *p = m->plan;
    struct plan_cell cell = { .values = calloc(m->suite->dimension_count + 1, sizeof(*cell.values)) };
    struct plan_cell *grown;
    bool good = cell.values != NULL;

    if (p->cell_count >= SUITE_CELLS_MAX) {
        free(cell.values);
        return err_set(m->err, ERR_CONFIG, 0, "%s: the matrix has more than %u cells", m->suite->file, SUITE_CELLS_MAX);
    }
    for (size_t d = 0; good && d < m->suite->dimension_count; d++) {
        cell.values[d] = strdup(values[d].items[at[d]]);
        good = cell.values[d] != NULL;
    }
    if (good)
        cell.name = cell_name(m, cell.values);
    grown = cell.name != NULL && (p->cell_count & (p->cell_count + 1)) == 0
                ? realloc(p->cells, (2 * p->cell_count + 2) * sizeof(*grown))
                : p->cells;
    if (cell.name == NULL || grown == NULL) {
        matrix_free_cell(m->suite, &cell);
        return no_memory(m);
    }
    p->cells = grown;
    grown[p->cell_count++] = cell;
    return 0;
}

/* The next combination; the last dimension varies fastest. False after the last one. */
static bool step_on(const struct maker *m, const struct strlist *values, size_t *at)
{
    for (size_t d = m->suite->dimension_count; d-- > 0;) {
        if (++at[d] < values[d].count)
            return true;
        at[d] = 0;
    }
    return false;
}

/* Every combination that no map of `without` fits. */
static int add_product(struct maker *m, const struct strlist *values, struct strlist *const *without, size_t count)
{
    size_t *at = calloc(m->suite->dimension_count + 1, sizeof(*at));
    int rc = at != NULL ? 0 : no_memory(m);

    while (rc == 0) {
        bool is_out = false;

        for (size_t k = 0; k < count && !is_out; k++)
            is_out = fits(m, without[k], values, at);
        if (!is_out)
            rc = add_cell(m, values, at);
        if (rc != 0 || !step_on(m, values, at))
            break;
    }
    free(at);
    return rc;
}

static int make_matrix(struct maker *m)
{
    const struct suite *s = m->suite;
    struct strlist **without = calloc(s->exclude_count + 1, sizeof(*without));
    int rc = without != NULL ? 0 : no_memory(m);

    for (size_t k = 0; rc == 0 && k < s->exclude_count; k++) {
        without[k] = values_of_map(m, &s->exclude[k]);
        rc = without[k] != NULL ? 0 : -1;
    }
    if (rc == 0)
        rc = add_product(m, m->values, without, s->exclude_count);
    for (size_t k = 0; without != NULL && k < s->exclude_count; k++)
        free_values(m, without[k]);
    free(without);
    return rc;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(struct plan_cell *const *)a)->name, (*(struct plan_cell *const *)b)->name);
}

/* A cell that is there twice (an include of one that the matrix has) is there once, where it came first. */
static int drop_twins(struct maker *m)
{
    struct plan *p = m->plan;
    struct plan_cell **sorted = malloc((p->cell_count + 1) * sizeof(struct plan_cell *));
    size_t kept = 0;

    if (sorted == NULL)
        return no_memory(m);
    for (size_t k = 0; k < p->cell_count; k++)
        sorted[k] = &p->cells[k];
    qsort(sorted, p->cell_count, sizeof(*sorted), compare_names);
    for (size_t k = 1; k < p->cell_count; k++)
        if (strcmp(sorted[k - 1]->name, sorted[k]->name) == 0) {
            struct plan_cell *later = sorted[k] > sorted[k - 1] ? sorted[k] : sorted[k - 1];
            struct plan_cell *first = sorted[k] > sorted[k - 1] ? sorted[k - 1] : sorted[k];

            later->need.known = true; /* marked */
            sorted[k] = first;
        }
    free(sorted);
    for (size_t k = 0; k < p->cell_count; k++) {
        if (p->cells[k].need.known)
            matrix_free_cell(m->suite, &p->cells[k]);
        else
            p->cells[kept++] = p->cells[k];
    }
    p->cell_count = kept;
    return 0;
}

static int add_includes(struct maker *m)
{
    const struct suite *s = m->suite;

    for (size_t k = 0; k < s->include_count; k++) {
        struct strlist *values = values_of_map(m, &s->include[k]);
        struct strlist *whole = values != NULL ? calloc(s->dimension_count + 1, sizeof(*whole)) : NULL;
        int rc;

        if (whole == NULL) {
            free_values(m, values);
            return values == NULL ? -1 : no_memory(m);
        }
        for (size_t d = 0; d < s->dimension_count; d++) /* borrowed: what it does not name is every value */
            whole[d] = values[d].count > 0 ? values[d] : m->values[d];
        rc = add_product(m, whole, NULL, 0);
        free(whole);
        free_values(m, values);
        if (rc != 0)
            return -1;
    }
    return s->include_count > 0 ? drop_twins(m) : 0;
}

static int keep_only(struct maker *m, const struct strlist *only)
{
    struct plan *p = m->plan;
    size_t kept = 0;

    if (only == NULL || only->count == 0)
        return 0;
    for (size_t k = 0; k < p->cell_count; k++) {
        bool wanted = false;

        for (size_t i = 0; i < only->count && !wanted; i++)
            wanted = fnmatch(only->items[i], p->cells[k].name, 0) == 0;
        if (wanted)
            p->cells[kept++] = p->cells[k];
        else
            matrix_free_cell(m->suite, &p->cells[k]);
    }
    p->cell_count = kept;
    if (kept > 0)
        return 0;
    err_set(m->err, ERR_USAGE, 0, "no cell of %s is called %s", m->suite->file, only->items[0]);
    return err_hint(m->err, "plimsoll run --dry-run %s lists them; * and ? stand for any", m->suite->file);
}

int matrix_make(struct maker *m, const struct strlist *only)
{
    int rc = fill_dimensions(m);

    if (rc == 0)
        rc = make_matrix(m);
    if (rc == 0)
        rc = add_includes(m);
    if (rc == 0 && m->plan->cell_count == 0)
        rc = err_set(m->err, ERR_CONFIG, 0, "%s: the matrix has no cell left", m->suite->file);
    free_values(m, m->values);
    m->values = NULL;
    return rc == 0 ? keep_only(m, only) : -1;
}
