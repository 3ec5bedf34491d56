/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "stats/hist.h"
#include "watch/process_list.h"
#include "watch/text.h"

/* A word of the line "cpu" of /proc/stat, proc(5), in ticks. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, CPU_WORDS };

struct usage {
    uint64_t pid, start_ticks, ticks;
};

struct look {
    uint64_t at_ns, own_ns;
    bool has_cpu;
    uint64_t cpu[CPU_WORDS];
    struct usage *all;
    size_t count;
};

static void read_cpu(struct look *l, const char *root, struct buf *text)
{
    struct slice rest, line;

    if (!text_read(text, "%s/proc/stat", root))
        return;
    rest = buf_slice(text);
    line = slice_split(&rest, '\n');
    if (!slice_starts(line, SLICE("cpu ")))
        return;
    for (size_t i = 0; i < CPU_WORDS; i++)
        if (!slice_to_u64(text_word(line, i + 1), &l->cpu[i]))
            return;
    l->has_cpu = true;
}

static bool add_usage(struct look *l, size_t *capacity, const struct process_stat *stat)
{
    if (l->count == *capacity) {
        const size_t more = *capacity > 0 ? 2 * *capacity : 256;
        struct usage *grown = more <= PROCESS_IDS_MAX ? reallocarray(l->all, more, sizeof(*grown)) : NULL;

        if (grown == NULL)
            return false;
        l->all = grown;
        *capacity = more;
    }
    l->all[l->count++] = (struct usage){ stat->pid, stat->start_ticks, stat->cpu_ticks };
    return true;
}

/* False: out of memory. More processes than are looked at are left out: they are named, not counted. */
static bool read_processes(struct look *l, const char *root, struct buf *text)
{
    struct process_stat stat;
    char path[PATH_MAX];
    size_t capacity = 0;
    bool ok = true;
    struct dirent *e;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/proc", root);
    dir = opendir(path);
    while (dir != NULL && ok && l->count < PROCESS_IDS_MAX && (e = readdir(dir)) != NULL) {
        uint64_t pid;

        if (slice_to_u64(slice_str(e->d_name), &pid) && process_stat_read(&stat, root, pid, text))
            ok = add_usage(l, &capacity, &stat);
    }
    if (dir != NULL)
        closedir(dir);
    return ok;
}

static bool look_around(struct look *l, const char *root)
{
    struct buf text;
    bool ok;

    memset(l, 0, sizeof(*l));
    buf_init(&text, TEXT_FILE_MAX_BYTES);
    ok = read_processes(l, root, &text);
    read_cpu(l, root, &text);
    l->at_ns = clock_now_ns();
    l->own_ns = clock_process_cpu_ns();
    buf_release(&text);
    return ok;
}

static void count_cpu(struct machine_facts *f, const struct look *before, const struct look *after)
{
    const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    const double own_s = (double)(after->own_ns - before->own_ns) / NS_PER_S;
    double used = 0, all = 0, stolen;

    f->watched_s = (double)(after->at_ns - before->at_ns) / NS_PER_S;
    if (!before->has_cpu || !after->has_cpu || f->watched_s <= 0)
        return;
    for (size_t i = 0; i < CPU_WORDS; i++) {
        /* iowait may fall, proc(5) */
        const double ticks = after->cpu[i] > before->cpu[i] ? (double)(after->cpu[i] - before->cpu[i]) : 0;

        all += ticks;
        used += i == IDLE || i == IOWAIT || i == STEAL ? 0 : ticks;
    }
    stolen = after->cpu[STEAL] > before->cpu[STEAL] ? (double)(after->cpu[STEAL] - before->cpu[STEAL]) : 0;
    f->stolen_share = all > 0 ? stolen / all : 0;
    f->others_cores = fmax(0, used * tick_s - own_s) / f->watched_s;
}

static const struct usage *find(const struct look *l, const struct usage *like)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->all[i].pid == like->pid && l->all[i].start_ticks == like->start_ticks)
            return &l->all[i];
    return NULL;
}

static void read_name(struct busy_process *p, const char *root)
{
    struct buf text;

    snprintf(p->name, sizeof(p->name), "?");
    buf_init(&text, TEXT_FILE_MAX_BYTES);
    if (text_read(&text, "%s/proc/%" PRIu64 "/comm", root, p->pid)) {
        struct slice rest = buf_slice(&text);
        const struct slice name = slice_split(&rest, '\n');

        snprintf(p->name, sizeof(p->name), "%.*s", SLICE_FMT(name));
    }
    buf_release(&text);
    for (char *c = p->name; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static void rank(struct machine_facts *f, uint64_t pid, double cores)
{
    size_t at = MACHINE_BUSY_MAX;

    while (at > 0 && f->busiest[at - 1].cores < cores)
        at--;
    if (at == MACHINE_BUSY_MAX || cores <= 0)
        return;
    memmove(&f->busiest[at + 1], &f->busiest[at], (MACHINE_BUSY_MAX - 1 - at) * sizeof(f->busiest[0]));
    f->busiest[at] = (struct busy_process){ .pid = pid, .cores = cores };
}

static void name_busiest(struct machine_facts *f, const struct look *before, const struct look *after, const char *root)
{
    const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);

    for (size_t i = 0; i < after->count && f->watched_s > 0; i++) {
        const struct usage *now = &after->all[i], *then = find(before, now);
        const uint64_t ticks = now->ticks - (then != NULL ? then->ticks : 0);

        if (now->pid != (uint64_t)getpid() && (then == NULL || now->ticks >= then->ticks))
            rank(f, now->pid, (double)ticks * tick_s / f->watched_s);
    }
    for (size_t i = 0; i < MACHINE_BUSY_MAX && f->busiest[i].pid != 0; i++)
        read_name(&f->busiest[i], root);
}

/* How late a sleeper wakes that asked for every millisecond, as load asks: with a slack of 1 ns. */
static bool sleep_through(struct machine_facts *f, uint64_t time_ns)
{
    const uint64_t begin = clock_now_ns();
    const int slack = prctl(PR_GET_TIMERSLACK);
    struct hist *late = NULL;
    uint64_t due = begin;

    if (hist_new(&late, NULL) != 0)
        return false;
    prctl(PR_SET_TIMERSLACK, 1UL);
    while (due < begin + time_ns) {
        const uint64_t now = clock_now_ns();

        due = (now > due ? now : due) + NS_PER_MS;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
                               &(struct timespec){ (time_t)(due / NS_PER_S), (long)(due % NS_PER_S) }, NULL) == EINTR)
            ;
        hist_record(late, clock_now_ns() - due);
    }
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
    f->timer_p50_ns = (double)hist_value_at(late, 50);
    f->timer_p99_ns = (double)hist_value_at(late, 99);
    f->timer_max_ns = (double)hist_max_ns(late);
    hist_free(late);
    return true;
}

bool machine_watch(struct machine_facts *f, const char *root, uint64_t time_ns)
{
    struct look before, after;
    bool ok = look_around(&before, root);

    memset(&after, 0, sizeof(after));
    ok = ok && sleep_through(f, time_ns) && look_around(&after, root);
    if (ok) {
        count_cpu(f, &before, &after);
        name_busiest(f, &before, &after, root);
    }
    free(before.all);
    free(after.all);
    return ok;
}
