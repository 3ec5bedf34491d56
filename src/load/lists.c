/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/loader.h"
#include "base/clock.h"

/* Time-outs. Their limits are constants: what began first ends first, and one timer for the oldest is enough. */

#define BACKOFF_FIRST_NS UINT64_C(10000000)
#define LINGER_MAX_NS UINT64_C(1000000000)
#define LINGER_YOUNG_NS UINT64_C(100000)
#define LINGER_CHECKS 4 /* per socket added: the ring can not grow faster than it is looked at */
#define LINGER_TICK_NS UINT64_C(10000000)

/* Nothing but a mark: most requests end in time, and linking them would touch their neighbours' memory twice a request.
 * The timer stands for the oldest request there was when it was set; when it fires it looks at all of them. */
void timeout_add(struct exchange *x)
{
    struct loader *w = x->client->loader;

    x->timed = true;
    if (w->timeout_is_armed)
        return;
    w->timeout_is_armed = true;
    timer_start(&w->timeout_timer, w->run->plan->timeout_ns);
}

void timeout_drop(struct exchange *x)
{
    x->timed = false;
}

void client_list_add_connect(struct client *c)
{
    struct loader *w = c->loader;
    struct client_list *l = &w->connects;

    c->in_connect = (struct client_link){ .prev = l->last };
    if (l->last != NULL)
        l->last->in_connect.next = c;
    else
        l->first = c;
    l->last = c;
    c->opening_timed = true;
    if (l->first == c && !timer_is_running(&w->connect_timer))
        timer_start(&w->connect_timer, w->run->plan->connect_timeout_ns);
}

void client_list_drop_connect(struct client *c)
{
    struct client_list *l = &c->loader->connects;
    struct client *prev = c->in_connect.prev, *next = c->in_connect.next;

    if (!c->opening_timed)
        return;
    if (prev != NULL)
        prev->in_connect.next = next;
    else
        l->first = next;
    if (next != NULL)
        next->in_connect.prev = prev;
    else
        l->last = prev;
    c->opening_timed = false;
}

void continue_add(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    struct client_list *l = &w->continues;

    c->awaits_since_ns = now;
    c->in_continue = (struct client_link){ .prev = l->last };
    if (l->last != NULL)
        l->last->in_continue.next = c;
    else
        l->first = c;
    l->last = c;
    if (l->first == c && !timer_is_running(&w->continue_timer))
        timer_start(&w->continue_timer, CONTINUE_WAIT_NS);
}

void continue_drop(struct client *c)
{
    struct client_list *l = &c->loader->continues;
    struct client *prev = c->in_continue.prev, *next = c->in_continue.next;

    c->awaits_continue = false;
    if (c->awaits_since_ns == 0)
        return; /* its head is not out yet */
    c->awaits_since_ns = 0;
    if (prev != NULL)
        prev->in_continue.next = next;
    else
        l->first = next;
    if (next != NULL)
        next->in_continue.prev = prev;
    else
        l->last = prev;
}

/* A server that does not know Expect answers nothing: the body goes out after a while all the same. */
static void on_continue_wait(struct timer *t)
{
    struct loader *w = t->arg;
    const uint64_t now = clock_now_ns();

    while (w->continues.first != NULL && w->continues.first->awaits_since_ns + CONTINUE_WAIT_NS <= now)
        http1_continue(w->continues.first);
    if (w->continues.first != NULL && w->stage != STAGE_OVER)
        timer_start(t, w->continues.first->awaits_since_ns + CONTINUE_WAIT_NS - now);
}

static void on_timeouts(struct timer *t)
{
    struct loader *w = t->arg;
    const uint64_t limit = w->run->plan->timeout_ns;
    const uint64_t now = clock_now_ns();
    const size_t count = (size_t)w->conn_count * w->run->streams;
    uint64_t oldest = UINT64_MAX;

    w->timeout_is_armed = false;
    for (size_t i = 0; i < count && w->stage != STAGE_OVER; i++)
        if (w->exchanges[i].timed && w->exchanges[i].taken_ns + limit <= now)
            exchange_time_out(&w->exchanges[i], now);
    for (size_t i = 0; i < count && w->stage != STAGE_OVER; i++)
        if (w->exchanges[i].timed && w->exchanges[i].taken_ns < oldest)
            oldest = w->exchanges[i].taken_ns;
    if (oldest == UINT64_MAX)
        return;
    w->timeout_is_armed = true;
    timer_start(t, oldest + limit > now ? oldest + limit - now : 0);
}

static void on_connect_timeouts(struct timer *t)
{
    struct loader *w = t->arg;
    const uint64_t limit = w->run->plan->connect_timeout_ns;
    const uint64_t now = clock_now_ns();

    while (w->connects.first != NULL && w->connects.first->connect_start_ns + limit <= now) {
        struct client *c = w->connects.first;
        const bool tls = c->state == CLIENT_TLS, tunnel = c->state == CLIENT_TUNNEL;
        const struct failure why = { .kind = FAIL_CONNECT_TIMEOUT,
                                     .note = tls      ? "in the TLS handshake"
                                             : tunnel ? "the proxy did not answer CONNECT"
                                                      : "" };

        if (tls || tunnel)
            client_open_failed(c, &why, now);
        else
            client_address_failed(c, &why, now);
    }
    if (w->connects.first != NULL && w->stage != STAGE_OVER)
        timer_start(t, w->connects.first->connect_start_ns + limit - now);
}

