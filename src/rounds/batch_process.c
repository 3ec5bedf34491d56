/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/batch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* Of one turn, so that an exit is seen within some milliseconds however much is printed. */
#define TURN_BYTES (4u * OUTPUT_READ_BYTES)
/* Of a process that has ended: its pipe was full, and one that it left behind may go on filling it. */
#define DRAIN_BYTES (2u * OUTPUT_READ_BYTES)
enum { FILES_PER_PROCESS = 3, FILES_BESIDES = 8 };

int batch_new(struct batch **out, uint32_t max, const struct rlimit *files, struct err *err)
{
    struct batch *b = calloc(1, sizeof(*b));
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = BATCH_OUTPUT };

    *out = NULL;
    if (b == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make ready to run commands");
    b->max = max;
    b->exits = epoll_create1(EPOLL_CLOEXEC);
    b->outputs = epoll_create1(EPOLL_CLOEXEC);
    b->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    b->scratch = malloc(OUTPUT_READ_BYTES);
    if (b->exits < 0 || b->outputs < 0 || b->null < 0 || b->scratch == NULL ||
        epoll_ctl(b->exits, EPOLL_CTL_ADD, b->outputs, &event) != 0)
        err_set(err, ERR_SYSTEM, errno, "cannot make ready to run commands");
    else if (spawn_gate_new(&b->gate, max, files, err) == 0)
        *out = b;
    if (*out == NULL)
        batch_free(b);
    return *out != NULL ? 0 : -1;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void batch_free(struct batch *b)
{
    if (b == NULL)
        return;
    close_if_open(b->exits);
    close_if_open(b->outputs);
    close_if_open(b->null);
    free(b->scratch);
    spawn_gate_free(b->gate);
    free(b);
}

uint64_t batch_files(uint32_t max)
{
    return (uint64_t)max * FILES_PER_PROCESS + FILES_BESIDES;
}

void batch_process_init(struct batch_process *p, bool stopped)
{
    p->started = p->ended = p->timed_out = p->held = false;
    p->stopped = stopped;
    p->error = 0;
    p->exec_ns = p->exit_ns = 0;
    p->pid = -1;
    p->_pidfd = -1;
    p->_stop_at_ns = p->_kill_at_ns = UINT64_MAX;
    output_init(&p->streams[LINE_STDOUT], -1, p->index, LINE_STDOUT);
    output_init(&p->streams[LINE_STDERR], -1, p->index, LINE_STDERR);
}

void batch_process_release(struct batch_process *p)
{
    output_release(&p->streams[LINE_STDOUT]);
    output_release(&p->streams[LINE_STDERR]);
    program_release(&p->program);
}

uint32_t batch_startable(const struct batch *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->count; i++)
        n += b->processes[i].program.path != NULL;
    return n;
}

void batch_set_deadlines(struct batch *b, uint32_t first, uint64_t start_ns)
{
    if (b->config->timeout_ns == 0)
        return;
    for (uint32_t i = first; i < b->made; i++)
        if (b->processes[i].started && !b->processes[i].ended)
            b->processes[i]._stop_at_ns = start_ns + b->config->timeout_ns;
    if (start_ns + b->config->timeout_ns < b->deadline_ns)
        b->deadline_ns = start_ns + b->config->timeout_ns;
}

/* Without a process: what it would have needed is not there. */
static int end_unstarted(struct batch *b, struct batch_process *p, enum spawn_stage stage, int error)
{
    p->error = error;
    p->stage = stage;
    p->ended = true;
    p->exec_ns = p->exit_ns = clock_now_ns();
    if (b->config->on_end != NULL)
        b->config->on_end(b->config->arg, p, b->release_ns);
    return 0;
}

struct pipes {
    int out[2], err[2]; /* to read, to write */
    int in;
};

static void close_pipes(const struct pipes *p)
{
    close_if_open(p->out[0]);
    close_if_open(p->err[0]);
}

/* What the child has now; ours stay. */
static void close_childs(const struct batch *b, const struct pipes *p)
{
    close_if_open(p->out[1]);
    close_if_open(p->err[1]);
    if (p->in != b->null)
        close_if_open(p->in);
}

