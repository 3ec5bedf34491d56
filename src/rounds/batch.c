/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "rounds/batch_internal.h"

#define TICK_NS (100u * (uint64_t)NS_PER_MS)

static void end_of_process(struct batch *b, struct batch_process *p, uint64_t now)
{
    const struct spawn_slot *slot;
    pid_t reaped;

    if (p->stopped || p->timed_out)
        kill(-p->pid, SIGKILL); /* before the id is free again: what is left of its group goes with it */
    do {
        reaped = wait4(p->pid, &p->status, 0, &p->usage);
    } while (reaped < 0 && errno == EINTR);
    slot = spawn_gate_slot(b->gate, (uint32_t)(p - b->processes));
    p->exec_ns = slot->exec_ns;
    p->error = slot->error;
    p->stage = slot->stage;
    p->exit_ns = now;
    batch_unwatch_exit(b, p);
    b->running--;
    batch_drain(b, p);
    p->ended = true;
    if (b->config->on_end != NULL)
        b->config->on_end(b->config->arg, p, b->release_ns);
}

static void stop_process(struct batch *b, struct batch_process *p, uint64_t now)
{
    kill(-p->pid, SIGTERM);
    kill(-p->pid, SIGCONT); /* one that is suspended would never see it */
    p->_stop_at_ns = UINT64_MAX;
    p->_kill_at_ns = now + b->config->kill_after_ns;
}

/* The next moment at which a process must be stopped or killed; those whose moment has come are. */
static void look_at_deadlines(struct batch *b, uint64_t now)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t i = 0; i < b->made; i++) {
        struct batch_process *p = &b->processes[i];

        if (!p->started || p->ended)
            continue;
        if (now >= p->_stop_at_ns) {
            p->timed_out = true;
            stop_process(b, p, now);
        }
        if (now >= p->_kill_at_ns) {
            kill(-p->pid, SIGKILL);
            p->_kill_at_ns = UINT64_MAX;
        }
        next = p->_stop_at_ns < next ? p->_stop_at_ns : next;
        next = p->_kill_at_ns < next ? p->_kill_at_ns : next;
    }
    b->deadline_ns = next;
}

static void stop_all(struct batch *b, uint64_t now)
{
    b->stopping = true;
    for (uint32_t i = 0; i < b->count; i++) {
        struct batch_process *p = &b->processes[i];

        if (p->ended || p->timed_out)
            continue;
        p->stopped = true;
        if (p->started)
            stop_process(b, p, now);
    }
    look_at_deadlines(b, now);
}

/* At the latest: the next deadline, the next start, the next tick. */
static struct timespec how_long(const struct batch *b, uint64_t now)
{
    uint64_t until = b->tick_ns;

    until = b->deadline_ns < until ? b->deadline_ns : until;
    if (b->made < b->count && !b->stopping)
        until = b->due_ns < until ? b->due_ns : until;
    until = until > now ? until - now : 0;
    return (struct timespec){ (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };
}

/* Sandboxes older than the call refuse it: then to the millisecond, rounded up. */
static int wait_for_events(const struct batch *b, struct epoll_event *events)
{
    const struct timespec limit = how_long(b, clock_now_ns());
    const int n = epoll_pwait2(b->exits, events, BATCH_EVENTS, &limit, NULL);

    if (n >= 0 || (errno != ENOSYS && errno != EPERM))
        return n;
    return epoll_wait(b->exits, events, BATCH_EVENTS,
                      (int)(limit.tv_sec * 1000 + (limit.tv_nsec + NS_PER_MS - 1) / NS_PER_MS));
}

static void take_events(struct batch *b)
{
    struct epoll_event events[BATCH_EVENTS];
    const int n = wait_for_events(b, events);
    const uint64_t now = clock_now_ns();
    bool output = false;

    for (int i = 0; i < n; i++) {
        if (events[i].data.u32 == BATCH_OUTPUT)
            output = true;
        else
            end_of_process(b, &b->processes[events[i].data.u32], now);
    }
    if (output)
        batch_read_some(b);
}

static void look_around(struct batch *b)
{
    const uint64_t now = clock_now_ns();

    if (!b->stopping && b->config->stop != NULL && *b->config->stop != 0)
        stop_all(b, now);
    if (now >= b->deadline_ns)
        look_at_deadlines(b, now);
    if (now < b->tick_ns)
        return;
    b->tick_ns = now + TICK_NS;
    if (b->config->on_tick != NULL)
        b->config->on_tick(b->config->arg);
}

/* A process could not be made: those that are there go. */
static void give_up(struct batch *b)
{
    spawn_gate_abandon(b->gate);
    for (uint32_t i = 0; i < b->made; i++)
        if (b->processes[i].started && !b->processes[i].ended)
            kill(-b->processes[i].pid, SIGKILL);
    b->stopping = true;
}

static int start_all(struct batch *b, struct err *err)
{
    spawn_gate_close(b->gate, batch_startable(b));
    while (b->made < b->count)
        if (batch_start_one(b, err) != 0)
            return -1;
    b->release_ns = spawn_gate_open(b->gate);
    batch_set_deadlines(b, 0, b->release_ns);
    return 0;
}

/* Those whose time has come; each has a gate of its own. */
static int start_due(struct batch *b, struct err *err)
{
    while (b->made < b->count && !b->stopping && clock_now_ns() >= b->due_ns) {
        const uint32_t i = b->made;

        spawn_gate_close(b->gate, 1);
        if (batch_start_one(b, err) != 0)
            return -1;
        batch_set_deadlines(b, i, b->due_ns);
        b->due_ns = b->release_ns + (uint64_t)((double)b->made * NS_PER_S / b->config->rate_per_s);
    }
    return 0;
}

static int start(struct batch *b, struct err *err)
{
    int rc;

    if (b->made >= b->count || b->stopping)
        return 0;
    rc = b->config->rate_per_s > 0 ? start_due(b, err) : start_all(b, err);
    if (rc != 0)
        give_up(b);
    return rc;
}

static bool is_over(const struct batch *b)
{
    return b->running == 0 && (b->made >= b->count || b->stopping);
}

int batch_run(struct batch *b, struct batch_process *processes, uint32_t count, const struct batch_config *config,
              uint64_t *release_ns, struct err *err)
{
    int rc = 0;

    b->processes = processes;
    b->count = count;
    b->config = config;
    b->made = b->running = 0;
    b->stopping = config->stop != NULL && *config->stop != 0;
    b->deadline_ns = UINT64_MAX;
    b->release_ns = b->due_ns = clock_now_ns();
    b->tick_ns = b->release_ns + TICK_NS;
    for (uint32_t i = 0; i < count; i++)
        batch_process_init(&processes[i], b->stopping);
    do {
        rc = start(b, err) != 0 ? -1 : rc;
        if (b->running > 0 || b->made < b->count)
            take_events(b);
        look_around(b);
    } while (!is_over(b));
    batch_let_go(b);
    *release_ns = b->release_ns;
    return rc;
}
