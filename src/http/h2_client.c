/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_client.h"

#include <stdlib.h>
#include <string.h>

#include "http/h2_inbound.h"
#include "http/h2_pool.h"
#include "http/h2_request.h"

/* Large, so that the measured path waits for no WINDOW_UPDATE of ours; the largest a window can be is 2^31 - 1. */
#define WINDOW_BYTES ((1 << 30) - 1)

struct h2_client {
    nghttp2_session *session;
    const struct h2_client_events *events;
    void *connection;
    char reason[160]; /* why the connection ends; the first that is said */
    bool goaway;
    void *heads_of; /* the stream whose header block is being read */
    bool wants_fields;
    struct h2_head head; /* what was read of it */
    struct h2_inbound inbound;
};
_Static_assert(sizeof(struct h2_client) <= 4096, "it fits a block of the pool");

static void note_reason(struct h2_client *h, const char *text, size_t len)
{
    if (h->reason[0] == '\0')
        snprintf(h->reason, sizeof(h->reason), "%.*s", (int)(len < sizeof(h->reason) ? len : sizeof(h->reason) - 1),
                 text);
}

static void *stream_of(nghttp2_session *session, int32_t id)
{
    return id > 0 ? nghttp2_session_get_stream_user_data(session, id) : NULL;
}

static uint16_t status_of(struct slice value)
{
    uint64_t n;

    return slice_to_u64(value, &n) && n < 1000 ? (uint16_t)n : 0;
}

static int on_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct h2_client *h = user_data;

    h->heads_of = stream_of(session, frame->hd.stream_id); /* a header block is one piece: looked up once */
    h->wants_fields = false;
    h->head = (struct h2_head){ 0 };
    return 0;
}

static void read_status(struct h2_client *h, struct slice value)
{
    if (h->head.has_status)
        h2_repeat_pass(&h->inbound.repeat); /* two in a block: such a one is not told from memory */
    h->head.has_status = true;
    h->head.status = status_of(value);
    if (h->heads_of != NULL)
        h->wants_fields = h->events->on_head(h->heads_of, h->head.status);
}

static void read_length(struct h2_client *h, struct slice value)
{
    uint64_t length;

    if (!slice_to_u64(value, &length))
        return;
    h->head.has_length = true;
    h->head.length = length;
    if (h->heads_of != NULL)
        h->events->on_length(h->heads_of, length);
}

/* The events of a block whose fields are known. */
static void repeat_fields(struct h2_client *h, const struct h2_repeat_block *b)
{
    struct slice name, value;
    unsigned index = 0;
    size_t at = 0;

    if (h->heads_of == NULL)
        return;
    if (b->head.has_status && h->events->on_head(h->heads_of, b->head.status))
        while (h2_repeat_next(b, &index, &at, &name, &value))
            h->events->on_field(h->heads_of, name, value);
    if (b->head.has_length)
        h->events->on_length(h->heads_of, b->head.length);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len,
                     const uint8_t *value, size_t value_len, uint8_t flags, void *user_data)
{
    struct h2_client *h = user_data;
    const struct slice n = slice_from((const char *)name, name_len), v = slice_from((const char *)value, value_len);

    (void)session;
    (void)frame;
    (void)flags;
    if (h->inbound.known != NULL) {
        repeat_fields(h, h->inbound.known);
        return 0;
    }
    if (slice_eq(n, SLICE(":status")))
        read_status(h, v);
    else if (slice_eq(n, SLICE("content-length")))
        read_length(h, v);
    if (h->head.has_status)
        h2_repeat_field(&h->inbound.repeat, n, v);
    if (h->wants_fields)
        h->events->on_field(h->heads_of, n, v);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t len,
                   void *user_data)
{
    const struct h2_client *h = user_data;
    void *stream = stream_of(session, id);

    (void)flags;
    if (stream != NULL)
        h->events->on_data(stream, slice_from((const char *)data, len));
    return 0;
}

