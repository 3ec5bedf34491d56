/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A control group, named by its path or by a unit of systemd's. */
#include "watch/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/cgroup.h"
#include "watch/net_dev.h"
#include "watch/text.h"

#define MOUNT CGROUP_MOUNT
/* Slices in slices, a user's manager and its own slices: units lie no deeper. */
#define UNIT_DEPTH_MAX 8

struct cgroup_source {
    struct source source;
    struct cgroup_place place;
    struct buf text;
};

/* "8:0 rbytes=1 wbytes=2 rios=…", or of version 1 "8:0 Read 1". */
static void add_io(struct reading *out, struct slice text, bool is_v2)
{
    uint64_t read = 0, written = 0, n;

    while (text.len > 0) {
        const struct slice line = slice_split(&text, '\n');

        for (size_t i = 1; is_v2 && text_word(line, i).len > 0; i++) {
            const struct slice word = text_word(line, i);

            if (slice_starts(word, SLICE("rbytes=")) && slice_to_u64(slice_drop(word, 7), &n))
                read += n;
            else if (slice_starts(word, SLICE("wbytes=")) && slice_to_u64(slice_drop(word, 7), &n))
                written += n;
        }
        if (is_v2 || !slice_to_u64(text_word(line, 2), &n))
            continue;
        if (slice_eq(text_word(line, 1), SLICE("Read")))
            read += n;
        else if (slice_eq(text_word(line, 1), SLICE("Write")))
            written += n;
    }
    reading_add(out, SLICE("read_bytes_per_s"), READING_COUNTER, (double)read);
    reading_add(out, SLICE("write_bytes_per_s"), READING_COUNTER, (double)written);
}

static void read_v2(struct cgroup_source *s, struct reading *out)
{
    const struct cgroup_place *g = &s->place;
    uint64_t n, more;

    if (text_read(&s->text, "%s" MOUNT "%s/cpu.stat", g->root, g->path)) {
        if (text_find(buf_slice(&s->text), "usage_usec", &n))
            reading_add(out, SLICE("cpu_cores"), READING_COUNTER, (double)n / 1e6);
        if (text_find(buf_slice(&s->text), "throttled_usec", &n))
            reading_add(out, SLICE("throttled_s_per_s"), READING_COUNTER, (double)n / 1e6);
    }
    if (text_read(&s->text, "%s" MOUNT "%s/memory.stat", g->root, g->path) &&
        text_find(buf_slice(&s->text), "anon", &n) && text_find(buf_slice(&s->text), "file_mapped", &more))
        reading_add(out, SLICE("rss_bytes"), READING_GAUGE, (double)(n + more));
    if (text_read_u64(&n, "%s" MOUNT "%s/memory.current", g->root, g->path))
        reading_add(out, SLICE("memory_bytes"), READING_GAUGE, (double)n);
    if (text_read_u64(&n, "%s" MOUNT "%s/pids.current", g->root, g->path))
        reading_add(out, SLICE("threads"), READING_GAUGE, (double)n);
    if (text_read(&s->text, "%s" MOUNT "%s/io.stat", g->root, g->path))
        add_io(out, buf_slice(&s->text), true);
}

static void read_v1(struct cgroup_source *s, struct reading *out)
{
    const struct cgroup_place *g = &s->place;
    uint64_t n, more;

    if (text_read_u64(&n, "%s" MOUNT "/cpuacct%s/cpuacct.usage", g->root, g->path))
        reading_add(out, SLICE("cpu_cores"), READING_COUNTER, (double)n / 1e9);
    if (text_read(&s->text, "%s" MOUNT "/cpu%s/cpu.stat", g->root, g->path) &&
        text_find(buf_slice(&s->text), "throttled_time", &n))
        reading_add(out, SLICE("throttled_s_per_s"), READING_COUNTER, (double)n / 1e9);
    if (text_read(&s->text, "%s" MOUNT "/memory%s/memory.stat", g->root, g->path) &&
        text_find(buf_slice(&s->text), "total_rss", &n) && text_find(buf_slice(&s->text), "total_mapped_file", &more))
        reading_add(out, SLICE("rss_bytes"), READING_GAUGE, (double)(n + more));
    if (text_read_u64(&n, "%s" MOUNT "/memory%s/memory.usage_in_bytes", g->root, g->path))
        reading_add(out, SLICE("memory_bytes"), READING_GAUGE, (double)n);
    if (text_read_u64(&n, "%s" MOUNT "/pids%s/pids.current", g->root, g->path))
        reading_add(out, SLICE("threads"), READING_GAUGE, (double)n);
    if (text_read(&s->text, "%s" MOUNT "/blkio%s/blkio.throttle.io_service_bytes", g->root, g->path))
        add_io(out, buf_slice(&s->text), false);
}

