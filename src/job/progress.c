/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job.h"

#include <stdlib.h>

/* The value behind "name": of an object that our own load has written on one line. */
static bool find_value(struct slice text, struct slice name, struct slice *value)
{
    const ptrdiff_t at = slice_find_slice(text, name);

    if (at < 0)
        return false;
    *value = slice_drop(text, (size_t)at + name.len);
    if (!slice_starts(*value, SLICE(": ")))
        return false;
    *value = slice_drop(*value, 2);
    return true;
}

static bool find_number(struct slice text, struct slice name, double *number)
{
    char digits[40];
    struct slice value;
    char *end;
    size_t n = 0;

    if (!find_value(text, name, &value))
        return false;
    for (; n < value.len && n + 1 < sizeof(digits) && value.ptr[n] != ',' && value.ptr[n] != '}'; n++)
        digits[n] = value.ptr[n];
    digits[n] = '\0';
    *number = strtod(digits, &end);
    return n > 0 && *end == '\0' && *number >= 0 && *number < 1e18;
}

static bool find_count(struct slice text, struct slice name, uint64_t *count)
{
    double number;

    if (!find_number(text, name, &number))
        return false;
    *count = (uint64_t)number;
    return true;
}

bool job_progress_read(struct job_progress *out, struct slice text)
{
    struct job_progress p = { 0 };
    struct slice stage;
    size_t n;

    if (!slice_starts(text, SLICE("{")) || !find_value(text, SLICE("\"stage\""), &stage) ||
        !slice_starts(stage, SLICE("\"")) || !find_number(text, SLICE("\"elapsed_s\""), &p.elapsed_s) ||
        !find_number(text, SLICE("\"requests_per_s\""), &p.requests_per_s) ||
        !find_count(text, SLICE("\"done\""), &p.done) || !find_count(text, SLICE("\"failed\""), &p.failed))
        return false;
    stage = slice_drop(stage, 1);
    for (n = 0; n < stage.len && stage.ptr[n] != '"' && n + 1 < sizeof(p.stage); n++)
        p.stage[n] = stage.ptr[n];
    *out = p;
    return true;
}