static void take_settings(struct h2_client *h, const nghttp2_settings *s)
{
    for (size_t i = 0; i < s->niv; i++)
        if (s->iv[i].settings_id == NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            h->events->on_limit(h->connection, s->iv[i].value);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct h2_client *h = user_data;
    void *stream = stream_of(session, frame->hd.stream_id);

    if (stream != NULL)
        h->events->on_bytes(stream, h->inbound.known != NULL ? h->inbound.known_frame_bytes
                                                             : frame->hd.length + H2_FRAME_HEAD_BYTES);
    if (frame->hd.type == NGHTTP2_HEADERS && h->inbound.known == NULL)
        h2_repeat_learnt(&h->inbound.repeat, &h->head);
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0)
        take_settings(h, &frame->settings);
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        h->goaway = true;
        h->events->on_goaway(h->connection, frame->goaway.error_code);
    }
    return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct h2_client *h = user_data;
    const bool headers = frame->hd.type == NGHTTP2_HEADERS;
    void *stream = headers || frame->hd.type == NGHTTP2_DATA ? stream_of(session, frame->hd.stream_id) : NULL;

    if (frame->hd.type == NGHTTP2_GOAWAY) { /* ours: what the peer did wrong */
        const char *name = h2_error_name(frame->goaway.error_code);

        note_reason(h, name, strlen(name));
    }
    if (stream == NULL)
        return 0;
    if (headers)
        h->events->on_begun(stream);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
        h->events->on_sent(stream);
    return 0;
}

static int on_stream_closed(nghttp2_session *session, int32_t id, uint32_t error_code, void *user_data)
{
    struct h2_client *h = user_data;
    void *stream = stream_of(session, id);

    if (error_code == NGHTTP2_NO_ERROR) /* one that was never begun can fail, too */
        h->inbound.over = id;
    if (stream == NULL)
        return 0;
    nghttp2_session_set_stream_user_data(session, id, NULL);
    h->events->on_end(stream, error_code == NGHTTP2_NO_ERROR, error_code);
    return 0;
}

/* A request that could not be sent, after a GOAWAY: there is no stream, so it is named by its number. */
static int on_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int code, void *user_data)
{
    const struct h2_client *h = user_data;

    (void)session;
    (void)code;
    if (frame->hd.type == NGHTTP2_HEADERS)
        h->events->on_refused(h->connection, frame->hd.stream_id);
    return 0;
}

/* What nghttp2 has to say of a peer that breaks the protocol. */
static int on_error(nghttp2_session *session, int code, const char *text, size_t len, void *user_data)
{
    (void)session;
    (void)code;
    note_reason(user_data, text, len);
    return 0;
}

/* A frame that is not to be: nghttp2 ends the connection for it. */
static int on_invalid(nghttp2_session *session, const nghttp2_frame *frame, int code, void *user_data)
{
    const char *text = nghttp2_strerror(code);

    (void)session;
    (void)frame;
    note_reason(user_data, text, strlen(text));
    return 0;
}

