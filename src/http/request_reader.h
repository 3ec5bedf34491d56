/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the head of one HTTP/1 request, strictly (RFC 9112; server side). llhttp parses; a guard before it refuses
 * everything that another server in the path could read differently, for that difference is what request smuggling
 * lives from: bare LF or CR, NUL, folded lines, a space before the colon, lines that begin with a space, two lengths, a
 * length with a transfer coding, an unknown or repeated transfer coding, more or less than one Host. llhttp's own
 * verdict on the framing must then agree with ours.
 *
 * Pure: no I/O, no allocation, no copy. The owner keeps the bytes of a head contiguous and hands over all of them, from
 * the first, each time more arrived; the reader remembers what it has looked at, so the work is linear. Bytes behind
 * the head are not touched. The slices of a struct request_head point into the owner's bytes: after moving these, call
 * request_head_moved(). */
#ifndef PLIMSOLL_HTTP_REQUEST_READER_H
#define PLIMSOLL_HTTP_REQUEST_READER_H

#include "base/slice.h"

#include <stdint.h>

/* The methods served; anything else is refused with 501. A set of them is a mask of 1 << method. */
enum request_method {
    REQUEST_GET,
    REQUEST_HEAD,
    REQUEST_POST,
    REQUEST_PUT,
    REQUEST_DELETE,
    REQUEST_PATCH,
    REQUEST_OPTIONS,
    REQUEST_METHODS, /* their number */
};

struct request_limits {
    uint32_t head_max_bytes; /* all lines, with the empty lines before the request line */
    uint32_t fields_max;
};

struct request_head {
    enum request_method method;
    uint8_t version;         /* 10 or 11 (20: h2_server.h) */
    bool keep_alive;         /* what version and Connection together say */
    bool expect_continue;    /* Expect: 100-continue (never for 1.0) */
    bool has_length;         /* Content-Length was given */
    bool chunked;            /* the body comes in chunks */
    bool asterisk;           /* OPTIONS *: path is empty */
    uint64_t content_length; /* 0 without one */
    uint32_t bytes;          /* of the whole head, its empty line included: the body follows */
    uint32_t field_count;
    struct slice line;   /* the request line without its line break */
    struct slice path;   /* still percent-encoded, begins with '/'; absolute-form is already reduced to this */
    struct slice query;  /* without the question mark; ptr NULL when there is none */
    struct slice host;   /* authority of an absolute-form, else the Host field; empty for 1.0 without */
    struct slice fields; /* all field lines as they came, each ended by CR LF */

    uint16_t refused;   /* REQUEST_REFUSED: 400, 413, 414, 417, 431, 501 or 505 */
    const char *reason; /* a constant sentence */
};

enum request_state {
    REQUEST_MORE,    /* the head is not complete: feed more */
    REQUEST_READY,   /* *out is filled; out->bytes are consumed */
    REQUEST_REFUSED, /* out->refused and out->reason say why; the connection must be closed after the answer */
};

struct request_reader {
    uint32_t _scanned; /* bytes without a complete line behind them were searched up to here */
    uint32_t _line;    /* where the current line begins */
    uint32_t _first;   /* where the request line begins */
    uint32_t _fields;
    bool _has_line; /* the request line is complete */
};

/* Before each request. All zero is the same. */
void request_reader_begin(struct request_reader *r);
/* True once bytes of a request (not only empty lines before it) were seen. */
bool request_reader_started(const struct request_reader *r);
enum request_state request_reader_scan(struct request_reader *r, const struct request_limits *limits, const char *bytes,
                                       size_t len, struct request_head *out);

/* The same judgement for a head that came in another framing (HTTP/2): fills method, path, query, host. host may be
 * empty only if it is refused. */
enum request_state request_head_take(struct request_head *h, struct slice method, struct slice target,
                                     struct slice host);

void request_head_moved(struct request_head *h, const char *from, const char *to);
/* Steps through h->fields: false at the end. *rest begins as h->fields. */
bool request_head_next(struct slice *rest, struct slice *name, struct slice *value);
/* The first field of that name (any case), trimmed; ptr NULL when absent. */
struct slice request_head_field(const struct request_head *h, struct slice name);

const char *request_method_name(enum request_method m);

#endif