/* Only the end that we read does not block: the program's own is as it expects it. */
static int open_pipes(struct pipes *p, struct err *err)
{
    if (pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0 && fcntl(p->out[0], F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(p->err[0], F_SETFL, O_NONBLOCK) == 0)
        return 0;
    err_set(err, errno == EMFILE || errno == ENFILE ? ERR_LIMIT : ERR_SYSTEM, errno, "cannot make a pipe");
    return err_hint(err, "fewer copies, or a higher limit of open files (ulimit -n)");
}

static int watch(int epoll, int fd, uint32_t what)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int watch_process(struct batch *b, struct batch_process *p, uint32_t i, struct err *err)
{
    if (p->_pidfd >= 0 && watch(b->exits, p->_pidfd, i) == 0 &&
        watch(b->outputs, p->streams[LINE_STDOUT].fd, 2 * i + LINE_STDOUT) == 0 &&
        watch(b->outputs, p->streams[LINE_STDERR].fd, 2 * i + LINE_STDERR) == 0)
        return 0;
    err_set(err, ERR_SYSTEM, errno, "cannot watch a process");
    kill(p->pid, SIGKILL); /* nobody would see its end */
    waitpid(p->pid, &p->status, 0);
    close_if_open(p->_pidfd);
    p->_pidfd = -1;
    p->ended = true;
    b->running--;
    return -1;
}

static int make_process(struct batch *b, struct batch_process *p, const struct pipes *pipes, struct err *err)
{
    const uint32_t i = (uint32_t)(p - b->processes);

    p->_job = (struct spawn_job){
        .path = p->program.path,
        .argv = p->program.words.items,
        .envp = p->program.envp,
        .cwd = p->program.cwd,
        .in = pipes->in,
        .out = pipes->out[1],
        .err = pipes->err[1],
    };

    p->pid = spawn_make(b->gate, i, &p->_job, &p->_pidfd, err);
    if (p->pid < 0)
        return -1;
    p->started = true;
    b->running++;
    p->streams[LINE_STDOUT].fd = pipes->out[0];
    p->streams[LINE_STDERR].fd = pipes->err[0];
    return 0;
}

int batch_start_one(struct batch *b, struct err *err)
{
    struct pipes pipes = { { -1, -1 }, { -1, -1 }, b->null };
    struct batch_process *p = &b->processes[b->made];
    int rc;

    b->made++;
    if (p->program.path == NULL)
        return end_unstarted(b, p, SPAWN_EXEC, p->program.error);
    if (p->program.input != NULL)
        pipes.in = open(p->program.input, O_RDONLY | O_CLOEXEC);
    if (pipes.in < 0)
        return end_unstarted(b, p, SPAWN_PREPARE, errno);
    rc = open_pipes(&pipes, err);
    if (rc == 0)
        rc = make_process(b, p, &pipes, err);
    close_childs(b, &pipes);
    if (rc != 0) {
        close_pipes(&pipes);
        return -1;
    }
    return watch_process(b, p, b->made - 1, err);
}

static void on_line(void *arg, const struct line *line)
{
    const struct batch_process *p = ((void **)arg)[1];
    const struct batch *b = ((void **)arg)[0];

    b->config->on_line(b->config->arg, p, line);
}

/* Children that are still on their way to their program hold our descriptors too: closing one does not end its watch.
 */
static void unwatch(int epoll, int fd)
{
    epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

void batch_unwatch_exit(struct batch *b, struct batch_process *p)
{
    unwatch(b->exits, p->_pidfd);
    close(p->_pidfd);
    p->_pidfd = -1;
}

static void close_stream(struct batch *b, struct output *o)
{
    unwatch(b->outputs, o->fd);
    output_close(o);
}

static enum output_read read_one(struct batch *b, struct batch_process *p, struct output *o, size_t *bytes)
{
    void *both[] = { b, p };
    const struct output_reader reader = { b->scratch, b->config->on_line != NULL ? on_line : NULL, both };

    enum output_read state;

    if (p->exec_ns == 0)
        p->exec_ns = spawn_gate_slot(b->gate, (uint32_t)(p - b->processes))->exec_ns;
    state = output_read(o, &reader, bytes);
    if (state == OUTPUT_ENDED)
        close_stream(b, o);
    return state;
}

void batch_read_some(struct batch *b)
{
    struct epoll_event events[BATCH_EVENTS];
    const int n = epoll_wait(b->outputs, events, BATCH_EVENTS, 0);
    size_t total = 0, bytes;

    for (int i = 0; i < n && total < TURN_BYTES; i++) {
        struct batch_process *p = &b->processes[events[i].data.u32 / 2];
        struct output *o = &p->streams[events[i].data.u32 % 2];

        if (o->fd < 0)
            continue;
        read_one(b, p, o, &bytes);
        total += bytes;
    }
}

static void drain_stream(struct batch *b, struct batch_process *p, struct output *o)
{
    enum output_read state = o->fd >= 0 ? OUTPUT_SOME : OUTPUT_ENDED;
    size_t total = 0, bytes;

    while (state == OUTPUT_SOME && total < DRAIN_BYTES) {
        state = read_one(b, p, o, &bytes);
        total += bytes;
    }
    p->held = p->held || state != OUTPUT_ENDED;
}

static void flush_stream(struct batch *b, struct batch_process *p, struct output *o)
{
    void *both[] = { b, p };
    const struct output_reader reader = { b->scratch, b->config->on_line != NULL ? on_line : NULL, both };

    output_flush(o, &reader);
}

void batch_drain(struct batch *b, struct batch_process *p)
{
    for (unsigned s = 0; s < 2; s++) {
        drain_stream(b, p, &p->streams[s]);
        flush_stream(b, p, &p->streams[s]);
    }
}

void batch_let_go(struct batch *b)
{
    for (uint32_t i = 0; i < b->made; i++) {
        struct batch_process *p = &b->processes[i];

        for (unsigned s = 0; s < 2; s++) {
            if (p->streams[s].fd < 0)
                continue;
            drain_stream(b, p, &p->streams[s]);
            flush_stream(b, p, &p->streams[s]);
            if (p->streams[s].fd >= 0)
                close_stream(b, &p->streams[s]);
        }
    }
}
