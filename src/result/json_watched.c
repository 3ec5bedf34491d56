/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_watched.h"

#include <math.h>
#include <stdlib.h>

#define PARTS_MAX 4096u
#define FIGURES_MAX 4096u
#define SERIES_MAX 1000000u

static void write_known(struct json_out *o, const char *key, double value)
{
    if (isfinite(value))
        json_out_double(o, key, value);
    else
        json_out_null(o, key);
}

static void write_figure(struct json_out *o, const struct watched_figure *f)
{
    json_out_open(o, f->name, '{');
    write_known(o, "mean", f->mean);
    write_known(o, "max", f->max);
    json_out_doubles(o, "series", f->series, f->count);
    json_out_close(o, '}');
}

static void write_part(struct json_out *o, const struct watched *w, double window_s, uint64_t ended)
{
    json_out_open(o, w->name, '{');
    json_out_string(o, "spec", w->spec);
    write_known(o, "capacity_cores", w->capacity_cores > 0 ? w->capacity_cores : NAN);
    json_out_u64(o, "readings", w->readings);
    json_out_u64(o, "missed", w->missed);
    write_known(o, "cpu_s", watched_cpu_s(w, window_s));
    write_known(o, "cpu_s_per_request", ended > 0 ? watched_cpu_s(w, window_s) / (double)ended : NAN);
    write_known(o, "throttled_s", watched_throttled_s(w, window_s));
    for (size_t i = 0; i < w->figure_count; i++)
        write_figure(o, &w->figures[i]);
    json_out_close(o, '}');
}

void json_write_watched(struct json_out *o, const struct watched *parts, size_t count, double window_s, uint64_t ended)
{
    if (count == 0) {
        json_out_raw(o, "watch", "{}");
        return;
    }
    json_out_open(o, "watch", '{');
    for (size_t i = 0; i < count; i++)
        write_part(o, &parts[i], window_s, ended);
    json_out_close(o, '}');
}

static double read_known(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value == NULL || json_is_null(value) ? NAN : json_in_double(in, object, key);
}

static void read_series(struct json_in *in, const json_t *object, struct watched_figure *f)
{
    const json_t *array = json_in_array(in, object, "series", SERIES_MAX);

    f->series = json_in_alloc(in, array, sizeof(*f->series));
    for (size_t i = 0; f->series != NULL && i < json_array_size(array) && !in->failed; i++) {
        const json_t *value = json_array_get(array, i);

        if (!json_is_number(value) && !json_is_null(value))
            json_in_fail(in, "a value of \"series\" is neither a number nor null");
        f->series[f->count++] = json_is_number(value) ? json_number_value(value) : NAN;
    }
}

/* Figures are the members that are objects. */
static void read_part(struct json_in *in, json_t *object, struct watched *w)
{
    const char *key;
    json_t *value;

    w->spec = json_in_dup(in, object, "spec");
    w->capacity_cores = json_in_double(in, object, "capacity_cores");
    w->readings = json_in_u64(in, object, "readings");
    w->missed = json_in_u64(in, object, "missed");
    if (json_object_size(object) > FIGURES_MAX)
        json_in_fail(in, "too many figures of a part");
    w->figures = in->failed || json_object_size(object) == 0 ? NULL
                                                             : calloc(json_object_size(object), sizeof(*w->figures));
    if (w->figures == NULL) {
        if (json_object_size(object) > 0)
            json_in_no_memory(in);
        return;
    }
    json_object_foreach(object, key, value)
    {
        struct watched_figure *f = &w->figures[w->figure_count];

        if (!json_is_object(value) || in->failed)
            continue;
        w->figure_count++;
        f->name = slice_dup(slice_str(key));
        if (f->name == NULL) {
            json_in_no_memory(in);
            return;
        }
        f->mean = read_known(in, value, "mean");
        f->max = read_known(in, value, "max");
        read_series(in, value, f);
    }
}

void json_read_watched(struct json_in *in, const json_t *object, struct watched **list, size_t *count)
{
    json_t *watch = json_in_object(in, object, "watch");
    const char *key;
    json_t *value;

    in->where = "watch";
    if (in->failed || json_object_size(watch) == 0)
        return;
    if (json_object_size(watch) > PARTS_MAX) {
        json_in_fail(in, "too many parts");
        return;
    }
    *list = calloc(json_object_size(watch), sizeof(**list));
    if (*list == NULL) {
        json_in_no_memory(in);
        return;
    }
    json_object_foreach(watch, key, value)
    {
        struct watched *w = &(*list)[*count];

        if (in->failed)
            return;
        if (!json_is_object(value)) {
            json_in_fail(in, "\"%s\" is not an object", key);
            return;
        }
        (*count)++;
        w->name = slice_dup(slice_str(key));
        if (w->name == NULL)
            json_in_no_memory(in);
        else
            read_part(in, value, w);
    }
}
