/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/mb_requests.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "result/json_in.h"

enum { REQUESTS_MAX = 1000000, WHERE_MAX = 32, DEFAULT_PORT = 80, LARGEST_PORT = 65535 };

static const char *const REQUEST_MEMBERS[] = {
    "host_from", "host",    "port", "tcp",          "scheme",  "tls-session-reuse",   "method",
    "path",      "headers", "body", "max-requests", "clients", "keep-alive-requests", "delay",
    "close",     "ramp-up", NULL
};
static const char *const BODY_MEMBERS[] = { "content", "size", "type", NULL };
static const char *const DELAY_MEMBERS[] = { "min", "max", NULL };
static const char *const CLOSE_MEMBERS[] = { "client", "linger", NULL };
static const char *const TCP_MEMBERS[] = { "keep-alive", NULL };
static const char *const KEEP_ALIVE_MEMBERS[] = { "enable", "idle", "intvl", "cnt", NULL };

static void check_members(struct json_in *in, json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        size_t i = 0;

        while (known[i] != NULL && strcmp(known[i], key) != 0)
            i++;
        if (known[i] == NULL)
            json_in_fail(in, "unknown member \"%s\"", key);
    }
}

static json_t *object_of(struct json_in *in, const json_t *parent, const char *key, const char *const *known)
{
    json_t *object = json_in_object(in, parent, key);

    if (object != NULL)
        check_members(in, object, known);
    return object;
}

static char *dup_or(struct json_in *in, const json_t *object, const char *key, const char *otherwise)
{
    char *text = json_in_dup(in, object, key);

    if (text == NULL && !in->failed) {
        text = slice_dup(slice_str(otherwise));
        if (text == NULL)
            json_in_no_memory(in);
    }
    return text;
}

static int seconds(struct json_in *in, const json_t *object, const char *key)
{
    const uint64_t n = json_in_u64(in, object, key);

    if (n > INT_MAX)
        json_in_fail(in, "\"%s\" is too large", key);
    return n > INT_MAX ? 0 : (int)n;
}

static void read_where(struct json_in *in, const json_t *o, struct mb_request *r)
{
    const char *scheme = json_in_text(in, o, "scheme");
    const uint64_t port = json_object_get(o, "port") != NULL ? json_in_u64(in, o, "port") : DEFAULT_PORT;

    r->host_from = json_in_dup(in, o, "host_from");
    r->host = json_in_dup(in, o, "host");
    if (r->host == NULL || r->host[0] == '\0')
        json_in_fail(in, "\"host\" is missing");
    if (port < 1 || port > LARGEST_PORT)
        json_in_fail(in, "\"port\" must be from 1 to %d", LARGEST_PORT);
    r->port = (uint16_t)port;
    r->https = scheme != NULL && strcmp(scheme, "https") == 0;
    if (scheme != NULL && !r->https && strcmp(scheme, "http") != 0)
        json_in_fail(in, "\"scheme\" must be \"http\" or \"https\", not \"%.40s\"", scheme);
    r->tls_session_reuse = json_object_get(o, "tls-session-reuse") == NULL || json_in_bool(in, o, "tls-session-reuse");
}

static void read_fields(struct json_in *in, const json_t *o, struct mb_request *r)
{
    json_t *headers = json_in_object(in, o, "headers");
    const char *name;
    json_t *value;

    json_object_foreach(headers, name, value)
    {
        struct buf field;

        if (!json_is_string(value)) {
            json_in_fail(in, "header \"%.80s\" must be a string", name);
            return;
        }
        buf_init(&field, 1u << 20);
        buf_add_str(&field, name);
        buf_add_str(&field, json_string_length(value) > 0 ? ": " : ";");
        buf_add_str(&field, json_string_value(value));
        if (!buf_ok(&field) || !strlist_add(&r->fields, buf_slice(&field)))
            json_in_no_memory(in);
        buf_release(&field);
    }
}

/* A string, or an object with its kind. */
static void read_body(struct json_in *in, const json_t *o, struct mb_request *r)
{
    const json_t *value = json_object_get(o, "body");
    const char *type;
    json_t *body;

    if (json_is_string(value)) {
        r->body = json_in_dup(in, o, "body");
        return;
    }
    body = object_of(in, o, "body", BODY_MEMBERS);
    if (body == NULL)
        return;
    type = json_in_text(in, body, "type");
    if (type == NULL || strcmp(type, "content") == 0) {
        r->body = json_in_dup(in, body, "content");
        return;
    }
    if (strcmp(type, "random") != 0) {
        json_in_fail(in, "the body's \"type\" must be \"content\" or \"random\", not \"%.40s\"", type);
        return;
    }
    r->random_bytes = json_in_u64(in, body, "size");
    if (r->random_bytes == 0)
        json_in_fail(in, "a random body needs its \"size\"");
}

static void read_request(struct json_in *in, const json_t *o, struct mb_request *r)
{
    r->method = dup_or(in, o, "method", "GET");
    r->path = dup_or(in, o, "path", "/");
    read_fields(in, o, r);
    read_body(in, o, r);
}

