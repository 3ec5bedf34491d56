/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/spawn.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

/* In memory that children share. */
struct shared {
    _Atomic uint32_t state;    /* enum gate_state; a futex */
    _Atomic uint32_t arrived;  /* a futex */
    _Atomic uint32_t expected; /* who is the last of so many wakes the parent */
    struct spawn_slot slots[];
};

struct spawn_gate {
    struct shared *shared;
    size_t shared_bytes;
    uint32_t count, made; /* since it was closed */
    pid_t *pids;
    pid_t parent;
    bool has_files;
    struct rlimit files;
    uint64_t opened_ns;
};

/* What a child needs to know, on its parent's stack. */
struct child {
    const struct spawn_gate *gate;
    const struct spawn_job *job;
    struct spawn_slot *slot;
    const sigset_t *mask;
    bool alone;
};

/* How long the parent sleeps at most before it looks whether a child died on its way to the gate. */
#define LOOK_NS (100 * (long)NS_PER_MS)

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static void arrive(struct shared *s)
{
    const uint32_t arrived = atomic_fetch_add(&s->arrived, 1) + 1;

    if (arrived >= atomic_load(&s->expected))
        futex(&s->arrived, FUTEX_WAKE, 1, NULL);
}

/* Ends the child; what it could not do stands in its slot. Nothing of its parent's is flushed or undone. */
static void __attribute__((noreturn)) give_up(const struct child *c, enum spawn_stage stage, int error)
{
    c->slot->stage = stage;
    c->slot->error = error;
    _exit(127);
}

/* Handlers must not run in a child that shares its parent's memory. What we ignore the program must not inherit. */
static void reset_signals(void)
{
    static const int NUMBERS[] = { SIGINT, SIGTERM, SIGPIPE, SIGXFSZ };
    const struct sigaction standard = { .sa_handler = SIG_DFL };

    for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++)
        sigaction(NUMBERS[i], &standard, NULL);
}

static int prepare(const struct child *c)
{
    reset_signals();
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return -1;
    if (getppid() != c->gate->parent) /* it died before the line above */
        _exit(127);
    if (c->gate->has_files && setrlimit(RLIMIT_NOFILE, &c->gate->files) != 0)
        return -1;
    return dup2(c->job->in, 0) < 0 || dup2(c->job->out, 1) < 0 || dup2(c->job->err, 2) < 0 ? -1 : 0;
}

static void wait_at_gate(struct shared *s)
{
    uint32_t state;

    arrive(s);
    while ((state = atomic_load(&s->state)) == GATE_CLOSED)
        futex(&s->state, FUTEX_WAIT, GATE_CLOSED, NULL);
    if (state == GATE_ABANDONED)
        _exit(0);
}

static void __attribute__((noreturn)) be_child(const struct child *c)
{
    enum spawn_stage failed = SPAWN_EXEC;
    int error = 0;

    if (prepare(c) != 0) {
        error = errno;
        failed = SPAWN_PREPARE;
    } else if (c->job->cwd != NULL && chdir(c->job->cwd) != 0) {
        error = errno;
        failed = SPAWN_CWD;
    }
    if (!c->alone)
        wait_at_gate(c->gate->shared);
    c->slot->exec_ns = clock_now_ns();
    if (error != 0)
        give_up(c, failed, error);
    sigprocmask(SIG_SETMASK, c->mask, NULL);
    execve(c->job->path, c->job->argv, c->job->envp);
    give_up(c, SPAWN_EXEC, errno);
}

/* The child borrows our stack until it has become its program: nothing but the call may stand here. */
static pid_t make_alone(const struct child *c)
{
    const pid_t pid = vfork();

    if (pid == 0)
        be_child(c);
    return pid;
}

static pid_t make_among_others(const struct child *c)
{
    const pid_t pid = fork();

    if (pid == 0)
        be_child(c);
    return pid;
}

