/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request with places that differ from one to the next: {column} of a feed, {seq}, {uuid}, {random:8}, {connection}.
 * Cut into parts before the run; rendering writes into memory mapped before the run and neither allocates nor formats
 * through the C library. What a place becomes depends on the plan's seed and the request's number alone, so that a run
 * repeats, and a retried request is the same.
 *
 * In the request target a value is percent-encoded, all but unreserved characters and "/"; {+column} is taken as it is.
 * Braces around anything else are text. */
#ifndef PLIMSOLL_LOAD_TEMPLATE_H
#define PLIMSOLL_LOAD_TEMPLATE_H

#include "base/random.h"
#include "load/cookies.h"
#include "load/feed.h"
#include "load/load.h"

enum template_kind {
    TEMPLATE_TEXT,
    TEMPLATE_COLUMN,
    TEMPLATE_SEQ,
    TEMPLATE_UUID,
    TEMPLATE_RANDOM,
    TEMPLATE_CONNECTION,
    TEMPLATE_LENGTH,  /* of the body */
    TEMPLATE_COOKIES, /* a field, or nothing */
};

struct template_part {
    enum template_kind kind;
    struct slice text;
    size_t number; /* column, or length of random text */
    bool encoded;
};

struct template
{
    struct template_part *parts;
    size_t count, head_parts; /* the first so many are the head */
    size_t max_bytes;
};

/* One request: seq is its number in the plan, row the one among this process's, which picks its row of the feed. */
struct template_values {
    uint64_t seed, seq, row, connection;
    const struct feed *feed; /* NULL: none */
    bool random_row;
    struct slice cookies;
};

/* What a template is made of. */
struct template_source {
    struct slice head; /* ends with its empty line */
    bool has_body;     /* body is rendered behind it, and the digits of its Content-Length are a place */
    struct slice body;
    bool cookies;
    const struct feed *feed; /* NULL: none */
    const char *feed_path;
};

/* Whether there is a place in text. */
bool template_has_places(struct slice text, const struct feed *feed);
/* head ends with its empty line; has_body: body is rendered behind it, and the digits of its Content-Length are a
 * place. The slices must outlive the template. ERR_CONFIG for a column that the feed does not have, or whose values can
 * not stand in a head. template_release() also after -1. */
MUST_CHECK int template_make(struct template *t, const struct template_source *from, struct err *err);
void template_release(struct template *t);
/* Writes at most max_bytes to out; *head_len: how much of it is the head. */
size_t template_render(const struct template *t, const struct template_values *v, char *out, size_t *head_len);

#endif
