/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparison_parts.h"
#include "result/router_names.h"
#include "stats/tolerance.h"

int comparison_no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static const struct metric *find_metric(const struct comparison *c, const char *name)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++) {
            const struct metric *m = record_metric(&comparison_side(c, side)->records[i], name);

            if (m != NULL)
                return m;
        }
    return NULL;
}

static bool has_rate(const struct comparison *c)
{
    size_t at = 0;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            if (record_fact_near(&comparison_side(c, side)->records[i], "rate_per_s", &at) != NULL)
                return true;
    return false;
}

static int add_metric(struct comparison *c, const char *name, struct err *err)
{
    const struct metric *known = find_metric(c, name);
    struct comparison_metric *m = &c->metrics[c->metric_count];

    if (known == NULL) {
        err_set(err, ERR_USAGE, 0, "no run has the metric \"%s\"", name);
        return err_hint(err, "for example requests_per_s, latency_p99, latency_mean, error_share");
    }
    for (size_t i = 0; i < c->metric_count; i++)
        if (strcmp(c->metrics[i].name, name) == 0)
            return 0;
    m->name = strdup(name);
    m->higher_is_better = known->higher_is_better;
    m->is_share = known->is_share;
    m->gates = c->metric_count == 0;
    if (m->name == NULL)
        return comparison_no_memory(err);
    c->metric_count++;
    return 0;
}

/* Without a name: throughput, or the tail when the throughput was given; of what has none of these, its first. */
static const char *usual_metric(const struct comparison *c)
{
    static const char *const OPEN[] = { "latency_p99", "requests_per_s" }, *const CLOSED[] = { "requests_per_s" };
    const char *const *usual = has_rate(c) ? OPEN : CLOSED;

    for (size_t i = 0; i < (has_rate(c) ? 2u : 1u); i++)
        if (find_metric(c, usual[i]) != NULL)
            return usual[i];
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            if (comparison_side(c, side)->records[i].metric_count > 0)
                return comparison_side(c, side)->records[i].metrics[0].name;
    return "requests_per_s";
}

static int find_metrics(struct comparison *c, const struct strlist *asked, struct err *err)
{
    const size_t n = asked != NULL ? asked->count : 0;

    c->metrics = calloc(n + 3, sizeof(*c->metrics));
    if (c->metrics == NULL)
        return comparison_no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (add_metric(c, asked->items[i], err) != 0)
            return -1;
    if (n == 0 && add_metric(c, usual_metric(c), err) != 0)
        return -1;
    if (c->failures[0] + c->failures[1] > 0 && find_metric(c, "error_share") != NULL)
        return add_metric(c, "error_share", err);
    return 0;
}

static double mean_of(const struct compare_samples *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->count; i++)
        sum += s->items[i].value;
    return s->count > 0 ? sum / (double)s->count : NAN;
}

static bool fill_samples(struct compare_samples *out, const struct comparison *c, const struct comparison_order *o,
                         const char *metric, const size_t *members, size_t count, int side, bool *invalid)
{
    struct compare_sample *items = calloc(count + 1, sizeof(*items));
    size_t at = 0;

    if (items == NULL)
        return false;
    *out = (struct compare_samples){ items, 0 };
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &comparison_side(c, side)->records[members[i]];
        const struct metric *m = record_metric_near(r, metric, &at);

        if (side < 2)
            *invalid |= !r->valid;
        if (m != NULL && (side < 2 || r->valid))
            items[out->count++] = (struct compare_sample){ m->value, o->round[side][members[i]],
                                                           o->session[side][members[i]] };
    }
    return true;
}

static bool fill_metric(struct comparison *c, struct comparison_metric *m, const struct comparison_order *o,
                        bool not_comparable)
{
    m->cells = calloc(c->cell_count + 1, sizeof(*m->cells));
    m->base_mean = calloc(c->cell_count + 1, sizeof(double));
    m->new_mean = calloc(c->cell_count + 1, sizeof(double));
    m->rule = calloc(c->cell_count + 1, sizeof(*m->rule));
    m->tolerance_holds = calloc(c->cell_count + 1, sizeof(bool));
    if (m->cells == NULL || m->base_mean == NULL || m->new_mean == NULL || m->rule == NULL ||
        m->tolerance_holds == NULL)
        return false;
    for (size_t i = 0; i < c->cell_count; i++) {
        struct compare_cell *cell = &m->cells[i];
        struct compare_samples *sets[] = { &cell->base, &cell->new, &cell->history };

        cell->not_comparable = not_comparable;
        for (int side = 0; side < 3; side++) {
            size_t count;
            const size_t *members = comparison_members(&c->cells[i], side, &count);

            if (!fill_samples(sets[side], c, o, m->name, members, count, side, &cell->invalid))
                return false;
        }
        m->base_mean[i] = mean_of(&cell->base);
        m->new_mean[i] = mean_of(&cell->new);
    }
    return true;
}

static void apply_rules(struct comparison *c, struct comparison_metric *m, struct tolerance_rules *rules)
{
    for (size_t i = 0; i < c->cell_count; i++)
        for (size_t k = 0; k < rules->count; k++) {
            struct tolerance_rule *rule = &rules->items[k];

            if (!tolerance_rule_matches(rule, &c->dimensions, c->cells[i].values, m->name))
                continue;
            m->rule[i] = rule;
            m->tolerance_holds[i] = tolerance_holds(m->base_mean[i], m->new_mean[i], rule->tolerancy);
            rule->comparisons++;
            rule->failures += !m->tolerance_holds[i];
            break;
        }
}

