/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process and its descendants.
 *
 * What all of them used so far is the sum over those that live of their own figures and of those of their children that
 * they have waited for: a child that ends moves from the first to the second, and nothing is lost. One that nobody of
 * them waited for (its parent ignores SIGCHLD, or ended before) would take its share away with it: what is missing then
 * is added for good. Processes are known by number and start time, since numbers come again. */
#include "watch/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/cgroup.h"
#include "watch/net_dev.h"
#include "watch/process_list.h"
#include "watch/text.h"

#define IO_FIGURES 2 /* read, written */

struct member {
    struct process_stat stat;
    uint64_t io[IO_FIGURES];
    bool has_io, is_seen;
};

struct pid_source {
    struct source source;
    const char *root;
    uint64_t pid;
    struct member *members;
    size_t count;
    uint64_t lost_ticks;
    uint64_t io_sum[IO_FIGURES], io_lost[IO_FIGURES];
    bool has_own_net;
    struct buf scratch;
};

static struct member *find(struct pid_source *s, const struct process_stat *stat)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->members[i].stat.pid == stat->pid && s->members[i].stat.start_ticks == stat->start_ticks)
            return &s->members[i];
    return NULL;
}

static struct member *add(struct pid_source *s, const struct process_stat *stat)
{
    struct member *grown = reallocarray(s->members, s->count + 1, sizeof(*grown));

    if (grown == NULL)
        return NULL;
    s->members = grown;
    grown[s->count] = (struct member){ .stat = *stat };
    return &grown[s->count++];
}

static void read_io(struct pid_source *s, struct member *m)
{
    m->has_io = text_read(&s->scratch, "%s/proc/%" PRIu64 "/io", s->root, m->stat.pid) &&
                text_find(buf_slice(&s->scratch), "read_bytes", &m->io[0]) &&
                text_find(buf_slice(&s->scratch), "write_bytes", &m->io[1]);
}

/* The numbers to look at: those known and not taken over by others since, and their descendants. */
static bool list_members(struct pid_source *s, struct process_ids *ids)
{
    struct process_stat stat;
    bool ok = true;

    for (size_t i = 0; i < s->count && ok; i++)
        if (process_stat_read(&stat, s->root, s->members[i].stat.pid, &s->scratch) &&
            stat.start_ticks == s->members[i].stat.start_ticks)
            ok = process_ids_add(ids, stat.pid);
    return ok && process_ids_add_descendants(ids, s->root, &s->scratch);
}

/* What those that are gone had, less what those that wait for them have gained by it. */
static void drop_unseen(struct pid_source *s, uint64_t gained)
{
    uint64_t gone = 0;
    size_t kept = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->members[i].is_seen)
            s->members[kept++] = s->members[i];
        else
            gone += s->members[i].stat.cpu_ticks + s->members[i].stat.children_ticks;
    }
    s->count = kept;
    if (gone > gained)
        s->lost_ticks += gone - gained;
}

static bool look(struct pid_source *s)
{
    struct process_ids ids = { 0 };
    bool ok = list_members(s, &ids);
    uint64_t gained = 0;

    for (size_t i = 0; i < s->count; i++)
        s->members[i].is_seen = false;
    for (size_t i = 0; i < ids.count && ok; i++) {
        struct process_stat stat;
        struct member *m;

        if (!process_stat_read(&stat, s->root, ids.items[i], &s->scratch))
            continue;
        m = find(s, &stat);
        if (m != NULL)
            gained += stat.children_ticks > m->stat.children_ticks ? stat.children_ticks - m->stat.children_ticks : 0;
        else
            m = add(s, &stat);
        ok = m != NULL;
        if (ok) {
            m->stat = stat;
            m->is_seen = true;
            read_io(s, m);
        }
    }
    process_ids_release(&ids);
    if (ok)
        drop_unseen(s, gained);
    return ok;
}

