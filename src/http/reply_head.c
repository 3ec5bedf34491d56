/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply_head.h"

#include <stdbool.h>
#include <string.h>

#include "http/reply_fields.h"
#include "http/reply_scan.h"

enum step {
    STEP_STATUS,     /* "HTTP/1.1 200", by position -> REASON */
    STEP_REASON,     /* up to the line's end -> LINE (LF), REASON_LF (CR) */
    STEP_REASON_LF,  /* the LF behind a CR -> FIRST_LINE */
    STEP_FIRST_LINE, /* as LINE, but nothing is there that a fold could go on with */
    STEP_LINE,       /* first byte of a line -> NAME, VALUE (a fold), END_LF, or the end */
    STEP_NAME,       /* up to the colon -> VALUE */
    STEP_VALUE,      /* up to the line's end -> LINE (LF), VALUE_LF (CR) */
    STEP_VALUE_LF,   /* the LF behind a CR -> LINE */
    STEP_END_LF,     /* the LF of the empty line -> the end */
    STEP_BAD,        /* refused, the reason is set */
};

static const char *const NAMES[] = {
    [REPLY_FIELD_OTHER] = "",
    [REPLY_FIELD_CONNECTION] = "connection",
    [REPLY_FIELD_LENGTH] = "content-length",
    [REPLY_FIELD_CODING] = "transfer-encoding",
};

void reply_head_begin(struct reply_head *h)
{
    *h = (struct reply_head){ ._step = STEP_STATUS };
}

void reply_head_begin_trailers(struct reply_head *h)
{
    *h = (struct reply_head){ ._step = STEP_FIRST_LINE, .flags = REPLY_HEAD_TRAILERS };
}

/* ---- the status line ---- */

static bool status_byte(struct reply_head *h, char c)
{
    static const char START[] = "HTTP/1.";
    const uint8_t at = h->_at++;

    if (at < 5)
        return c == START[at] || reply_head_refuse(h, "Expected HTTP/");
    if (at < 7)
        return c == START[at] || reply_head_refuse(h, "Unsupported HTTP version");
    if (at == 7) {
        h->version = c == '0' ? 10 : 11;
        return (c >= '0' && c <= '9') || reply_head_refuse(h, "Invalid HTTP version");
    }
    if (at == 8)
        return c == ' ' || reply_head_refuse(h, "Expected space after version");
    if (at < 12) {
        h->status = (uint16_t)(h->status * 10 + (c - '0'));
        return (c >= (at == 9 ? '1' : '0') && c <= '9') || reply_head_refuse(h, "Invalid status code");
    }
    h->_step = c == '\r' ? STEP_REASON_LF : c == '\n' ? STEP_FIRST_LINE : STEP_REASON;
    return c == ' ' || c == '\r' || c == '\n' || reply_head_refuse(h, "Invalid status code");
}

/* ---- lines ---- */

/* The name goes on: compares while it may be one of ours. Returns where it ended or the bytes did. */
static const char *take_name(struct reply_head *h, const char *p, const char *end)
{
    uint8_t field = h->_field, at = h->_at;

    for (; field != REPLY_FIELD_OTHER && p < end && reply_scan_is_name(*p); p++, at++) {
        const char c = reply_head_lower(*p);
        if (field == REPLY_FIELD_CONNECTION && at == 3 && c == 't')
            field = REPLY_FIELD_LENGTH; /* con|nection, con|tent-length */
        else if (c != NAMES[field][at])
            field = REPLY_FIELD_OTHER;
    }
    h->_field = field;
    h->_at = at;
    return field == REPLY_FIELD_OTHER ? reply_scan_name(p, end) : p;
}

