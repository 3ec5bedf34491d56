/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

#define NAME_MAX_BYTES 160u
#define SETTLE_NS (20 * (uint64_t)NS_PER_MS)
#define POLL_NS (2 * (long)NS_PER_MS)
/* One that does not die of KILL hangs in the kernel: nothing helps, and nobody waits for ever. */
#define GIVE_UP_NS (5 * (uint64_t)NS_PER_S)

struct orphans {
    pid_t *before; /* children that we had */
    size_t before_count;
    int was_subreaper;
};

struct entry {
    pid_t pid, parent, group, session;
    bool ours, zombie;
};

struct table {
    struct entry *entries;
    size_t count, room;
};

static bool read_small(const char *path, char *out, size_t size, size_t *len)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

    if (fd >= 0)
        close(fd);
    *len = n > 0 ? (size_t)n : 0;
    out[*len] = '\0';
    return n > 0;
}

/* /proc/PID/stat: "pid (name) state ppid pgrp session ..."; the name may hold anything, also brackets. */
static bool read_entry(struct entry *e, const char *pid)
{
    char path[64], text[512];
    const char *behind;
    int parent, group, session;
    size_t len;
    char state;

    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    if (!read_small(path, text, sizeof(text), &len))
        return false;
    behind = strrchr(text, ')');
    if (behind == NULL || sscanf(behind + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
        return false;
    *e = (struct entry){ (pid_t)strtol(pid, NULL, 10), parent, group, session, false, state == 'Z' || state == 'X' };
    return true;
}

static bool add_entry(struct table *t, const struct entry *e)
{
    struct entry *grown = t->entries;

    if (t->count == t->room) {
        const size_t room = t->room > 0 ? 2 * t->room : 256;

        grown = reallocarray(t->entries, room, sizeof(*grown));
        if (grown == NULL)
            return false;
        t->entries = grown;
        t->room = room;
    }
    grown[t->count++] = *e;
    return true;
}

static void read_table(struct table *t)
{
    DIR *proc = opendir("/proc");
    const struct dirent *d;
    struct entry e;

    while (proc != NULL && (d = readdir(proc)) != NULL)
        if (d->d_name[0] >= '1' && d->d_name[0] <= '9' && read_entry(&e, d->d_name) && !add_entry(t, &e))
            break;
    if (proc != NULL)
        closedir(proc);
}

static bool was_before(const struct orphans *o, pid_t pid)
{
    for (size_t i = 0; i < o->before_count; i++)
        if (o->before[i] == pid)
            return true;
    return false;
}

static bool parent_is_ours(const struct table *t, pid_t parent)
{
    if (parent == getpid())
        return true;
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i].pid == parent)
            return t->entries[i].ours;
    return false;
}

/* Those below us, generation by generation. */
static size_t mark_ours(const struct orphans *o, struct table *t)
{
    size_t marked = 0;
    bool found = true;

    while (found) {
        found = false;
        for (size_t i = 0; i < t->count; i++) {
            struct entry *e = &t->entries[i];

            if (e->ours || was_before(o, e->pid) || !parent_is_ours(t, e->parent))
                continue;
            e->ours = found = true;
            marked += !e->zombie;
        }
    }
    return marked;
}

static char *name_of(pid_t pid)
{
    char path[64], text[NAME_MAX_BYTES];
    size_t len;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
    if (!read_small(path, text, sizeof(text), &len)) {
        snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
        read_small(path, text, sizeof(text), &len);
    }
    while (len > 0 && (text[len - 1] == '\0' || text[len - 1] == '\n'))
        text[--len] = '\0';
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7f)
            text[i] = text[i] == '\0' ? ' ' : '?';
    return strdup(len > 0 ? text : "a process");
}

struct orphan *orphans_list(const struct orphans *o, size_t *count)
{
    struct table t = { 0 };
    struct orphan *list = NULL;
    size_t marked;

    *count = 0;
    read_table(&t);
    marked = mark_ours(o, &t);
    if (marked > 0)
        list = calloc(marked, sizeof(*list));
    for (size_t i = 0; list != NULL && i < t.count; i++) {
        const struct entry *e = &t.entries[i];

        if (e->ours && !e->zombie)
            list[(*count)++] = (struct orphan){ e->pid, e->group, e->session, name_of(e->pid) };
    }
    free(t.entries);
    return list;
}

void orphans_list_free(struct orphan *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].name);
    free(list);
}

static void remember_children(struct orphans *o)
{
    siginfo_t info = { 0 };
    struct orphan *list;
    size_t count;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return; /* ECHILD: the usual case */
    list = orphans_list(o, &count);
    o->before = count > 0 ? calloc(count, sizeof(*o->before)) : NULL;
    for (size_t i = 0; o->before != NULL && i < count; i++)
        o->before[o->before_count++] = list[i].pid;
    orphans_list_free(list, count);
}

int orphans_new(struct orphans **out, struct err *err)
{
    struct orphans *o = calloc(1, sizeof(*o));

    *out = NULL;
    if (o == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make ready to watch over processes");
    if (prctl(PR_GET_CHILD_SUBREAPER, &o->was_subreaper) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        err_set(err, ERR_SYSTEM, errno, "cannot watch over what commands leave behind");
        free(o);
        return -1;
    }
    remember_children(o);
    *out = o;
    return 0;
}

void orphans_free(struct orphans *o)
{
    if (o == NULL)
        return;
    prctl(PR_SET_CHILD_SUBREAPER, o->was_subreaper);
    free(o->before);
    free(o);
}

bool orphans_any(const struct orphans *o)
{
    struct orphan *list;
    size_t count;
    pid_t pid;

    do {
        pid = waitpid(-1, NULL, WNOHANG);
    } while (pid > 0 || (pid < 0 && errno == EINTR));
    if (pid < 0 || o->before_count == 0)
        return pid == 0;
    list = orphans_list(o, &count);
    orphans_list_free(list, count);
    return count > 0;
}

bool orphans_settle(const struct orphans *o, size_t known)
{
    const struct timespec pause = { 0, POLL_NS };
    const uint64_t until = clock_now_ns() + SETTLE_NS;
    size_t count = known + 1;

    while (orphans_any(o)) {
        struct orphan *list = orphans_list(o, &count);

        orphans_list_free(list, count);
        if (count <= known || clock_now_ns() >= until)
            return count > known;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void signal_all(const struct orphans *o, int number)
{
    size_t count;
    struct orphan *list = orphans_list(o, &count);

    for (size_t i = 0; i < count; i++)
        kill(list[i].pid, number);
    orphans_list_free(list, count);
}

void orphans_stop(const struct orphans *o, uint64_t kill_after_ns)
{
    const struct timespec pause = { 0, POLL_NS };
    const uint64_t kill_at = clock_now_ns() + kill_after_ns;

    if (!orphans_any(o))
        return;
    signal_all(o, SIGTERM);
    signal_all(o, SIGCONT);
    while (orphans_any(o) && clock_now_ns() < kill_at)
        nanosleep(&pause, NULL);
    while (orphans_any(o) && clock_now_ns() < kill_at + GIVE_UP_NS) {
        signal_all(o, SIGKILL); /* again: what was being forked was not on the list */
        nanosleep(&pause, NULL);
    }
}