static void report_io(struct pid_source *s, struct reading *out)
{
    static const struct slice NAMES[IO_FIGURES] = { { "read_bytes_per_s", 16 }, { "write_bytes_per_s", 17 } };

    for (size_t k = 0; k < IO_FIGURES; k++) {
        uint64_t sum = 0;
        bool known = false;

        for (size_t i = 0; i < s->count; i++) {
            sum += s->members[i].has_io ? s->members[i].io[k] : 0;
            known = known || s->members[i].has_io;
        }
        if (sum < s->io_sum[k])
            s->io_lost[k] += s->io_sum[k] - sum;
        s->io_sum[k] = sum;
        if (known)
            reading_add(out, NAMES[k], READING_COUNTER, (double)(sum + s->io_lost[k]));
    }
}

static void report(struct pid_source *s, struct reading *out)
{
    const double ticks_per_s = (double)sysconf(_SC_CLK_TCK), page_bytes = (double)sysconf(_SC_PAGESIZE);
    uint64_t ticks = s->lost_ticks, pages = 0, threads = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct process_stat *stat = &s->members[i].stat;

        ticks += stat->cpu_ticks + stat->children_ticks;
        pages += stat->rss_pages;
        threads += stat->is_zombie ? 0 : stat->threads;
    }
    reading_add(out, SLICE("cpu_cores"), READING_COUNTER, (double)ticks / ticks_per_s);
    reading_add(out, SLICE("rss_bytes"), READING_GAUGE, (double)pages * page_bytes);
    reading_add(out, SLICE("threads"), READING_GAUGE, (double)threads);
    report_io(s, out);
    if (s->has_own_net && s->count > 0)
        net_dev_read(out, s->root, s->members[0].stat.pid);
}

static bool any_lives(const struct pid_source *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->members[i].stat.is_zombie)
            return true;
    return false;
}

static int pid_read(struct source *source, struct reading *out, struct err *err)
{
    struct pid_source *s = (struct pid_source *)source;

    if (!look(s))
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot list the processes below %" PRIu64, s->pid);
    if (!any_lives(s))
        return err_set(err, ERR_PEER, 0, "process %" PRIu64 " has ended", s->pid);
    report(s, out);
    return 0;
}

static void pid_close(struct source *source)
{
    struct pid_source *s = (struct pid_source *)source;

    free(s->members);
    buf_release(&s->scratch);
    free(s);
}

/* By what it may run on, and what its group may use. */
static double capacity(struct pid_source *s)
{
    struct cgroup_place group;
    double cores = (double)cgroup_processors(s->root), limit = 0;

    if (cgroup_of_process(&group, s->root, s->pid))
        limit = cgroup_capacity(&group);
    if (limit > 0 && (cores == 0 || limit < cores))
        cores = limit;
    if (text_read(&s->scratch, "%s/proc/%" PRIu64 "/status", s->root, s->pid)) {
        struct slice rest = buf_slice(&s->scratch);

        while (rest.len > 0) {
            const struct slice line = slice_split(&rest, '\n');

            if (!slice_starts(line, SLICE("Cpus_allowed_list:")))
                continue;
            limit = text_list_length(slice_drop(line, 18));
            if (limit > 0 && (cores == 0 || limit < cores))
                cores = limit;
        }
    }
    return cores;
}

int pid_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    static const struct source_ops OPS = { .read = pid_read, .close = pid_close };
    struct process_stat stat;
    struct pid_source *s;
    uint64_t pid;

    if (!slice_to_u64(what, &pid) || pid == 0 || pid > INT_MAX) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is not the number of a process", SLICE_FMT(what));
        return err_hint(err, "for example --watch gateway=pid:1234");
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch a process");
    s->source.ops = &OPS;
    s->root = context->root;
    s->pid = pid;
    buf_init(&s->scratch, TEXT_FILE_MAX_BYTES);
    if (!process_stat_read(&stat, s->root, pid, &s->scratch) || stat.is_zombie) {
        err_set(err, ERR_CONFIG, 0, "there is no process %" PRIu64, pid);
        err_hint(err, "pgrep -f WORDS finds the number of a process by its command line");
    } else if (add(s, &stat) == NULL) {
        err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch a process");
    } else {
        s->has_own_net = net_dev_is_own(s->root, pid);
        s->source.capacity_cores = capacity(s);
        *out = &s->source;
        return 0;
    }
    pid_close(&s->source);
    return -1;
}
