/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that reads clocks. Durations come from CLOCK_MONOTONIC in ns; the wall clock only
 * names moments (a document's `started`). */
#ifndef PLIMSOLL_BASE_CLOCK_H
#define PLIMSOLL_BASE_CLOCK_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_wall_ns(void);       /* CLOCK_REALTIME, ns since the epoch */
uint64_t clock_thread_cpu_ns(void); /* user + system of the calling thread */
uint64_t clock_process_cpu_ns(void);
void clock_sleep_until_ns(uint64_t monotonic_ns); /* a signal may end it before */

#define CLOCK_RFC3339_MAX 40
/* "2026-03-01T12:34:56.789Z" (UTC, milliseconds). */
/* Reads one back, to the millisecond. False when it is not of that form, or before 1970. */
bool clock_parse_rfc3339(const char *text, uint64_t *wall_ns);
/* Any date-time of RFC 3339 5.6: any fraction or none, any offset ("2026-03-01T13:34:56+01:00"). False also for days
 * that no month has, and before 1970. */
bool clock_parse_moment(struct slice text, uint64_t *wall_ns);
/* "Sun, 06 Nov 1994 08:49:37 GMT", as servers must date their replies (RFC 9110 5.6.7); the obsolete forms are not
 * read. */
bool clock_parse_http_date(struct slice text, uint64_t *wall_ns);
const char *clock_format_rfc3339(char out[CLOCK_RFC3339_MAX], uint64_t wall_ns);

#endif
