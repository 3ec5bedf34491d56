/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nghttp2/nghttp2.h>

#include "base/buf.h"

enum {
    STREAMS_MAX = 128,
    WINDOW_BYTES = 1024 * 1024, /* of a stream; uploads are written as they come */
    CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024,
    FIELDS_MAX = 128,
    NAME_MAX_BYTES = 64, /* of the names we send */
};

/* The head being read: header blocks are never interleaved, so one is enough. */
struct head_reader {
    struct buf lines;  /* "name: value\r\n" of plain fields */
    struct buf pseudo; /* method, target, authority one after another */
    size_t method_len, target_len, authority_len;
    struct slice host; /* in lines */
    size_t host_at, host_len;
    bool has_host, is_too_large;
    uint32_t fields;
};

struct h2_server {
    nghttp2_session *session;
    const struct h2_server_events *events;
    void *connection;
    struct head_reader head;
    uint32_t head_max_bytes;
};

/* What is kept of a stream besides its owner's object. */
static void *stream_of(nghttp2_session *session, int32_t id)
{
    return id > 0 ? nghttp2_session_get_stream_user_data(session, id) : NULL;
}

/* ---- Heads ---- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct h2_server *h = user_data;
    struct head_reader *r = &h->head;

    (void)session;
    (void)frame;
    buf_clear(&r->lines);
    buf_clear(&r->pseudo);
    *r = (struct head_reader){ .lines = r->lines, .pseudo = r->pseudo };
    return 0;
}

static void take_pseudo(struct head_reader *r, struct slice name, struct slice value)
{
    size_t *len = slice_eq(name, SLICE(":method"))      ? &r->method_len
                  : slice_eq(name, SLICE(":path"))      ? &r->target_len
                  : slice_eq(name, SLICE(":authority")) ? &r->authority_len
                                                        : NULL;

    if (len == NULL)
        return;
    /* They may come in any order and are kept in one: method, target, authority. */
    struct buf *b = &r->pseudo;
    size_t at = len == &r->method_len ? 0 : len == &r->target_len ? r->method_len : r->method_len + r->target_len;
    size_t tail = b->len - at;
    if (buf_reserve(b, value.len) == NULL)
        return;
    memmove(b->data + at + value.len, b->data + at, tail);
    if (value.len > 0)
        memcpy(b->data + at, value.ptr, value.len);
    b->len += value.len;
    *len = value.len;
}

static void take_field(struct head_reader *r, struct slice name, struct slice value)
{
    if (++r->fields > FIELDS_MAX)
        r->is_too_large = true;
    buf_add_slice(&r->lines, name);
    buf_add_str(&r->lines, ": ");
    if (slice_eq(name, SLICE("host"))) {
        r->has_host = true;
        r->host_at = r->lines.len;
        r->host_len = value.len;
    }
    buf_add_slice(&r->lines, value);
    buf_add_str(&r->lines, "\r\n");
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len,
                     const uint8_t *value, size_t value_len, uint8_t flags, void *user_data)
{
    struct h2_server *h = user_data;
    struct slice n = slice_from((const char *)name, name_len), v = slice_from((const char *)value, value_len);

    (void)session;
    (void)flags;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST || h->head.is_too_large)
        return 0; /* trailers, or what must be decoded and not kept */
    if (slice_starts(n, SLICE(":")))
        take_pseudo(&h->head, n, v);
    else
        take_field(&h->head, n, v);
    h->head.is_too_large |= !buf_ok(&h->head.lines) || !buf_ok(&h->head.pseudo);
    return 0;
}

static bool take_length(struct request_head *out)
{
    struct slice length = request_head_field(out, SLICE("content-length"));

    out->has_length = length.ptr != NULL;
    return !out->has_length || slice_to_u64(length, &out->content_length);
}

