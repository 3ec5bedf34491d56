/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits of 0 <= v < 10^7, without exponent and without point when there are three digits before it.
 * Decides by what printf rounded to, so 9.996 is "10.0" and not "10.00". */
static void three_digits(char *out, size_t size, double v)
{
    if (v > 0.0 && v < 0.9995) {
        snprintf(out, size, "%#.3g", v);
        return;
    }
    for (int decimals = 2; decimals >= 0; decimals--) {
        snprintf(out, size, "%.*f", decimals, v);
        const char *point = strchr(out, '.');
        const size_t whole = point != NULL ? (size_t)(point - out) : strlen(out);
        if (whole + (size_t)decimals <= 3)
            return;
    }
}

struct step {
    double size;
    const char *name;
};

/* v in the largest unit of which it is at least one; a value that would be printed as `base` of a unit is one of the
 * next. Whole numbers of the smallest unit are printed without decimals. */
static const char *scaled(char out[UNITS_TEXT_MAX], double v, const struct step *steps, size_t count, double base)
{
    char digits[16];
    size_t i = 0;

    if (isnan(v))
        return memcpy(out, "n/a", 4);
    const char *sign = v < 0.0 ? "-" : "";
    v = fabs(v);
    while (i + 1 < count && v / steps[i].size >= base - 0.5)
        i++;
    const double scaled_v = v / steps[i].size;
    if (scaled_v >= base - 0.5) /* beyond the largest unit */
        snprintf(digits, sizeof(digits), "%.3g", scaled_v);
    else if (i == 0 && v == floor(v))
        snprintf(digits, sizeof(digits), "%u", (unsigned)v);
    else
        three_digits(digits, sizeof(digits), scaled_v);
    snprintf(out, UNITS_TEXT_MAX, "%s%s%s%s", sign, digits, steps[i].name[0] != '\0' ? " " : "", steps[i].name);
    return out;
}

/* From a minute on: "2 m 03 s", "1 h 02 m 03 s". */
static const char *format_long(char out[UNITS_TEXT_MAX], const char *sign, double seconds)
{
    if (seconds >= 1e9) {
        snprintf(out, UNITS_TEXT_MAX, "%s%.3g h", sign, seconds / 3600.0);
        return out;
    }
    const unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 3600)
        snprintf(out, UNITS_TEXT_MAX, "%s%lu m %02lu s", sign, whole / 60, whole % 60);
    else
        snprintf(out, UNITS_TEXT_MAX, "%s%lu h %02lu m %02lu s", sign, whole / 3600, whole / 60 % 60, whole % 60);
    return out;
}

const char *units_format_duration(char out[UNITS_TEXT_MAX], double ns)
{
    static const struct step STEPS[] = { { 1.0, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
    const double seconds = fabs(ns) / 1e9;

    if (seconds >= 59.95) /* would be printed as 60.0 s */
        return format_long(out, ns < 0.0 ? "-" : "", seconds);
    return scaled(out, ns, STEPS, sizeof(STEPS) / sizeof(STEPS[0]), 1000.0);
}

const char *units_format_size(char out[UNITS_TEXT_MAX], double bytes)
{
    static const struct step STEPS[] = { { 1.0, "B" },      { 0x1p10, "KiB" }, { 0x1p20, "MiB" },
                                         { 0x1p30, "GiB" }, { 0x1p40, "TiB" }, { 0x1p50, "PiB" } };

    return scaled(out, bytes, STEPS, sizeof(STEPS) / sizeof(STEPS[0]), 1024.0);
}

const char *units_format_number(char out[UNITS_TEXT_MAX], double n)
{
    static const struct step STEPS[] = { { 1.0, "" }, { 1e3, "k" }, { 1e6, "M" }, { 1e9, "G" }, { 1e12, "T" } };

    return scaled(out, n, STEPS, sizeof(STEPS) / sizeof(STEPS[0]), 1000.0);
}

const char *units_format_count(char out[UNITS_TEXT_MAX], uint64_t n)
{
    char reversed[UNITS_TEXT_MAX];
    size_t len = 0;
    size_t digits = 0;

    do {
        if (digits > 0 && digits % 3 == 0)
            reversed[len++] = ',';
        reversed[len++] = (char)('0' + n % 10);
        digits++;
        n /= 10;
    } while (n > 0);
    for (size_t i = 0; i < len; i++)
        out[i] = reversed[len - 1 - i];
    out[len] = '\0';
    return out;
}
