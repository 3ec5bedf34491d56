/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a result of shares, though each of them may be fine. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/merge_parts.h"

#define APART_S 2.0 /* starts further from each other, or from the agreed moment, are no one run */
enum { NAMED_MAX = 12 };

bool result_share_parse(const char *text, uint64_t *which, uint64_t *of)
{
    struct slice rest = slice_str(text);

    return slice_to_u64(slice_split(&rest, '/'), which) && slice_to_u64(rest, of) && *which >= 1 && *which <= *of &&
           *of <= SHARES_MAX;
}

/* How many shares there should be; 0: the parts are no shares; -1, said as a reason, when they contradict each other.
 */
static int count_shares(struct result *r, uint64_t *of)
{
    uint64_t which, others;
    size_t shares = 0;

    *of = 0;
    for (size_t i = 0; i < r->part_count; i++) {
        if (r->parts[i].share == NULL || !result_share_parse(r->parts[i].share, &which, &others))
            continue;
        if (*of != 0 && others != *of) {
            result_add_reason(r, "some parts are shares of %" PRIu64 ", some of %" PRIu64, *of, others);
            return -1;
        }
        *of = others;
        shares++;
    }
    if (shares > 0 && shares != r->part_count) {
        result_add_reason(r, "%zu of %zu parts are shares of a plan, the others are not", shares, r->part_count);
        return -1;
    }
    return 0;
}

/* Parts are sorted by share. */
static void find_missing(struct result *r, uint64_t of)
{
    uint64_t which = 0, others, missing = 0, before = 0;
    struct buf names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i <= r->part_count; i++) {
        if (i < r->part_count)
            (void)result_share_parse(r->parts[i].share, &which, &others);
        else
            which = of + 1;
        if (which == before)
            result_add_reason(r, "share %" PRIu64 " of %" PRIu64 " is here twice, of two runs", which, of);
        for (uint64_t k = before + 1; k < which; k++)
            if (missing++ < NAMED_MAX)
                buf_printf(&names, "%s%" PRIu64, missing > 1 ? ", " : "", k);
        before = which;
    }
    if (missing > 0)
        result_add_reason(r,
                          "%" PRIu64 " of %" PRIu64 " shares are here, %s%s %s missing: the figures are of these alone",
                          of - missing, of, buf_ok(&names) ? names.data : "", missing > NAMED_MAX ? " ..." : "",
                          missing == 1 ? "is" : "are");
    buf_release(&names);
}

static void check_part(struct result *r, const struct result_part *p)
{
    char text[UNITS_TEXT_MAX];

    if (p->limited)
        result_add_reason(r, "share %s was limited by its machine: the plan was not offered as it says", p->share);
    if (p->interrupted)
        result_add_reason(r, "share %s was interrupted after %s", p->share,
                          units_format_duration(text, p->duration_s * NS_PER_S));
    if (p->start.late_s > APART_S)
        result_add_reason(r, "share %s began %s after the agreed start", p->share,
                          units_format_duration(text, p->start.late_s * NS_PER_S));
}

static void check_starts(struct result *r)
{
    const struct result_part *first = &r->parts[0], *last = &r->parts[0];
    char text[UNITS_TEXT_MAX];
    double apart_s;

    for (size_t i = 1; i < r->part_count; i++) {
        const struct result_part *p = &r->parts[i];

        first = strcmp(p->started, first->started) < 0 ? p : first;
        last = strcmp(p->started, last->started) > 0 ? p : last;
        if (strcmp(p->start.at, r->parts[0].start.at) != 0) {
            result_add_reason(r, "the shares were to start at different moments (share %s: %s, share %s: %s)",
                              r->parts[0].share, r->parts[0].start.at, p->share, p->start.at);
            return;
        }
    }
    apart_s = ((double)merge_start_ns(last->started) - (double)merge_start_ns(first->started)) / NS_PER_S;
    if (apart_s > APART_S)
        result_add_reason(r, "share %s began %s after share %s, or their clocks differ (--start-at, --clock-check)",
                          last->share, units_format_duration(text, apart_s * NS_PER_S), first->share);
}

void merge_check_shares(struct result *r)
{
    uint64_t of;

    if (count_shares(r, &of) != 0 || of == 0)
        return;
    find_missing(r, of);
    for (size_t i = 0; i < r->part_count; i++)
        check_part(r, &r->parts[i]);
    check_starts(r);
}
