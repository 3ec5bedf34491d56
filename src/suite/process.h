/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that a suite starts: its services, its commands, and the processes that make samples. Each leads a process
 * group of its own, reads nothing (/dev/null), and is killed by the system when this process dies; its group is ended
 * with it, so that nothing is left behind. The calling process has one thread. */
#ifndef PLIMSOLL_SUITE_PROCESS_H
#define PLIMSOLL_SUITE_PROCESS_H

#include "base/err.h"
#include "base/slice.h"

#include <sys/types.h>

#define PROCESS_GRACE_NS (UINT64_C(5) * 1000000000) /* from TERM to KILL */
#define PROCESS_LINE_MAX 4096u

struct process_job {
    const char *name;         /* for messages */
    const char *const *words; /* the program, looked for in PATH, and its arguments, NULL-terminated */
    const char *cwd;          /* NULL: ours */
    const char *out_path;     /* standard output is appended there; NULL: to log_path */
    const char *log_path;     /* standard error is appended there */
    bool watches_lines;       /* standard error comes to process_wait() line by line, and goes to log_path from there */
};

struct process {
    pid_t pid; /* 0: none */
    int pidfd, lines_fd, log_fd;
    char line[PROCESS_LINE_MAX];
    size_t line_len;
};
#define PROCESS_NONE ((struct process){ .pidfd = -1, .lines_fd = -1, .log_fd = -1 })

enum process_end { PROCESS_ENDED, PROCESS_TIMED_OUT, PROCESS_STOPPED };

struct process_outcome {
    enum process_end end;
    int status; /* exit code; 128 + signal */
    int signal;
    uint64_t elapsed_ns;
};

/* "sh -c TEXT" as words; out has room for four. */
void process_shell_words(const char *out[4], const char *text);

/* ERR_CONFIG: there is no such program; ERR_SYSTEM. */
MUST_CHECK int process_start(struct process *p, const struct process_job *job, struct err *err);
/* Waits for its end; after timeout_ns (0: never), or when *stop becomes at least `level`, its group gets TERM and,
 * after the grace, KILL. Then whatever else is left of the group is killed. on_line (may be NULL) sees the lines of
 * standard error. */
void process_wait(struct process *p, uint64_t timeout_ns, const volatile int *stop, int level,
                  void (*on_line)(void *arg, const char *line), void *arg, struct process_outcome *out);
/* True while it runs; false: it has ended (and is reaped), and *out says how. */
bool process_is_running(struct process *p, struct process_outcome *out);
/* Ends it and its group; nothing to do is fine. */
void process_end(struct process *p, uint64_t grace_ns);

/* The last lines of a file from byte `from` on, at most `room` bytes, control characters shown as dots, secrets as ***;
 * "" when there are none. */
void process_tail(const char *path, size_t from, char *out, size_t room);
/* Its length; 0: there is none. */
size_t process_log_bytes(const char *path);

#endif
