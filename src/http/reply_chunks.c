/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply_chunks.h"

enum step {
    STEP_SIZE,       /* first digit -> SIZE_MORE */
    STEP_SIZE_MORE,  /* -> SIZE_LF (CR), SIZE_BLANK, EXTENSION */
    STEP_SIZE_BLANK, /* blanks behind the size, which some servers pad to a fixed width -> SIZE_LF, EXTENSION */
    STEP_EXTENSION,  /* -> SIZE_LF (CR) */
    STEP_SIZE_LF,    /* -> DATA, TRAILERS (size 0) */
    STEP_DATA,       /* -> DATA_CR */
    STEP_DATA_CR,    /* -> DATA_LF */
    STEP_DATA_LF,    /* -> SIZE */
    STEP_TRAILERS,   /* -> the end */
};

#define SIZE_MAX_CHUNK ((uint64_t)INT64_MAX)

void reply_chunks_begin(struct reply_chunks *c, uint32_t max_bytes)
{
    c->_left = 0;
    c->reason = NULL;
    c->_max = max_bytes;
    c->_line = 0;
    c->_step = STEP_SIZE;
}

static bool refuse(struct reply_chunks *c, const char *reason)
{
    c->reason = reason;
    return false;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool size_byte(struct reply_chunks *c, char byte)
{
    const int digit = hex_digit(byte);

    if (digit >= 0 && c->_step != STEP_SIZE_BLANK) {
        c->_step = STEP_SIZE_MORE;
        if (c->_left > SIZE_MAX_CHUNK / 16)
            return refuse(c, "Chunk size overflow");
        c->_left = c->_left * 16 + (uint64_t)digit;
        return true;
    }
    if (c->_step == STEP_SIZE)
        return refuse(c, "Invalid character in chunk size");
    if (byte == '\r')
        c->_step = STEP_SIZE_LF;
    else if (byte == ';')
        c->_step = STEP_EXTENSION;
    else if (byte == ' ' || byte == '\t')
        c->_step = STEP_SIZE_BLANK;
    else
        return refuse(c, "Invalid character in chunk size");
    return true;
}

/* The LF behind a size decides what comes next. */
static bool size_end(struct reply_chunks *c, char byte)
{
    if (byte != '\n')
        return refuse(c, "Expected LF after chunk size");
    c->_line = 0;
    c->_step = c->_left > 0 ? STEP_DATA : STEP_TRAILERS;
    if (c->_step == STEP_TRAILERS)
        reply_head_begin_trailers(&c->_trailers);
    return true;
}

static bool data_end(struct reply_chunks *c, char byte)
{
    if (byte != (c->_step == STEP_DATA_CR ? '\r' : '\n'))
        return refuse(c, "Expected CRLF after chunk");
    c->_step = c->_step == STEP_DATA_CR ? STEP_DATA_LF : STEP_SIZE;
    return true;
}

static bool framing_byte(struct reply_chunks *c, char byte)
{
    switch ((enum step)c->_step) {
    case STEP_SIZE:
    case STEP_SIZE_MORE:
    case STEP_SIZE_BLANK:
        break;
    case STEP_EXTENSION:
        if ((unsigned char)byte < ' ' && byte != '\r' && byte != '\t')
            return refuse(c, "Invalid character in chunk extensions");
        if (byte == '\r')
            c->_step = STEP_SIZE_LF;
        break;
    case STEP_SIZE_LF:
        return size_end(c, byte);
    case STEP_DATA_CR:
    case STEP_DATA_LF:
        return data_end(c, byte);
    case STEP_DATA:
    case STEP_TRAILERS:
        return false;
    }
    if (c->_line++ >= c->_max)
        return refuse(c, "Chunk extensions are too long");
    return c->_step > STEP_SIZE_BLANK || size_byte(c, byte);
}

static enum reply_chunks_state feed_trailers(struct reply_chunks *c, struct slice bytes, size_t *consumed)
{
    const struct slice part = slice_take(bytes, c->_max - c->_line);
    size_t used = 0;

    if (part.len == 0) {
        refuse(c, "Trailers are too large");
        return REPLY_CHUNKS_BAD;
    }
    const enum reply_head_state state = reply_head_feed(&c->_trailers, part.ptr, part.len, &used);
    *consumed += used;
    c->_line += (uint32_t)used;
    if (state == REPLY_HEAD_END)
        return REPLY_CHUNKS_END;
    if (state == REPLY_HEAD_MORE && used == bytes.len)
        return REPLY_CHUNKS_MORE;
    refuse(c, state == REPLY_HEAD_BAD ? c->_trailers.reason : "Trailers are too large");
    return REPLY_CHUNKS_BAD;
}

enum reply_chunks_state reply_chunks_feed(struct reply_chunks *c, struct slice bytes, size_t *consumed,
                                          struct slice *content)
{
    size_t i = 0;

    *content = slice_from(bytes.ptr, 0);
    for (; i < bytes.len && c->_step != STEP_DATA && c->_step != STEP_TRAILERS; i++) {
        if (!framing_byte(c, bytes.ptr[i])) {
            *consumed = i;
            return REPLY_CHUNKS_BAD;
        }
    }
    *consumed = i;
    if (i == bytes.len)
        return REPLY_CHUNKS_MORE;
    if (c->_step == STEP_TRAILERS)
        return feed_trailers(c, slice_drop(bytes, i), consumed);
    const size_t left = bytes.len - i;
    const size_t part = c->_left < left ? (size_t)c->_left : left;
    *content = slice_from(bytes.ptr + i, part);
    *consumed += part;
    c->_left -= part;
    if (c->_left == 0)
        c->_step = STEP_DATA_CR;
    return REPLY_CHUNKS_MORE;
}
