/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/units.h"

enum { WORDS_MAX = 64, WORD_MAX_BYTES = 4096, WAIT_MS = 100, PRINTED_MAX_BYTES = 4096 };

/* ---- Words ---- */

/* One word from *at on. False: a quote has no end. */
static bool take_word(const char **at, struct buf *word)
{
    char quote = '\0';

    for (; **at != '\0' && (quote != '\0' || **at != ' '); (*at)++) {
        char c = **at;
        if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == quote) {
            quote = '\0';
        } else if (c == '\\' && quote != '\'' && (*at)[1] != '\0') {
            buf_add_char(word, *++*at);
        } else {
            buf_add_char(word, c);
        }
    }
    return quote == '\0';
}

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp() looks for it. */
static bool can_be_found(const char *program)
{
    const char *path = getenv("PATH");
    struct slice rest = slice_str(path != NULL ? path : "/usr/bin:/bin");
    char candidate[WORD_MAX_BYTES + 256];

    if (strchr(program, '/') != NULL) {
        return is_program(program);
    }
    while (rest.len > 0) {
        struct slice folder = slice_split(&rest, ':');
        int len = snprintf(candidate, sizeof(candidate), "%.*s/%s", SLICE_FMT(folder), program);
        if (len > 0 && (size_t)len < sizeof(candidate) && is_program(candidate)) {
            return true;
        }
    }
    return false;
}

static int split(struct strlist *words, const char *command, struct err *err)
{
    struct buf word;

    buf_init(&word, WORD_MAX_BYTES);
    for (const char *at = command; *at != '\0' && words->count < WORDS_MAX;) {
        if (*at == ' ') {
            at++;
            continue;
        }
        buf_clear(&word);
        bool good = take_word(&at, &word);
        if (!good || !buf_ok(&word) || !strlist_add(words, buf_slice(&word))) {
            buf_release(&word);
            return err_set(err, ERR_CONFIG, 0, "--scan-command %s: %s", command,
                           good ? "a word is too long" : "a quote has no end");
        }
    }
    buf_release(&word);
    return words->count > 0 ? 0 : err_set(err, ERR_CONFIG, 0, "--scan-command is empty");
}

int scan_split(struct strlist *words, const char *command, struct err *err)
{
    if (split(words, command, err) != 0) {
        strlist_release(words);
        return err_hint(err, "for example --scan-command \"clamscan --no-summary\"; the file's path is added");
    }
    if (!can_be_found(words->items[0])) {
        err_set(err, ERR_CONFIG, 0, "--scan-command: there is no program %s", words->items[0]);
        strlist_release(words);
        return err_hint(err, "give its path, or a name that PATH has");
    }
    return 0;
}

/* ---- The child ---- */

extern char **environ;

/* Ours without what only we may know. The caller frees the list, not its texts. */
static char **environment(void)
{
    size_t n = 0, kept = 0;

    while (environ != NULL && environ[n] != NULL) {
        n++;
    }
    char **out = calloc(n + 1, sizeof(*out));
    for (size_t i = 0; out != NULL && i < n; i++) {
        if (strncmp(environ[i], "AWS_", 4) != 0) {
            out[kept++] = environ[i];
        }
    }
    return out;
}

/* 0 or an errno. */
static int set_attributes(posix_spawnattr_t *a)
{
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    rc = rc == 0 ? posix_spawnattr_setpgroup(a, 0) : rc;
    rc = rc == 0 ? posix_spawnattr_setsigmask(a, &none) : rc;
    return rc == 0 ? posix_spawnattr_setsigdefault(a, &all) : rc;
}

static int set_files(posix_spawn_file_actions_t *a, int out)
{
    int rc = posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    rc = rc == 0 ? posix_spawn_file_actions_adddup2(a, out, STDOUT_FILENO) : rc;
    rc = rc == 0 ? posix_spawn_file_actions_adddup2(a, out, STDERR_FILENO) : rc;
    return rc == 0 ? posix_spawn_file_actions_addclosefrom_np(a, STDERR_FILENO + 1) : rc;
}

static int spawn(pid_t *pid, const struct scan_job *job, int out)
{
    char *argv[WORDS_MAX + 2] = { 0 };
    char **env = environment();
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    size_t n = 0;

    if (env == NULL) {
        return ENOMEM;
    }
    for (; job->words[n] != NULL; n++) {
        argv[n] = job->words[n];
    }
    argv[n] = (char *)(uintptr_t)job->path; /* execv() does not change it */
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int rc = set_attributes(&attributes);
    rc = rc == 0 ? set_files(&files, out) : rc;
    rc = rc == 0 ? posix_spawnp(pid, argv[0], &files, &attributes, argv, env) : rc;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(env);
    return rc;
}

