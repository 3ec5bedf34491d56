/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads typed members of JSON objects, for documents that anybody may have written.
 *
 * The first failure is kept in err and is sticky: later calls return zero, NULL or nothing and change nothing, so that
 * a reader checks once. A member that is absent or null gives zero, false or NULL; one of another type, a negative
 * count, or a list longer than allowed is a failure that names it. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_IN_H
#define PLIMSOLL_RESULT_JSON_IN_H

#include "base/err.h"
#include "base/strlist.h"

#include <jansson.h>

struct json_in {
    struct err *err;
    const char *document; /* what it is not, for messages; NULL: "not a result document" */
    const char *where;    /* the part of the document in hand, for messages */
    bool failed;
};

void json_in_fail(struct json_in *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Another room has filled err. */
void json_in_refused(struct json_in *in);
void json_in_no_memory(struct json_in *in);

uint64_t json_in_u64(struct json_in *in, const json_t *object, const char *key);
double json_in_double(struct json_in *in, const json_t *object, const char *key);
/* A time or a length in seconds, from -100 to 100 years; of a length: not negative. Far above any real one, and small
 * enough to be reckoned with in nanoseconds. */
double json_in_seconds(struct json_in *in, const json_t *object, const char *key);
double json_in_length(struct json_in *in, const json_t *object, const char *key);
bool json_in_bool(struct json_in *in, const json_t *object, const char *key);
/* Valid as long as the document; NULL when absent. */
const char *json_in_text(struct json_in *in, const json_t *object, const char *key);
char *json_in_dup(struct json_in *in, const json_t *object, const char *key);
/* Into a fixed field; too long is a failure. */
void json_in_copy(struct json_in *in, const json_t *object, const char *key, char *out, size_t size);
json_t *json_in_object(struct json_in *in, const json_t *object, const char *key);
/* With at most max elements. */
json_t *json_in_array(struct json_in *in, const json_t *object, const char *key, size_t max);
/* An element of such an array, which must be an object. */
const json_t *json_in_element(struct json_in *in, const json_t *array, size_t i);
void json_in_strings(struct json_in *in, const json_t *object, const char *key, struct strlist *out, size_t max);
/* The caller frees *out; NULL when empty. */
size_t json_in_doubles(struct json_in *in, const json_t *object, const char *key, double **out, size_t max);
/* Zeroed memory for the elements of an array; NULL when it is empty. */
void *json_in_alloc(struct json_in *in, const json_t *array, size_t element_size);

#endif
