/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/reply_fields.h"

#include <string.h>

/* Where a list's or a number's reader stands within its value. */
enum word {
    WORD_BEFORE,  /* blanks, and empty elements */
    WORD_MATCH,   /* in a word that may still be one of ours */
    WORD_MATCHED, /* blanks behind one */
    WORD_OTHER,   /* in an element that is not ours */
    WORD_QUOTED,  /* in a quoted string of one (only codings have parameters) */
    WORD_ESCAPED,
};

#define LENGTH_MAX ((uint64_t)INT64_MAX)

static bool end_number(struct reply_head *h)
{
    if (h->_word != WORD_MATCH && h->_word != WORD_MATCHED)
        return reply_head_refuse(h, h->_word == WORD_BEFORE ? "Empty Content-Length"
                                                            : "Invalid character in Content-Length");
    if ((h->flags & REPLY_HEAD_LENGTH) && h->length != h->_number)
        return reply_head_refuse(h, "Content-Length says two lengths");
    h->length = h->_number;
    h->flags |= REPLY_HEAD_LENGTH;
    h->_number = 0;
    h->_word = WORD_BEFORE;
    return true;
}

/* RFC 9110 8.6: digits; a list of the same number may be taken as that number. */
static bool length_byte(struct reply_head *h, char c)
{
    if (c == ' ' || c == '\t') {
        if (h->_word == WORD_MATCH)
            h->_word = WORD_MATCHED;
        return true;
    }
    if (c == ',')
        return end_number(h);
    if (c < '0' || c > '9' || h->_word == WORD_MATCHED)
        return reply_head_refuse(h, "Invalid character in Content-Length");
    const uint64_t digit = (uint64_t)(c - '0');
    if (h->_number > (LENGTH_MAX - digit) / 10)
        return reply_head_refuse(h, "Content-Length overflow");
    h->_number = h->_number * 10 + digit;
    h->_word = WORD_MATCH;
    return true;
}

static bool is_word(const char *word, uint8_t at)
{
    return word[at] == '\0';
}

/* An element of Connection ended. h->_field stays; which word was matched follows from its first letter, kept in
 * h->_number. */
static void end_option(struct reply_head *h)
{
    if (h->_word == WORD_MATCH || h->_word == WORD_MATCHED) {
        if (h->_number == 'c' && is_word("close", h->_at))
            h->flags |= REPLY_HEAD_CLOSE;
        if (h->_number == 'k' && is_word("keep-alive", h->_at))
            h->flags |= REPLY_HEAD_KEEP_ALIVE;
    }
    h->_word = WORD_BEFORE;
    h->_at = 0;
}

/* RFC 9110 5.6.1 and 7.6.1: a list of tokens, any case, empty elements allowed. */
static bool option_byte(struct reply_head *h, char c)
{
    if (c == ',') {
        end_option(h);
        return true;
    }
    if (c == ' ' || c == '\t') {
        if (h->_word == WORD_MATCH)
            h->_word = WORD_MATCHED;
        return true;
    }
    c = reply_head_lower(c);
    if (h->_word == WORD_BEFORE) {
        h->_number = (unsigned char)c;
        h->_at = 0;
        h->_word = WORD_MATCH;
    }
    const char *const word = h->_number == 'c' ? "close" : "keep-alive";
    if (h->_word != WORD_MATCH || word[h->_at] != c)
        h->_word = WORD_OTHER;
    else
        h->_at++;
    return true;
}

static bool end_coding(struct reply_head *h)
{
    const bool chunked = (h->_word == WORD_MATCH || h->_word == WORD_MATCHED) && is_word("chunked", h->_at);

    if (h->_word == WORD_QUOTED || h->_word == WORD_ESCAPED)
        return reply_head_refuse(h, "Invalid Transfer-Encoding");
    if (h->_word == WORD_BEFORE)
        return true;
    /* RFC 9112 7: never chunked twice. Anything behind chunked makes the end of the connection the end of the body
     * (6.3). */
    if (chunked && (h->flags & REPLY_HEAD_CHUNKED))
        return reply_head_refuse(h, "Transfer-Encoding is chunked twice");
    h->flags = (uint8_t)((h->flags & ~REPLY_HEAD_CHUNKED) | REPLY_HEAD_CODING | (chunked ? REPLY_HEAD_CHUNKED : 0));
    h->_word = WORD_BEFORE;
    h->_at = 0;
    return true;
}

