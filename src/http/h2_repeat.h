/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Header blocks (RFC 7541) that came before, byte for byte: what is in them is known without reading them again.
 *
 * A server under load answers with the same fields again and again; to decode them costs more than all else that a
 * reply needs. The same bytes mean the same fields as long as the dynamic table that they may point into is the same.
 * So each block is looked over once, for what it has to do with the table: it reads it: remembered until something
 * changes the table; it adds to it and reads nothing of it: remembered for good, since it means the same in whatever
 * state the table is; what it adds is owed to the decoder. nginx writes all its fields so, and never points at one;
 *   both, or it sets the table's size, or is not well formed: never remembered.
 * The debt is paid before the decoder reads a block again: it is given the blocks that it has missed, in order. Only so
 * many of the latest as fill the table matter, since they push out whatever was there before: a field in it takes 32
 * bytes and its text, so 128 fields fill the 4096 bytes that it has at most (RFC 7541 4.1, RFC 9113 6.5.2).
 *
 * Plain data: all bits zero is the state at the beginning of a connection. No allocation. Errors are the decoder's
 * business: what it refuses is not remembered. */
#ifndef PLIMSOLL_HTTP_H2_REPEAT_H
#define PLIMSOLL_HTTP_H2_REPEAT_H

#include "base/slice.h"

/* Two, since replies of two kinds may take turns. What is larger is decoded each time. Both with their owner in 4 KiB.
 */
#define H2_REPEAT_BLOCKS 2u
#define H2_REPEAT_BLOCK_MAX 320u
#define H2_REPEAT_TEXT_MAX 1200u
#define H2_REPEAT_FIELDS_MAX 32u
/* The fields that fill the table: it is never announced to be larger than it is by default. */
#define H2_REPEAT_OWED_MAX 128u

/* What a block has to do with the dynamic table. */
struct h2_block_use {
    bool is_readable; /* well formed, and sets no size */
    bool reads;
    uint16_t additions;
};
struct h2_block_use h2_block_use(struct slice block);

/* What their reader makes of a block's fields. */
struct h2_head {
    bool has_status, has_length;
    uint16_t status;
    uint64_t length;
};

struct h2_repeat_block {
    uint16_t len; /* 0: none is remembered here */
    uint16_t text_len;
    uint8_t field_count;
    struct h2_block_use use;
    struct h2_head head;
    struct {
        uint16_t name_len, value_len;
    } lens[H2_REPEAT_FIELDS_MAX];
    char bytes[H2_REPEAT_BLOCK_MAX];
    char text[H2_REPEAT_TEXT_MAX]; /* names and values, one behind the other */
};

struct h2_repeat {
    struct h2_repeat_block blocks[H2_REPEAT_BLOCKS];
    uint16_t learning_len; /* of the block that is being decoded; 0: none, or it is not to be remembered */
    uint8_t learning;      /* its place */
    uint8_t owed_at, owed_count;
    uint8_t owed[H2_REPEAT_OWED_MAX]; /* a ring of places: blocks that were not decoded and add to the table */
};

/* NULL: it has to be decoded. Valid until the next h2_repeat_learn(). */
const struct h2_repeat_block *h2_repeat_find(const struct h2_repeat *r, struct slice block);
/* A block that was found is not decoded. */
void h2_repeat_skip(struct h2_repeat *r, const struct h2_repeat_block *b);

/* The blocks that the decoder has to see before any other, in order: so many of them are in out. */
unsigned h2_repeat_owed(const struct h2_repeat *r, const struct h2_repeat_block *out[H2_REPEAT_OWED_MAX]);
void h2_repeat_paid(struct h2_repeat *r);

/* Nothing is owed, and this block is decoded now; its fields follow in order, then h2_repeat_learnt() with what their
 * reader made of them. Without that, until the next h2_repeat_learn() or h2_repeat_pass(), it is not remembered. */
void h2_repeat_learn(struct h2_repeat *r, struct slice block);
void h2_repeat_field(struct h2_repeat *r, struct slice name, struct slice value);
void h2_repeat_learnt(struct h2_repeat *r, const struct h2_head *head);
/* A block, or a part of one, that is decoded without being looked over. */
void h2_repeat_pass(struct h2_repeat *r);

/* The block's field that begins at *at of its text; both 0 at first. False when there are no more. */
bool h2_repeat_next(const struct h2_repeat_block *b, unsigned *index, size_t *at, struct slice *name,
                    struct slice *value);

#endif
