/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <stdio.h>

static uint64_t read_ns(clockid_t id)
{
    struct timespec t = { 0 };

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_wall_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_process_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_sleep_until_ns(uint64_t monotonic_ns)
{
    const uint64_t now = clock_now_ns(), left = monotonic_ns > now ? monotonic_ns - now : 0;
    const struct timespec pause = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

    nanosleep(&pause, NULL);
}

const char *clock_format_rfc3339(char out[CLOCK_RFC3339_MAX], uint64_t wall_ns)
{
    const time_t seconds = (time_t)(wall_ns / 1000000000u); /* at most the year 2554 */
    const unsigned ms = (unsigned)(wall_ns / 1000000u % 1000u);
    struct tm t = { 0 };

    gmtime_r(&seconds, &t);
    snprintf(out, CLOCK_RFC3339_MAX, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)(t.tm_year + 1900) % 10000u,
             (unsigned)(t.tm_mon + 1) % 100u, (unsigned)t.tm_mday % 100u, (unsigned)t.tm_hour % 100u,
             (unsigned)t.tm_min % 100u, (unsigned)t.tm_sec % 100u, ms);
    return out;
}

/* The digits of a field of the form. */
static unsigned field(const char *text, size_t at, size_t length)
{
    unsigned value = 0;

    for (size_t i = at; i < at + length; i++)
        value = 10 * value + (unsigned)(text[i] - '0');
    return value;
}

bool clock_parse_rfc3339(const char *text, uint64_t *wall_ns)
{
    static const char FORM[] = "0000-00-00T00:00:00.000Z";
    struct tm t = { 0 };
    time_t seconds;

    for (size_t i = 0; i < sizeof(FORM); i++)
        if (FORM[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != FORM[i])
            return false;
    t.tm_year = (int)field(text, 0, 4) - 1900;
    t.tm_mon = (int)field(text, 5, 2) - 1;
    t.tm_mday = (int)field(text, 8, 2);
    t.tm_hour = (int)field(text, 11, 2);
    t.tm_min = (int)field(text, 14, 2);
    t.tm_sec = (int)field(text, 17, 2);
    seconds = timegm(&t);
    if (seconds < 0)
        return false;
    *wall_ns = (uint64_t)seconds * 1000000000u + field(text, 20, 3) * UINT64_C(1000000);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool has_form(struct slice text, const char *form)
{
    for (size_t i = 0; form[i] != '\0'; i++)
        if (i >= text.len || (form[i] == '0' ? !is_digit(text.ptr[i]) : text.ptr[i] != form[i]))
            return false;
    return true;
}

/* ".5", with any number of digits; those beyond ns are dropped. */
static bool take_fraction(struct slice *rest, uint64_t *ns)
{
    uint64_t unit = 100000000;
    size_t at = 1;

    *ns = 0;
    if (rest->len == 0 || rest->ptr[0] != '.')
        return true;
    for (; at < rest->len && is_digit(rest->ptr[at]); at++, unit /= 10)
        *ns += unit * (uint64_t)(rest->ptr[at] - '0');
    *rest = slice_drop(*rest, at);
    return at > 1;
}

static bool take_offset(struct slice rest, int64_t *seconds)
{
    *seconds = 0;
    if (slice_eq_nocase(rest, SLICE("z")))
        return true;
    if (rest.len != 6 || (rest.ptr[0] != '+' && rest.ptr[0] != '-') || !has_form(slice_drop(rest, 1), "00:00") ||
        field(rest.ptr, 1, 2) > 23 || field(rest.ptr, 4, 2) > 59)
        return false;
    *seconds = field(rest.ptr, 1, 2) * 3600 + field(rest.ptr, 4, 2) * 60;
    if (rest.ptr[0] == '-')
        *seconds = -*seconds;
    return true;
}

bool clock_parse_moment(struct slice text, uint64_t *wall_ns)
{
    struct slice rest = slice_drop(text, 19);
    struct tm t = { 0 };
    uint64_t fraction;
    int64_t offset, seconds;

    if (!has_form(text, "0000-00-00") || !has_form(slice_drop(text, 11), "00:00:00") ||
        (text.ptr[10] != 'T' && text.ptr[10] != 't' && text.ptr[10] != ' ') || !take_fraction(&rest, &fraction) ||
        !take_offset(rest, &offset))
        return false;
    t.tm_year = (int)field(text.ptr, 0, 4) - 1900;
    t.tm_mon = (int)field(text.ptr, 5, 2) - 1;
    t.tm_mday = (int)field(text.ptr, 8, 2);
    t.tm_hour = (int)field(text.ptr, 11, 2);
    t.tm_min = (int)field(text.ptr, 14, 2);
    t.tm_sec = (int)field(text.ptr, 17, 2);
    if (t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 || t.tm_mday > 31 || t.tm_hour > 23 || t.tm_min > 59 ||
        t.tm_sec > 60 || t.tm_year > 600)
        return false;
    seconds = (int64_t)timegm(&t) - offset;
    if (seconds < 0 || (t.tm_mday != (int)field(text.ptr, 8, 2) && field(text.ptr, 17, 2) < 60)) /* February 30th */
        return false;
    *wall_ns = (uint64_t)seconds * 1000000000u + fraction;
    return true;
}

bool clock_parse_http_date(struct slice text, uint64_t *wall_ns)
{
    static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm t = { 0 };
    ptrdiff_t month;
    int64_t seconds;

    if (text.len != 29 || !has_form(slice_drop(text, 3), ", 00 ") ||
        !has_form(slice_drop(text, 11), " 0000 00:00:00 GMT"))
        return false;
    month = slice_find_slice(slice_str(MONTHS), slice_from(text.ptr + 8, 3));
    if (month < 0 || month % 3 != 0)
        return false;
    t.tm_mday = (int)field(text.ptr, 5, 2);
    t.tm_mon = (int)(month / 3);
    t.tm_year = (int)field(text.ptr, 12, 4) - 1900;
    t.tm_hour = (int)field(text.ptr, 17, 2);
    t.tm_min = (int)field(text.ptr, 20, 2);
    t.tm_sec = (int)field(text.ptr, 23, 2);
    seconds = (int64_t)timegm(&t);
    if (seconds < 0 || t.tm_year > 600)
        return false;
    *wall_ns = (uint64_t)seconds * 1000000000u;
    return true;
}