static void read_clients(struct json_in *in, const json_t *o, struct mb_request *r)
{
    const json_t *delay = object_of(in, o, "delay", DELAY_MEMBERS);

    r->max_requests = json_in_u64(in, o, "max-requests");
    r->keep_alive_requests = json_in_u64(in, o, "keep-alive-requests");
    r->clients = json_object_get(o, "clients") != NULL ? json_in_u64(in, o, "clients") : 1;
    if (r->clients < 1 || r->clients > MB_CLIENTS_MAX)
        json_in_fail(in, "\"clients\" must be from 1 to %u", MB_CLIENTS_MAX);
    r->ramp_up_ms = json_in_u64(in, o, "ramp-up");
    r->delay_min_ms = json_in_u64(in, delay, "min");
    r->delay_max_ms = json_in_u64(in, delay, "max");
    if (r->delay_min_ms > r->delay_max_ms)
        json_in_fail(in, "the delay's \"min\" %llu is above its \"max\" %llu", (unsigned long long)r->delay_min_ms,
                     (unsigned long long)r->delay_max_ms);
}

static void read_connection(struct json_in *in, const json_t *o, struct mb_request *r)
{
    const json_t *tcp = object_of(in, o, "tcp", TCP_MEMBERS);
    const json_t *keep = object_of(in, tcp, "keep-alive", KEEP_ALIVE_MEMBERS);
    const json_t *end = object_of(in, o, "close", CLOSE_MEMBERS);

    r->tcp_keep_alive = json_in_bool(in, keep, "enable");
    r->tcp_idle_s = seconds(in, keep, "idle");
    r->tcp_interval_s = seconds(in, keep, "intvl");
    r->tcp_probes = seconds(in, keep, "cnt");
    r->close_client = json_in_bool(in, end, "client");
    r->has_linger = json_object_get(end, "linger") != NULL;
    r->linger_s = json_in_u64(in, end, "linger");
}

/* A copy without the commas that stand before a closing bracket. */
static void drop_commas(struct buf *out, struct slice json)
{
    bool in_string = false, escaped = false;
    size_t comma = SIZE_MAX; /* where the last one went, while only space followed */

    for (size_t i = 0; i < json.len; i++) {
        const char c = json.ptr[i];

        if (in_string) {
            in_string = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
        } else if (c == '"') {
            in_string = true;
        }
        if ((c == '}' || c == ']') && comma != SIZE_MAX)
            out->data[comma] = ' ';
        if (c == ',' && !in_string)
            comma = out->len;
        else if (strchr(" \t\r\n", c) == NULL || c == '\0')
            comma = SIZE_MAX;
        buf_add_char(out, c);
        if (!buf_ok(out))
            return;
    }
}

static int read_list(struct mb_requests *out, json_t *list, struct err *err)
{
    struct json_in in = { .err = err, .document = "invalid request file" };
    char where[WHERE_MAX];

    for (size_t i = 0; i < json_array_size(list) && !in.failed; i++) {
        json_t *o = json_array_get(list, i);

        snprintf(where, sizeof(where), "request %zu", i + 1);
        in.where = where;
        out->count++;
        if (!json_is_object(o)) {
            json_in_fail(&in, "must be an object");
            break;
        }
        check_members(&in, o, REQUEST_MEMBERS);
        read_where(&in, o, &out->items[i]);
        read_request(&in, o, &out->items[i]);
        read_clients(&in, o, &out->items[i]);
        read_connection(&in, o, &out->items[i]);
    }
    return in.failed ? -1 : 0;
}

static int read_document(struct mb_requests *out, json_t *list, struct err *err)
{
    const size_t count = json_array_size(list);

    if (!json_is_array(list))
        return err_set(err, ERR_CONFIG, 0, "invalid request file: it must be a list of requests");
    if (count == 0)
        return err_set(err, ERR_CONFIG, 0, "invalid request file: the list is empty");
    if (count > REQUESTS_MAX)
        return err_set(err, ERR_CONFIG, 0, "invalid request file: more than %d requests", REQUESTS_MAX);
    out->items = calloc(count, sizeof(*out->items));
    if (out->items == NULL)
        return err_set(err, ERR_SYSTEM, 0, "no memory for %zu requests", count);
    return read_list(out, list, err);
}

int mb_requests_read(struct mb_requests *out, struct slice json, struct err *err)
{
    json_error_t fault;
    struct buf text;
    json_t *list = NULL;
    int rc;

    *out = (struct mb_requests){ 0 };
    buf_init(&text, json.len + 1);
    drop_commas(&text, json);
    if (buf_ok(&text))
        list = json_loadb(text.data != NULL ? text.data : "", text.len, 0, &fault);
    if (!buf_ok(&text))
        rc = err_set(err, ERR_SYSTEM, 0, "no memory for the request file");
    else if (list == NULL)
        rc = err_set(err, ERR_CONFIG, 0, "invalid request file, line %d: %s", fault.line, fault.text);
    else
        rc = read_document(out, list, err);
    json_decref(list);
    buf_release(&text);
    return rc;
}

static void request_release(struct mb_request *r)
{
    free(r->host_from);
    free(r->host);
    free(r->method);
    free(r->path);
    free(r->body);
    strlist_release(&r->fields);
}

void mb_requests_release(struct mb_requests *r)
{
    for (size_t i = 0; i < r->count; i++)
        request_release(&r->items[i]);
    free(r->items);
    *r = (struct mb_requests){ 0 };
}