/* ---- Waiting ---- */

struct child {
    pid_t pid;
    int pidfd, out; /* out -1: it has ended its output */
    char printed[PRINTED_MAX_BYTES];
    size_t len;
};

/* What it printed last is kept: that is where a program says what went wrong. */
static void take_output(struct child *c)
{
    char bytes[1024];
    ssize_t n = read(c->out, bytes, sizeof(bytes));

    if (n <= 0) {
        if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(c->out);
            c->out = -1;
        }
        return;
    }
    if (c->len + (size_t)n > sizeof(c->printed)) {
        size_t keep = sizeof(c->printed) / 2 < c->len ? sizeof(c->printed) / 2 : c->len;
        memmove(c->printed, c->printed + c->len - keep, keep);
        c->len = keep;
    }
    memcpy(c->printed + c->len, bytes, (size_t)n);
    c->len += (size_t)n;
}

static struct slice last_line(const struct child *c)
{
    struct slice text = slice_from(c->printed, c->len), last = SLICE("");

    while (text.len > 0) {
        struct slice line = slice_trim(slice_split(&text, '\n'));
        if (line.len > 0) {
            last = line;
        }
    }
    return slice_take(last, 160);
}

/* SCAN_CLEAN: it ended by itself. */
static enum scan_verdict wait_for(struct child *c, struct scan_job *job)
{
    uint64_t began_ns = clock_now_ns();

    for (;;) {
        struct pollfd p[2] = { { .fd = c->pidfd, .events = POLLIN }, { .fd = c->out, .events = POLLIN } };
        poll(p, c->out >= 0 ? 2 : 1, WAIT_MS);
        if (c->out >= 0 && p[1].revents != 0) {
            take_output(c);
        } else if (p[0].revents != 0) {
            return SCAN_CLEAN;
        }
        if (job->is_stopped(job->arg)) {
            return SCAN_STOPPED;
        }
        if (job->timeout_ns > 0 && clock_now_ns() - began_ns >= job->timeout_ns) {
            char text[UNITS_TEXT_MAX];
            snprintf(job->why, sizeof(job->why), "it was still running after %s",
                     units_format_duration(text, (double)job->timeout_ns));
            return SCAN_FAILED;
        }
    }
}

static enum scan_verdict judge(struct scan_job *job, const struct child *c, int status)
{
    struct slice said = last_line(c);
    const char *colon = said.len > 0 ? ": " : "";

    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) {
        return WEXITSTATUS(status) == 0 ? SCAN_CLEAN : SCAN_INFECTED;
    }
    if (WIFEXITED(status)) {
        snprintf(job->why, sizeof(job->why), "exit code %d%s%.*s", WEXITSTATUS(status), colon, SLICE_FMT(said));
    } else {
        snprintf(job->why, sizeof(job->why), "ended by signal %d%s%.*s", WTERMSIG(status), colon, SLICE_FMT(said));
    }
    return SCAN_FAILED;
}

static enum scan_verdict watch(struct child *c, struct scan_job *job)
{
    enum scan_verdict verdict = SCAN_FAILED;
    int status = 0;

    c->pidfd = pidfd_open(c->pid, 0);
    if (c->pidfd >= 0) {
        verdict = wait_for(c, job);
        close(c->pidfd);
    } else {
        snprintf(job->why, sizeof(job->why), "it can not be watched: %s", strerrordesc_np(errno));
    }
    kill(-c->pid, SIGKILL); /* with what it may have left behind */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return verdict == SCAN_CLEAN ? judge(job, c, status) : verdict;
}

enum scan_verdict scan_run(struct scan_job *job)
{
    struct child c = { .pid = -1, .out = -1 };
    enum scan_verdict verdict = SCAN_FAILED;
    int ends[2], rc;

    job->why[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        rc = errno;
    } else {
        fcntl(ends[0], F_SETFL, O_NONBLOCK); /* our end alone: the flag is the file's, not the process's */
        rc = spawn(&c.pid, job, ends[1]);
        close(ends[1]);
        c.out = ends[0];
    }
    if (rc == 0) {
        verdict = watch(&c, job);
    } else {
        snprintf(job->why, sizeof(job->why), "it can not be started: %s", strerrordesc_np(rc));
    }
    if (c.out >= 0) {
        close(c.out);
    }
    return verdict;
}
