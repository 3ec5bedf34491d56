/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What stands beside the figures in the result. */
static const char *const TAKEN[] = { "spec",        "capacity_cores", "cpu_s", "cpu_s_per_request",
                                     "throttled_s", "readings",       "missed" };

static const struct {
    const char *name, *known_as;
} ALIASES[] = {
    { "process_cpu_seconds_total", "cpu_cores" },        { "container_cpu_usage_seconds_total", "cpu_cores" },
    { "plimsoll_serve_cpu_seconds_total", "cpu_cores" }, { "cpu_seconds_total", "cpu_cores" },
    { "process_resident_memory_bytes", "rss_bytes" },    { "container_memory_rss", "rss_bytes" },
    { "plimsoll_serve_resident_bytes", "rss_bytes" },    { "container_memory_working_set_bytes", "memory_bytes" },
};

void reading_clear(struct reading *r)
{
    r->count = 0;
    r->is_full = false;
}

void reading_add(struct reading *r, struct slice name, enum reading_kind kind, double value)
{
    struct reading_value *v = NULL;

    if (!isfinite(value))
        return;
    name = slice_take(name, READING_NAME_MAX - 1);
    for (size_t i = 0; i < r->count && v == NULL; i++)
        if (slice_eq(slice_str(r->values[i].name), name))
            v = &r->values[i];
    if (v != NULL) {
        v->value += value;
        return;
    }
    if (r->count == READING_VALUES_MAX) {
        r->is_full = true;
        return;
    }
    v = &r->values[r->count++];
    snprintf(v->name, sizeof(v->name), "%.*s", SLICE_FMT(name));
    v->kind = kind;
    v->value = value;
}

void reading_add_named(struct reading *r, struct slice name, bool is_counter, double value)
{
    char text[READING_NAME_MAX];
    struct slice labels = name;
    const struct slice plain = slice_split(&labels, '{');

    for (size_t i = 0; i < sizeof(ALIASES) / sizeof(ALIASES[0]); i++) {
        if (!slice_eq(plain, slice_str(ALIASES[i].name)))
            continue;
        reading_add(r, slice_str(ALIASES[i].known_as),
                    slice_ends(plain, SLICE("_total")) ? READING_COUNTER : READING_GAUGE, value);
        return;
    }
    if (!is_counter) {
        reading_add(r, name, READING_GAUGE, value);
        return;
    }
    snprintf(text, sizeof(text), "%.*s_per_s%s%.*s",
             SLICE_FMT(slice_take(plain, slice_ends(plain, SLICE("_total")) ? plain.len - 6 : plain.len)),
             plain.len < name.len ? "{" : "", SLICE_FMT(labels));
    reading_add(r, slice_str(text), READING_COUNTER, value);
}

bool reading_name_is_fit(struct slice name)
{
    if (name.len == 0 || name.len > READING_NAME_MAX - sizeof("_per_s"))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr("_:.-{}=\",", c) != NULL)))
            return false;
    }
    for (size_t i = 0; i < sizeof(TAKEN) / sizeof(TAKEN[0]); i++)
        if (slice_eq(name, slice_str(TAKEN[i])))
            return false;
    return true;
}
