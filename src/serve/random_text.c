/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/random_text.h"

#include <string.h>

enum { PAIRS = 4096, PAIRS_PER_NUMBER = 5 };

/* Twelve random bits choose two characters out of the 62 x 62 pairs; 252 pairs come up twice as often as the others,
 * which nobody can see. */
struct pair_table {
    char pairs[PAIRS][2];
};

static void table_init(struct pair_table *t)
{
    static const char CHARS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (size_t i = 0; i < PAIRS; i++) {
        t->pairs[i][0] = CHARS[i % 3844 / 62];
        t->pairs[i][1] = CHARS[i % 62];
    }
}

void random_text_fill(struct rng *r, char *out, size_t len)
{
    struct pair_table table;
    char tail[2 * PAIRS_PER_NUMBER];

    table_init(&table);
    while (len > 0) {
        uint64_t bits = rng_next(r);
        char *at = len >= sizeof(tail) ? out : tail;
        for (size_t i = 0; i < PAIRS_PER_NUMBER; i++, bits >>= 12) {
            memcpy(at + 2 * i, table.pairs[bits % PAIRS], 2);
        }
        if (at == tail) {
            memcpy(out, tail, len);
            return;
        }
        out += sizeof(tail);
        len -= sizeof(tail);
    }
}
