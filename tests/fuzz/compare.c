/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison on samples made of bytes: the first chooses design and scale, then four bytes a sample: cell and side,
 * round, session, value. Whatever they are: every cell has a verdict and is counted once, one sample a side tells
 * nothing, figures are numbers or unknown, and exchanging the sides mirrors the verdicts. */
#include "stats/compare.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { CELLS = 8, PER_SET = 64, SAMPLE_BYTES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct compare_sample samples[3][CELLS][PER_SET];

static double value_of(uint8_t byte, enum compare_scale scale)
{
    switch (byte) {
    case 0:
        return 0;
    case 1:
        return NAN;
    case 2:
        return INFINITY;
    case 3:
        return -1;
    default:
        return scale == COMPARE_SHARE ? (byte - 4) / 251.0 : byte < 16 ? ldexp(1, (byte - 10) * 90) : 100.0 + byte;
    }
}

static struct compare_samples *set_of(struct compare_cell *cell, unsigned side)
{
    return side == 0 ? &cell->base : side == 1 ? &cell->new : &cell->history;
}

static void fill(struct compare_cell cells[CELLS], const uint8_t *data, size_t size, enum compare_scale scale)
{
    memset(cells, 0, CELLS * sizeof(*cells));
    for (; size >= SAMPLE_BYTES; data += SAMPLE_BYTES, size -= SAMPLE_BYTES) {
        const unsigned side = (data[0] >> 3) % 3;
        struct compare_samples *set = set_of(&cells[data[0] % CELLS], side);

        if (set->count == PER_SET)
            continue;
        set->items = samples[side][data[0] % CELLS];
        samples[side][data[0] % CELLS][set->count++] = (struct compare_sample){ value_of(data[3], scale), data[1],
                                                                                data[2] };
    }
}

static void check(const struct compare_output *out, const struct compare_cell *cells)
{
    size_t counted = 0;

    for (unsigned v = 0; v < COMPARE_VERDICT_COUNT; v++)
        counted += out->counts[v];
    assert(counted == out->cell_count);
    for (size_t i = 0; i < out->cell_count; i++) {
        const struct compare_result *r = &out->cells[i];
        const bool told = r->verdict == COMPARE_REGRESSED || r->verdict == COMPARE_IMPROVED;

        assert(!told || (cells[i].base.count > 1 && cells[i].new.count > 1));
        assert(!told || (r->p_adjusted <= 0.05 && !isnan(r->change)));
        assert(isnan(r->p) || (r->p >= 0 && r->p <= 1));
        assert(isnan(r->p_adjusted) || r->p_adjusted >= r->p);
        assert(isnan(r->interval[0]) || r->interval[0] <= r->interval[1]);
    }
}

static enum compare_verdict mirrored(enum compare_verdict v)
{
    return v == COMPARE_REGRESSED ? COMPARE_IMPROVED : v == COMPARE_IMPROVED ? COMPARE_REGRESSED : v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct compare_cell cells[CELLS], swapped[CELLS];
    struct compare_input in = { .cells = cells, .cell_count = CELLS };
    struct compare_output a, b;

    if (size < 1)
        return 0;
    in.design = (enum compare_design)(data[0] % 3);
    in.scale = data[0] & 0x10 ? COMPARE_SHARE : COMPARE_RATIO;
    in.higher_is_better = data[0] & 0x20;
    fill(cells, data + 1, size - 1, in.scale);
    for (size_t i = 0; i < CELLS; i++)
        swapped[i] = (struct compare_cell){ cells[i].new, cells[i].base, cells[i].history, false, false };
    assert(compare_run(&a, &in, NULL) == 0);
    check(&a, cells);
    in.cells = swapped;
    assert(compare_run(&b, &in, NULL) == 0);
    check(&b, swapped);
    for (size_t i = 0; i < CELLS; i++)
        assert(a.cells[i].verdict == mirrored(b.cells[i].verdict));
    compare_release(&a);
    compare_release(&b);
    return 0;
}
