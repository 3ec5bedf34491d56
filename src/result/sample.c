/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more element behind count of them. */
static void *grow(void *items, size_t count, size_t size)
{
    return reallocarray(items, count + 1, size);
}

bool result_set_metric(struct result *r, const char *name, double value, const char *unit, bool higher_is_better)
{
    struct named_figure m = { .value = value, .higher_is_better = higher_is_better };
    struct named_figure *grown = NULL;

    for (size_t i = 0; i < r->metric_count; i++)
        if (strcmp(r->metrics[i].name, name) == 0) {
            r->metrics[i].value = value;
            return true;
        }
    grown = grow(r->metrics, r->metric_count, sizeof(*grown));
    if (grown == NULL)
        return false;
    r->metrics = grown;
    m.name = strdup(name);
    m.unit = strdup(unit);
    if (m.name == NULL || m.unit == NULL) {
        free(m.name);
        free(m.unit);
        return false;
    }
    r->metrics[r->metric_count++] = m;
    return true;
}

static bool change_dimension(struct dimension *d, const char *value)
{
    char *copy = strdup(value);

    if (copy == NULL)
        return false;
    free(d->value);
    d->value = copy;
    return true;
}

bool result_set_dimension(struct result *r, const char *name, const char *value)
{
    struct dimension d = { NULL, NULL };
    struct dimension *grown = NULL;

    for (size_t i = 0; i < r->cell_count; i++)
        if (strcmp(r->cell[i].name, name) == 0)
            return change_dimension(&r->cell[i], value);
    grown = grow(r->cell, r->cell_count, sizeof(*grown));
    if (grown == NULL)
        return false;
    r->cell = grown;
    d.name = strdup(name);
    d.value = strdup(value);
    if (d.name == NULL || d.value == NULL) {
        free(d.name);
        free(d.value);
        return false;
    }
    r->cell[r->cell_count++] = d;
    return true;
}

bool result_add_seen(struct result *r, const char *what, uint64_t count)
{
    struct seen *grown = NULL;
    char *copy = NULL;

    if (count == 0)
        return true;
    for (size_t i = 0; i < r->seen_count; i++)
        if (strcmp(r->seen[i].what, what) == 0) {
            r->seen[i].count += count;
            return true;
        }
    grown = grow(r->seen, r->seen_count, sizeof(*grown));
    if (grown == NULL)
        return false;
    r->seen = grown;
    copy = strdup(what);
    if (copy == NULL)
        return false;
    r->seen[r->seen_count++] = (struct seen){ .what = copy, .count = count };
    return true;
}

const struct named_figure *result_metric(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->metric_count; i++)
        if (strcmp(r->metrics[i].name, name) == 0)
            return &r->metrics[i];
    return NULL;
}

const char *result_dimension(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->cell_count; i++)
        if (strcmp(r->cell[i].name, name) == 0)
            return r->cell[i].value;
    return NULL;
}

bool result_is_import(const struct result *r)
{
    return r->kind != NULL && strcmp(r->kind, "import") == 0;
}
