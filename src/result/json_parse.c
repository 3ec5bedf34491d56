/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_parse.h"

#include <string.h>

#include "base/buf.h"
#include "result/json_plain.h"

#define DOCUMENT_MAX_BYTES ((size_t)1 << 30)

static const struct slice NUL = { "\\u0000", 6 };

static json_t *load(struct slice json, json_error_t *why)
{
    return json_loadb(json.ptr != NULL ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, why);
}

/* Backslashes before a place: an odd number means that what follows is escaped. */
static size_t backslashes_before(struct slice json, size_t at)
{
    size_t n = 0;

    while (n < at && json.ptr[at - n - 1] == '\\')
        n++;
    return n;
}

static json_t *load_without_nul(struct slice json, json_error_t *why)
{
    json_t *document = NULL;
    struct buf text;

    buf_init(&text, json.len + 1);
    buf_add_slice(&text, json);
    for (size_t at = 0; buf_ok(&text); at += NUL.len) {
        const ptrdiff_t found = slice_find_slice(slice_drop(json, at), NUL);

        if (found < 0)
            break;
        at += (size_t)found;
        if (backslashes_before(json, at) % 2 == 0)
            memcpy(text.data + at, "\\ufffd", NUL.len);
    }
    if (buf_ok(&text))
        document = load(buf_slice(&text), why);
    buf_release(&text);
    return document;
}

json_t *json_parse_document(struct slice json, bool percentiles, struct err *err)
{
    json_error_t why = { 0 };
    json_t *document = NULL;

    if (json.len > DOCUMENT_MAX_BYTES) {
        err_set(err, ERR_CONFIG, 0, "the result document is larger than %zu bytes", DOCUMENT_MAX_BYTES);
        return NULL;
    }
    if (!percentiles)
        document = json_plain_read(json);
    if (document == NULL)
        document = load(json, &why);
    if (document == NULL && json_error_code(&why) == json_error_null_character)
        document = load_without_nul(json, &why);
    if (document == NULL && why.text[0] == '\0') /* Jansson has words for all but this */
        err_set(err, ERR_SYSTEM, 0, "out of memory");
    else if (document == NULL)
        err_set(err, ERR_CONFIG, 0, "not JSON: line %d, column %d: %s", why.line, why.column, why.text);
    return document;
}
