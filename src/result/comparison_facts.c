/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/comparison_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "stats/fisher.h"

enum { SENTENCE_MAX_BYTES = 1 << 26 };

static bool add_sentence(struct strlist *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool add_sentence(struct strlist *list, const char *fmt, ...)
{
    struct buf text;
    va_list args;
    bool ok;

    buf_init(&text, SENTENCE_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    /* The rounds of one run all say what it says. */
    ok = buf_ok(&text) && (strlist_contains(list, buf_slice(&text)) || strlist_add(list, buf_slice(&text)));
    buf_release(&text);
    return ok;
}

/* The values of a fact on a side: the first, and whether there are others. */
struct values {
    const char *first;
    bool several;
};

static struct values values_of(const struct side *s, const char *name)
{
    struct values v = { NULL, false };
    size_t at = 0;

    for (size_t i = 0; i < s->count && !v.several; i++) {
        const char *value = record_fact_near(&s->records[i], name, &at);

        value = value != NULL ? value : "none";
        if (v.first == NULL)
            v.first = value;
        else if (strcmp(v.first, value) != 0)
            v.several = true;
    }
    return v;
}

static const char *role_prefix(enum fact_role role)
{
    return role == FACT_LABEL ? "label " : role == FACT_HOST ? "load generator's " : "";
}

static int compare_fact(struct comparison *c, const struct fact *f, bool *workload_differs, struct err *err)
{
    const struct values base = values_of(c->base, f->name), new = values_of(c->new, f->name);
    bool ok = true;

    if (base.first == NULL || new.first == NULL)
        return 0;
    if (base.several || new.several) {
        if (f->role == FACT_HOST || f->role == FACT_SETTING || f->role == FACT_WORKLOAD)
            ok = add_sentence(&c->differences, "%s%s differs from run to run", role_prefix(f->role), f->name);
    } else if (strcmp(base.first, new.first) != 0) {
        ok = add_sentence(&c->differences, "%s%s: %s in base, %s in new", role_prefix(f->role), f->name, base.first,
                          new.first);
        *workload_differs |= f->role == FACT_WORKLOAD;
    }
    return ok ? 0 : comparison_no_memory(err);
}

static bool is_listed(const struct fact *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i]->name, name) == 0)
            return true;
    return false;
}

/* Most records have the same facts in the same places as the first one: those are not looked up. */
static int list_facts_of(const struct fact ***out, size_t *count, const struct record *r, const struct record *first,
                         struct err *err)
{
    const struct fact **grown = NULL;

    for (size_t k = 0; k < r->fact_count; k++) {
        if (r != first && k < first->fact_count && strcmp(first->facts[k].name, r->facts[k].name) == 0)
            continue;
        if (is_listed(*out, *count, r->facts[k].name))
            continue;
        grown = realloc(*out, (*count + 1) * sizeof(**out));
        if (grown == NULL)
            return comparison_no_memory(err);
        *out = grown;
        grown[(*count)++] = &r->facts[k];
    }
    return 0;
}

int comparison_list_facts(const struct comparison *c, const struct fact ***out, size_t *count, struct err *err)
{
    *out = NULL;
    *count = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            if (list_facts_of(out, count, &comparison_side(c, side)->records[i], &comparison_side(c, side)->records[0],
                              err) != 0)
                return -1;
    return 0;
}

int comparison_find_differences(struct comparison *c, bool *workload_differs, struct err *err)
{
    const struct fact **facts = NULL;
    size_t count = 0;
    int failed = comparison_list_facts(c, &facts, &count, err);

    *workload_differs = false;
    for (size_t i = 0; i < count && failed == 0; i++)
        if (!strlist_contains(&c->dimensions, slice_str(facts[i]->name)))
            failed = compare_fact(c, facts[i], workload_differs, err);
    free(facts);
    return failed;
}

static struct comparison_sighting *find_sighting(struct comparison *c, const char *what)
{
    for (size_t i = 0; i < c->sighting_count; i++)
        if (strcmp(c->sightings[i].what, what) == 0)
            return &c->sightings[i];
    c->sightings[c->sighting_count] = (struct comparison_sighting){ what, 0, 0 };
    return &c->sightings[c->sighting_count++];
}

static size_t all_sightings(const struct comparison *c)
{
    size_t n = 0;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            n += comparison_side(c, side)->records[i].sighting_count;
    return n;
}

static int new_ones_first(const void *a, const void *b)
{
    const struct comparison_sighting *x = a, *y = b;

    if (comparison_sighting_is_new(x) != comparison_sighting_is_new(y))
        return comparison_sighting_is_new(x) ? -1 : 1;
    return strcmp(x->what, y->what);
}

static int find_sightings(struct comparison *c, struct err *err)
{
    c->sightings = calloc(all_sightings(c) + 1, sizeof(*c->sightings));
    if (c->sightings == NULL)
        return comparison_no_memory(err);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++) {
            const struct record *r = &comparison_side(c, side)->records[i];

            c->requests[side] += r->requests;
            c->failures[side] += r->failures;
            for (size_t k = 0; k < r->sighting_count; k++) {
                struct comparison_sighting *s = find_sighting(c, r->sightings[k].what);

                *(side == 0 ? &s->base : &s->new) += r->sightings[k].count;
            }
        }
    qsort(c->sightings, c->sighting_count, sizeof(*c->sightings), new_ones_first);
    return 0;
}

static bool one_sample_each(const struct comparison *c)
{
    for (size_t i = 0; i < c->cell_count; i++)
        if (c->cells[i].base_count > 1 || c->cells[i].new_count > 1)
            return false;
    return true;
}

static bool note_run(struct comparison *c, const struct record *r, const char *side)
{
    const char *source = r->source != NULL ? r->source : "a run";

    if (!r->valid)
        return add_sentence(&c->notes, "%s: %s is invalid: %s", side, source,
                            r->reason != NULL ? r->reason : "no reason is told");
    return r->reason == NULL || add_sentence(&c->notes, "%s: %s has a warning: %s", side, source, r->reason);
}

int comparison_find_notes(struct comparison *c, struct err *err)
{
    bool ok = true;

    if (find_sightings(c, err) != 0)
        return -1;
    c->fisher = one_sample_each(c) && c->requests[0] > 0 && c->requests[1] > 0 && c->failures[0] <= c->requests[0] &&
                        c->failures[1] <= c->requests[1]
                    ? fisher_exact(c->failures[0], c->requests[0], c->failures[1], c->requests[1])
                    : NAN;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison_side_count(c, side); i++)
            ok = note_run(c, &comparison_side(c, side)->records[i], side == 0 ? "base" : "new") && ok;
    return ok ? 0 : comparison_no_memory(err);
}
