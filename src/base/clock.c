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