/* Back-off: a queue per delay, so that each is in order of waking. */
void loader_sleep(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    const unsigned level = c->backoff_level;

    c->wake_ns = now + (BACKOFF_FIRST_NS << level);
    c->state = CLIENT_SLEEPING;
    c->next_sleeping = NULL;
    if (w->sleeping[level].last != NULL)
        w->sleeping[level].last->next_sleeping = c;
    else
        w->sleeping[level].first = c;
    w->sleeping[level].last = c;
    w->sleeping_count++;
    if (level + 1 < BACKOFF_LEVELS)
        c->backoff_level++;
    if (!timer_is_running(&w->backoff_timer))
        timer_start(&w->backoff_timer, BACKOFF_FIRST_NS);
}

/* By count alone nobody else ends a run whose target has gone. */
static bool give_up(struct loader *w, uint64_t now)
{
    return w->stage == STAGE_WINDOW && w->window_end_ns == UINT64_MAX && w->sleeping_count >= w->active &&
           now - w->alive_ns > w->run->plan->timeout_ns;
}

static void on_backoff(struct timer *t)
{
    struct loader *w = t->arg;
    const uint64_t now = clock_now_ns();

    if (give_up(w, now)) {
        w->gave_up = true;
        loader_finish(w, now);
        return;
    }
    for (unsigned level = 0; level < BACKOFF_LEVELS; level++) {
        while (w->sleeping[level].first != NULL && w->sleeping[level].first->wake_ns <= now) {
            struct client *c = w->sleeping[level].first;

            w->sleeping[level].first = c->next_sleeping;
            if (c->next_sleeping == NULL)
                w->sleeping[level].last = NULL;
            w->sleeping_count--;
            c->state = CLIENT_IDLE;
            if (c->active_count > 0)
                client_open(c, now);
            else
                loader_next_all(c, now);
        }
    }
    if (w->sleeping_count > 0 && w->stage != STAGE_OVER)
        timer_start(t, BACKOFF_FIRST_NS);
}

/* True when the socket is done with: the peer's FIN has come, or time is up. */
static bool linger_is_over(struct loader *w, struct lingering *l, uint64_t now)
{
    struct stream s = STREAM_CLOSED;
    size_t moved;
    enum io io;

    stream_adopt(&s, l->fd, l->is_tcp);
    do
        io = stream_discard(&s, SCRATCH_BYTES, w->scratch, SCRATCH_BYTES, &moved);
    while (io == IO_OK && now - l->since_ns < LINGER_MAX_NS);
    if (io == IO_WANT_READ && now - l->since_ns < LINGER_MAX_NS)
        return false;
    stream_close(&s);
    return true;
}

/* Looks at the oldest ones, but not at those younger than min_age_ns: their FIN is still on its way, and asking costs a
 * call. */
static void linger_check(struct loader *w, unsigned at_most, uint64_t min_age_ns, uint64_t now)
{
    while (w->linger_count > 0 && at_most-- > 0) {
        struct lingering again = w->lingers[w->linger_first];

        if (now - again.since_ns < min_age_ns)
            return;

        w->linger_first = (w->linger_first + 1) % w->linger_capacity;
        w->linger_count--;
        if (linger_is_over(w, &again, now))
            continue;
        w->lingers[(w->linger_first + w->linger_count++) % w->linger_capacity] = again; /* to the end */
    }
}

static void on_linger(struct timer *t)
{
    struct loader *w = t->arg;

    linger_check(w, w->linger_count, 0, clock_now_ns());
    if (w->linger_count > 0)
        timer_start(t, LINGER_TICK_NS);
}

void loader_linger(struct loader *w, struct stream *s, uint64_t now)
{
    linger_check(w, LINGER_CHECKS, LINGER_YOUNG_NS, now);
    if (w->linger_count == w->linger_capacity) {
        stream_close(s);
        return;
    }
    w->lingers[(w->linger_first + w->linger_count++) % w->linger_capacity] = (struct lingering){ .fd = s->fd,
                                                                                                 .is_tcp = s->is_tcp,
                                                                                                 .since_ns = now };
    s->fd = -1;
    if (!timer_is_running(&w->linger_timer))
        timer_start(&w->linger_timer, LINGER_TICK_NS);
}

void linger_close_all(struct loader *w)
{
    for (; w->linger_count > 0; w->linger_count--) {
        struct stream s = STREAM_CLOSED;

        stream_adopt(&s, w->lingers[w->linger_first].fd, true);
        stream_close(&s);
        w->linger_first = (w->linger_first + 1) % w->linger_capacity;
    }
}

static void init_timer(struct loader *w, struct timer *t, void (*on_time)(struct timer *t))
{
    timer_init(t, w->loop);
    t->on_time = on_time;
    t->arg = w;
}

void lists_init(struct loader *w)
{
    init_timer(w, &w->timeout_timer, on_timeouts);
    init_timer(w, &w->connect_timer, on_connect_timeouts);
    init_timer(w, &w->continue_timer, on_continue_wait);
    init_timer(w, &w->backoff_timer, on_backoff);
    init_timer(w, &w->linger_timer, on_linger);
}
