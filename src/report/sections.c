/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_control(const unsigned char *c)
{
    return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

/* Cuts inside a UTF-8 sequence move to its beginning. */
static size_t at_boundary(const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static void clean(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if (!is_control(c))
            continue;
        if (*c == 0xc2)
            *c++ = '?';
        *c = *c == '\t' ? ' ' : '?';
    }
}

const char *section_text(char out[SECTION_TEXT_MAX], const char *text, size_t width, bool keep_end)
{
    const size_t max = width < SECTION_TEXT_MAX ? (width > 8 ? width : 8) : SECTION_TEXT_MAX - 1;
    const size_t len = text != NULL ? strlen(text) : 0;
    const size_t tail = keep_end ? (max - 3) / 3 : 0;

    if (len <= max) {
        memcpy(out, len > 0 ? text : "", len + 1);
    } else {
        const size_t head = at_boundary(text, max - 3 - tail);
        size_t from = len - tail;

        while (from < len && ((unsigned char)text[from] & 0xc0) == 0x80)
            from++;
        snprintf(out, SECTION_TEXT_MAX, "%.*s...%s", (int)head, text, text + from);
    }
    clean(out);
    return out;
}

bool section_percentile_is_max(const struct hist *h, double percentile)
{
    const uint64_t count = hist_count(h);

    return percentile < 100 && count > 0 && ceil(percentile / 100 * (double)count - 1e-9) >= (double)count;
}

const char *section_percentile(char out[SECTION_CELL_MAX], const struct hist *h, double percentile)
{
    section_duration(out, h, (double)hist_value_at(h, percentile));
    if (section_percentile_is_max(h, percentile)) {
        const size_t len = strlen(out);

        snprintf(out + len, SECTION_CELL_MAX - len, "*");
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
    else if (part < whole && share > 99.99)
        snprintf(out, SECTION_CELL_MAX, ">99.99 %%");
    else if (share < 1)
        snprintf(out, SECTION_CELL_MAX, "%.2f %%", share);
    else
        snprintf(out, SECTION_CELL_MAX, "%.1f %%", share < 100 && share >= 99.95 ? 99.9 : share);
    return out;
}

/* How much of text fits into width columns: up to a space where there is one. */
static size_t fold_at(const char *text, size_t width)
{
    const size_t len = strlen(text);
    size_t at = width;

    if (len <= width)
        return len;
    while (at > 0 && text[at] != ' ')
        at--;
    return at > 0 ? at : at_boundary(text, width);
}

void section_paragraph(const struct section *s, const char *first, const char *text)
{
    const size_t indent = strlen(first);
    const size_t width = s->width > indent + 20 ? s->width - indent : 20;
    char *copy = strdup(text);
    const char *rest = copy;

    if (copy == NULL) {
        (void)buf_reserve(s->out, SIZE_MAX); /* can not be had: the report fails */
        return;
    }
    clean(copy);
    do {
        const size_t len = fold_at(rest, width);

        buf_printf(s->out, "%*s%.*s\n", rest == copy ? 0 : (int)indent, rest == copy ? first : "", (int)len, rest);
        rest += len;
        while (*rest == ' ')
            rest++;
    } while (*rest != '\0');
    free(copy);
}

#define LABEL_COLUMNS 14

void section_line(const struct section *s, const char *label, const char *fmt, ...)
{
    char first[LABEL_COLUMNS + 1], text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    snprintf(first, sizeof(first), "%-*s", LABEL_COLUMNS, label);
    section_paragraph(s, first, text);
}