/* First byte of a line. */
static bool line_byte(struct reply_head *h, char c, bool first)
{
    if (c == ' ' || c == '\t') { /* RFC 9112 5.2: a fold is a blank inside the value */
        h->_step = STEP_VALUE;
        if (first)
            return reply_head_refuse(h, "Unexpected space after start line");
        return h->_field == REPLY_FIELD_OTHER || reply_field_byte(h, c);
    }
    if (!reply_field_end(h))
        return false;
    if (c == '\r') {
        h->_step = STEP_END_LF;
        return true;
    }
    if (!reply_scan_is_name(c))
        return reply_head_refuse(h, "Invalid header token");
    h->_step = STEP_NAME;
    h->_at = 1;
    if (!(h->flags & REPLY_HEAD_TRAILERS))
        h->_field = reply_head_lower(c) == 'c'   ? REPLY_FIELD_CONNECTION
                    : reply_head_lower(c) == 't' ? REPLY_FIELD_CODING
                                                 : REPLY_FIELD_OTHER;
    return true;
}

/* The byte that ended a name. A blank before the colon is refused as well: 5.1 wants it of servers and proxies, because
 * readers differ about such names. */
static bool name_end(struct reply_head *h, char c)
{
    if (c != ':')
        return reply_head_refuse(h, "Invalid header token");
    const bool ours = h->_field != REPLY_FIELD_OTHER && NAMES[h->_field][h->_at] == '\0';

    h->_step = STEP_VALUE;
    reply_field_begin(h, ours ? (enum reply_field)h->_field : REPLY_FIELD_OTHER);
    return true;
}

/* A byte of a value or reason that ends it, or belongs to one of our values. */
static bool text_byte(struct reply_head *h, char c)
{
    const bool reason = h->_step == STEP_REASON;

    if (c == '\r')
        h->_step = reason ? STEP_REASON_LF : STEP_VALUE_LF;
    else if (c == '\n') /* 2.2: a recipient may take a bare LF for the line's end */
        h->_step = reason ? STEP_FIRST_LINE : STEP_LINE;
    else if (reason || h->_field == REPLY_FIELD_OTHER)
        return reply_head_refuse(h, reason ? "Invalid character in the reason phrase"
                                           : "Invalid character in a field value");
    else
        return reply_field_byte(h, c);
    return true;
}

static bool line_feed(struct reply_head *h, char c)
{
    h->_step = h->_step == STEP_REASON_LF ? STEP_FIRST_LINE : STEP_LINE;
    return c == '\n' || reply_head_refuse(h, "Expected LF after CR");
}

/* One byte where a byte matters. */
static bool take_byte(struct reply_head *h, char c)
{
    switch ((enum step)h->_step) {
    case STEP_STATUS:
        return status_byte(h, c);
    case STEP_FIRST_LINE:
    case STEP_LINE:
        return line_byte(h, c, h->_step == STEP_FIRST_LINE);
    case STEP_NAME:
        return name_end(h, c);
    case STEP_REASON:
    case STEP_VALUE:
        return text_byte(h, c);
    case STEP_REASON_LF:
    case STEP_VALUE_LF:
        return line_feed(h, c);
    case STEP_END_LF:
        return c == '\n' || reply_head_refuse(h, "Expected LF after CR");
    case STEP_BAD:
        return false;
    }
    return false;
}

/* ---- the short cut ----
 * Whole lines of the usual shape, as nearly all come. Each function either takes its line to the end and leaves the
 * state that the byte-wise reader would, or changes nothing. */

