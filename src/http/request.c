/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request.h"

#include <string.h>

#include "http/redact.h"

static bool is_token_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_token_char(s.ptr[i]))
            return false;
    return s.len > 0;
}

/* Controls would end the line or the request; tabs are allowed inside (RFC 9110 5.5). */
static bool is_clean(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (((unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\t') || s.ptr[i] == 0x7f)
            return false;
    return true;
}

/* How a field was given: "Name: value", "Name;" (no value), "Name:" (take ours out). */
enum field_form { FIELD_BAD, FIELD_VALUE, FIELD_EMPTY, FIELD_REMOVE };

static enum field_form field_split(struct slice field, struct slice *name, struct slice *value)
{
    const ptrdiff_t colon = slice_find(field, ':');

    if (colon < 0) {
        *name = slice_take(field, field.len > 0 ? field.len - 1 : 0);
        *value = slice_from("", 0);
        return slice_ends(field, SLICE(";")) && is_token(*name) ? FIELD_EMPTY : FIELD_BAD;
    }
    *name = slice_take(field, (size_t)colon);
    *value = slice_trim(slice_drop(field, (size_t)colon + 1));
    if (!is_token(*name))
        return FIELD_BAD;
    return value->len > 0 ? FIELD_VALUE : FIELD_REMOVE;
}

static int refuse_field(struct err *err, struct slice field, const char *why)
{
    struct buf shown;

    buf_init(&shown, 64 * 1024);
    redact_head(&shown, slice_take(field, 4 * 1024)); /* also makes it printable */
    for (size_t i = 0; i < shown.len; i++)
        if (shown.data[i] == '\r' || shown.data[i] == '\n')
            shown.data[i] = ' ';
    err_set(err, ERR_USAGE, 0, "header field \"%.*s\" %s", shown.len > 150 ? 150 : (int)shown.len,
            shown.len > 0 ? shown.data : "", why);
    buf_release(&shown);
    return err_hint(err, "write \"Name: value\", \"Name;\" for an empty value, or \"Name:\" to leave one out");
}

int request_check_field(struct slice field, struct err *err)
{
    struct slice name, value;

    for (size_t i = 0; i < field.len; i++) {
        if (field.ptr[i] == '\r' || field.ptr[i] == '\n')
            return refuse_field(err, field, "has a line break");
        if (field.ptr[i] == '\0')
            return refuse_field(err, field, "has a NUL");
    }
    if (!is_clean(field))
        return refuse_field(err, field, "has a control character");
    if (field_split(field, &name, &value) == FIELD_BAD) {
        const bool colon = slice_find(field, ':') >= 0;
        return refuse_field(err, field, colon ? "has no valid name" : "has no colon");
    }
    return 0;
}

/* Whether the user said (or took out) the field. */
static bool is_given(const struct request_spec *spec, const char *wanted)
{
    struct slice name, value;

    for (size_t i = 0; spec->fields != NULL && i < spec->fields->count; i++) {
        field_split(slice_str(spec->fields->items[i]), &name, &value);
        if (slice_eq_nocase(name, slice_str(wanted)))
            return true;
    }
    return false;
}

/* A length or coding of the user's own would contradict the body that is sent, and the server would wait or read a
 * second request. */
static int check_framing(const struct request_spec *spec, struct slice field, struct err *err)
{
    struct slice name, value;
    uint64_t n = 0;

    const enum field_form form = field_split(field, &name, &value);
    if (slice_eq_nocase(name, SLICE("Transfer-Encoding")) && form != FIELD_REMOVE)
        return refuse_field(err, field, "contradicts the body, which is sent with its length");
    if (!slice_eq_nocase(name, SLICE("Content-Length")) || (form == FIELD_REMOVE && !spec->has_body))
        return 0;
    if (spec->has_body && spec->chunked)
        return refuse_field(err, field, "contradicts the body, which is sent in chunks");
    if (!slice_to_u64(value, &n) || n != (spec->has_body ? spec->body_bytes : 0))
        return refuse_field(err, field, "contradicts the length of the body");
    return 0;
}

static int check(const struct request_spec *spec, struct err *err)
{
    if (!is_token(spec->method))
        return err_set(err, ERR_USAGE, 0, "\"%.*s\" is no request method", SLICE_FMT(slice_take(spec->method, 40)));
    for (size_t i = 0; i < spec->target.len; i++)
        if ((unsigned char)spec->target.ptr[i] <= ' ' || spec->target.ptr[i] == 0x7f)
            return err_set(err, ERR_USAGE, 0, "a space or control character in the request target");
    if (spec->target.len == 0)
        return err_set(err, ERR_USAGE, 0, "empty request target");
    if (!is_clean(spec->authority) || !is_clean(spec->authorization) || !is_clean(spec->user_agent) ||
        !is_clean(spec->content_type))
        return err_set(err, ERR_USAGE, 0, "a line break or control character in a request field");
    for (size_t i = 0; spec->fields != NULL && i < spec->fields->count; i++) {
        const struct slice field = slice_str(spec->fields->items[i]);
        if (request_check_field(field, err) != 0 || check_framing(spec, field, err) != 0)
            return -1;
    }
    return 0;
}

static void add_field(struct buf *out, const struct request_spec *spec, const char *name, struct slice value)
{
    if (value.len > 0 && !is_given(spec, name)) {
        buf_add_str(out, name);
        buf_add_str(out, ": ");
        buf_add_slice(out, value);
        buf_add_str(out, "\r\n");
    }
}

static void add_user_fields(struct buf *out, const struct request_spec *spec)
{
    struct slice name, value;

    for (size_t i = 0; spec->fields != NULL && i < spec->fields->count; i++) {
        const struct slice field = slice_str(spec->fields->items[i]);
        const enum field_form form = field_split(field, &name, &value);
        if (form == FIELD_REMOVE)
            continue;
        if (form == FIELD_VALUE) { /* as given, blanks and all */
            buf_add_slice(out, field);
        } else {
            buf_add_slice(out, name);
            buf_add_char(out, ':');
        }
        buf_add_str(out, "\r\n");
    }
}

/* RFC 9110 8.6: said with a body, and as 0 where the method expects one. */
static void add_length(struct buf *out, const struct request_spec *spec)
{
    const bool expected = slice_eq(spec->method, SLICE("POST")) || slice_eq(spec->method, SLICE("PUT")) ||
                          slice_eq(spec->method, SLICE("PATCH"));

    if (spec->has_body && spec->chunked) {
        buf_add_str(out, "Transfer-Encoding: chunked\r\n");
        return;
    }
    if ((spec->has_body || expected) && !is_given(spec, "Content-Length"))
        buf_printf(out, "Content-Length: %llu\r\n", (unsigned long long)(spec->has_body ? spec->body_bytes : 0));
}

int request_build(struct buf *out, const struct request_spec *spec, struct err *err)
{
    if (check(spec, err) != 0)
        return -1;
    buf_add_slice(out, spec->method);
    buf_add_char(out, ' ');
    buf_add_slice(out, spec->target);
    buf_add_str(out, spec->version == HTTP_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
    /* RFC 9112 3.2: HTTP/1.1 always has a Host, if only an empty one. */
    if (spec->authority.len == 0 && spec->version == HTTP_1_1 && !is_given(spec, "Host"))
        buf_add_str(out, "Host:\r\n");
    add_field(out, spec, "Host", spec->authority);
    add_field(out, spec, "User-Agent",
              spec->user_agent.len > 0 ? spec->user_agent : SLICE("plimsoll/" PLIMSOLL_VERSION));
    add_field(out, spec, "Accept", SLICE("*/*"));
    add_field(out, spec, "Authorization", spec->authorization);
    add_user_fields(out, spec);
    add_field(out, spec, "Content-Type", spec->content_type);
    add_length(out, spec);
    if (spec->has_body && spec->expect_continue)
        add_field(out, spec, "Expect", SLICE("100-continue"));
    if (spec->close)
        add_field(out, spec, "Connection", SLICE("close"));
    else if (spec->keep_alive)
        add_field(out, spec, "Connection", SLICE("keep-alive"));
    buf_add_str(out, "\r\n");
    if (!buf_ok(out))
        return err_set(err, ERR_USAGE, 0, "the head of the request is too long");
    return 0;
}

bool request_method_is_idempotent(struct slice method)
{
    static const char *const IDEMPOTENT[] = { "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE" };

    for (size_t i = 0; i < sizeof(IDEMPOTENT) / sizeof(IDEMPOTENT[0]); i++)
        if (slice_eq(method, slice_str(IDEMPOTENT[i])))
            return true;
    return false;
}

void request_basic_authorization(struct buf *out, struct slice user_pass)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    buf_add_str(out, "Basic ");
    for (size_t i = 0; i < user_pass.len; i += 3) {
        const size_t left = user_pass.len - i;
        uint32_t bits = (uint32_t)(unsigned char)user_pass.ptr[i] << 16;
        if (left > 1)
            bits |= (uint32_t)(unsigned char)user_pass.ptr[i + 1] << 8;
        if (left > 2)
            bits |= (uint32_t)(unsigned char)user_pass.ptr[i + 2];
        buf_add_char(out, DIGITS[bits >> 18]);
        buf_add_char(out, DIGITS[bits >> 12 & 63]);
        buf_add_char(out, left > 1 ? DIGITS[bits >> 6 & 63] : '=');
        buf_add_char(out, left > 2 ? DIGITS[bits & 63] : '=');
    }
}
