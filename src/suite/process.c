/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/redact.h"

#define NS_PER_MS UINT64_C(1000000)
#define TURN_MS 50
#define TAIL_READ_MAX ((size_t)64 << 10)

void process_shell_words(const char *out[4], const char *text)
{
    out[0] = "/bin/sh";
    out[1] = "-c";
    out[2] = text;
    out[3] = NULL;
}

struct descriptors {
    int in, out, err; /* of the child */
    int lines_read, failed_read, failed_write;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct descriptors *d)
{
    close_fd(&d->in);
    close_fd(&d->out);
    close_fd(&d->err);
    close_fd(&d->lines_read);
    close_fd(&d->failed_read);
    close_fd(&d->failed_write);
}

static int open_append(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static int open_descriptors(struct descriptors *d, const struct process_job *job, struct process *p, struct err *err)
{
    int pipe_fds[2];

    *d = (struct descriptors){ -1, -1, -1, -1, -1, -1 };
    d->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    d->out = open_append(job->out_path != NULL ? job->out_path : job->log_path);
    if (d->in < 0 || d->out < 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot keep the output of %s in %s", job->name,
                       job->out_path != NULL ? job->out_path : job->log_path);
    if (job->watches_lines) {
        if (pipe2(pipe_fds, O_CLOEXEC) != 0)
            return err_set(err, ERR_SYSTEM, errno, "cannot read the output of %s", job->name);
        d->lines_read = pipe_fds[0];
        d->err = pipe_fds[1];
        p->log_fd = open_append(job->log_path);
    } else {
        d->err = open_append(job->log_path);
    }
    if (d->err < 0 || (job->watches_lines && p->log_fd < 0))
        return err_set(err, ERR_SYSTEM, errno, "cannot keep the output of %s in %s", job->name, job->log_path);
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot start %s", job->name);
    d->failed_read = pipe_fds[0];
    d->failed_write = pipe_fds[1];
    return 0;
}

/* In the child: never returns. What went wrong goes through the pipe that a successful exec closes. */
static void become(const struct process_job *job, const struct descriptors *d, pid_t parent)
{
    sigset_t none;
    int sys;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (getppid() == parent && dup2(d->in, 0) == 0 && dup2(d->out, 1) == 1 && dup2(d->err, 2) == 2 &&
        (job->cwd == NULL || chdir(job->cwd) == 0))
        execvp(job->words[0], (char *const *)(uintptr_t)job->words);
    sys = errno;
    if (write(d->failed_write, &sys, sizeof(sys)) < 0) {
        /* nobody is there to hear it */
    }
    _exit(127);
}

static int exec_error(struct descriptors *d)
{
    int sys = 0;
    ssize_t n;

    close_fd(&d->failed_write);
    do
        n = read(d->failed_read, &sys, sizeof(sys));
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof(sys) ? sys : 0;
}

int process_start(struct process *p, const struct process_job *job, struct err *err)
{
    const pid_t parent = getpid();
    struct descriptors d;
    int sys;

    *p = PROCESS_NONE;
    if (open_descriptors(&d, job, p, err) != 0) {
        close_all(&d);
        close_fd(&p->log_fd);
        return -1;
    }
    p->pid = fork();
    if (p->pid == 0)
        become(job, &d, parent);
    if (p->pid < 0) {
        sys = errno;
        p->pid = 0;
        close_all(&d);
        close_fd(&p->log_fd);
        return err_set(err, ERR_SYSTEM, sys, "cannot start %s", job->name);
    }
    setpgid(p->pid, p->pid); /* both do it, so that it is done whoever comes first */
    sys = exec_error(&d);
    p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    p->lines_fd = d.lines_read;
    d.lines_read = -1;
    close_all(&d);
    if (sys == 0 && p->pidfd >= 0)
        return 0;
    if (sys == 0)
        sys = errno;
    process_end(p, 0);
    return err_set(err, sys == ENOENT || sys == EACCES ? ERR_CONFIG : ERR_SYSTEM, sys, "cannot run %s", job->words[0]);
}

static void note_status(struct process_outcome *out, int status)
{
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + out->signal;
}

/* Reaps it when it has ended; its group goes with it. */
static bool reap(struct process *p, struct process_outcome *out)
{
    int status;

    if (p->pid == 0)
        return true;
    if (waitpid(p->pid, &status, WNOHANG) != p->pid)
        return false;
    kill(-p->pid, SIGKILL);
    note_status(out, status);
    p->pid = 0;
    close_fd(&p->pidfd);
    return true;
}

bool process_is_running(struct process *p, struct process_outcome *out)
{
    return !reap(p, out);
}

static void wait_for(struct process *p, uint64_t ns)
{
    struct pollfd ready = { .fd = p->pidfd, .events = POLLIN };

    (void)poll(&ready, 1, (int)(ns / NS_PER_MS) + 1);
}

void process_end(struct process *p, uint64_t grace_ns)
{
    const uint64_t begin = clock_now_ns();
    struct process_outcome out = { 0 };

    if (p->pid != 0 && grace_ns > 0)
        kill(-p->pid, SIGTERM);
    while (p->pid != 0 && !reap(p, &out)) {
        const uint64_t passed = clock_now_ns() - begin;

        if (passed >= grace_ns)
            kill(-p->pid, SIGKILL);
        wait_for(p, passed < grace_ns ? grace_ns - passed : NS_PER_MS * TURN_MS);
    }
    close_fd(&p->pidfd);
    close_fd(&p->lines_fd);
    close_fd(&p->log_fd);
}

/* Every whole line of the bytes that came; a line that is too long is cut. */
static void take_bytes(struct process *p, const char *bytes, size_t len, void (*on_line)(void *arg, const char *line),
                       void *arg)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\n') {
            if (p->line_len + 1 < sizeof(p->line))
                p->line[p->line_len++] = bytes[i];
            continue;
        }
        p->line[p->line_len] = '\0';
        p->line_len = 0;
        if (on_line != NULL)
            on_line(arg, p->line);
    }
}