static bool coding_byte(struct reply_head *h, char c)
{
    static const char CHUNKED[] = "chunked";

    if (h->_word == WORD_ESCAPED || (h->_word == WORD_QUOTED && c != '"' && c != '\\')) {
        h->_word = WORD_QUOTED;
        return true;
    }
    if (c == '"' || h->_word == WORD_QUOTED) {
        h->_word = c == '\\' ? WORD_ESCAPED : h->_word == WORD_QUOTED ? WORD_OTHER : WORD_QUOTED;
        return true;
    }
    if (c == ',')
        return end_coding(h);
    if (c == ' ' || c == '\t') {
        if (h->_word == WORD_MATCH)
            h->_word = WORD_MATCHED;
        return true;
    }
    /* 7.1: chunked has no parameters; to skip one would be to guess. */
    if (c == ';' && (h->_word == WORD_MATCH || h->_word == WORD_MATCHED) && is_word(CHUNKED, h->_at))
        return reply_head_refuse(h, "Invalid Transfer-Encoding");
    if (h->_word == WORD_BEFORE)
        h->_word = WORD_MATCH;
    if (h->_word != WORD_MATCH || CHUNKED[h->_at] != reply_head_lower(c))
        h->_word = WORD_OTHER;
    else
        h->_at++;
    return true;
}

bool reply_field_byte(struct reply_head *h, char c)
{
    if ((unsigned char)c < ' ' && c != '\t')
        return reply_head_refuse(h, "Invalid character in a field value");
    if (h->_field == REPLY_FIELD_LENGTH)
        return length_byte(h, c);
    return h->_field == REPLY_FIELD_CONNECTION ? option_byte(h, c) : coding_byte(h, c);
}

void reply_field_begin(struct reply_head *h, enum reply_field field)
{
    h->_field = (uint8_t)field;
    h->_word = WORD_BEFORE;
    h->_number = 0;
    h->_at = 0;
}

/* A field is over when the next line is no fold of it. */
bool reply_field_end(struct reply_head *h)
{
    const enum reply_field field = (enum reply_field)h->_field;

    h->_field = REPLY_FIELD_OTHER;
    switch (field) {
    case REPLY_FIELD_OTHER:
        return true;
    case REPLY_FIELD_CONNECTION:
        end_option(h);
        return true;
    case REPLY_FIELD_LENGTH:
        return end_number(h);
    case REPLY_FIELD_CODING:
        h->flags |= REPLY_HEAD_CODING; /* even when the list is empty */
        return end_coding(h);
    }
    return true;
}

static bool starts(const char *p, const char *end, const char *text, size_t len)
{
    return (size_t)(end - p) >= len && memcmp(p, text, len) == 0;
}

/* The usual values of our own fields; p is behind the colon. */
const char *reply_field_whole(struct reply_head *h, const char *p, const char *end)
{
    if (h->_field == REPLY_FIELD_CONNECTION) {
        const bool keep = starts(p, end, " keep-alive\r\n", 13);
        if (!keep && !starts(p, end, " close\r\n", 8))
            return p;
        h->_number = keep ? 'k' : 'c';
        h->_at = keep ? 10 : 5;
        p += keep ? 13 : 8;
    } else if (h->_field == REPLY_FIELD_LENGTH) {
        const char *digit = p + 1;
        uint64_t n = 0;
        if (end - p < 4 || *p != ' ')
            return p;
        for (; digit < end && digit < p + 18 && *digit >= '0' && *digit <= '9'; digit++)
            n = n * 10 + (uint64_t)(*digit - '0');
        if (digit == p + 1 || end - digit < 2 || digit[0] != '\r' || digit[1] != '\n')
            return p;
        h->_number = n;
        p = digit + 2;
    } else {
        return p;
    }
    h->_word = WORD_MATCH;
    return p;
}
