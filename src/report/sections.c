/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/fit.h"

bool section_percentile_is_max(const struct hist *h, double percentile)
{
    const double count = (double)hist_count(h);

    /* The tolerance is for percentiles that no double holds: 99.9 % of 1000 is the 999th, not one more. */
    return percentile < 100 && count > 0 && ceil(percentile / 100 * count - 1e-9) >= count;
}

const char *section_percentile(struct section *s, char out[SECTION_CELL_MAX], const struct hist *h, double percentile)
{
    section_duration(out, h, (double)hist_value_at(h, percentile));
    if (hist_count(h) > 1 && section_percentile_is_max(h, percentile)) {
        const size_t len = strlen(out);

        snprintf(out + len, SECTION_CELL_MAX - len, "*");
        s->starred = true;
    }
    return out;
}

const char *section_duration(char out[SECTION_CELL_MAX], const struct hist *h, double ns)
{
    char text[UNITS_TEXT_MAX];

    snprintf(out, SECTION_CELL_MAX, "%s", hist_count(h) > 0 ? units_format_duration(text, ns) : "-");
    return out;
}

const char *section_share(char out[SECTION_CELL_MAX], uint64_t part, uint64_t whole)
{
    const double share = whole > 0 ? 100.0 * (double)part / (double)whole : 0;

    if (part > 0 && share < 0.01)
        snprintf(out, SECTION_CELL_MAX, "<0.01 %%");
    else if (part < whole && share > 99.9)
        snprintf(out, SECTION_CELL_MAX, ">99.9 %%");
    else if (share < 1)
        snprintf(out, SECTION_CELL_MAX, "%.2f %%", share);
    else
        snprintf(out, SECTION_CELL_MAX, "%.1f %%", share);
    return out;
}

const char *section_rate(char out[UNITS_TEXT_MAX], double per_s)
{
    if (per_s >= 1000)
        return units_format_count(out, (uint64_t)(per_s + 0.5));
    snprintf(out, UNITS_TEXT_MAX, per_s >= 100 ? "%.1f" : "%.2f", per_s);
    return out;
}

#define LABEL_COLUMNS 14
#define LINE_MAX_BYTES (16u << 20) /* above every argument that a command line can have */

void section_line(const struct section *s, const char *label, const char *fmt, ...)
{
    char first[LABEL_COLUMNS + 1];
    struct buf text;
    va_list args;

    buf_init(&text, LINE_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    snprintf(first, sizeof(first), "%-*s", LABEL_COLUMNS, label);
    if (buf_ok(&text))
        fit_paragraph(s->out, first, buf_slice(&text), s->width);
    else
        (void)buf_reserve(s->out, SIZE_MAX); /* can not be had: the report fails */
    buf_release(&text);
}