static void judge_rules(struct comparison *c, struct tolerance_rules *rules)
{
    for (size_t k = 0; k < rules->count; k++)
        rules->items[k].comparisons = rules->items[k].failures = 0;
    for (size_t i = 0; i < c->metric_count; i++)
        apply_rules(c, &c->metrics[i], rules);
    for (size_t k = 0; k < rules->count; k++)
        c->tolerance_broken |= tolerance_is_broken(rules->items[k].failures, rules->items[k].comparisons,
                                                   rules->items[k].max_failures);
}

static int compare_metric(struct comparison *c, struct comparison_metric *m, struct err *err)
{
    const struct compare_input in = {
        .design = c->design,
        .scale = m->is_share ? COMPARE_SHARE : COMPARE_RATIO,
        .higher_is_better = m->higher_is_better,
        .min_change = m->is_share ? 0 : c->min_change,
        .cells = m->cells,
        .cell_count = c->cell_count,
    };

    return compare_run(&m->out, &in, err);
}

/* Metrics that only the rules name are compared too. */
static int add_metrics_of_rules(struct comparison *c, const struct tolerance_rules *rules, struct err *err)
{
    struct comparison_metric *grown = realloc(c->metrics, (c->metric_count + rules->count + 1) * sizeof(*c->metrics));

    if (grown == NULL)
        return comparison_no_memory(err);
    c->metrics = grown;
    memset(c->metrics + c->metric_count, 0, (rules->count + 1) * sizeof(*c->metrics));
    for (size_t i = 0; i < rules->count; i++) {
        const struct strlist *path = &rules->items[i].path;
        const char *name = path->items[path->count - 1];
        const struct router_name *known = router_name_of_field(slice_str(name));

        if (known != NULL && find_metric(c, name) == NULL)
            name = known->metric;
        if (strcmp(name, "*") != 0 && find_metric(c, name) != NULL && add_metric(c, name, err) != 0)
            return -1;
    }
    return 0;
}

static int compare_all(struct comparison *c, const struct comparison_options *options, bool not_comparable,
                       struct err *err)
{
    struct comparison_order order;
    int failed = comparison_find_order(c, &order, options->same_session, err);

    for (size_t i = 0; i < c->metric_count && failed == 0; i++) {
        failed = fill_metric(c, &c->metrics[i], &order, not_comparable) ? 0 : comparison_no_memory(err);
        if (failed == 0)
            failed = compare_metric(c, &c->metrics[i], err);
    }
    comparison_order_release(&order);
    return failed;
}

int comparison_make(struct comparison *out, const struct side *base, const struct side *new, const struct side *history,
                    const struct comparison_options *options, struct err *err)
{
    const bool given = options->by != NULL && options->by->count > 0;
    bool workload_differs;

    *out = (struct comparison){ .base = base, .new = new, .history = history, .rules = options->rules };
    out->min_change = options->min_change > 0 ? options->min_change : 0.03;
    if (comparison_find_cells(out, options->by, err) != 0 ||
        comparison_find_differences(out, &workload_differs, err) != 0 || comparison_find_notes(out, err) != 0 ||
        find_metrics(out, options->metrics, err) != 0 ||
        (options->rules != NULL && add_metrics_of_rules(out, options->rules, err) != 0) ||
        compare_all(out, options, workload_differs && !given, err) != 0)
        return -1;
    if (options->rules != NULL)
        judge_rules(out, options->rules);
    return 0;
}

static void cell_release(struct comparison_cell *cell, size_t dimensions)
{
    for (size_t i = 0; cell->values != NULL && i < dimensions; i++)
        free(cell->values[i]);
    free(cell->values);
    free(cell->label);
    free(cell->base);
    free(cell->new);
    free(cell->history);
}

static void metric_release(struct comparison_metric *m, size_t cells)
{
    for (size_t i = 0; m->cells != NULL && i < cells; i++) {
        free((void *)(uintptr_t)m->cells[i].base.items);
        free((void *)(uintptr_t)m->cells[i].new.items);
        free((void *)(uintptr_t)m->cells[i].history.items);
    }
    free(m->name);
    free(m->cells);
    free(m->base_mean);
    free(m->new_mean);
    free(m->rule);
    free(m->tolerance_holds);
    compare_release(&m->out);
}

void comparison_release(struct comparison *c)
{
    for (size_t i = 0; i < c->metric_count; i++)
        metric_release(&c->metrics[i], c->cell_count);
    for (size_t i = 0; i < c->cell_count; i++)
        cell_release(&c->cells[i], c->dimensions.count);
    free(c->metrics);
    free(c->cells);
    free(c->sightings);
    strlist_release(&c->dimensions);
    strlist_release(&c->differences);
    strlist_release(&c->notes);
    memset(c, 0, sizeof(*c));
}

int comparison_exit_code(const struct comparison *c, bool strict)
{
    return compare_exit_code(c->metrics[0].out.counts, c->tolerance_broken, strict);
}
