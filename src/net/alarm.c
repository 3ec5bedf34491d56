/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

static void alarm_ready(struct watch *w, unsigned events)
{
    struct alarm_ns *a = w->arg;
    uint64_t expirations;

    (void)events;
    /* EAGAIN: it was set anew after this event had been collected. */
    if (read(a->_fd, &expirations, sizeof(expirations)) == (ssize_t)sizeof(expirations)) {
        a->on_time(a);
    }
}

int alarm_init(struct alarm_ns *a, struct loop *l, struct err *err)
{
    a->_watch = (struct watch){ .on_ready = alarm_ready, .arg = a };
    a->_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (a->_fd < 0) {
        return err_set(err, ERR_SYSTEM, errno, "cannot make a timer");
    }
    if (watch_start(&a->_watch, l, a->_fd, WATCH_READ, err) != 0) {
        close(a->_fd);
        a->_fd = -1;
        return -1;
    }
    return 0;
}

void alarm_at(struct alarm_ns *a, uint64_t monotonic_ns)
{
    struct itimerspec when = { .it_value = { .tv_sec = (time_t)(monotonic_ns / NS_PER_S),
                                             .tv_nsec = (long)(monotonic_ns % NS_PER_S) } };

    if (timerfd_settime(a->_fd, TFD_TIMER_ABSTIME, &when, NULL) != 0) {
        BUG("timerfd_settime() refused %llu (errno %d)", (unsigned long long)monotonic_ns, errno);
    }
}

void alarm_close(struct alarm_ns *a)
{
    if (a->_fd < 0) {
        return;
    }
    watch_stop(&a->_watch);
    close(a->_fd);
    a->_fd = -1;
}
