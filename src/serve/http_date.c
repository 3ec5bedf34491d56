/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/http_date.h"

#include <stdio.h>
#include <string.h>

static const char DAYS[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
static const char MONTHS[12][4] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
};

struct slice http_date_format(char out[HTTP_DATE_MAX], time_t at)
{
    struct tm t;

    gmtime_r(&at, &t);
    int len = snprintf(out, HTTP_DATE_MAX, "%s, %02d %s %04d %02d:%02d:%02d GMT", DAYS[t.tm_wday], t.tm_mday,
                       MONTHS[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    return slice_from(out, (size_t)len);
}

static int number(struct slice text, size_t at, size_t len)
{
    uint64_t n;

    return slice_to_u64(slice_take(slice_drop(text, at), len), &n) ? (int)n : -1;
}

bool http_date_parse(struct slice text, time_t *out)
{
    char again[HTTP_DATE_MAX];
    struct tm t = { 0 };

    if (text.len != 29) {
        return false;
    }
    for (t.tm_mon = 0; t.tm_mon < 12 && memcmp(MONTHS[t.tm_mon], text.ptr + 8, 3) != 0; t.tm_mon++) {
    }
    t.tm_mday = number(text, 5, 2);
    t.tm_year = number(text, 12, 4) - 1900;
    t.tm_hour = number(text, 17, 2);
    t.tm_min = number(text, 20, 2);
    t.tm_sec = number(text, 23, 2);
    if (t.tm_mon == 12) {
        return false;
    }
    *out = timegm(&t);
    /* Whatever was wrong with it (a 31st of February, a wrong day of the week, a missing comma), it does not come back
     * the same. */
    return slice_eq(http_date_format(again, *out), text);
}
