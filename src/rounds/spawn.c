/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/spawn.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
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
#include "rounds/raw_syscall.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(RAW_SYSCALL) && !defined(SANITIZED)
#define SHARES_MEMORY
#endif

/* Of a child that shares our memory; it goes a few calls deep and not further. */
#define STACK_BYTES (32u * 1024u)

enum gate_state { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

/* In memory that children share in any case. */
struct shared {
    _Atomic uint32_t state;    /* enum gate_state; a futex */
    _Atomic uint32_t arrived;  /* a futex */
    _Atomic uint32_t expected; /* who is the last of so many wakes the parent */
    struct spawn_slot slots[];
};

/* What a child needs to know. */
struct child {
    const struct spawn_gate *gate;
    const struct spawn_job *job;
    struct spawn_slot *slot;
    bool alone;
};

struct spawn_gate {
    struct shared *shared;
    size_t shared_bytes;
    char *stacks; /* NULL: children are forked */
    size_t stacks_bytes;
    uint32_t max, count, made; /* count, made: since it was closed */
    struct child *children;
    pid_t *pids;
    pid_t parent;
    bool has_files;
    struct rlimit files;
    sigset_t mask; /* what the programs begin with */
    uint64_t opened_ns;
};

/* How long the parent sleeps at most before it looks whether a child died on its way to the gate. */
#define LOOK_NS (100 * (long)NS_PER_MS)

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

/* In a child: 0, or what went wrong. */
#ifdef SHARES_MEMORY
#define child_call(number, a, b, c) ((int)-raw_syscall((number), (long)(a), (long)(b), (long)(c), 0))
#else
#define child_call(number, a, b, c) (syscall((number), (a), (b), (c), 0) < 0 ? errno : 0)
#endif

static void arrive(struct shared *s)
{
    const uint32_t arrived = atomic_fetch_add(&s->arrived, 1) + 1;

    if (arrived >= atomic_load(&s->expected))
        (void)child_call(SYS_futex, &s->arrived, FUTEX_WAKE, 1L);
}

static void wait_at_gate(struct shared *s)
{
    uint32_t state;

    arrive(s);
    while ((state = atomic_load(&s->state)) == GATE_CLOSED)
        (void)child_call(SYS_futex, &s->state, FUTEX_WAIT, (long)GATE_CLOSED);
    if (state == GATE_ABANDONED)
        _exit(0);
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

/* None of these fails but by our own mistake. */
static bool prepare(const struct child *c)
{
    reset_signals();
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return false;
    if (getppid() != c->gate->parent) /* it died before the line above */
        _exit(127);
    if (c->gate->has_files && setrlimit(RLIMIT_NOFILE, &c->gate->files) != 0)
        return false;
    return dup2(c->job->in, 0) == 0 && dup2(c->job->out, 1) == 1 && dup2(c->job->err, 2) == 2;
}

static int be_child(void *arg)
{
    const struct child *c = arg;
    enum spawn_stage failed = SPAWN_EXEC;
    int error = 0;

    if (!prepare(c)) {
        error = EIO;
        failed = SPAWN_PREPARE;
    } else if (c->job->cwd != NULL) {
        error = child_call(SYS_chdir, c->job->cwd, 0L, 0L);
        failed = SPAWN_CWD;
    }
    if (!c->alone)
        wait_at_gate(c->gate->shared);
    c->slot->exec_ns = clock_now_ns();
    if (error != 0)
        give_up(c, failed, error);
    sigprocmask(SIG_SETMASK, &c->gate->mask, NULL);
    error = child_call(SYS_execve, c->job->path, c->job->argv, c->job->envp);
    give_up(c, SPAWN_EXEC, error);
}

#ifdef SHARES_MEMORY
static pid_t make_child(const struct spawn_gate *g, struct child *c, uint32_t i, int *pidfd)
{
    char *top = g->stacks + ((size_t)i + 1) * STACK_BYTES;

    return clone(be_child, top, CLONE_VM | CLONE_PIDFD | SIGCHLD | (c->alone ? CLONE_VFORK : 0), c, pidfd);
}
#else
static pid_t make_child(const struct spawn_gate *g, struct child *c, uint32_t i, int *pidfd)
{
    const pid_t pid = fork();

    (void)g;
    (void)i;
    if (pid == 0)
        be_child(c);
    *pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    return pid;
}
#endif

static bool map_memory(struct spawn_gate *g)
{
    void *memory;

    g->shared_bytes = sizeof(*g->shared) + (size_t)g->max * sizeof(g->shared->slots[0]);
    memory = mmap(NULL, g->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    g->shared = memory;
#ifdef SHARES_MEMORY
    g->stacks_bytes = (size_t)g->max * STACK_BYTES;
    memory = mmap(NULL, g->stacks_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    g->stacks = memory;
#endif
    return true;
}

int spawn_gate_new(struct spawn_gate **out, uint32_t max, const struct rlimit *files, struct err *err)
{
    struct spawn_gate *g = calloc(1, sizeof(*g));

    *out = NULL;
    if (g == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make ready to start processes");
    g->max = max;
    g->parent = getpid();
    g->has_files = files != NULL;
    if (files != NULL)
        g->files = *files;
    g->pids = calloc(max, sizeof(*g->pids));
    g->children = calloc(max, sizeof(*g->children));
    if (g->pids == NULL || g->children == NULL || !map_memory(g)) {
        err_set(err, ERR_SYSTEM, errno, "cannot make ready to start processes");
        spawn_gate_free(g);
        return -1;
    }
    *out = g;
    return 0;
}

void spawn_gate_free(struct spawn_gate *g)
{
    if (g == NULL)
        return;
    if (g->shared != NULL)
        munmap(g->shared, g->shared_bytes);
    if (g->stacks != NULL)
        munmap(g->stacks, g->stacks_bytes);
    free(g->pids);
    free(g->children);
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

pid_t spawn_make(struct spawn_gate *g, uint32_t i, const struct spawn_job *job, int *pidfd, struct err *err)
{
    struct child *c = &g->children[i];
    sigset_t all;
    pid_t pid;
    int sys;

    *c = (struct child){ g, job, &g->shared->slots[i], g->count == 1 };
    *c->slot = (struct spawn_slot){ 0 };
    *pidfd = -1;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &g->mask);
    if (c->alone)
        g->opened_ns = clock_now_ns();
    pid = make_child(g, c, i, pidfd);
    sys = errno;
    sigprocmask(SIG_SETMASK, &g->mask, NULL);
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
