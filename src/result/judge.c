/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <inttypes.h>

#include "base/units.h"

#define RATE_MET 0.99 /* share of the rate asked for that counts as met */

/* What a result counts. */
static const char *things(const struct result *r)
{
    return r->rounds != NULL ? "copies" : "requests";
}

static void judge_failures(struct result *r, double max_errors)
{
    const struct totals *t = &r->totals;
    const double share = t->started > 0 ? (double)t->failed / (double)t->started : 0;
    char failed[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX];

    if (t->ok == 0 && !r->nothing_due)
        result_add_reason(r, "no %s succeeded", r->rounds != NULL ? "copy" : "request");
    if (t->failed == 0)
        return;
    units_format_count(failed, t->failed);
    units_format_count(started, t->started);
    if (share > max_errors)
        result_add_reason(r, "%s of %s %s failed: %.3g %%, above the limit of %.3g %%", failed, started, things(r),
                          share * 100, max_errors * 100);
    else
        result_add_warning(r, "%s of %s %s failed: %.3g %%", failed, started, things(r), share * 100);
}

static void warn_of_lost_requests(struct result *r)
{
    const struct totals *t = &r->totals;
    char count[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX], age[UNITS_TEXT_MAX];

    if (t->unfinished > 0 && r->rounds != NULL)
        result_add_warning(r, "unfinished at the end: %s of %s copies", units_format_count(count, t->unfinished),
                           units_format_count(started, t->started));
    else if (t->unfinished > 0)
        result_add_warning(r, "unfinished at the end: %s of %s requests, the oldest after %s",
                           units_format_count(count, t->unfinished), units_format_count(started, t->started),
                           units_format_duration(age, t->unfinished_oldest_s * NS_PER_S));
    if (hist_overflow(r->latency) > 0)
        result_add_warning(r, "above one hour, so in no percentile: %s latencies",
                           units_format_count(count, hist_overflow(r->latency)));
}

/* Requests are whole: a share of a plan, or a short run, may be due less than one more than it sends. Where all that
 * came due was sent, chance made it less (Poisson), or the run was over with its last request and waited for the reply.
 */
bool result_missed_rate(const struct result *r)
{
    const struct generator_health *g = &r->generator;
    const bool left_any = r->totals.not_sent > 0 || r->totals.sent < r->totals.started;

    return left_any && g->rate_asked > 0 && g->rate_achieved < RATE_MET * g->rate_asked &&
           (g->rate_asked - g->rate_achieved) * r->duration_s > 1 - 1e-6;
}

/* Also who made the load may have said these: in the same words, so that they are said once. */
static void warn_of_rate(struct result *r)
{
    const struct generator_health *g = &r->generator;
    const uint64_t not_sent = r->totals.not_sent;
    const bool missed = result_missed_rate(r);
    char count[UNITS_TEXT_MAX];

    if (missed && not_sent > 0)
        result_add_warning(r, "rate not met: %.1f of %.1f/s; %" PRIu64 " request%s due and not sent", g->rate_achieved,
                           g->rate_asked, not_sent, not_sent == 1 ? " was" : "s were");
    else if (missed)
        result_add_warning(r, "rate not met: %.1f of %.1f/s", g->rate_achieved, g->rate_asked);
    else if (not_sent > 0)
        result_add_warning(r, "not sent: %s request%s", units_format_count(count, not_sent), units_plural(not_sent));
}

static void warn_of_generator(struct result *r)
{
    const struct generator_health *g = &r->generator;

    if (g->limited && g->reasons.count == 0)
        result_add_warning(r, "the load generator was the limit");
    for (size_t i = 0; g->limited && i < g->reasons.count; i++)
        result_add_warning(r, "the load generator was the limit: %s", g->reasons.items[i]);
    if (g->log_waits > 0)
        result_add_warning(r, "the request log was slower than the load: workers waited for it %" PRIu64 " time%s",
                           g->log_waits, units_plural(g->log_waits));
}

void result_judge(struct result *r, double max_errors, bool strict)
{
    result_check(r);
    judge_failures(r, max_errors);
    warn_of_lost_requests(r);
    warn_of_rate(r);
    warn_of_generator(r);
    for (size_t i = 0; strict && i < r->warnings.count; i++)
        result_add_reason(r, "strict: %s", r->warnings.items[i]);
    r->valid = r->reasons.count == 0;
}

int result_exit_code(const struct result *r)
{
    if (r->interrupted)
        return 130;
    if (!result_promises_kept(r))
        return 1;
    return r->valid ? 0 : 3;
}
