/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_reader.h"

#include <string.h>

#include <llhttp/llhttp.h>

#include "http/request_line.h"

/* Empty lines before a request line: RFC 9112 2.2 asks to ignore one; more than a few is no client. */
#define EMPTY_LINES_MAX 4u

/* What the fields said, gathered while llhttp walks through them. */
struct findings {
    struct request_head *head;
    struct slice name, value;
    unsigned hosts, lengths, codings;
    bool say_close, say_keep_alive;
};

/* The first reason is kept: it is the nearest to the fault. */
static void note(struct request_head *h, uint16_t status, const char *reason)
{
    if (h->refused == 0) {
        request_refuse(h, status, reason);
    }
}

/* ---- The guard: line by line, as the bytes arrive ---- */

static enum request_state guard_line(struct request_reader *r, const struct request_limits *limits, struct slice line,
                                     struct request_head *h)
{
    if (memchr(line.ptr, '\r', line.len) != NULL) {
        return request_refuse(h, 400, "A carriage return stands alone in the head.");
    }
    if (memchr(line.ptr, '\0', line.len) != NULL) {
        return request_refuse(h, 400, "The head has a NUL byte.");
    }
    if (!r->_has_line) {
        r->_has_line = true;
        return request_line_read(h, line);
    }
    if (++r->_fields > limits->fields_max) {
        return request_refuse(h, 431, "The head has too many fields.");
    }
    if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
        return request_refuse(h, 400, "A field line begins with white space (line folding is obsolete).");
    }
    ptrdiff_t colon = slice_find(line, ':');
    if (colon <= 0 || !request_is_token(slice_take(line, (size_t)colon))) {
        return request_refuse(h, 400, "A field line does not begin with a name and a colon.");
    }
    return REQUEST_READY;
}

/* Looks at the complete lines beyond what was seen. READY at the empty line, with r->_line just behind it. */
static enum request_state guard(struct request_reader *r, const struct request_limits *limits, const char *bytes,
                                size_t len, struct request_head *h)
{
    for (;;) {
        const char *lf = memchr(bytes + r->_scanned, '\n', len - r->_scanned);
        if (lf == NULL) {
            r->_scanned = (uint32_t)len;
            return REQUEST_MORE;
        }
        struct slice line = { bytes + r->_line, (size_t)(lf - bytes) - r->_line };
        if (line.len == 0 || line.ptr[line.len - 1] != '\r') {
            return request_refuse(h, 400, "A line of the head ends without a carriage return.");
        }
        line.len--;
        r->_line = r->_scanned = (uint32_t)(lf - bytes) + 1;
        if (line.len > 0) {
            if (guard_line(r, limits, line, h) != REQUEST_READY) {
                return REQUEST_REFUSED;
            }
        } else if (r->_has_line) {
            return REQUEST_READY;
        } else {
            r->_first = r->_line;
            if (r->_first > 2 * EMPTY_LINES_MAX) {
                return request_refuse(h, 400, "Too many empty lines before a request.");
            }
        }
    }
}

/* ---- The fields that decide about framing ---- */

static bool take_token(struct slice *rest, struct slice *token)
{
    if (rest->len == 0) {
        return false;
    }
    *token = slice_trim(slice_split(rest, ','));
    return true;
}

static void found_host(struct findings *f)
{
    f->hosts++;
    if (!request_is_host(f->value)) {
        note(f->head, 400, "The Host field is not a host.");
    } else if (f->head->host.ptr == NULL) {
        f->head->host = f->value;
    }
}

static void found_length(struct findings *f)
{
    f->lengths++;
    f->head->has_length = true;
    if (!slice_to_u64(f->value, &f->head->content_length)) {
        note(f->head, 400, "Content-Length is not a number.");
    }
}

