/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

#define COMPLAINT_MAX_BYTES 4096u
#define PIECE_BYTES 16384u

extern char **environ;

enum { OUT, COMPLAINT, STREAMS };

struct command {
    const char *name;
    pid_t pid;
    int pidfd;
    int pipes[STREAMS]; /* our ends; -1: at its end */
    struct buf complaint;
    struct buf *out;
};

/* Both pipes and the process; in the child everything else is closed. */
static int spawn_actions(posix_spawn_file_actions_t *actions, const int theirs[STREAMS])
{
    int rc = posix_spawn_file_actions_init(actions);

    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(actions, theirs[OUT], STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(actions, theirs[COMPLAINT], STDERR_FILENO);
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return rc;
}

static int spawn(struct command *c, const char *const *argv, const int theirs[STREAMS])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int rc;

    rc = posix_spawnattr_init(&attributes);
    if (rc != 0)
        return rc;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    rc = spawn_actions(&actions, theirs);
    if (rc == 0)
        rc = posix_spawnp(&c->pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return rc;
}

static int start(struct command *c, const char *const *argv, struct err *err)
{
    int theirs[STREAMS] = { -1, -1 }, sys = 0;

    for (int i = 0; i < STREAMS && sys == 0; i++) {
        int ends[2];

        /* Above the standard ones, which may be closed: dup2 onto itself would leave the child's copy marked. */
        if (pipe2(ends, O_CLOEXEC) != 0) {
            sys = errno;
        } else {
            c->pipes[i] = fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            theirs[i] = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            sys = c->pipes[i] < 0 || theirs[i] < 0 || fcntl(c->pipes[i], F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
            close(ends[0]);
            close(ends[1]);
        }
    }
    if (sys == 0)
        sys = spawn(c, argv, theirs);
    for (int i = 0; i < STREAMS; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (sys == 0) {
        c->pidfd = pidfd_open(c->pid, 0);
        sys = c->pidfd < 0 ? errno : 0;
    }
    return sys == 0 ? 0 : err_set(err, ERR_SYSTEM, sys, "cannot run %s", c->name);
}

/* Takes what is in a pipe. False when there is too much of it. */
static bool drain(struct command *c, int i)
{
    struct buf *to = i == OUT ? c->out : &c->complaint;
    char piece[PIECE_BYTES];
    ssize_t n;

    while (c->pipes[i] >= 0) {
        n = read(c->pipes[i], piece, sizeof(piece));
        if (n > 0)
            buf_append(to, piece, (size_t)n); /* of the complaint the beginning is enough */
        if (n > 0 && i == OUT && !buf_ok(to))
            return false;
        if (n > 0 || (n < 0 && errno == EINTR))
            continue;
        if (n == 0 || errno != EAGAIN) {
            close(c->pipes[i]);
            c->pipes[i] = -1;
        }
        break;
    }
    return true;
}

/* Until the process has ended; what others still hold of its pipes is not waited for. */
static int follow(struct command *c, uint64_t timeout_ns, int cancel_fd, struct err *err)
{
    const uint64_t until = clock_now_ns() + timeout_ns;
    char text[UNITS_TEXT_MAX];

    for (;;) {
        struct pollfd fds[] = { { .fd = c->pipes[OUT], .events = POLLIN },
                                { .fd = c->pipes[COMPLAINT], .events = POLLIN },
                                { .fd = c->pidfd, .events = POLLIN },
                                { .fd = cancel_fd, .events = POLLIN } };
        const uint64_t now = clock_now_ns();

        if (now >= until)
            return err_set(err, ERR_PEER, 0, "%s took longer than %s and was killed", c->name,
                           units_format_duration(text, (double)timeout_ns));
        if (poll(fds, sizeof(fds) / sizeof(fds[0]), (int)((until - now) / NS_PER_MS) + 1) < 0 && errno != EINTR)
            return err_set(err, ERR_SYSTEM, errno, "cannot follow %s", c->name);
        if (!drain(c, OUT) || !drain(c, COMPLAINT))
            return err_set(err, ERR_PEER, 0, "%s printed more than %zu bytes", c->name, c->out->_max);
        if (fds[2].revents != 0)
            return drain(c, OUT) ? 0 : err_set(err, ERR_PEER, 0, "%s printed too much", c->name);
        if (fds[3].revents != 0)
            return err_set(err, ERR_PEER, 0, "%s had not answered when the run ended", c->name);
    }
}

/* The first line of standard error that says something, fit for a message. */
static struct slice complaint_of(struct command *c)
{
    struct slice rest = buf_slice(&c->complaint);

    for (size_t i = 0; i < c->complaint.len; i++)
        if (c->complaint.data[i] != '\n' && ((unsigned char)c->complaint.data[i] < ' ' || c->complaint.data[i] == 0x7f))
            c->complaint.data[i] = ' ';
    while (rest.len > 0) {
        const struct slice line = slice_trim(slice_split(&rest, '\n'));

        if (line.len > 0)
            return slice_take(line, 160);
    }
    return slice_from("", 0);
}

/* Kills what is left, then reaps: the zombie keeps the group's number from being given to others until then. */
static int finish(struct command *c, int rc, struct err *err)
{
    const struct slice complaint = complaint_of(c);
    const char *colon = complaint.len > 0 ? ": " : "";
    int status = 0;

    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (rc != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return rc;
    if (WIFSIGNALED(status))
        return err_set(err, ERR_PEER, 0, "%s was ended by signal %d%s%.*s", c->name, WTERMSIG(status), colon,
                       SLICE_FMT(complaint));
    return err_set(err, ERR_PEER, 0, "%s ended with status %d%s%.*s", c->name, WEXITSTATUS(status), colon,
                   SLICE_FMT(complaint));
}

int command_run(struct buf *out, const struct command_call *call, struct err *err)
{
    struct command c = { .name = call->name, .pid = -1, .pidfd = -1, .pipes = { -1, -1 }, .out = out };
    int rc;

    buf_clear(out);
    buf_init(&c.complaint, COMPLAINT_MAX_BYTES);
    rc = start(&c, call->argv, err);
    if (rc == 0)
        rc = follow(&c, call->timeout_ns, call->cancel_fd, err);
    if (c.pid > 0)
        rc = finish(&c, rc, err);
    for (int i = 0; i < STREAMS; i++)
        if (c.pipes[i] >= 0)
            close(c.pipes[i]);
    if (c.pidfd >= 0)
        close(c.pidfd);
    buf_release(&c.complaint);
    return rc;
}
