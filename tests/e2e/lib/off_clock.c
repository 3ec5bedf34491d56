/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded: the wall clock is off by OFF_CLOCK_S seconds, and nothing else is. libfaketime moves timerfds too, which
 * no wrong clock does. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t off(void)
{
    const char *text = getenv("OFF_CLOCK_S");

    return text != NULL ? (time_t)strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    const int rc = (int)syscall(SYS_clock_gettime, id, t);

    if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        t->tv_sec += off();
    return rc;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    *t = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}
