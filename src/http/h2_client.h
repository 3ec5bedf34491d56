/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One HTTP/2 connection, client side: bytes in, events out; bytes out when asked (nghttp2 inside, RFC 9113). No I/O.
 *
 * Memory comes from a pool that its owner mapped before measuring, so that no request costs an allocation of the
 * system's. Events are called from h2_client_feed() and h2_client_output(); they may submit and cancel, but must not
 * free the connection. Not thread-safe; a pool may serve many connections of one thread. */
#ifndef PLIMSOLL_HTTP_H2_CLIENT_H
#define PLIMSOLL_HTTP_H2_CLIENT_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct h2_pool;
/* max_bytes of address space, touched on use. When it is used up the connection in need fails with "out of memory". */
MUST_CHECK int h2_pool_new(struct h2_pool **out, size_t max_bytes, struct err *err);
void h2_pool_free(struct h2_pool *p); /* after all its connections; NULL is fine */

/* A request's fields, made once, sent many times. */
struct h2_request;
/* From the bytes of an HTTP/1.1 request's head, which request_build() has checked: its Host becomes :authority, names
 * become lower case, fields of the connection (Connection, Keep-Alive, Transfer-Encoding …) are left out. */
MUST_CHECK int h2_request_new(struct h2_request **out, struct slice http1_head, bool https, bool has_body,
                              struct err *err);
/* Room for requests that differ: filled with heads of at most so many bytes, without allocating. A stream's request
 * must stay as it is until its first frame is in the output. False: too many fields. */
MUST_CHECK int h2_request_reserve(struct h2_request **out, size_t head_max, struct err *err);
MUST_CHECK bool h2_request_fill(struct h2_request *r, struct slice http1_head, bool https, bool has_body);
void h2_request_free(struct h2_request *r); /* NULL is fine */

struct h2_client_events {
    /* A reply's status (1xx too; 0: not a number). True: its fields are wanted, on_field gets them as they come,
     * :status first. */
    bool (*on_head)(void *stream, uint16_t status);
    void (*on_field)(void *stream, struct slice name, struct slice value);
    void (*on_length)(void *stream, uint64_t content_length);
    void (*on_bytes)(void *stream, size_t n); /* n bytes of frames for this stream, framing included */
    void (*on_data)(void *stream, struct slice bytes);
    void (*on_begun)(void *stream); /* its first frame is in the output */
    void (*on_sent)(void *stream);  /* its last frame is in the output */
    void (*on_end)(void *stream, bool complete,
                   uint32_t error_code); /* once per stream; complete: END_STREAM was seen and no error */
    /* The next bytes of the request's body: how many (0 only with *end), -1: it can not be read. */
    long (*read_body)(void *stream, char *out, size_t len, bool *end);
    void (*on_refused)(void *connection,
                       int32_t stream_id); /* submitted, but never sent: the peer takes no more streams */
    void (*on_goaway)(void *connection, uint32_t error_code);
    void (*on_limit)(void *connection, uint32_t max_concurrent_streams); /* of the server's SETTINGS */
};

struct h2_client;
/* events and connection outlive it. The preface, SETTINGS and a large window are its first output. */
MUST_CHECK int h2_client_new(struct h2_client **out, struct h2_pool *pool, const struct h2_client_events *events,
                             void *connection, struct err *err);
void h2_client_free(struct h2_client *h, struct h2_pool *pool); /* no events any more; NULL is fine */
/* The stream's number, or -1 when the connection takes no more (GOAWAY, numbers used up, no memory). */
int32_t h2_client_submit(struct h2_client *h, const struct h2_request *request, void *stream);
/* RST_STREAM CANCEL for a stream that has begun; none of its events come any more. */
void h2_client_cancel(struct h2_client *h, int32_t stream_id);
/* False: the peer broke the protocol, or memory is used up; h2_client_reason() says how. */
bool h2_client_feed(struct h2_client *h, const char *bytes, size_t len);
/* The next bytes to send (valid until the next call), empty when there are none now. False as above. */
bool h2_client_output(struct h2_client *h, struct slice *out);
/* May still carry what it has: false when nothing more will come or go. */
bool h2_client_is_alive(const struct h2_client *h);
/* Takes new streams. */
bool h2_client_takes_streams(const struct h2_client *h);
const char *h2_client_reason(const struct h2_client *h);

#define H2_NO_ERROR 0u
#define H2_REFUSED_STREAM 7u
#define H2_CANCEL 8u
/* "REFUSED_STREAM" …; "error 99" becomes "unknown". */
const char *h2_error_name(uint32_t code);

#endif
