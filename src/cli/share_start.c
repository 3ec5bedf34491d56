/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/share_start.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/clock_check.h"
#include "cli/complain.h"

#define CHECK_LONGEST_NS (UINT64_C(20) * NS_PER_S)
#define NAP_NS (UINT64_C(50) * NS_PER_MS)
#define SHOW_NS (UINT64_C(200) * NS_PER_MS)

static const char *shown(char out[UNITS_TEXT_MAX], int64_t ns)
{
    return units_format_duration(out, ns < 0 ? -(double)ns : (double)ns);
}

/* No clock is meant: so long from the beginning. */
static int agree_after(struct share_start *s, uint64_t at_ns, int64_t wall_minus_monotonic)
{
    s->start.at_ns = at_ns;
    clock_format_rfc3339(s->facts.at, (uint64_t)((int64_t)at_ns + wall_minus_monotonic + s->start.clock_offset_ns));
    return 0;
}

static int refuse(const char *at, int64_t wait_ns, struct err *err)
{
    char text[UNITS_TEXT_MAX];

    err_set(err, ERR_CONFIG, 0, "--start-at: %s is %s %s by this machine's clock", at, shown(text, wait_ns),
            wait_ns < 0 ? "ago" : "ahead");
    return err_hint(err, wait_ns < 0
                             ? "choose a later start; --clock-check HOST|chrony says whether it is the clock that "
                               "is off, and corrects it"
                             : "more than 15 minutes need --clock-check HOST|chrony: it may be the clock that is "
                               "off");
}

static int check_clock(struct share_start *s, const struct share_options *o, int64_t wall_minus_monotonic,
                       const char *who, struct err *err)
{
    const bool after = o->start == SHARE_START_AFTER;
    const uint64_t longest = after && o->start_ns / 2 < CHECK_LONGEST_NS ? o->start_ns / 2 : CHECK_LONGEST_NS;
    const struct clock_frame frame = { wall_minus_monotonic, clock_now_ns() + longest, after ? 0 : o->start_ns };
    struct clock_estimate estimate;
    char off[UNITS_TEXT_MAX], resolution[UNITS_TEXT_MAX];

    if (clock_check(&estimate, o->clock_check, &frame, err) != 0)
        return -1;
    s->start.clock_offset_ns = estimate.offset_ns;
    s->facts.clock_offset_s = (double)estimate.offset_ns / NS_PER_S;
    s->facts.clock_resolution_s = (double)estimate.resolution_ns / NS_PER_S;
    snprintf(s->facts.clock, sizeof(s->facts.clock), "%s", estimate.by);
    cli_note(who, "this machine's clock is %s %s by %s, to within %s", shown(off, estimate.offset_ns),
             estimate.offset_ns >= 0 ? "behind" : "ahead", estimate.by,
             shown(resolution, (int64_t)estimate.resolution_ns));
    return 0;
}

int share_start_agree(struct share_start *s, const struct share_options *o, const char *who, struct err *err)
{
    const int64_t wall_minus_monotonic = (int64_t)clock_wall_ns() - (int64_t)clock_now_ns();
    const uint64_t begun = clock_now_ns();
    int64_t at, wait;

    *s = (struct share_start){ 0 };
    if (o->start == SHARE_START_NONE)
        return 0;
    if (o->clock_check != NULL && check_clock(s, o, wall_minus_monotonic, who, err) != 0)
        return -1;
    if (o->start == SHARE_START_AFTER)
        return agree_after(s, begun + o->start_ns, wall_minus_monotonic);
    clock_format_rfc3339(s->facts.at, o->start_ns);
    at = (int64_t)o->start_ns - s->start.clock_offset_ns - wall_minus_monotonic;
    wait = at - (int64_t)clock_now_ns();
    if (o->clock_check == NULL && (wait < -(int64_t)SHARE_START_LATE_NS || wait > (int64_t)SHARE_START_EARLY_NS))
        return refuse(s->facts.at, wait, err);
    s->start.at_ns = at > 0 ? (uint64_t)at : 1;
    return 0;
}

static void show(const struct share_start_view *view, const struct share_start *s, uint64_t left_ns)
{
    if (view != NULL)
        view->show(view->arg, s, left_ns);
}

bool share_start_wait(struct share_start *s, const volatile int *stop, const struct share_start_view *view,
                      const char *who)
{
    char text[UNITS_TEXT_MAX];
    uint64_t now = clock_now_ns();

    if (s->start.at_ns == 0)
        return true;
    if (s->start.at_ns > now)
        cli_note(who, "starting at %s, in %s", s->facts.at, shown(text, (int64_t)(s->start.at_ns - now)));
    for (; s->start.at_ns > now && *stop == 0; now = clock_now_ns()) {
        const uint64_t left = s->start.at_ns - now;

        if (left > SHOW_NS) /* nothing else is done just before the start */
            show(view, s, left);
        clock_sleep_until_ns(left > NAP_NS ? now + NAP_NS : s->start.at_ns);
    }
    show(view, s, 0);
    s->facts.late_s = now > s->start.at_ns ? (double)(now - s->start.at_ns) / NS_PER_S : 0;
    if (s->facts.late_s > (double)SHARE_START_LATE_NS / NS_PER_S && *stop == 0)
        cli_note(who, "started %s late", shown(text, (int64_t)(now - s->start.at_ns)));
    return *stop == 0;
}
