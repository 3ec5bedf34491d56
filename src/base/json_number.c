/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strip_zeros(char *text)
{
    size_t len = strlen(text);

    while (len > 0 && text[len - 1] == '0')
        text[--len] = '\0';
}

/* Fixed notation for what an exponent would make hard to read: 0.000012 instead of 1.2e-05. */
static bool format_small(char *out, double value)
{
    const double size = fabs(value);

    if (size < 1e-9 || size >= 1e-4)
        return false;
    for (int decimals = 15; decimals <= 26; decimals++) {
        snprintf(out, JSON_OUT_DOUBLE_MAX, "%.*f", decimals, value);
        if (strtod(out, NULL) == value) {
            strip_zeros(out);
            return true;
        }
    }
    return false;
}

static void format_general(char *out, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, JSON_OUT_DOUBLE_MAX, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

const char *json_format_double(char out[JSON_OUT_DOUBLE_MAX], double value)
{
    if (value == 0) /* never "-0" */
        value = 0;
    if (!format_small(out, value))
        format_general(out, value);
    for (char *c = out; *c != '\0'; c++) /* a locale's decimal comma */
        if (*c == ',')
            *c = '.';
    return out;
}