int spawn_gate_new(struct spawn_gate **out, uint32_t max, const struct rlimit *files, struct err *err)
{
    struct spawn_gate *g = calloc(1, sizeof(*g));
    void *memory = MAP_FAILED;

    *out = NULL;
    if (g == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make ready to start processes");
    g->shared_bytes = sizeof(*g->shared) + (size_t)max * sizeof(g->shared->slots[0]);
    g->pids = calloc(max, sizeof(*g->pids));
    if (g->pids != NULL)
        memory = mmap(NULL, g->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        err_set(err, ERR_SYSTEM, errno, "cannot make ready to start processes");
        free(g->pids);
        free(g);
        return -1;
    }
    g->shared = memory;
    g->parent = getpid();
    g->has_files = files != NULL;
    if (files != NULL)
        g->files = *files;
    *out = g;
    return 0;
}

void spawn_gate_free(struct spawn_gate *g)
{
    if (g == NULL)
        return;
    munmap(g->shared, g->shared_bytes);
    free(g->pids);
    free(g);
}

void spawn_gate_close(struct spawn_gate *g, uint32_t count)
{
    g->count = count;
    g->made = 0;
    g->opened_ns = 0;
    atomic_store(&g->shared->state, GATE_CLOSED);
    atomic_store(&g->shared->arrived, 0);
    atomic_store(&g->shared->expected, UINT32_MAX);
}

static int refuse(const struct spawn_gate *g, int sys, struct err *err)
{
    err_set(err, sys == EAGAIN ? ERR_LIMIT : ERR_SYSTEM, sys, "cannot start process %u of %u", (unsigned)g->made + 1,
            (unsigned)g->count);
    if (sys == EAGAIN)
        err_hint(err, "fewer copies, or a higher limit of processes (ulimit -u, the pids limit of the cgroup)");
    return -1;
}

pid_t spawn_make(struct spawn_gate *g, uint32_t i, const struct spawn_job *job, struct err *err)
{
    sigset_t all, mask;
    struct child c = { g, job, &g->shared->slots[i], &mask, g->count == 1 };
    pid_t pid;
    int sys;

    *c.slot = (struct spawn_slot){ 0 };
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    if (c.alone)
        g->opened_ns = clock_now_ns();
    pid = c.alone ? make_alone(&c) : make_among_others(&c);
    sys = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0)
        return refuse(g, sys, err);
    g->pids[g->made++] = pid;
    return pid;
}

static uint32_t count_dead(const struct spawn_gate *g)
{
    uint32_t dead = 0;

    for (uint32_t i = 0; i < g->made; i++) {
        siginfo_t info = { 0 };

        dead += waitid(P_PID, (id_t)g->pids[i], &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    }
    return dead;
}

static void wait_for_arrivals(const struct spawn_gate *g)
{
    const struct timespec look = { 0, LOOK_NS };
    uint32_t arrived, dead = 0;

    atomic_store(&g->shared->expected, g->made);
    while ((arrived = atomic_load(&g->shared->arrived)) + dead < g->made) {
        if (futex(&g->shared->arrived, FUTEX_WAIT, arrived, &look) != 0 && errno == ETIMEDOUT)
            dead = count_dead(g);
    }
}

static void set_state(const struct spawn_gate *g, enum gate_state state)
{
    atomic_store(&g->shared->state, state);
    futex(&g->shared->state, FUTEX_WAKE, INT_MAX, NULL);
}

uint64_t spawn_gate_open(struct spawn_gate *g)
{
    if (g->count == 1)
        return g->opened_ns;
    wait_for_arrivals(g);
    g->opened_ns = clock_now_ns();
    set_state(g, GATE_OPEN);
    return g->opened_ns;
}

void spawn_gate_abandon(struct spawn_gate *g)
{
    set_state(g, GATE_ABANDONED);
}

const struct spawn_slot *spawn_gate_slot(const struct spawn_gate *g, uint32_t i)
{
    return &g->shared->slots[i];
}