/* What is there to read now; false at its end. */
static bool read_lines(struct process *p, void (*on_line)(void *arg, const char *line), void *arg)
{
    char bytes[4096];
    const ssize_t n = read(p->lines_fd, bytes, sizeof(bytes));

    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (n == 0)
        return false;
    if (p->log_fd >= 0 && write(p->log_fd, bytes, (size_t)n) < 0)
        close_fd(&p->log_fd); /* a full disk costs the log, not the sample */
    take_bytes(p, bytes, (size_t)n, on_line, arg);
    return true;
}

/* The group is told to end, once gently and then not so. */
static void hurry(struct process *p, uint64_t now, uint64_t *asked_ns)
{
    if (*asked_ns == 0) {
        *asked_ns = now;
        kill(-p->pid, SIGTERM);
    } else if (now - *asked_ns >= PROCESS_GRACE_NS) {
        kill(-p->pid, SIGKILL);
    }
}

void process_wait(struct process *p, uint64_t timeout_ns, const volatile int *stop, int level,
                  void (*on_line)(void *arg, const char *line), void *arg, struct process_outcome *out)
{
    const uint64_t begin = clock_now_ns();
    uint64_t asked_ns = 0;

    *out = (struct process_outcome){ .end = PROCESS_ENDED };
    while (!reap(p, out)) {
        struct pollfd ready[2] = { { .fd = p->pidfd, .events = POLLIN }, { .fd = p->lines_fd, .events = POLLIN } };
        uint64_t now;

        (void)poll(ready, 2, TURN_MS);
        if (ready[1].revents != 0 && !read_lines(p, on_line, arg))
            close_fd(&p->lines_fd);
        now = clock_now_ns();
        if (out->end == PROCESS_ENDED && stop != NULL && *stop >= level)
            out->end = PROCESS_STOPPED;
        if (out->end == PROCESS_ENDED && timeout_ns > 0 && now - begin >= timeout_ns)
            out->end = PROCESS_TIMED_OUT;
        if (out->end != PROCESS_ENDED)
            hurry(p, now, &asked_ns);
    }
    out->elapsed_ns = clock_now_ns() - begin;
    while (p->lines_fd >= 0) {
        struct pollfd ready = { .fd = p->lines_fd, .events = POLLIN };

        if (poll(&ready, 1, 0) <= 0 || !read_lines(p, on_line, arg))
            close_fd(&p->lines_fd);
    }
    close_fd(&p->log_fd);
}

size_t process_log_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

/* From the first line that is whole; from the first word, when there is only a piece of one. */
static struct slice whole_lines(struct slice text)
{
    const ptrdiff_t line = slice_find(text, '\n'), word = slice_find(text, ' ');

    return line >= 0 ? slice_drop(text, (size_t)line + 1) : word >= 0 ? slice_drop(text, (size_t)word + 1) : text;
}

static void end_of_file(struct buf *out, const char *path, size_t begin)
{
    const size_t size = process_log_bytes(path), all = size > begin ? size - begin : 0;
    const size_t want = all < TAIL_READ_MAX ? all : TAIL_READ_MAX;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *into = fd >= 0 ? buf_reserve(out, want) : NULL;
    ssize_t n = 0;

    if (into != NULL)
        n = pread(fd, into, want, (off_t)(size - want));
    if (n > 0)
        out->len += (size_t)n;
    if (fd >= 0)
        close(fd);
}

/* Secrets are told by the words before them: they are masked before anything is cut. */
void process_tail(const char *path, size_t begin, char *out, size_t room)
{
    struct buf raw, shown;
    struct slice text;

    buf_init(&raw, TAIL_READ_MAX + 1);
    buf_init(&shown, 4 * TAIL_READ_MAX);
    end_of_file(&raw, path, begin);
    text = buf_slice(&raw);
    redact_output(&shown, raw.len == TAIL_READ_MAX ? whole_lines(text) : text);
    text = slice_trim(buf_slice(&shown));
    if (text.len > room - 1)
        text = whole_lines(slice_drop(text, text.len - (room - 1)));
    snprintf(out, room, "%.*s", SLICE_FMT(text));
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            *c = '.';
    buf_release(&raw);
    buf_release(&shown);
}