static void found_coding(struct findings *f)
{
    f->codings++;
    if (slice_eq_nocase(f->value, SLICE("chunked"))) {
        f->head->chunked = true;
        return;
    }
    struct slice rest = f->value, token = { 0 };
    unsigned chunked = 0, others = 0;
    while (take_token(&rest, &token)) {
        bool is_chunked = slice_eq_nocase(token, SLICE("chunked"));
        chunked += is_chunked;
        others += !is_chunked;
    }
    if (chunked == 1 && others > 0 && slice_eq_nocase(token, SLICE("chunked"))) {
        note(f->head, 501, "No transfer coding but chunked is implemented.");
    } else {
        note(f->head, 400, "Transfer-Encoding is not chunked.");
    }
}

static void found_connection(struct findings *f)
{
    struct slice rest = f->value, token;

    while (take_token(&rest, &token)) {
        f->say_close |= slice_eq_nocase(token, SLICE("close"));
        f->say_keep_alive |= slice_eq_nocase(token, SLICE("keep-alive"));
    }
}

static void found_expect(struct findings *f)
{
    if (f->head->version == 10) {
        return; /* RFC 9110 10.1.1: a 1.0 client's expectation is ignored */
    }
    if (slice_eq_nocase(f->value, SLICE("100-continue"))) {
        f->head->expect_continue = true;
    } else {
        note(f->head, 417, "No expectation but 100-continue can be met.");
    }
}

static int on_name(llhttp_t *p, const char *at, size_t len)
{
    struct findings *f = p->data;

    if (f->value.ptr != NULL || f->name.ptr == NULL) {
        f->name = slice_from(at, 0);
        f->value = (struct slice){ 0 };
    }
    f->name.len = (size_t)(at + len - f->name.ptr);
    return 0;
}

static int on_value(llhttp_t *p, const char *at, size_t len)
{
    struct findings *f = p->data;

    if (f->value.ptr == NULL) {
        f->value = slice_from(at, 0);
    }
    f->value.len = (size_t)(at + len - f->value.ptr);
    return 0;
}

static int on_value_complete(llhttp_t *p)
{
    static const struct {
        struct slice name;
        void (*found)(struct findings *f);
    } WATCHED[] = {
        { { "host", 4 }, found_host },
        { { "content-length", 14 }, found_length },
        { { "transfer-encoding", 17 }, found_coding },
        { { "connection", 10 }, found_connection },
        { { "expect", 6 }, found_expect },
    };
    struct findings *f = p->data;

    f->value = f->value.ptr == NULL ? SLICE("") : slice_trim(f->value);
    for (size_t i = 0; i < sizeof(WATCHED) / sizeof(WATCHED[0]); i++) {
        if (slice_eq_nocase(f->name, WATCHED[i].name)) {
            WATCHED[i].found(f);
        }
    }
    return 0;
}

static int on_head_complete(llhttp_t *p)
{
    struct findings *f = p->data;
    bool length = (p->flags & F_CONTENT_LENGTH) != 0;
    bool chunked = (p->flags & F_CHUNKED) != 0;

    /* Two readers of the same bytes: what they disagree on is what a smuggler would use. */
    if (length != f->head->has_length || chunked != f->head->chunked ||
        (length && p->content_length != f->head->content_length)) {
        note(f->head, 400, "The framing of the body is ambiguous.");
    }
    return 1; /* the body is not llhttp's */
}

static const llhttp_settings_t *settings(void)
{
    static const llhttp_settings_t SETTINGS = {
        .on_header_field = on_name,
        .on_header_value = on_value,
        .on_header_value_complete = on_value_complete,
        .on_headers_complete = on_head_complete,
    };
    return &SETTINGS;
}

