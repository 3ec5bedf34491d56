/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <inttypes.h>

#include "base/units.h"

#define RATE_MET 0.99 /* share of the rate asked for that counts as met */

static void judge_failures(struct result *r, double max_errors)
{
    const struct totals *t = &r->totals;
    const double share = t->started > 0 ? (double)t->failed / (double)t->started : 0;
    char failed[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX];

    if (t->ok == 0)
        result_add_reason(r, "no request succeeded");
    if (t->failed == 0)
        return;
    units_format_count(failed, t->failed);
    units_format_count(started, t->started);
    if (share > max_errors)
        result_add_reason(r, "%s of %s requests failed: %.3g %%, above the limit of %.3g %%", failed, started,
                          share * 100, max_errors * 100);
    else
        result_add_warning(r, "%s of %s requests failed: %.3g %%", failed, started, share * 100);
}

static void warn_of_lost_requests(struct result *r)
{
    const struct totals *t = &r->totals;
    char count[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX], age[UNITS_TEXT_MAX];

    if (t->unfinished > 0)
        result_add_warning(r, "unfinished at the end: %s of %s requests, the oldest after %s",
                           units_format_count(count, t->unfinished), units_format_count(started, t->started),
                           units_format_duration(age, t->unfinished_oldest_s * NS_PER_S));
    if (t->not_sent > 0)
        result_add_warning(r, "due but not sent: %s", units_format_count(count, t->not_sent));
    if (hist_overflow(r->latency) > 0)
        result_add_warning(r, "above one hour, so in no percentile: %s latencies",
                           units_format_count(count, hist_overflow(r->latency)));
}

static void warn_of_generator(struct result *r)
{
    const struct generator_health *g = &r->generator;

    if (g->limited && g->reasons.count == 0)
        result_add_warning(r, "the load generator was the limit");
    for (size_t i = 0; g->limited && i < g->reasons.count; i++)
        result_add_warning(r, "the load generator was the limit: %s", g->reasons.items[i]);
    if (g->rate_asked > 0 && g->rate_achieved < RATE_MET * g->rate_asked)
        result_add_warning(r, "rate not met: %.1f of %.1f requests/s", g->rate_achieved, g->rate_asked);
    if (g->log_waits > 0)
        result_add_warning(r, "the log could not keep up: the measuring waited for it %" PRIu64 " times", g->log_waits);
}

void result_judge(struct result *r, double max_errors, bool strict)
{
    result_check(r);
    judge_failures(r, max_errors);
    warn_of_lost_requests(r);
    warn_of_generator(r);
    for (size_t i = 0; strict && i < r->warnings.count; i++)
        result_add_reason(r, "strict: %s", r->warnings.items[i]);
    r->valid = r->reasons.count == 0;
}

int result_exit_code(const struct result *r)
{
    if (r->interrupted)
        return 130;
    return r->valid ? 0 : 3;
}
