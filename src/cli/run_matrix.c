/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY_MAX ((size_t)4 << 20)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
}

static bool copy_cell(struct matrix_cell *out, const struct plan_cell *cell, size_t dimensions)
{
    out->name = strdup(cell->name);
    out->values = calloc(dimensions + 1, sizeof(*out->values));
    if (out->name == NULL || out->values == NULL)
        return false;
    for (size_t d = 0; d < dimensions; d++) {
        out->values[d] = strdup(cell->values[d]);
        if (out->values[d] == NULL)
            return false;
    }
    return true;
}

int run_matrix_init(struct matrix *m, const struct plan *p, const char *name, const char *run, struct err *err)
{
    *m = (struct matrix){ .side_count = p->sides };
    buf_init(&m->summary, SUMMARY_MAX);
    m->name = strdup(name);
    m->run = strdup(run);
    m->cells = calloc(p->cell_count + 1, sizeof(*m->cells));
    m->samples = calloc(p->step_count + 1, sizeof(*m->samples));
    if (m->name == NULL || m->run == NULL || m->cells == NULL || m->samples == NULL ||
        !side_set_name(&m->sides[0], "a") || !side_set_name(&m->sides[1], "b"))
        return no_memory(err);
    for (size_t d = 0; d < p->suite->dimension_count; d++)
        if (!strlist_add(&m->dimensions, slice_str(p->suite->dimensions[d].name)))
            return no_memory(err);
    for (; m->cell_count < p->cell_count; m->cell_count++)
        if (!copy_cell(&m->cells[m->cell_count], &p->cells[m->cell_count], p->suite->dimension_count)) {
            m->cell_count++;
            return no_memory(err);
        }
    for (; m->sample_count < p->step_count; m->sample_count++) {
        const struct plan_step *step = &p->steps[m->sample_count];

        m->samples[m->sample_count] = (struct matrix_sample){ .cell = step->cell,
                                                              .number = step->sample,
                                                              .side = step->side };
    }
    return 0;
}

int run_matrix_add(struct matrix *m, size_t step, enum sample_outcome outcome, const struct result *r, const char *note,
                   struct err *err)
{
    static const enum matrix_outcome OUTCOMES[] = { [SAMPLE_VALID] = MATRIX_VALID,
                                                    [SAMPLE_INVALID] = MATRIX_INVALID,
                                                    [SAMPLE_FAILED] = MATRIX_FAILED,
                                                    [SAMPLE_NOT_RUN] = MATRIX_NOT_RUN };
    struct matrix_sample *s = &m->samples[step];
    struct side *side = &m->sides[s->side];

    s->outcome = OUTCOMES[outcome];
    free(s->note);
    s->note = note != NULL && note[0] != '\0' ? strdup(note) : NULL;
    if (r == NULL)
        return 0;
    s->broke_promise = !result_promises_kept(r);
    for (size_t k = 0; k < r->warnings.count; k++)
        if (!strlist_add(&s->warnings, slice_str(r->warnings.items[k])))
            return no_memory(err);
    s->record = side->count;
    if (!side_add_result(side, r, m->cells[s->cell].name) || side->count <= s->record)
        return no_memory(err);
    for (size_t k = s->record; k < side->count; k++) {
        side->records[k].has_round = true;
        side->records[k].round = s->number;
        side->records[k].valid = outcome == SAMPLE_VALID;
    }
    return 0;
}

static bool is_cell_of(const struct plan *p, const struct plan_cell *cell, const struct result *r)
{
    for (size_t d = 0; d < p->suite->dimension_count; d++) {
        const char *value = result_dimension(r, p->suite->dimensions[d].name);

        if (value == NULL || strcmp(value, cell->values[d]) != 0)
            return false;
    }
    return r->cell_count == p->suite->dimension_count;
}

size_t run_matrix_find(const struct plan *p, const struct result *r)
{
    const uint32_t side = strlist_contains(&r->labels, SLICE(RUN_SIDE_LABEL "=b")) ? 1 : 0;

    for (size_t k = 0; k < p->step_count; k++)
        if (r->has_sample && p->steps[k].sample + 1 == r->sample && p->steps[k].side == side &&
            is_cell_of(p, &p->cells[p->steps[k].cell], r))
            return k;
    return SIZE_MAX;
}