static enum request_state judge(struct request_head *h, const struct findings *f, enum llhttp_errno verdict,
                                const char *reason)
{
    if (h->refused == 0 && f->codings > 0 && f->lengths > 0) {
        note(h, 400, "Both Content-Length and Transfer-Encoding were given.");
    }
    if (f->codings > 1 || f->lengths > 1) {
        note(h, 400, "Content-Length or Transfer-Encoding was given twice.");
    }
    if (f->codings > 0 && h->version == 10) {
        note(h, 400, "HTTP/1.0 has no transfer codings.");
    }
    if (f->hosts > 1) {
        note(h, 400, "Host was given twice.");
    }
    if (f->hosts == 0 && h->version == 11) {
        note(h, 400, "HTTP/1.1 needs a Host field.");
    }
    if (verdict != HPE_OK && verdict != HPE_PAUSED_UPGRADE) {
        note(h, 400, reason != NULL && reason[0] != '\0' ? reason : "The head is malformed.");
    }
    h->keep_alive = !f->say_close && (h->version == 11 || f->say_keep_alive);
    return h->refused == 0 ? REQUEST_READY : REQUEST_REFUSED;
}

static enum request_state parse(struct request_reader *r, const char *bytes, struct request_head *h)
{
    struct findings f = { .head = h };
    llhttp_t parser;
    size_t len = r->_line - r->_first;

    struct slice head = { bytes + r->_first, len };
    /* The line was judged when it arrived; the bytes may have moved since then. */
    if (h->line.ptr == NULL &&
        request_line_read(h, slice_take(head, (size_t)slice_find(head, '\r'))) != REQUEST_READY) {
        return REQUEST_REFUSED;
    }
    h->bytes = r->_line;
    h->field_count = r->_fields;
    h->fields = slice_drop(head, h->line.len + 2);
    h->fields.len -= 2;
    llhttp_init(&parser, HTTP_REQUEST, settings());
    parser.data = &f;
    enum llhttp_errno verdict = llhttp_execute(&parser, head.ptr, head.len);
    return judge(h, &f, verdict, llhttp_get_error_reason(&parser));
}

void request_reader_begin(struct request_reader *r)
{
    *r = (struct request_reader){ 0 };
}

bool request_reader_started(const struct request_reader *r)
{
    return r->_has_line || r->_scanned > r->_first;
}

enum request_state request_reader_scan(struct request_reader *r, const struct request_limits *limits, const char *bytes,
                                       size_t len, struct request_head *out)
{
    size_t seen = len < limits->head_max_bytes ? len : limits->head_max_bytes;

    *out = (struct request_head){ 0 };
    enum request_state state = guard(r, limits, bytes, seen, out);
    if (state == REQUEST_MORE && seen < len) {
        return r->_has_line ? request_refuse(out, 431, "The head is too large.")
                            : request_refuse(out, 414, "The request line is too long.");
    }
    return state == REQUEST_READY ? parse(r, bytes, out) : state;
}

static void move(struct slice *s, const char *from, const char *to)
{
    if (s->len > 0) {
        s->ptr = to + (s->ptr - from);
    }
}

void request_head_moved(struct request_head *h, const char *from, const char *to)
{
    bool root = h->path.len == 1 && (h->path.ptr < h->line.ptr || h->path.ptr >= h->line.ptr + h->line.len);

    if (!root) { /* the "/" of an absolute-form without path is a constant */
        move(&h->path, from, to);
    }
    move(&h->line, from, to);
    move(&h->query, from, to);
    move(&h->host, from, to);
    move(&h->fields, from, to);
}

bool request_head_next(struct slice *rest, struct slice *name, struct slice *value)
{
    if (rest->len == 0) {
        return false;
    }
    struct slice line = slice_split(rest, '\n');
    line.len -= line.len > 0; /* the CR */
    *name = slice_split(&line, ':');
    *value = slice_trim(line);
    return true;
}

struct slice request_head_field(const struct request_head *h, struct slice name)
{
    struct slice rest = h->fields, found, value;

    while (request_head_next(&rest, &found, &value)) {
        if (slice_eq_nocase(found, name)) {
            return value;
        }
    }
    return (struct slice){ 0 };
}
