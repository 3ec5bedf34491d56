/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which connection takes a request, and when.
 *
 * Closed model: a connection that is free takes the next one at once, or after its think time, as long as it is among
 * the connections that are active now. Open model: requests come due by the schedule; a free connection waits for one
 * in line, and when none is free the request waits in the schedule, which is a number and no memory, its latency
 * counting from when it was due. */
#include "load/loader.h"

#include "base/clock.h"
#include "base/units.h"

/* A number that no other worker of the plan has. */
static uint64_t stream_of(const struct loader *w)
{
    return (uint64_t)w->index * load_share_count(w->run->share) + w->run->share.index;
}

/* --- think time: a heap of connections by waking time ------------------------------------------------------------ */

static void heap_set(struct loader *w, uint32_t at, struct exchange *x)
{
    w->thinking[at] = x;
}

static void heap_push(struct loader *w, struct exchange *x)
{
    uint32_t at = w->thinking_count++;

    while (at > 0 && w->thinking[(at - 1) / 2]->wake_ns > x->wake_ns) {
        heap_set(w, at, w->thinking[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(w, at, x);
}

static struct exchange *heap_pop(struct loader *w)
{
    struct exchange *first = w->thinking[0], *last = w->thinking[--w->thinking_count];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < w->thinking_count && w->thinking[child + 1]->wake_ns < w->thinking[child]->wake_ns)
            child++;
        if (child >= w->thinking_count || w->thinking[child]->wake_ns >= last->wake_ns)
            break;
        heap_set(w, at, w->thinking[child]);
        at = child;
    }
    if (w->thinking_count > 0)
        heap_set(w, at, last);
    return first;
}

static void arm_think(struct loader *w)
{
    if (w->thinking_count > 0)
        alarm_at(&w->think_alarm, w->thinking[0]->wake_ns);
}

static uint64_t longest_think(const struct load_manner *manner, uint64_t t_ns)
{
    const uint64_t half = t_ns < manner->think_ramp_ns ? (manner->think_ramp_ns - t_ns) / 2 : 0;

    return half > manner->think_max_ns ? half : manner->think_max_ns;
}

static void think(struct exchange *x, uint64_t now)
{
    struct loader *w = x->client->loader;
    const struct load_manner *manner = &x->client->target->manner;
    const uint64_t longest = longest_think(manner, now - w->window_start_ns);
    const uint64_t spread = longest - manner->think_min_ns;

    x->wake_ns = now + manner->think_min_ns + (spread > 0 ? rng_below(&w->rng, spread + 1) : 0);
    x->is_thinking = true;
    heap_push(w, x);
    if (w->thinking[0] == x)
        arm_think(w);
}

static void on_think(struct alarm_ns *a)
{
    struct loader *w = a->arg;
    const uint64_t now = clock_now_ns();

    while (w->thinking_count > 0 && w->thinking[0]->wake_ns <= now) {
        struct exchange *x = heap_pop(w);

        x->is_thinking = false;
        x->has_thought = true;
        loader_next(x, now);
        if (w->stage == STAGE_OVER)
            return;
    }
    arm_think(w);
}

/* --- how many connections are active (closed model) -------------------------------------------------------------- */

uint32_t pace_active(const struct load_plan *plan, uint64_t t_ns, uint64_t *next_change_ns)
{
    uint64_t end = 0;

    *next_change_ns = UINT64_MAX;
    if (plan->ramp_up_ns > 0 && t_ns < plan->ramp_up_ns) {
        /* Connection i joins at i * ramp / c: the first at once. */
        const uint64_t active = t_ns / 1000 * plan->connections / (plan->ramp_up_ns / 1000) + 1;

        *next_change_ns = (plan->ramp_up_ns / 1000 * active / plan->connections + 1) * 1000;
        return (uint32_t)(active < plan->connections ? active : plan->connections);
    }
    for (size_t i = 0; i < plan->connection_stage_count; i++) {
        end += plan->connection_stages[i].length_ns;
        if (t_ns >= end)
            continue;
        *next_change_ns = end;
        return plan->connection_stages[i].connections;
    }
    return plan->connection_stage_count > 0 ? plan->connection_stages[plan->connection_stage_count - 1].connections
                                            : plan->connections;
}

/* Those with the first numbers of the plan. */
static uint64_t share_of(const struct loader *w, uint64_t active)
{
    const struct run *run = w->run;
    const uint64_t whole = run->has_manners ? active * run->all_connections / run->plan->connections
                                            : active * run->target_count;

    return deal_below(&run->workers, w->index, deal_below(&run->shares, run->share.index, whole));
}

uint32_t pace_active_share(const struct loader *w, uint64_t t_ns)
{
    uint64_t next;
    const uint64_t active = share_of(w, pace_active(w->run->plan, t_ns, &next));

    return active < w->conn_count ? (uint32_t)active : w->conn_count;
}

/* Brings the number of active connections to what it should be now, and sets the alarm for the next change. */
static void on_level(struct alarm_ns *a)
{
    struct loader *w = a->arg;
    const uint64_t now = clock_now_ns();
    uint64_t next;

    if (w->stage != STAGE_WINDOW)
        return;
    w->active = pace_active_share(w, now - w->window_start_ns);
    (void)pace_active(w->run->plan, now - w->window_start_ns, &next);
    for (uint32_t i = 0; i < w->active && w->stage == STAGE_WINDOW; i++) {
        struct client *c = &w->conns[i];

        if (c->state == CLIENT_IDLE && c->active_count == 0 && !c->exchanges->is_thinking)
            client_open(c, now);
    }
    if (next != UINT64_MAX && w->window_start_ns + next < w->window_end_ns)
        alarm_at(a, w->window_start_ns + next);
}

static bool is_open_for_requests(const struct client *c)
{
    return c->state == CLIENT_READY || c->state == CLIENT_STREAMS || c->state == CLIENT_PIPELINE;
}

/* A connection beyond the active ones leaves. */
static void park(struct client *c, uint64_t now)
{
    if (is_open_for_requests(c) && c->active_count == 0 && !c->in_events)
        client_end(c, now);
}

static void closed_next(struct exchange *x, uint64_t now)
{
    struct loader *w = x->client->loader;

    if (x->client->index >= w->active) {
        park(x->client, now);
        return;
    }
    if (x->client->requests_left == 0) {
        park(x->client, now);
        loader_check_over(w, now);
        return;
    }
    if (x->client->target->manner.think_max_ns > 0 && !x->has_thought) {
        think(x, now);
        return;
    }
    x->has_thought = false;
    exchange_begin(x, now, now);
}

/* --- the schedule (open model) ----------------------------------------------------------------------------------- */

static uint64_t next_due(const struct loader *w)
{
    const uint64_t next = w->schedule.next_ns;

    return next > UINT64_MAX - w->schedule_start_ns ? UINT64_MAX : w->schedule_start_ns + next;
}

static bool is_due(const struct loader *w, uint64_t now)
{
    const uint64_t due = next_due(w);

    return due <= now && due < w->window_end_ns && w->in_flight + w->warm_in_flight < w->in_flight_limit &&
           loader_takes_requests(w, now);
}

static void take_due(struct exchange *x, uint64_t now, bool waited)
{
    struct loader *w = x->client->loader;
    const uint64_t due = next_due(w);

    if (w->rendered != NULL && w->stage == STAGE_WINDOW)
        w->next_seq = deal_below(&w->run->requests, w->run->share.index, w->schedule.number);
    schedule_take(&w->schedule);
    x->waited_for_due = waited && is_open_for_requests(x->client);
    exchange_begin(x, due, now);
}

static void idle_push(struct exchange *x)
{
    struct loader *w = x->client->loader;

    if (x->in_idle)
        return;
    x->in_idle = true;
    x->next_idle = NULL;
    if (w->idle_last != NULL)
        w->idle_last->next_idle = x;
    else
        w->idle_first = x;
    w->idle_last = x;
}

static struct exchange *idle_pop(struct loader *w)
{
    struct exchange *x = w->idle_first;

    if (x == NULL)
        return w->active < w->conn_count ? w->conns[w->active++].exchanges : NULL; /* --grow */
    w->idle_first = x->next_idle;
    if (w->idle_first == NULL)
        w->idle_last = NULL;
    x->in_idle = false;
    return x;
}

static void arm_due(struct loader *w)
{
    const uint64_t due = next_due(w);

    if (due == w->armed_due_ns || due >= w->window_end_ns || (w->idle_first == NULL && w->active == w->conn_count))
        return;
    w->armed_due_ns = due;
    alarm_at(&w->due_alarm, due);
}

static void serve_due(struct loader *w, uint64_t now)
{
    while (is_due(w, now)) {
        struct exchange *x = idle_pop(w);

        if (x == NULL)
            break;
        take_due(x, now, true);
        if (w->stage == STAGE_OVER)
            return;
        now = clock_now_ns();
    }
    arm_due(w);
}

static void on_due(struct alarm_ns *a)
{
    struct loader *w = a->arg;

    w->armed_due_ns = 0;
    if (w->stage == STAGE_WINDOW || w->stage == STAGE_WARMUP)
        serve_due(w, clock_now_ns());
}

static void open_next(struct exchange *x, uint64_t now)
{
    struct loader *w = x->client->loader;

    if (!x->in_idle && is_due(w, now)) { /* who waits in line is served from there, by the alarm */
        take_due(x, now, false);
        return;
    }
    idle_push(x);
    arm_due(w);
    loader_check_over(w, now);
}

/* --- common ------------------------------------------------------------------------------------------------------ */

/* A stream beyond those the server allows at a time would only wait inside the session: its slot stays empty. */
static bool is_beyond_limit(const struct exchange *x)
{
    const uint32_t limit = x->client->loader->h2_max_concurrent;

    return limit > 0 && (uint64_t)(x - x->client->exchanges) >= limit;
}

void loader_next(struct exchange *x, uint64_t now)
{
    struct loader *w = x->client->loader;

    if (is_beyond_limit(x)) {
        loader_check_over(w, now);
        return;
    }
    if (w->is_open)
        open_next(x, now);
    else if (loader_takes_requests(w, now))
        closed_next(x, now);
    else
        loader_check_over(w, now);
}

void loader_next_all(struct client *c, uint64_t now)
{
    for (uint32_t i = 0; i < c->exchange_count && c->loader->stage != STAGE_OVER; i++)
        if (!c->exchanges[i].active && !c->exchanges[i].is_thinking)
            loader_next(&c->exchanges[i], now);
}

void pace_begin(struct loader *w)
{
    const struct load_plan *plan = w->run->plan;
    uint64_t next;

    if (w->is_open) {
        const bool warm = w->stage == STAGE_WARMUP;
        const struct schedule_part part = { w->turns, (uint32_t)deal_turns(&w->run->workers, w->index),
                                            w->run->shares.turns };

        w->schedule_start_ns = warm ? w->run->go_ns : w->window_start_ns;
        schedule_init(&w->schedule, warm ? &w->run->warm_schedule : &plan->schedule, &part, plan->seed, stream_of(w));
        w->armed_due_ns = 0;
        serve_due(w, clock_now_ns());
    } else if (w->stage == STAGE_WINDOW && (plan->connection_stage_count > 0 || plan->ramp_up_ns > 0)) {
        (void)pace_active(plan, 0, &next);
        if (next != UINT64_MAX)
            alarm_at(&w->level_alarm, w->window_start_ns + next);
    }
}

double pace_due_before(const struct run *run, uint64_t t_ns)
{
    const struct load_schedule *s = &run->plan->schedule;
    const struct deal *shares = &run->shares;

    if (shares->players == 1)
        return schedule_expected(s, t_ns);
    if (s->arrivals == LOAD_ARRIVALS_POISSON && s->burst_size == 0)
        return schedule_expected(s, t_ns) * (double)deal_turns(shares, run->share.index) / (double)shares->turns;
    return (double)deal_below(shares, run->share.index, schedule_due_before(s, t_ns));
}

uint64_t pace_not_sent(struct loader *w)
{
    const uint64_t end = w->window_end_ns < w->finished_ns ? w->window_end_ns : w->finished_ns;
    uint64_t due;

    if (!w->is_open || w->schedule_start_ns != w->window_start_ns || end <= w->window_start_ns)
        return 0;
    due = schedule_skip(&w->schedule, end - w->window_start_ns);
    return due < w->budget ? due : w->budget;
}

static void set_alarm(struct alarm_ns *a, void (*on_time)(struct alarm_ns *), struct loader *w)
{
    a->on_time = on_time;
    a->arg = w;
}

int pace_init(struct loader *w, struct err *err)
{
    set_alarm(&w->think_alarm, on_think, w);
    set_alarm(&w->level_alarm, on_level, w);
    set_alarm(&w->due_alarm, on_due, w);
    rng_init(&w->rng, rng_derive(w->run->plan->seed, 1000000 + stream_of(w)));
    for (size_t i = 0; i < (size_t)w->conn_count * w->run->streams; i++)
        w->exchanges[i].has_thought = !w->exchanges[i].client->target->manner.think_first;
    if (alarm_init(&w->think_alarm, w->loop, err) != 0 || alarm_init(&w->level_alarm, w->loop, err) != 0)
        return -1;
    return alarm_init(&w->due_alarm, w->loop, err);
}

void pace_release(struct loader *w)
{
    alarm_close(&w->think_alarm);
    alarm_close(&w->level_alarm);
    alarm_close(&w->due_alarm);
}
