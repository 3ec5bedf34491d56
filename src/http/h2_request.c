/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define FIELDS_MAX 128u

/* RFC 9113 8.2.2: fields of the HTTP/1 connection do not exist here. */
static bool is_of_connection(struct slice name)
{
    static const char *const NAMES[] = { "connection",        "keep-alive", "proxy-connection",
                                         "transfer-encoding", "upgrade",    "http2-settings" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        if (slice_eq_nocase(name, slice_str(NAMES[i])))
            return true;
    return false;
}

/* Copies into r's text and points a field at the copy. */
static uint8_t *keep(struct h2_request *r, struct slice s, bool lower)
{
    uint8_t *at = r->text + r->text_len;

    for (size_t i = 0; i < s.len; i++)
        at[i] = (uint8_t)(lower ? tolower((unsigned char)s.ptr[i]) : s.ptr[i]);
    r->text_len += s.len;
    return at;
}

static void add(struct h2_request *r, struct slice name, struct slice value)
{
    nghttp2_nv *nv = &r->fields[r->count++];

    nv->name = keep(r, name, true);
    nv->namelen = name.len;
    nv->value = keep(r, value, false);
    nv->valuelen = value.len;
    nv->flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
    if (slice_eq_nocase(name, SLICE("authorization")) || slice_eq_nocase(name, SLICE("cookie")))
        nv->flags |= NGHTTP2_NV_FLAG_NO_INDEX; /* RFC 7541 7.1.3 */
}

static struct slice line_of(struct slice *rest)
{
    struct slice line = slice_split(rest, '\n');

    return slice_ends(line, SLICE("\r")) ? slice_take(line, line.len - 1) : line;
}

static struct slice host_of(struct slice head)
{
    while (head.len > 0) {
        const struct slice line = line_of(&head);

        if (slice_starts_nocase(line, SLICE("host:")))
            return slice_trim(slice_drop(line, 5));
    }
    return (struct slice){ 0 };
}

static bool add_fields(struct h2_request *r, struct slice rest)
{
    while (rest.len > 0) {
        struct slice value = line_of(&rest);
        const struct slice name = slice_split(&value, ':');

        if (name.len == 0)
            break; /* the empty line */
        if (slice_eq_nocase(name, SLICE("host")) || is_of_connection(name))
            continue;
        if (r->count == FIELDS_MAX)
            return false;
        add(r, name, slice_trim(value));
    }
    return true;
}

int h2_request_reserve(struct h2_request **out, size_t head_max, struct err *err)
{
    /* Every byte of the head at most once, and the names of four pseudo-fields with the scheme. */
    struct h2_request *r = calloc(1, sizeof(*r) + FIELDS_MAX * sizeof(r->fields[0]) + head_max + 64);

    *out = NULL;
    if (r == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    r->text = (uint8_t *)&r->fields[FIELDS_MAX];
    *out = r;
    return 0;
}

bool h2_request_fill(struct h2_request *r, struct slice http1_head, bool https, bool has_body)
{
    struct slice rest = http1_head, line = line_of(&rest), method, target;

    r->count = r->text_len = 0;
    r->has_body = has_body;
    method = slice_split(&line, ' ');
    target = slice_split(&line, ' ');
    add(r, SLICE(":method"), method);
    add(r, SLICE(":scheme"), https ? SLICE("https") : SLICE("http"));
    add(r, SLICE(":authority"), host_of(rest));
    add(r, SLICE(":path"), target);
    return add_fields(r, rest);
}

int h2_request_new(struct h2_request **out, struct slice http1_head, bool https, bool has_body, struct err *err)
{
    if (h2_request_reserve(out, http1_head.len, err) != 0)
        return -1;
    if (h2_request_fill(*out, http1_head, https, has_body))
        return 0;
    h2_request_free(*out);
    *out = NULL;
    return err_set(err, ERR_CONFIG, 0, "more than %u header fields", FIELDS_MAX);
}

void h2_request_free(struct h2_request *r)
{
    free(r);
}
