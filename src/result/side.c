/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/side.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more element; NULL when out of memory, and the array is as it was. */
static void *grow(void *array, size_t count, size_t element)
{
    void *grown = array;

    if ((count & (count - 1)) == 0) /* full at 0, 1, 2, 4, 8 ... */
        grown = realloc(array, (count > 0 ? 2 * count : 1) * element);
    return grown;
}

static void record_release(struct record *r)
{
    for (size_t i = 0; i < r->fact_count; i++) {
        free(r->facts[i].name);
        free(r->facts[i].value);
    }
    for (size_t i = 0; i < r->metric_count; i++)
        free(r->metrics[i].name);
    for (size_t i = 0; i < r->sighting_count; i++)
        free(r->sightings[i].what);
    free(r->facts);
    free(r->metrics);
    free(r->sightings);
    free(r->source);
    free(r->session);
    free(r->reason);
}

void side_release(struct side *s)
{
    for (size_t i = 0; i < s->count; i++)
        record_release(&s->records[i]);
    free(s->records);
    free(s->name);
    memset(s, 0, sizeof(*s));
}

static bool set_text(char **field, const char *text)
{
    char *copy = text != NULL ? strdup(text) : NULL;

    if (text != NULL && copy == NULL)
        return false;
    free(*field);
    *field = copy;
    return true;
}

bool side_set_name(struct side *s, const char *name)
{
    return set_text(&s->name, name);
}

struct record *side_add(struct side *s, const char *source)
{
    struct record *grown = grow(s->records, s->count, sizeof(*grown));
    struct record r = { .valid = true };

    if (grown == NULL)
        return NULL;
    s->records = grown;
    if (!set_text(&r.source, source))
        return NULL;
    s->records[s->count] = r;
    return &s->records[s->count++];
}

bool record_add_fact(struct record *r, enum fact_role role, const char *name, const char *value)
{
    struct fact *grown = grow(r->facts, r->fact_count, sizeof(*grown));
    struct fact f = { .role = role };

    if (grown == NULL)
        return false;
    r->facts = grown;
    if (!set_text(&f.name, name) || !set_text(&f.value, value)) {
        free(f.name);
        return false;
    }
    r->facts[r->fact_count++] = f;
    return true;
}

bool record_add_metric(struct record *r, const char *name, double value, bool higher_is_better, bool is_share)
{
    struct metric *grown = grow(r->metrics, r->metric_count, sizeof(*grown));
    struct metric m = { NULL, value, higher_is_better, is_share };

    if (grown == NULL)
        return false;
    r->metrics = grown;
    if (!set_text(&m.name, name))
        return false;
    r->metrics[r->metric_count++] = m;
    return true;
}

bool record_add_sighting(struct record *r, const char *what, uint64_t count)
{
    struct sighting *grown = grow(r->sightings, r->sighting_count, sizeof(*grown));
    struct sighting s = { NULL, count };

    if (grown == NULL)
        return false;
    r->sightings = grown;
    if (!set_text(&s.what, what))
        return false;
    r->sightings[r->sighting_count++] = s;
    return true;
}

bool record_set_session(struct record *r, const char *session)
{
    return set_text(&r->session, session);
}

bool record_set_reason(struct record *r, const char *reason)
{
    return set_text(&r->reason, reason);
}

const char *record_fact_near(const struct record *r, const char *name, size_t *at)
{
    if (*at < r->fact_count && strcmp(r->facts[*at].name, name) == 0)
        return r->facts[*at].value;
    for (size_t i = 0; i < r->fact_count; i++)
        if (strcmp(r->facts[i].name, name) == 0) {
            *at = i;
            return r->facts[i].value;
        }
    return NULL;
}

const struct metric *record_metric_near(const struct record *r, const char *name, size_t *at)
{
    if (*at < r->metric_count && strcmp(r->metrics[*at].name, name) == 0)
        return &r->metrics[*at];
    for (size_t i = 0; i < r->metric_count; i++)
        if (strcmp(r->metrics[i].name, name) == 0) {
            *at = i;
            return &r->metrics[i];
        }
    return NULL;
}

const char *record_fact(const struct record *r, const char *name)
{
    size_t at = 0;

    return record_fact_near(r, name, &at);
}

const struct metric *record_metric(const struct record *r, const char *name)
{
    size_t at = 0;

    return record_metric_near(r, name, &at);
}
