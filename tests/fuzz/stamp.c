/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps of the lines of a log: what is taken lies within its line, means the same when the line ends behind it, and
 * the clock of all lines never goes back. */
#include "rounds/stamp.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = slice_from((const char *)data, size);
    struct stamp_clock clock = { 0 };
    uint64_t before = 0;

    while (rest.len > 0) {
        const struct slice line = slice_split(&rest, '\n');
        struct stamp s, again;

        if (!stamp_read(&s, line))
            continue;
        if (s.bytes == 0 || s.bytes > line.len)
            abort();
        if (!stamp_read(&again, slice_take(line, s.bytes)) || again.ns != s.ns || again.kind != s.kind)
            abort();
        if (stamp_clock_read(&clock, &s) < before || clock.now_ns > INT64_MAX)
            abort();
        before = clock.now_ns;
    }
    return 0;
}