static nghttp2_session_callbacks *make_callbacks(void)
{
    nghttp2_session_callbacks *c;

    if (nghttp2_session_callbacks_new(&c) != 0)
        return NULL;
    nghttp2_session_callbacks_set_on_begin_headers_callback(c, on_headers);
    nghttp2_session_callbacks_set_on_header_callback(c, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(c, on_frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(c, on_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(c, on_stream_closed);
    nghttp2_session_callbacks_set_error_callback2(c, on_error);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(c, on_invalid);
    return c;
}

static int open_session(struct h2_client *h, struct h2_pool *pool)
{
    const nghttp2_settings_entry settings[] = { { NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
                                                { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW_BYTES } };
    nghttp2_session_callbacks *callbacks = make_callbacks();
    nghttp2_mem mem = h2_pool_mem(pool);
    nghttp2_option *option = NULL;
    int rc = -1;

    if (callbacks != NULL && nghttp2_option_new(&option) == 0) {
        nghttp2_option_set_no_closed_streams(option, 1); /* nobody asks for a closed stream's place in a tree */
        nghttp2_option_set_no_http_messaging(option,
                                             1); /* what matters of it our user checks, for a tenth of its cost */
        rc = nghttp2_session_client_new3(&h->session, callbacks, h, option, &mem);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (rc != 0 ||
        nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, sizeof(settings) / sizeof(*settings)) != 0)
        return -1;
    return nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0, WINDOW_BYTES);
}

int h2_client_new(struct h2_client **out, struct h2_pool *pool, const struct h2_client_events *events, void *connection,
                  struct err *err)
{
    nghttp2_mem mem = h2_pool_mem(pool);
    struct h2_client *h = mem.calloc(1, sizeof(*h), pool);

    *out = NULL;
    if (h == NULL)
        return err_set(err, ERR_SYSTEM, 0, "no memory for an HTTP/2 connection");
    h->events = events;
    h->connection = connection;
    if (open_session(h, pool) != 0) {
        nghttp2_session_del(h->session);
        mem.free(h, pool);
        return err_set(err, ERR_SYSTEM, 0, "no memory for an HTTP/2 connection");
    }
    *out = h;
    return 0;
}

void h2_client_free(struct h2_client *h, struct h2_pool *pool)
{
    if (h == NULL)
        return;
    nghttp2_session_del(h->session);
    h2_pool_mem(pool).free(h, pool);
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *out, size_t len, uint32_t *flags,
                         nghttp2_data_source *source, void *user_data)
{
    const struct h2_client *h = user_data;
    void *stream = stream_of(session, id);
    bool end = false;
    long n;

    (void)source;
    if (stream == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    n = h->events->read_body(stream, (char *)out, len, &end);
    if (n < 0)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (end)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return n;
}

int32_t h2_client_submit(struct h2_client *h, const struct h2_request *request, void *stream)
{
    const nghttp2_data_provider body = { .read_callback = read_body };
    const int32_t id = nghttp2_submit_request(h->session, NULL, request->fields, request->count,
                                              request->has_body ? &body : NULL, stream);

    return id > 0 ? id : -1;
}

void h2_client_cancel(struct h2_client *h, int32_t stream_id)
{
    (void)nghttp2_session_set_stream_user_data(h->session, stream_id, NULL);
    (void)nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, stream_id, NGHTTP2_CANCEL);
}

bool h2_client_feed(struct h2_client *h, const char *bytes, size_t len)
{
    const int rc = h2_inbound_feed(&h->inbound, h->session, slice_from(bytes, len));

    if (rc == 0)
        return true;
    note_reason(h, nghttp2_strerror(rc), strlen(nghttp2_strerror(rc)));
    return false;
}

bool h2_client_output(struct h2_client *h, struct slice *out)
{
    const uint8_t *bytes = NULL;
    const ssize_t n = nghttp2_session_mem_send(h->session, &bytes);

    if (n < 0) {
        note_reason(h, nghttp2_strerror((int)n), strlen(nghttp2_strerror((int)n)));
        return false;
    }
    *out = slice_from((const char *)bytes, (size_t)n);
    return true;
}

bool h2_client_is_alive(const struct h2_client *h)
{
    return nghttp2_session_want_read(h->session) != 0 || nghttp2_session_want_write(h->session) != 0;
}

bool h2_client_takes_streams(const struct h2_client *h)
{
    return !h->goaway && nghttp2_session_check_request_allowed(h->session) != 0;
}

const char *h2_client_reason(const struct h2_client *h)
{
    return h->reason;
}

const char *h2_error_name(uint32_t code)
{
    static const char *const NAMES[] = { "NO_ERROR",
                                         "PROTOCOL_ERROR",
                                         "INTERNAL_ERROR",
                                         "FLOW_CONTROL_ERROR",
                                         "SETTINGS_TIMEOUT",
                                         "STREAM_CLOSED",
                                         "FRAME_SIZE_ERROR",
                                         "REFUSED_STREAM",
                                         "CANCEL",
                                         "COMPRESSION_ERROR",
                                         "CONNECT_ERROR",
                                         "ENHANCE_YOUR_CALM",
                                         "INADEQUATE_SECURITY",
                                         "HTTP_1_1_REQUIRED" };

    return code < sizeof(NAMES) / sizeof(*NAMES) ? NAMES[code] : "unknown";
}
