/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX (100 * 366 * 86400.0)

static const char *document_of(const struct json_in *in)
{
    return in->document != NULL ? in->document : "not a result document";
}

void json_in_fail(struct json_in *in, const char *fmt, ...)
{
    char what[256];
    va_list args;

    if (in->failed)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    in->failed = true;
    err_set(in->err, ERR_CONFIG, 0, "%s: %s: %s", document_of(in), in->where, what);
}

void json_in_refused(struct json_in *in)
{
    in->failed = true;
    err_prefix(in->err, "%s: %s", document_of(in), in->where);
}

void json_in_no_memory(struct json_in *in)
{
    if (!in->failed)
        err_set(in->err, ERR_SYSTEM, ENOMEM, "no memory for the document");
    in->failed = true;
}

/* The member, or NULL when absent, null, or after a failure. */
static json_t *member(const struct json_in *in, const json_t *object, const char *key)
{
    json_t *value = in->failed ? NULL : json_object_get(object, key);

    return json_is_null(value) ? NULL : value;
}

uint64_t json_in_u64(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = member(in, object, key);

    if (value == NULL)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        json_in_fail(in, "\"%s\" must be a whole number that is not negative", key);
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

double json_in_double(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = member(in, object, key);

    if (value != NULL && !json_is_number(value))
        json_in_fail(in, "\"%s\" must be a number", key);
    return value != NULL ? json_number_value(value) : 0;
}

double json_in_seconds(struct json_in *in, const json_t *object, const char *key)
{
    const double value = json_in_double(in, object, key);

    if (!(value >= -SECONDS_MAX && value <= SECONDS_MAX))
        json_in_fail(in, "\"%s\" is out of all reason: %g s", key, value);
    return in->failed ? 0 : value;
}

double json_in_length(struct json_in *in, const json_t *object, const char *key)
{
    const double value = json_in_seconds(in, object, key);

    if (value < 0)
        json_in_fail(in, "\"%s\" must not be negative", key);
    return in->failed ? 0 : value;
}

bool json_in_bool(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = member(in, object, key);

    if (value != NULL && !json_is_boolean(value))
        json_in_fail(in, "\"%s\" must be true or false", key);
    return json_is_true(value);
}

const char *json_in_text(struct json_in *in, const json_t *object, const char *key)
{
    const json_t *value = member(in, object, key);

    if (value != NULL && !json_is_string(value))
        json_in_fail(in, "\"%s\" must be a string", key);
    return json_string_value(value);
}

char *json_in_dup(struct json_in *in, const json_t *object, const char *key)
{
    const char *text = json_in_text(in, object, key);
    char *copy = text != NULL ? slice_dup(slice_str(text)) : NULL;

    if (text != NULL && copy == NULL)
        json_in_no_memory(in);
    return copy;
}

void json_in_copy(struct json_in *in, const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_in_text(in, object, key);

    if (text == NULL)
        return;
    if (strlen(text) >= size)
        json_in_fail(in, "\"%s\" is longer than %zu bytes", key, size - 1);
    else
        memcpy(out, text, strlen(text) + 1);
}

json_t *json_in_object(struct json_in *in, const json_t *object, const char *key)
{
    json_t *value = member(in, object, key);

    if (value == NULL || json_is_object(value))
        return value;
    json_in_fail(in, "\"%s\" must be an object", key);
    return NULL;
}

json_t *json_in_array(struct json_in *in, const json_t *object, const char *key, size_t max)
{
    json_t *value = member(in, object, key);

    if (value == NULL)
        return NULL;
    if (!json_is_array(value))
        json_in_fail(in, "\"%s\" must be a list", key);
    else if (json_array_size(value) > max)
        json_in_fail(in, "\"%s\" has more than %zu entries", key, max);
    return in->failed ? NULL : value;
}

const json_t *json_in_element(struct json_in *in, const json_t *array, size_t i)
{
    const json_t *element = json_array_get(array, i);

    if (!json_is_object(element))
        json_in_fail(in, "entry %zu must be an object", i);
    return element;
}

void json_in_strings(struct json_in *in, const json_t *object, const char *key, struct strlist *out, size_t max)
{
    const json_t *array = json_in_array(in, object, key, max);

    for (size_t i = 0; i < json_array_size(array) && !in->failed; i++) {
        const json_t *text = json_array_get(array, i);

        if (!json_is_string(text))
            json_in_fail(in, "\"%s\" must hold strings", key);
        else if (!strlist_add(out, slice_str(json_string_value(text))))
            json_in_no_memory(in);
    }
}

size_t json_in_doubles(struct json_in *in, const json_t *object, const char *key, double **out, size_t max)
{
    const json_t *array = json_in_array(in, object, key, max);
    double *values = json_in_alloc(in, array, sizeof(*values));

    *out = values;
    for (size_t i = 0; values != NULL && i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);

        if (!json_is_number(value))
            json_in_fail(in, "\"%s\" must hold numbers", key);
        values[i] = json_number_value(value);
    }
    return values != NULL ? json_array_size(array) : 0;
}

void *json_in_alloc(struct json_in *in, const json_t *array, size_t element_size)
{
    void *memory = NULL;

    if (in->failed || json_array_size(array) == 0)
        return NULL;
    memory = calloc(json_array_size(array), element_size);
    if (memory == NULL)
        json_in_no_memory(in);
    return memory;
}
