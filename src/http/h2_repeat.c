/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_repeat.h"

#include <string.h>

#define STATIC_FIELDS 61u /* RFC 7541 appendix A */
#define INTEGER_MAX (1u << 21)

/* --- what a block does to the table ------------------------------------------------------------------------------ */

/* RFC 7541 5.1. False: it is cut, or larger than anything that could be remembered. */
static bool take_integer(struct slice *rest, unsigned prefix_bits, uint32_t *out)
{
    const uint32_t prefix = (1u << prefix_bits) - 1;
    unsigned shift = 0;
    uint8_t byte;

    if (rest->len == 0)
        return false;
    *out = (uint8_t)rest->ptr[0] & prefix;
    *rest = slice_drop(*rest, 1);
    if (*out < prefix)
        return true;
    do {
        if (rest->len == 0 || *out > INTEGER_MAX || shift > 21)
            return false;
        byte = (uint8_t)rest->ptr[0];
        *rest = slice_drop(*rest, 1);
        *out += (byte & 0x7fu) << shift;
        shift += 7;
    } while ((byte & 0x80u) != 0);
    return true;
}

static bool skip_string(struct slice *rest)
{
    uint32_t len;

    if (!take_integer(rest, 7, &len) || len > rest->len)
        return false;
    *rest = slice_drop(*rest, len);
    return true;
}

/* RFC 7541 6.1 and 6.2: an index alone, or a literal whose name is an index or a string. */
static void use_of_field(struct slice *rest, struct h2_block_use *use)
{
    const uint8_t first = (uint8_t)rest->ptr[0];
    const bool is_index = (first & 0x80u) != 0, adds = !is_index && (first & 0x40u) != 0;
    uint32_t index;

    if ((first & 0xe0u) == 0x20u) { /* 001: the table's size */
        use->is_readable = false;
        return;
    }
    use->is_readable = take_integer(rest,
                                    is_index ? 7
                                    : adds   ? 6
                                             : 4,
                                    &index) &&
                       (!is_index || index > 0) && (is_index || index > 0 || skip_string(rest)) &&
                       (is_index || skip_string(rest));
    use->reads = use->reads || index > STATIC_FIELDS;
    use->additions = (uint16_t)(use->additions + adds);
}

struct h2_block_use h2_block_use(struct slice block)
{
    struct h2_block_use use = { .is_readable = block.len <= H2_REPEAT_BLOCK_MAX };

    while (block.len > 0 && use.is_readable)
        use_of_field(&block, &use);
    return use;
}

/* --- what is remembered ------------------------------------------------------------------------------------------ */

const struct h2_repeat_block *h2_repeat_find(const struct h2_repeat *r, struct slice block)
{
    for (unsigned i = 0; i < H2_REPEAT_BLOCKS; i++) {
        const struct h2_repeat_block *b = &r->blocks[i];

        if (b->len == block.len && b->len > 0 && memcmp(b->bytes, block.ptr, block.len) == 0)
            return b;
    }
    return NULL;
}

unsigned h2_repeat_owed(const struct h2_repeat *r, const struct h2_repeat_block *out[H2_REPEAT_OWED_MAX])
{
    unsigned first = r->owed_count, additions = 0;

    while (first > 0 && additions < H2_REPEAT_OWED_MAX) {
        first--;
        additions += r->blocks[r->owed[(r->owed_at + first) % H2_REPEAT_OWED_MAX]].use.additions;
    }
    for (unsigned i = first; i < r->owed_count; i++)
        out[i - first] = &r->blocks[r->owed[(r->owed_at + i) % H2_REPEAT_OWED_MAX]];
    return r->owed_count - first;
}

void h2_repeat_paid(struct h2_repeat *r)
{
    r->owed_count = 0;
}

static void forget_readers(struct h2_repeat *r)
{
    for (unsigned i = 0; i < H2_REPEAT_BLOCKS; i++)
        if (r->blocks[i].use.reads)
            r->blocks[i].len = 0;
}

void h2_repeat_skip(struct h2_repeat *r, const struct h2_repeat_block *b)
{
    r->learning_len = 0;
    if (b->use.additions == 0)
        return;
    forget_readers(r);
    r->owed[(r->owed_at + r->owed_count) % H2_REPEAT_OWED_MAX] = (uint8_t)(b - r->blocks);
    if (r->owed_count < H2_REPEAT_OWED_MAX)
        r->owed_count++;
    else
        r->owed_at = (uint8_t)((r->owed_at + 1) % H2_REPEAT_OWED_MAX);
}

void h2_repeat_pass(struct h2_repeat *r)
{
    forget_readers(r);
    r->learning_len = 0;
}

void h2_repeat_learn(struct h2_repeat *r, struct slice block)
{
    const struct h2_block_use use = h2_block_use(block);
    struct h2_repeat_block *b;

    if (!use.is_readable || use.additions > 0)
        forget_readers(r);
    r->learning_len = 0;
    if (!use.is_readable || (use.reads && use.additions > 0))
        return;
    r->learning = (uint8_t)((r->learning + 1) % H2_REPEAT_BLOCKS);
    b = &r->blocks[r->learning];
    b->len = b->text_len = 0;
    b->field_count = 0;
    b->use = use;
    memcpy(b->bytes, block.ptr, block.len);
    r->learning_len = (uint16_t)block.len;
}

void h2_repeat_field(struct h2_repeat *r, struct slice name, struct slice value)
{
    struct h2_repeat_block *b = &r->blocks[r->learning];

    if (r->learning_len == 0)
        return;
    if (b->field_count == H2_REPEAT_FIELDS_MAX || name.len > H2_REPEAT_TEXT_MAX - b->text_len ||
        value.len > H2_REPEAT_TEXT_MAX - b->text_len - name.len) {
        r->learning_len = 0;
        return;
    }
    memcpy(b->text + b->text_len, name.ptr, name.len);
    memcpy(b->text + b->text_len + name.len, value.ptr, value.len);
    b->text_len = (uint16_t)(b->text_len + name.len + value.len);
    b->lens[b->field_count].name_len = (uint16_t)name.len;
    b->lens[b->field_count++].value_len = (uint16_t)value.len;
}

void h2_repeat_learnt(struct h2_repeat *r, const struct h2_head *head)
{
    if (r->learning_len == 0)
        return;
    r->blocks[r->learning].head = *head;
    r->blocks[r->learning].len = r->learning_len;
    r->learning_len = 0;
}

bool h2_repeat_next(const struct h2_repeat_block *b, unsigned *index, size_t *at, struct slice *name,
                    struct slice *value)
{
    if (*index == b->field_count)
        return false;
    *name = slice_from(b->text + *at, b->lens[*index].name_len);
    *value = slice_from(name->ptr + name->len, b->lens[*index].value_len);
    *at += name->len + value->len;
    (*index)++;
    return true;
}
