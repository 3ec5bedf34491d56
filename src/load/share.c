/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/share.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "load/prepare.h"

int share_check(const struct load *l, uint64_t n, const char *what, struct err *err)
{
    const uint32_t shares = load_share_count(l->plan.share);

    if (n >= shares)
        return 0;
    err_set(err, ERR_USAGE, 0, "--share: there are %llu %s for %u shares", (unsigned long long)n, what, shares);
    return err_hint(err, "each share needs one: make fewer shares, or a larger plan");
}

/* Numbers of a schedule that follow each other fall to all shares when there are as many of them. */
static int check_schedule(const struct load *l, struct err *err)
{
    const struct load_plan *plan = &l->plan;
    const struct load_schedule *s = &plan->schedule;

    if (load_share_count(plan->share) == 1 || s->stage_count != 1 || s->burst_size > 0 || plan->duration_ns == 0 ||
        s->arrivals == LOAD_ARRIVALS_POISSON || s->stages[0].from_per_s != s->stages[0].to_per_s)
        return 0;
    return share_check(l, schedule_due_before(s, plan->duration_ns), "requests due in the window", err);
}

int share_check_plan(const struct load *l, struct err *err)
{
    const struct load_plan *plan = &l->plan;

    if (plan->share.index >= load_share_count(plan->share))
        BUG("a share beyond the last");
    if ((plan->requests > 0 && share_check(l, plan->requests, "requests", err) != 0) ||
        (plan->max_in_flight > 0 && share_check(l, plan->max_in_flight, "requests in flight", err) != 0) ||
        (plan->feed != NULL && share_check(l, l->run.feed.rows, "rows in the feed", err) != 0))
        return -1;
    return check_schedule(l, err);
}

void share_count_connections(struct load *l)
{
    struct run *run = &l->run;

    run->all_connections = 0;
    run->is_even = true;
    for (size_t i = 0; i < run->target_count; i++) {
        const struct target *t = &run->targets[i];

        run->has_manners = run->has_manners || t->spec->manner != NULL;
        run->is_even = run->is_even && t->manner.connections == run->targets[0].manner.connections;
        run->all_connections += t->manner.connections;
    }
}

void share_numbers(struct load *l)
{
    struct load_plan *plan = &l->plan;
    struct run *run = &l->run;
    const uint32_t shares = load_share_count(plan->share), index = plan->share.index;

    if (run->is_open)
        run->requests = run->shares;
    else
        deal_init(&run->requests, shares, shares, 1);
    plan->requests = deal_below(&run->requests, index, plan->requests);
    plan->max_in_flight = deal_below(&run->shares, index, plan->max_in_flight);
    if (plan->feed != NULL)
        feed_keep(&run->feed, &run->requests, index);
}

/* --- which connection is whose ----------------------------------------------------------------------------------- */

/* Connection o of a target that has n of them lies at (2 o + 1) / 2 n of the cycle, so that each target's are as far
 * from each other as can be. */
static int by_place(const void *a, const void *b, void *arg)
{
    const struct target *targets = arg;
    const struct place *x = a, *y = b;
    const uint64_t left = (2 * (uint64_t)x->ordinal + 1) * targets[y->target].manner.connections;
    const uint64_t right = (2 * (uint64_t)y->ordinal + 1) * targets[x->target].manner.connections;

    if (left != right)
        return left < right ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* The connections of the whole plan in the order of their turns. NULL: no memory. */
static struct place *order_all(const struct run *run)
{
    struct place *all = calloc(run->all_connections, sizeof(*all)), *p = all;

    for (uint32_t i = 0; all != NULL && i < run->target_count; i++)
        for (uint32_t o = 0; o < run->targets[i].manner.connections; o++)
            *p++ = (struct place){ i, o };
    if (all != NULL)
        qsort_r(all, run->all_connections, sizeof(*all), by_place, run->targets);
    return all;
}

/* Turns whose targets all have the same number of connections go round the targets: there is nothing to sort. */
static void place_connections(struct run *run, uint32_t from, uint32_t to, const struct place *all, uint32_t *ordinals)
{
    for (uint32_t k = from; k < to; k++) {
        const uint64_t turn = deal_number(&run->shares, run->share.index, k) % run->shares.turns;
        const uint32_t target = all != NULL ? all[turn].target : (uint32_t)(turn % run->target_count);

        run->places[k] = (struct place){ target, ordinals[target]++ };
    }
}

static void place_all(struct load *l, const struct place *all, uint32_t *ordinals)
{
    struct run *run = &l->run;

    place_connections(run, 0, l->connections, all, ordinals);
    for (size_t i = 0; i < run->target_count; i++)
        run->targets[i].manner.connections = ordinals[i];
    place_connections(run, l->connections, l->capacity, all, ordinals);
}

int share_place_connections(struct load *l, struct err *err)
{
    struct run *run = &l->run;
    struct place *all = run->is_even ? NULL : order_all(run);
    uint32_t *ordinals = calloc(run->target_count, sizeof(*ordinals));
    int rc = 0;

    run->places = calloc(l->capacity, sizeof(*run->places));
    if (run->places == NULL || ordinals == NULL || (all == NULL && !run->is_even))
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %u connection%s", l->connections,
                     units_plural(l->connections));
    else
        place_all(l, all, ordinals);
    free(ordinals);
    free(all);
    return rc;
}
