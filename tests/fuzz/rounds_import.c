/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds that were timed elsewhere, of whatever kind: what is taken adds up, no duration is negative or not a number,
 * and what is refused says why. */
#include "rounds/import.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round(const struct rounds_result *r, const struct rounds_round *round)
{
    if (round->series >= r->series_count || round->concurrency == 0 || round->copy_count > round->concurrency)
        abort();
    for (size_t i = 0; i < round->copy_count; i++) {
        const struct rounds_copy *c = &round->copies[i];

        if (!isnan(c->duration_s) && !(c->duration_s >= 0))
            abort();
        for (size_t k = 0; c->phases != NULL && k < r->phase_count; k++)
            if (!isnan(c->phases[k]) && !(c->phases[k] >= 0))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rounds_input input = {
        .name = "input",
        .concurrency = size > 0 ? data[0] % 4u : 0,
        .text = slice_from((const char *)data + (size > 0), size > 0 ? size - 1 : 0),
    };
    struct result *result = NULL;
    struct err err = { 0 };

    if (result_new(&result, NULL) != 0 || result_make_rounds(result, NULL) != 0)
        abort();
    if (rounds_import(result, &input, 1, NULL, &err) != 0) {
        if (err.what[0] == '\0')
            abort();
    } else {
        uint64_t copies = 0;

        for (size_t i = 0; i < result->rounds->round_count; i++) {
            const struct rounds_round *round = &result->rounds->rounds[i];

            check_round(result->rounds, round);
            copies += round->ok + round->failed + round->unfinished;
        }
        if (copies != result->totals.started ||
            result->totals.ok + result->totals.failed + result->totals.unfinished != copies)
            abort();
    }
    result_free(result);
    return 0;
}