static const char *whole_status_line(struct reply_head *h, const char *p, const char *end)
{
    if (h->_at != 0 || end - p < 13 || memcmp(p, "HTTP/1.", 7) != 0 || (p[7] != '1' && p[7] != '0') || p[8] != ' ' ||
        p[12] != ' ')
        return p;
    const unsigned hundreds = (unsigned)p[9] - '0', tens = (unsigned)p[10] - '0', ones = (unsigned)p[11] - '0';
    if (hundreds - 1 > 8 || tens > 9 || ones > 9)
        return p;
    const char *const line_end = reply_scan_text(p + 13, end);
    if (end - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n')
        return p;
    h->version = p[7] == '1' ? 11 : 10;
    h->status = (uint16_t)(hundreds * 100 + tens * 10 + ones);
    h->_step = STEP_FIRST_LINE;
    return line_end + 2;
}

/* Whether len (8 … 16) bytes are the word, which is in lower case; `|0x20` makes a letter small, and leaves what a name
 * may have. */
static inline bool same_name(const char *name, const char *word, size_t len)
{
    const uint64_t small = 0x20 * REPLY_SCAN_ONES;

    return (reply_scan_load8(name) | small) == reply_scan_load8(word) &&
           (reply_scan_load8(name + len - 8) | small) == reply_scan_load8(word + len - 8);
}

static enum reply_field field_of(const char *name, size_t len)
{
    switch (len) {
    case sizeof("connection") - 1:
        return same_name(name, "connection", len) ? REPLY_FIELD_CONNECTION : REPLY_FIELD_OTHER;
    case sizeof("content-length") - 1:
        return same_name(name, "content-length", len) ? REPLY_FIELD_LENGTH : REPLY_FIELD_OTHER;
    case sizeof("transfer-encoding") - 1:
        return reply_head_lower(name[0]) == 't' && same_name(name + 1, "ransfer-encoding", len - 1) ? REPLY_FIELD_CODING
                                                                                                    : REPLY_FIELD_OTHER;
    default:
        return REPLY_FIELD_OTHER;
    }
}

/* A field's line, but of an unusual value of ours only the name and colon. */
static const char *whole_field_line(struct reply_head *h, const char *p, const char *end)
{
    if (!reply_scan_is_name(*p))
        return p;
    const char *const colon = reply_scan_name(p, end);
    if (colon == end || *colon != ':')
        return p;
    const enum reply_field field = (h->flags & REPLY_HEAD_TRAILERS) ? REPLY_FIELD_OTHER
                                                                    : field_of(p, (size_t)(colon - p));
    const char *const line_end = field == REPLY_FIELD_OTHER ? reply_scan_text(colon + 1, end) : colon;
    if (field == REPLY_FIELD_OTHER && (end - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n'))
        return p;
    if (h->_field != REPLY_FIELD_OTHER && !reply_field_end(h)) {
        h->_step = STEP_BAD;
        return p;
    }
    if (field == REPLY_FIELD_OTHER) {
        h->_step = STEP_LINE;
        return line_end + 2;
    }
    reply_field_begin(h, field);
    const char *const value_end = reply_field_whole(h, colon + 1, end);
    h->_step = value_end == colon + 1 ? STEP_VALUE : STEP_LINE;
    return value_end;
}

static const char *whole_line(struct reply_head *h, const char *p, const char *end)
{
    if (h->_step == STEP_LINE || h->_step == STEP_FIRST_LINE)
        return whole_field_line(h, p, end);
    return h->_step == STEP_STATUS ? whole_status_line(h, p, end) : p;
}

/* ---- all together ---- */

/* Reads on where single bytes do not matter. */
static const char *skip(struct reply_head *h, const char *p, const char *end)
{
    if (h->_step == STEP_NAME)
        return take_name(h, p, end);
    if (h->_step == STEP_REASON || (h->_step == STEP_VALUE && h->_field == REPLY_FIELD_OTHER))
        return reply_scan_text(p, end);
    return p;
}

/* Whether c ends the head when it is taken at this step. */
static bool ends_head(const struct reply_head *h, char c)
{
    return c == '\n' && (h->_step == STEP_END_LF || h->_step == STEP_LINE || h->_step == STEP_FIRST_LINE);
}

enum reply_head_state reply_head_feed(struct reply_head *h, const char *bytes, size_t len, size_t *consumed)
{
    const char *p = bytes, *const end = bytes + len;

    while (p < end) {
        const char *const line = whole_line(h, p, end);
        if (line != p) {
            p = line;
            continue;
        }
        p = skip(h, p, end);
        if (p == end)
            break;
        const bool last = ends_head(h, *p);
        if (last ? !reply_field_end(h) : !take_byte(h, *p)) {
            *consumed = (size_t)(p - bytes);
            return REPLY_HEAD_BAD;
        }
        p++;
        if (last) {
            *consumed = (size_t)(p - bytes);
            return REPLY_HEAD_END;
        }
    }
    *consumed = len;
    return REPLY_HEAD_MORE;
}