/* All of it in one piece of memory, as that of HTTP/1: pseudo-fields first. */
static void finish_head(struct head_reader *r, struct buf *bytes, struct request_head *out)
{
    buf_add_slice(bytes, buf_slice(&r->pseudo));
    buf_add_slice(bytes, buf_slice(&r->lines));
    *out = (struct request_head){
        .version = 20, .keep_alive = true, .field_count = r->fields, .bytes = (uint32_t)bytes->len
    };
    if (r->is_too_large || !buf_ok(bytes)) {
        out->refused = 431;
        out->reason = "The head is too large.";
        return;
    }
    struct slice all = buf_slice(bytes), pseudo = slice_take(all, r->pseudo.len);
    out->fields = slice_drop(all, r->pseudo.len);
    struct slice method = slice_take(pseudo, r->method_len);
    struct slice target = slice_take(slice_drop(pseudo, r->method_len), r->target_len);
    struct slice host = slice_drop(pseudo, r->method_len + r->target_len);
    out->line = slice_take(pseudo, r->method_len + r->target_len);
    if (r->has_host && host.len > 0 && !slice_eq(host, slice_from(out->fields.ptr + r->host_at, r->host_len))) {
        out->refused = 400;
        out->reason = "The Host field is not the authority.";
        return;
    }
    if (host.len == 0 && r->has_host)
        host = slice_from(out->fields.ptr + r->host_at, r->host_len);
    if (request_head_take(out, method, target, host) == REQUEST_READY && !take_length(out)) {
        out->refused = 400;
        out->reason = "Content-Length is not a number.";
    }
}

static void begin_request(struct h2_server *h, const nghttp2_frame *frame)
{
    struct request_head head;
    struct buf bytes;

    buf_init(&bytes, 4 * (size_t)h->head_max_bytes);
    finish_head(&h->head, &bytes, &head);
    bool has_body = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0;
    void *stream = h->events->on_request(h->connection, frame->hd.stream_id, &head, buf_slice(&bytes), has_body);
    if (stream == NULL)
        nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
    else
        nghttp2_session_set_stream_user_data(h->session, frame->hd.stream_id, stream);
    buf_release(&bytes);
}

/* ---- Events ---- */

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct h2_server *h = user_data;
    bool headers = frame->hd.type == NGHTTP2_HEADERS, data = frame->hd.type == NGHTTP2_DATA;

    if (headers && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        begin_request(h, frame);
    if ((headers || data) && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        void *stream = stream_of(session, frame->hd.stream_id);
        if (stream != NULL)
            h->events->on_data_end(stream);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t len,
                   void *user_data)
{
    struct h2_server *h = user_data;
    void *stream = stream_of(session, id);

    (void)flags;
    nghttp2_session_consume_connection(session, len);
    if (stream != NULL)
        h->events->on_data(stream, slice_from((const char *)data, len));
    else
        nghttp2_session_consume_stream(session, id, len);
    return 0;
}

static int on_stream_closed(nghttp2_session *session, int32_t id, uint32_t error_code, void *user_data)
{
    struct h2_server *h = user_data;
    void *stream = stream_of(session, id);

    if (stream == NULL)
        return 0;
    nghttp2_session_set_stream_user_data(session, id, NULL);
    h->events->on_closed(stream,
                         error_code == NGHTTP2_NO_ERROR && nghttp2_session_get_stream_local_close(session, id) != 0);
    return 0;
}

static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *out, size_t len, uint32_t *flags,
                       nghttp2_data_source *source, void *user_data)
{
    struct h2_server *h = user_data;
    void *stream = stream_of(session, id);
    bool end = false;

    (void)source;
    if (stream == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    long n = h->events->read_body(stream, (char *)out, len, &end);
    if (n == H2_READ_WAIT)
        return NGHTTP2_ERR_DEFERRED;
    if (n < 0)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (end)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return n;
}

/* ---- Life ---- */

static int make_session(struct h2_server *h)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;

    if (nghttp2_option_new(&options) != 0)
        return -1;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) {
        nghttp2_option_del(options);
        return -1;
    }
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_closed);
    int rc = nghttp2_session_server_new2(&h->session, callbacks, h, options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(options);
    return rc == 0 ? 0 : -1;
}