/* Of the first process in the group, when that has a network of its own. */
static void read_net(struct cgroup_source *s, struct reading *out)
{
    const struct cgroup_place *g = &s->place;
    struct slice rest;
    uint64_t pid;

    if (!text_read(&s->text, "%s" MOUNT "%s%s/cgroup.procs", g->root, g->is_v2 ? "" : "/cpuacct", g->path))
        return;
    rest = buf_slice(&s->text);
    if (slice_to_u64(slice_split(&rest, '\n'), &pid) && net_dev_is_own(g->root, pid))
        net_dev_read(out, g->root, pid);
}

static int cgroup_read(struct source *source, struct reading *out, struct err *err)
{
    struct cgroup_source *s = (struct cgroup_source *)source;

    if (s->place.is_v2)
        read_v2(s, out);
    else
        read_v1(s, out);
    if (out->count == 0)
        return err_set(err, ERR_PEER, 0, "the control group %s is gone", s->place.path);
    read_net(s, out);
    return 0;
}

static void cgroup_close(struct source *source)
{
    struct cgroup_source *s = (struct cgroup_source *)source;

    buf_release(&s->text);
    free(s);
}

static int open_place(struct source **out, const struct cgroup_place *place, struct err *err)
{
    static const struct source_ops OPS = { .read = cgroup_read, .close = cgroup_close };
    struct cgroup_source *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch a control group");
    s->source.ops = &OPS;
    s->place = *place;
    s->source.capacity_cores = cgroup_capacity(place);
    buf_init(&s->text, TEXT_FILE_MAX_BYTES);
    *out = &s->source;
    return 0;
}

int cgroup_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    struct cgroup_place place;

    if (what.len > 0 && cgroup_find(&place, context->root, what))
        return open_place(out, &place, err);
    err_set(err, ERR_CONFIG, 0, "there is no control group \"%.*s\"", SLICE_FMT(what));
    return err_hint(err, "a directory below " MOUNT ", for example --watch store=cgroup:/system.slice/redis.service");
}

struct unit_search {
    const char *name;
    char found[PATH_MAX], other[PATH_MAX]; /* paths of groups; "" */
    size_t depth;                          /* of found */
};

static void take_unit(struct unit_search *u, const char *path, size_t depth)
{
    if (u->found[0] == '\0' || depth < u->depth) {
        snprintf(u->found, sizeof(u->found), "%s", path);
        u->other[0] = '\0';
        u->depth = depth;
    } else if (depth == u->depth) {
        snprintf(u->other, sizeof(u->other), "%s", path);
    }
}

/* path: where `base` is left so far; used as a stack. */
static void search_units(struct unit_search *u, const char *base, char *path, size_t depth)
{
    const size_t len = strlen(path);
    char directory[2 * PATH_MAX];
    struct dirent *e;
    DIR *dir;

    snprintf(directory, sizeof(directory), "%s%s", base, path);
    dir = opendir(directory);
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        if (e->d_type != DT_DIR || e->d_name[0] == '.' || len + 1 + strlen(e->d_name) >= PATH_MAX)
            continue;
        snprintf(path + len, PATH_MAX - len, "/%s", e->d_name);
        if (strcmp(e->d_name, u->name) == 0)
            take_unit(u, path, depth);
        else if (depth < UNIT_DEPTH_MAX)
            search_units(u, base, path, depth + 1);
    }
    path[len] = '\0';
    if (dir != NULL)
        closedir(dir);
}

int unit_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    static const char *const BELOW[] = { "", "/systemd", "/unified" };
    char name[NAME_MAX + 1], base[PATH_MAX], path[PATH_MAX] = "";
    struct unit_search u = { .name = name };
    struct cgroup_place place;

    snprintf(name, sizeof(name), "%.*s%s", SLICE_FMT(what), slice_find(what, '.') < 0 ? ".service" : "");
    for (size_t i = 0; i < sizeof(BELOW) / sizeof(BELOW[0]) && u.found[0] == '\0'; i++) {
        if (i == 0 && !cgroup_root_is_v2(context->root))
            continue;
        snprintf(base, sizeof(base), "%s" MOUNT "%s", context->root, BELOW[i]);
        search_units(&u, base, path, 0);
    }
    if (u.other[0] != '\0') {
        err_set(err, ERR_CONFIG, 0, "there is more than one unit %s", name);
        return err_hint(err, "say which: cgroup:%.80s or cgroup:%.80s", u.found, u.other);
    }
    if (what.len > 0 && u.found[0] != '\0' && cgroup_find(&place, context->root, slice_str(u.found)))
        return open_place(out, &place, err);
    err_set(err, ERR_CONFIG, 0, "no unit %s is running here", name);
    return err_hint(err, "systemctl list-units --state=running names those that are");
}
