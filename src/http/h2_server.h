/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One HTTP/2 connection, server side: bytes in, events out; bytes out when asked (nghttp2 inside, RFC 9113). No I/O.
 *
 * Events are called from h2_server_feed() and h2_server_output(); they may answer, resume and reset, but must not free
 * the connection. Heads are judged by the same rules as those of HTTP/1 (request_reader.h). */
#ifndef PLIMSOLL_HTTP_H2_SERVER_H
#define PLIMSOLL_HTTP_H2_SERVER_H

#include "base/err.h"
#include "http/request_reader.h"

/* What a client without TLS sends first. */
#define H2_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
enum { H2_PREFACE_BYTES = 24 };

enum h2_read {
    H2_READ_MORE = 0,
    H2_READ_WAIT = -1,  /* nothing now: h2_server_resume() will follow */
    H2_READ_ABORT = -2, /* the content can not be completed: the stream is reset */
};

struct h2_server_events {
    /* A request. bytes holds what the slices of head point to, and is gone when this returns: copy it and call
     * request_head_moved(). head->refused is not 0 when the head must be refused. The result stands for the stream in
     * the other events; NULL refuses it. */
    void *(*on_request)(void *connection, int32_t id, const struct request_head *head, struct slice bytes,
                        bool has_body);
    /* The stream's window stays as much smaller until h2_server_consumed() says that they are dealt with. */
    void (*on_data)(void *stream, struct slice bytes);
    void (*on_data_end)(void *stream);
    /* Up to len bytes of the answer's content: how many, or one of enum h2_read; *end with the last. */
    long (*read_body)(void *stream, char *out, size_t len, bool *end);
    void (*on_closed)(void *stream, bool complete); /* once for each; complete: the whole answer was sent */
};

struct h2_field {
    struct slice name, value;
};

struct h2_server;
MUST_CHECK int h2_server_new(struct h2_server **out, const struct h2_server_events *events, void *connection,
                             uint32_t head_max_bytes, struct err *err);
/* Calls nobody: whoever has streams ends them himself. NULL is fine. */
void h2_server_free(struct h2_server *h);
/* False: the connection is over when its output is sent. */
bool h2_server_feed(struct h2_server *h, const char *bytes, size_t len);
/* The next bytes to send (valid until the next call), empty when there are none now. False: over. */
bool h2_server_output(struct h2_server *h, struct slice *out);
/* Content follows through read_body when has_body. Names in any case. At most H2_FIELDS_MAX. False: the stream is gone.
 */
enum { H2_FIELDS_MAX = 16 };
bool h2_server_answer(struct h2_server *h, int32_t id, uint16_t status, const struct h2_field *fields, size_t count,
                      bool has_body);
void h2_server_resume(struct h2_server *h, int32_t id);
/* The client may send so many more bytes of this request. (The connection's window is given back at once: one stream
 * that waits holds no other back.) */
void h2_server_consumed(struct h2_server *h, int32_t id, size_t bytes);
void h2_server_reset(struct h2_server *h, int32_t id); /* INTERNAL_ERROR */
/* RST_STREAM with NO_ERROR: the answer is complete and no more of the request is wanted (RFC 9113 8.1). */
void h2_server_end_request(struct h2_server *h, int32_t id);
/* GOAWAY: streams in flight go on, no new ones. */
void h2_server_stop(struct h2_server *h);
/* Something may still come or go. */
bool h2_server_is_alive(const struct h2_server *h);

#endif
