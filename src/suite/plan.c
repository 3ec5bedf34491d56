/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"
#include "suite/keys.h"
#include "suite/matrix.h"

#define STEPS_MAX 10000000u

static int no_memory(const struct maker *m)
{
    return err_set(m->err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
}

static bool add_parameters(struct names *out, const struct suite_pairs *pairs)
{
    for (size_t k = 0; k < pairs->count; k++)
        if (!names_set(out, pairs->items[k].name, pairs->items[k].value))
            return false;
    return true;
}

/* ---- order ---- */

static void shuffle(uint32_t *items, size_t count, struct rng *rng)
{
    for (size_t k = count; k > 1; k--) {
        const size_t other = (size_t)rng_below(rng, k);
        const uint32_t held = items[k - 1];

        items[k - 1] = items[other];
        items[other] = held;
    }
}

/* Both sides of a cell's sample, the first one in turns. */
static void add_sides(struct plan *p, uint32_t cell, uint32_t sample)
{
    for (uint32_t k = 0; k < p->sides; k++)
        p->steps[p->step_count++] = (struct plan_step){ .cell = cell,
                                                        .sample = sample,
                                                        .side = p->sides == 2 ? (k + sample) % 2 : 0 };
}

static int make_steps(struct maker *m)
{
    struct plan *p = m->plan;
    const uint32_t cells = (uint32_t)p->cell_count;
    const uint64_t steps = (uint64_t)cells * p->samples * p->sides;
    uint32_t *order = malloc((cells + 1) * sizeof(*order));
    struct rng rng;

    if (steps > STEPS_MAX) {
        free(order);
        return err_set(m->err, ERR_CONFIG, 0, "%s: %llu samples in all are too many", m->suite->file,
                       (unsigned long long)steps);
    }
    p->steps = malloc(((size_t)steps + 1) * sizeof(*p->steps));
    if (order == NULL || p->steps == NULL) {
        free(order);
        return no_memory(m);
    }
    rng_init(&rng, p->seed);
    for (uint32_t k = 0; k < cells; k++)
        order[k] = k;
    if (m->suite->order == ORDER_AS_WRITTEN) {
        for (uint32_t c = 0; c < cells; c++)
            for (uint32_t i = 0; i < p->samples; i++)
                add_sides(p, c, i);
    } else {
        for (uint32_t i = 0; i < p->samples; i++) {
            if (m->suite->order == ORDER_SHUFFLED)
                shuffle(order, cells, &rng);
            for (uint32_t c = 0; c < cells; c++)
                add_sides(p, order[c], i);
        }
    }
    free(order);
    return 0;
}

/* ---- figures ---- */

static int read_figures(struct maker *m)
{
    const struct suite *s = m->suite;
    uint64_t samples = 1;
    char *text = names_text(&m->parameters, s->samples != NULL ? s->samples : "1", m->err);
    int rc = text != NULL ? units_parse_count(slice_str(text), &samples, m->err) : -1;

    free(text);
    if (rc == 0 && (samples == 0 || samples > SUITE_SAMPLES_MAX))
        rc = err_set(m->err, ERR_CONFIG, 0, "%llu is no number of samples", (unsigned long long)samples);
    if (rc != 0)
        return err_prefix(m->err, "%s: samples", s->file);
    m->plan->samples = (uint32_t)samples;
    text = names_text(&m->parameters, s->quiet != NULL ? s->quiet : "0s", m->err);
    rc = text != NULL ? units_parse_duration(slice_str(text), &m->plan->quiet_ns, m->err) : -1;
    free(text);
    return rc == 0 ? 0 : err_prefix(m->err, "%s: quiet", s->file);
}

static int find_routes(struct maker *m)
{
    const struct suite *s = m->suite;
    char *from;
    int rc = 0;

    if (!s->routes.present)
        return 0;
    from = names_text(&m->parameters, s->routes.from, m->err);
    if (from == NULL)
        return err_prefix(m->err, "%s:%u", s->file, s->routes.line);
    if (routes_is_file(from)) {
        rc = routes_read(&m->plan->routes, from, m->err);
        m->plan->has_routes = rc == 0;
    }
    free(from);
    return rc;
}

static int judge_budget(struct maker *m)
{
    struct plan *p = m->plan;

    for (uint32_t c = 0; c < p->cell_count; c++) {
        const struct plan_step first = { .cell = c };
        struct names names = { 0 };
        int rc = plan_names(p, &first, &names, m->err);

        if (rc == 0)
            rc = budget_of_cell(m->suite, &names, p->has_routes ? &p->routes : NULL, &p->cells[c].need, m->err);
        names_release(&names);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Seconds of an option that is a duration; NAN when it is there and is none. */
static double option_s(const struct suite *s, const struct names *names, const char *name, double missing)
{
    const char *text = pairs_get(&s->options, name);
    char *filled = text != NULL ? names_text(names, text, NULL) : NULL;
    uint64_t ns = 0;
    double found = missing;

    if (text != NULL)
        found = filled != NULL && units_parse_duration(slice_str(filled), &ns, NULL) == 0 ? (double)ns / 1e9
                                                                                          : (double)NAN;
    free(filled);
    return found;
}

/* One sample of load: how long its options say that it takes. */
static double sample_s(const struct plan *p, uint32_t cell)
{
    const struct suite *s = p->suite;
    const struct plan_step step = { .cell = cell };
    struct names names = { 0 };
    double length;

    if (s->doer != DOER_LOAD || plan_names(p, &step, &names, NULL) != 0)
        return (double)NAN;
    length = option_s(s, &names, "duration", pairs_get(&s->options, "requests") != NULL ? (double)NAN : 10.0) +
             option_s(s, &names, "warmup", 0.0);
    names_release(&names);
    return length;
}

static void estimate(struct plan *p)
{
    double sum = 0;

    for (uint32_t c = 0; c < p->cell_count; c++) {
        const double length_s = sample_s(p, c);

        sum += length_s * p->samples * p->sides;
        p->cells[c].length_ns = isfinite(length_s) && length_s < 1e9 ? (uint64_t)(length_s * 1e9) : 0;
    }
    p->estimate_s = sum + (double)p->quiet_ns / 1e9 * (double)(p->step_count > 0 ? p->step_count - 1 : 0);
}

/* ---- the whole ---- */

static int make(struct maker *m, const struct strlist *only)
{
    struct plan *p = m->plan;

    if (!add_parameters(&m->parameters, &m->suite->parameters) || !names_set(&m->parameters, "dir", m->suite->dir))
        return no_memory(m);
    if (read_figures(m) != 0 || matrix_make(m, only) != 0 || find_routes(m) != 0 || judge_budget(m) != 0 ||
        make_steps(m) != 0)
        return -1;
    estimate(p);
    return 0;
}

int plan_make(struct plan **out, const struct suite *s, const struct strlist *only, uint64_t seed, struct err *err)
{
    struct maker m = { .plan = calloc(1, sizeof(*m.plan)), .suite = s, .err = err };
    int rc;

    *out = NULL;
    if (m.plan == NULL)
        return no_memory(&m);
    m.plan->suite = s;
    m.plan->seed = seed;
    m.plan->sides = s->against.count > 0 ? 2 : 1;
    rc = make(&m, only);
    names_release(&m.parameters);
    if (rc == 0)
        rc = plan_check_texts(m.plan, err);
    if (rc == 0)
        *out = m.plan;
    else
        plan_free(m.plan);
    return rc;
}

void plan_free(struct plan *p)
{
    if (p == NULL)
        return;
    for (size_t k = 0; k < p->cell_count; k++)
        matrix_free_cell(p->suite, &p->cells[k]);
    free(p->cells);
    free(p->steps);
    routes_release(&p->routes);
    free(p);
}

int plan_parameters(const struct plan *p, struct names *out, struct err *err)
{
    const bool good = add_parameters(out, &p->suite->parameters) && names_set(out, "dir", p->suite->dir);

    return good ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
}

int plan_names(const struct plan *p, const struct plan_step *step, struct names *out, struct err *err)
{
    const struct suite *s = p->suite;
    const struct plan_cell *cell = &p->cells[step->cell];
    char number[16];
    bool good;

    snprintf(number, sizeof(number), "%u", step->sample + 1);
    if (plan_parameters(p, out, err) != 0)
        return -1;
    good = (step->side == 0 || add_parameters(out, &s->against)) && names_set(out, "cell", cell->name) &&
           names_set(out, "sample", number) && names_set(out, "side", step->side == 0 ? "a" : "b");
    for (size_t d = 0; good && d < s->dimension_count; d++)
        good = names_set(out, s->dimensions[d].name, cell->values[d]);
    return good ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the plan");
}
