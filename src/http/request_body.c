/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_body.h"

/* Extensions and trailers are content's free riders: a client may send them, nobody needs many of them. */
#define OVERHEAD_MAX (16u * 1024u)
/* 15 hex digits fit into 60 bits: sums can not overflow. */
#define DIGITS_MAX 15u

enum step {
    STEP_LENGTH,       /* _left bytes of a known length; leaves to DONE */
    STEP_SIZE,         /* hex digits of a chunk's size; ';' to EXTENSION, CR to SIZE_LF */
    STEP_EXTENSION,    /* until CR */
    STEP_SIZE_LF,      /* LF to DATA, or to TRAILER after the last chunk */
    STEP_DATA,         /* _left bytes, then DATA_CR */
    STEP_DATA_CR,      /* CR behind a chunk */
    STEP_DATA_LF,      /* LF, then SIZE of the next */
    STEP_TRAILER,      /* first byte of a line: CR to END_LF, a token to TRAILER_LINE */
    STEP_TRAILER_LINE, /* until CR */
    STEP_TRAILER_LF,   /* LF, then TRAILER */
    STEP_END_LF,       /* LF of the empty line, then DONE */
    STEP_DONE,
    STEP_BAD,
    STEP_TOO_LARGE,
};

void request_body_begin(struct request_body *b, bool chunked, uint64_t length, uint64_t max_bytes)
{
    *b = (struct request_body){ ._left = chunked ? 0 : length, ._max = max_bytes };
    if (chunked) {
        b->_step = STEP_SIZE;
    } else if (length > max_bytes) {
        b->_step = STEP_TOO_LARGE;
    } else {
        b->_step = length > 0 ? STEP_LENGTH : STEP_DONE;
    }
}

bool request_body_is_done(const struct request_body *b)
{
    return b->_step == STEP_DONE;
}

static int hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_text(unsigned char c)
{
    return (c >= 0x20 && c != 0x7f) || c == '\t';
}

static enum step step_size(struct request_body *b, unsigned char c)
{
    int digit = hex_value(c);

    if (digit >= 0 && b->_digits < DIGITS_MAX) {
        b->_left = b->_left * 16 + (unsigned)digit;
        b->_digits++;
        return b->_left > b->_max - b->content_bytes ? STEP_TOO_LARGE : STEP_SIZE;
    }
    if (b->_digits == 0) {
        return STEP_BAD;
    }
    return c == '\r' ? STEP_SIZE_LF : c == ';' ? STEP_EXTENSION : STEP_BAD;
}

/* A byte of free text up to CR, counted against the allowance. */
static enum step step_text(struct request_body *b, unsigned char c, enum step stay, enum step at_cr)
{
    if (c == '\r') {
        return at_cr;
    }
    return is_text(c) && ++b->_overhead <= OVERHEAD_MAX ? stay : STEP_BAD;
}

static enum step step_trailer(struct request_body *b, unsigned char c)
{
    if (c == ' ' || c == '\t' || c == ':') {
        return STEP_BAD; /* a folded line, or one without name */
    }
    return step_text(b, c, STEP_TRAILER_LINE, STEP_END_LF);
}

static enum step step_next_chunk(struct request_body *b)
{
    b->_digits = 0;
    b->_left = 0;
    return STEP_SIZE;
}

static enum step step_byte(struct request_body *b, unsigned char c)
{
    switch ((enum step)b->_step) {
    case STEP_SIZE:
        return step_size(b, c);
    case STEP_EXTENSION:
        return step_text(b, c, STEP_EXTENSION, STEP_SIZE_LF);
    case STEP_SIZE_LF:
        return c != '\n' ? STEP_BAD : b->_left > 0 ? STEP_DATA : STEP_TRAILER;
    case STEP_DATA_CR:
        return c == '\r' ? STEP_DATA_LF : STEP_BAD;
    case STEP_DATA_LF:
        return c == '\n' ? step_next_chunk(b) : STEP_BAD;
    case STEP_TRAILER:
        return step_trailer(b, c);
    case STEP_TRAILER_LINE:
        return step_text(b, c, STEP_TRAILER_LINE, STEP_TRAILER_LF);
    case STEP_TRAILER_LF:
        return c == '\n' ? STEP_TRAILER : STEP_BAD;
    case STEP_END_LF:
        return c == '\n' ? STEP_DONE : STEP_BAD;
    case STEP_LENGTH:
    case STEP_DATA:
    case STEP_DONE:
    case STEP_BAD:
    case STEP_TOO_LARGE:
        break;
    }
    return (enum step)b->_step;
}

static void take_content(struct request_body *b, struct slice bytes, size_t *consumed, struct slice *content)
{
    *content = slice_take(bytes, b->_left > SIZE_MAX ? SIZE_MAX : (size_t)b->_left);
    *consumed += content->len;
    b->content_bytes += content->len;
    b->_left -= content->len;
    if (b->_left == 0) {
        b->_step = b->_step == STEP_LENGTH ? STEP_DONE : STEP_DATA_CR;
    }
}

enum request_body_state request_body_feed(struct request_body *b, struct slice bytes, size_t *consumed,
                                          struct slice *content)
{
    *consumed = 0;
    *content = (struct slice){ 0 };
    for (;;) {
        if (b->_step == STEP_DONE) {
            return REQUEST_BODY_DONE;
        }
        if (b->_step == STEP_BAD) {
            return REQUEST_BODY_BAD;
        }
        if (b->_step == STEP_TOO_LARGE) {
            return REQUEST_BODY_TOO_LARGE;
        }
        if (*consumed == bytes.len) {
            return REQUEST_BODY_MORE;
        }
        if (b->_step == STEP_LENGTH || b->_step == STEP_DATA) {
            take_content(b, slice_drop(bytes, *consumed), consumed, content);
            return REQUEST_BODY_CONTENT;
        }
        b->_step = (uint8_t)step_byte(b, (unsigned char)bytes.ptr[*consumed]);
        *consumed += 1;
    }
}
