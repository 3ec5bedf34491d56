/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wait for the moment that --start-at names, with this machine's clock checked or not.
 *
 * Wall clocks are read once, at the beginning: from then on the moment is one of the monotonic clock, and no step of a
 * wall clock moves it. Without a check only so much can be known: a start more than SHARE_START_LATE_NS ago, or more
 * than SHARE_START_EARLY_NS ahead, is refused, because this clock may be the one that is wrong. */
#ifndef PLIMSOLL_CLI_SHARE_START_H
#define PLIMSOLL_CLI_SHARE_START_H

#include "cli/share_options.h"
#include "load/load.h"
#include "result/result.h"

#define SHARE_START_LATE_NS (UINT64_C(2) * 1000000000)
#define SHARE_START_EARLY_NS (UINT64_C(900) * 1000000000)

struct share_start {
    struct load_start start;   /* for the load; at_ns 0: there is no agreed moment */
    struct result_start facts; /* for the document; late_s is known after the wait */
};

/* Checks the clock, when asked, and says when to begin. who: for what is said on standard error. Errors: nothing was
 * sent. */
MUST_CHECK int share_start_agree(struct share_start *s, const struct share_options *o, const char *who,
                                 struct err *err);
/* Who looks on while the moment is waited for: about ten times a second, and with 0 when the wait is over. */
struct share_start_view {
    void (*show)(void *arg, const struct share_start *s, uint64_t left_ns);
    void *arg;
};
/* False when it was interrupted before. view: NULL: nobody looks on. */
bool share_start_wait(struct share_start *s, const volatile int *stop, const struct share_start_view *view,
                      const char *who);

#endif
