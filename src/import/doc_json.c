/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/doc_json.h"

#include <stdlib.h>

#include "import/printed.h"

static json_t *from_map(struct doc_node *n, unsigned depth)
{
    json_t *object = json_object();
    struct doc_node *key = NULL, *value;
    void *cursor = NULL;

    while (object != NULL && (value = doc_next_pair(n, &cursor, &key)) != NULL) {
        char *name = slice_dup(doc_text(key));

        if (name == NULL || json_object_set_new(object, name, doc_to_json(value, depth - 1)) != 0) {
            json_decref(object);
            object = NULL;
        }
        free(name);
    }
    return object;
}

static json_t *from_list(struct doc_node *n, unsigned depth)
{
    json_t *list = json_array();
    struct doc_node *one;
    void *cursor = NULL;

    while (list != NULL && (one = doc_next(n, &cursor)) != NULL)
        if (json_array_append_new(list, doc_to_json(one, depth - 1)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static json_t *from_text(struct doc_node *n)
{
    const struct slice text = doc_text(n);
    uint64_t count;
    double number;

    if (doc_is_quoted(n))
        return json_stringn(text.ptr, text.len);
    if (slice_eq(text, SLICE("true")) || slice_eq(text, SLICE("false")))
        return json_boolean(text.ptr[0] == 't');
    if (slice_eq(text, SLICE("null")) || slice_eq(text, SLICE("~")) || text.len == 0)
        return json_null();
    if (slice_to_u64(text, &count) && count <= INT64_MAX)
        return json_integer((json_int_t)count);
    return printed_double(text, &number) ? json_real(number) : json_stringn(text.ptr, text.len);
}

json_t *doc_to_json(struct doc_node *n, unsigned depth_max)
{
    if (depth_max == 0)
        return NULL;
    switch (doc_kind(n)) {
    case DOC_EMPTY:
        return json_null();
    case DOC_MAP:
        return from_map(n, depth_max);
    case DOC_LIST:
        return from_list(n, depth_max);
    case DOC_TEXT:
        break;
    }
    return from_text(n);
}