int h2_server_new(struct h2_server **out, const struct h2_server_events *events, void *connection,
                  uint32_t head_max_bytes, struct err *err)
{
    const nghttp2_settings_entry settings[] = { { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MAX },
                                                { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES },
                                                { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, head_max_bytes } };
    struct h2_server *h = calloc(1, sizeof(*h));

    *out = h;
    if (h == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot begin HTTP/2");
    h->events = events;
    h->connection = connection;
    h->head_max_bytes = head_max_bytes;
    buf_init(&h->head.lines, head_max_bytes);
    buf_init(&h->head.pseudo, head_max_bytes);
    if (make_session(h) == 0 &&
        nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, sizeof(settings) / sizeof(settings[0])) == 0 &&
        nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES) == 0)
        return 0;
    h2_server_free(h);
    *out = NULL;
    return err_set(err, ERR_SYSTEM, ENOMEM, "cannot begin HTTP/2");
}

void h2_server_free(struct h2_server *h)
{
    if (h == NULL)
        return;
    nghttp2_session_del(h->session); /* calls nobody */
    buf_release(&h->head.lines);
    buf_release(&h->head.pseudo);
    free(h);
}

bool h2_server_feed(struct h2_server *h, const char *bytes, size_t len)
{
    return nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes, len) == (ssize_t)len;
}

bool h2_server_output(struct h2_server *h, struct slice *out)
{
    const uint8_t *bytes;
    ssize_t n = nghttp2_session_mem_send(h->session, &bytes);

    *out = slice_from(n > 0 ? (const char *)bytes : NULL, n > 0 ? (size_t)n : 0);
    return n >= 0;
}

static nghttp2_nv pair(struct slice name, struct slice value)
{
    return (nghttp2_nv){ .name = (uint8_t *)(uintptr_t)name.ptr,
                         .namelen = name.len,
                         .value = (uint8_t *)(uintptr_t)(value.len > 0 ? value.ptr : ""),
                         .valuelen = value.len };
}

static struct slice lower(char out[NAME_MAX_BYTES], struct slice name)
{
    size_t len = name.len < NAME_MAX_BYTES ? name.len : NAME_MAX_BYTES;

    for (size_t i = 0; i < len; i++)
        out[i] = name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? (char)(name.ptr[i] | 0x20) : name.ptr[i];
    return slice_from(out, len);
}

bool h2_server_answer(struct h2_server *h, int32_t id, uint16_t status, const struct h2_field *fields, size_t count,
                      bool has_body)
{
    char names[H2_FIELDS_MAX][NAME_MAX_BYTES], code[4];
    nghttp2_nv pairs[H2_FIELDS_MAX + 1];
    nghttp2_data_provider provider = { .read_callback = on_read };

    if (count > H2_FIELDS_MAX)
        BUG("%zu fields in an answer", count);
    snprintf(code, sizeof(code), "%03u", status % 1000u);
    pairs[0] = pair(SLICE(":status"), slice_from(code, 3));
    for (size_t i = 0; i < count; i++)
        pairs[i + 1] = pair(lower(names[i], fields[i].name), fields[i].value);
    return nghttp2_submit_response(h->session, id, pairs, count + 1, has_body ? &provider : NULL) == 0;
}

void h2_server_resume(struct h2_server *h, int32_t id)
{
    nghttp2_session_resume_data(h->session, id);
}

void h2_server_consumed(struct h2_server *h, int32_t id, size_t bytes)
{
    nghttp2_session_consume_stream(h->session, id, bytes);
}

void h2_server_reset(struct h2_server *h, int32_t id)
{
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
}

void h2_server_end_request(struct h2_server *h, int32_t id)
{
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
}

void h2_server_stop(struct h2_server *h)
{
    nghttp2_submit_goaway(h->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(h->session),
                          NGHTTP2_NO_ERROR, NULL, 0);
}

bool h2_server_is_alive(const struct h2_server *h)
{
    return nghttp2_session_want_read(h->session) != 0 || nghttp2_session_want_write(h->session) != 0;
}
