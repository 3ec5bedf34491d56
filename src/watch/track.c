/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tracks_release(struct tracks *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].values);
    memset(t, 0, sizeof(*t));
}

static struct track *find_or_add(struct tracks *t, const struct reading_value *v)
{
    struct track *track;

    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->items[i].name, v->name) == 0)
            return &t->items[i];
    if (t->count == TRACKS_MAX)
        return NULL;
    track = &t->items[t->count++];
    snprintf(track->name, sizeof(track->name), "%s", v->name);
    track->kind = v->kind;
    track->max = NAN;
    return track;
}

static bool make_room(struct track *t, size_t length)
{
    size_t capacity = t->_capacity > 0 ? t->_capacity : 64;
    double *grown;

    while (capacity < length)
        capacity *= 2;
    if (capacity == t->_capacity)
        return true;
    grown = reallocarray(t->values, capacity, sizeof(*grown));
    if (grown == NULL)
        return false;
    t->values = grown;
    t->_capacity = capacity;
    return true;
}

static bool set_value(struct track *t, size_t interval, double value)
{
    if (isnan(t->max) || value > t->max)
        t->max = value;
    if (interval >= TRACK_LENGTH_MAX)
        return true;
    if (!make_room(t, interval + 1))
        return false;
    while (t->length < interval)
        t->values[t->length++] = NAN;
    t->values[interval] = value;
    t->length = interval + 1;
    return true;
}

static bool add_value(struct track *t, double value, size_t tick, uint64_t now_ns)
{
    const uint64_t gap_ns = t->_has_last ? now_ns - t->_last_ns : 0;
    const bool is_next = t->_has_last && tick == t->_last_tick + 1;
    const bool is_long = gap_ns >= TRACK_SHORTEST_NS;
    const double seconds = (double)gap_ns / 1e9, rise = t->_has_last ? value - t->_last : 0;
    bool ok = true;

    if (t->kind == READING_GAUGE) {
        if (tick > 0 && (is_long || !t->_has_last)) {
            t->_sum += value;
            t->_count++;
            ok = set_value(t, tick - 1, value);
        }
    } else if (gap_ns > 0 && rise >= 0) {
        t->_sum += rise;
        t->_seconds += seconds;
        if (is_next && is_long)
            ok = set_value(t, tick - 1, rise / seconds);
    }
    t->_last = value;
    t->_last_ns = now_ns;
    t->_last_tick = tick;
    t->_has_last = true;
    return ok;
}

bool tracks_add(struct tracks *t, const struct reading *r, size_t tick, uint64_t now_ns)
{
    bool ok = true;

    t->ticks = tick + 1;
    for (size_t i = 0; i < r->count; i++) {
        struct track *track = find_or_add(t, &r->values[i]);

        ok = track != NULL && add_value(track, r->values[i].value, tick, now_ns) && ok;
    }
    return ok;
}

double track_mean(const struct track *t)
{
    if (t->kind == READING_GAUGE)
        return t->_count > 0 ? t->_sum / (double)t->_count : NAN;
    return t->_seconds > 0 ? t->_sum / t->_seconds : NAN;
}

double track_value(const struct track *t, size_t interval)
{
    return interval < t->length ? t->values[interval] : NAN;
}
