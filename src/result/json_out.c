/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void add_escaped(struct buf *out, unsigned char c)
{
    static const char SHORT[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i + 1 < sizeof(SHORT); i += 2) {
        if ((unsigned char)SHORT[i] == c) {
            buf_add_char(out, '\\');
            buf_add_char(out, SHORT[i + 1]);
            return;
        }
    }
    buf_printf(out, "\\u%04x", c);
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

void json_add_quoted(struct buf *out, struct slice text)
{
    size_t plain = 0; /* where the run of bytes begins that go out as they are */

    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        const size_t len = utf8_length(slice_drop(text, i));

        if (len > 0 && !needs_escape((unsigned char)text.ptr[i])) {
            i += len;
            continue;
        }
        buf_append(out, text.ptr + plain, i - plain);
        if (len > 0)
            add_escaped(out, (unsigned char)text.ptr[i]);
        else
            buf_add_str(out, "\xef\xbf\xbd");
        i++;
        plain = i;
    }
    if (text.len > plain)
        buf_append(out, text.ptr + plain, text.len - plain);
    buf_add_char(out, '"');
}

static void add_double(struct buf *out, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    buf_add_str(out, isfinite(value) ? json_format_double(text, value) : "null");
}

static void new_line(struct json_out *o)
{
    buf_add_char(o->buf, '\n');
    for (unsigned i = 0; i < o->depth; i++)
        buf_add_str(o->buf, "  ");
}

void json_out_key(struct json_out *o, const char *key)
{
    if (o->has_member)
        buf_add_char(o->buf, ',');
    if (o->depth > 0)
        new_line(o);
    o->has_member = true;
    if (key != NULL) {
        json_add_quoted(o->buf, slice_str(key));
        buf_add_str(o->buf, ": ");
    }
}

void json_out_open(struct json_out *o, const char *key, char bracket)
{
    json_out_key(o, key);
    buf_add_char(o->buf, bracket);
    o->depth++;
    o->has_member = false;
}

void json_out_close(struct json_out *o, char bracket)
{
    o->depth--;
    if (o->has_member)
        new_line(o);
    buf_add_char(o->buf, bracket);
    o->has_member = true;
}

void json_out_u64(struct json_out *o, const char *key, uint64_t value)
{
    json_out_key(o, key);
    buf_printf(o->buf, "%" PRIu64, value);
}

void json_out_double(struct json_out *o, const char *key, double value)
{
    json_out_key(o, key);
    add_double(o->buf, value);
}

void json_out_bool(struct json_out *o, const char *key, bool value)
{
    json_out_raw(o, key, value ? "true" : "false");
}

void json_out_null(struct json_out *o, const char *key)
{
    json_out_raw(o, key, "null");
}

void json_out_string(struct json_out *o, const char *key, const char *text)
{
    json_out_key(o, key);
    if (text == NULL)
        buf_add_str(o->buf, "null");
    else
        json_add_quoted(o->buf, slice_str(text));
}

void json_out_raw(struct json_out *o, const char *key, const char *json)
{
    json_out_key(o, key);
    buf_add_str(o->buf, json);
}

void json_out_doubles(struct json_out *o, const char *key, const double *values, size_t count)
{
    json_out_key(o, key);
    buf_add_char(o->buf, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_str(o->buf, i > 0 ? ", " : "");
        add_double(o->buf, values[i]);
    }
    buf_add_char(o->buf, ']');
}

static int add_object(struct buf *out, json_t *object, unsigned depth_max)
{
    const char *key;
    json_t *member;
    bool first = true;

    buf_add_char(out, '{');
    json_object_foreach(object, key, member)
    {
        buf_add_str(out, first ? "" : ", ");
        first = false;
        json_add_quoted(out, slice_str(key));
        buf_add_str(out, ": ");
        if (json_add_value(out, member, depth_max - 1) < 0)
            return -1;
    }
    buf_add_char(out, '}');
    return 0;
}

static int add_array(struct buf *out, const json_t *array, unsigned depth_max)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        if (json_add_value(out, json_array_get(array, i), depth_max - 1) < 0)
            return -1;
    }
    buf_add_char(out, ']');
    return 0;
}

int json_add_value(struct buf *out, json_t *value, unsigned depth_max)
{
    if (depth_max == 0)
        return -1;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return add_object(out, value, depth_max);
    case JSON_ARRAY:
        return add_array(out, value, depth_max);
    case JSON_STRING:
        json_add_quoted(out, slice_from(json_string_value(value), json_string_length(value)));
        return 0;
    case JSON_INTEGER:
        buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return 0;
    case JSON_REAL:
        add_double(out, json_real_value(value));
        return 0;
    case JSON_TRUE:
    case JSON_FALSE:
        buf_add_str(out, json_is_true(value) ? "true" : "false");
        return 0;
    case JSON_NULL:
        break;
    }
    buf_add_str(out, "null");
    return 0;
}
