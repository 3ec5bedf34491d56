/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/suggest.h"

#include <limits.h>

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Cell (i, j) from its neighbours. rows[k] is the row k steps above. */
static unsigned cell(struct slice a, struct slice b, size_t i, size_t j, unsigned (*rows)[SUGGEST_WORD_MAX + 1])
{
    const unsigned replace = rows[1][j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
    unsigned best = min2(min2(rows[1][j] + 1, rows[0][j - 1] + 1), replace);

    if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
        best = min2(best, rows[2][j - 2] + 1);
    return best;
}

unsigned suggest_distance(struct slice a, struct slice b)
{
    unsigned rows[3][SUGGEST_WORD_MAX + 1] = { { 0 } };

    if (a.len > SUGGEST_WORD_MAX || b.len > SUGGEST_WORD_MAX)
        return UINT_MAX;
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        memcpy(rows[2], rows[1], sizeof(rows[2]));
        memcpy(rows[1], rows[0], sizeof(rows[1]));
        rows[0][0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++)
            rows[0][j] = cell(a, b, i, j, rows);
    }
    return rows[0][b.len];
}

void suggest_init(struct suggestion *s, struct slice typed)
{
    s->typed = typed;
    s->word = NULL;
    s->distance = UINT_MAX;
}

void suggest_consider(struct suggestion *s, const char *word)
{
    const struct slice known = slice_str(word);
    unsigned distance = suggest_distance(s->typed, known);

    /* A word cut short ("--conn") is nearer than its length says. */
    if (s->typed.len >= 3 && slice_starts(known, s->typed))
        distance = 1;
    /* One slip in short words, a third of the letters in long ones: else any word would suggest another. */
    if (distance < s->distance && distance <= s->typed.len / 3 + 1 && distance < known.len) {
        s->word = word;
        s->distance = distance;
    }
}
