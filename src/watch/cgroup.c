/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/cgroup.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "watch/text.h"

#define MOUNT CGROUP_MOUNT

static const char *const CONTROLLERS[] = { "cpu", "cpuacct", "cpu,cpuacct", "memory", "blkio", "cpuset", "pids" };
#define CONTROLLER_COUNT (sizeof(CONTROLLERS) / sizeof(CONTROLLERS[0]))

static bool is_directory(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool is_directory(const char *fmt, ...)
{
    char path[2 * PATH_MAX];
    struct stat st;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(path, sizeof(path), fmt, args);
    va_end(args);
    return n < (int)sizeof(path) && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool cgroup_root_is_v2(const char *root)
{
    char path[PATH_MAX];
    struct stat st;

    return snprintf(path, sizeof(path), "%s" MOUNT "/cgroup.controllers", root) < (int)sizeof(path) &&
           stat(path, &st) == 0;
}

static bool exists(const struct cgroup_place *g)
{
    if (g->is_v2)
        return is_directory("%s" MOUNT "%s", g->root, g->path);
    for (size_t i = 0; i < CONTROLLER_COUNT; i++)
        if (is_directory("%s" MOUNT "/%s%s", g->root, CONTROLLERS[i], g->path))
            return true;
    return false;
}

/* Without a leading controller of version 1. */
static struct slice drop_controller(struct slice path)
{
    for (size_t i = 0; i < CONTROLLER_COUNT; i++) {
        const struct slice name = slice_str(CONTROLLERS[i]);

        if (slice_starts(path, name) && (path.len == name.len || path.ptr[name.len] == '/'))
            return slice_drop(path, name.len);
    }
    return path;
}

static struct slice drop_slashes(struct slice path)
{
    while (path.len > 0 && path.ptr[0] == '/')
        path = slice_drop(path, 1);
    while (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

bool cgroup_find(struct cgroup_place *out, const char *root, struct slice path)
{
    bool is_whole;

    out->root = root;
    out->is_v2 = cgroup_root_is_v2(root);
    is_whole = slice_starts(path, SLICE(MOUNT)) &&
               (path.len == sizeof(MOUNT) - 1 || path.ptr[sizeof(MOUNT) - 1] == '/');
    path = drop_slashes(is_whole ? slice_drop(path, sizeof(MOUNT) - 1) : path);
    if (is_whole && !out->is_v2)
        path = drop_slashes(drop_controller(path));
    if (slice_find(path, '\0') >= 0)
        return false;
    return snprintf(out->path, sizeof(out->path), "%s%.*s", path.len > 0 ? "/" : "", SLICE_FMT(path)) <
               (int)sizeof(out->path) &&
           exists(out);
}

/* Lines "0::/a" of version 2, "4:cpu,cpuacct:/a" of version 1. */
bool cgroup_of_process(struct cgroup_place *out, const char *root, uint64_t pid)
{
    const bool is_v2 = cgroup_root_is_v2(root);
    bool found = false;
    struct buf text;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    if (text_read(&text, "%s/proc/%" PRIu64 "/cgroup", root, pid)) {
        struct slice rest = buf_slice(&text);

        while (rest.len > 0 && !found) {
            struct slice line = slice_split(&rest, '\n'), names;

            slice_split(&line, ':');
            names = slice_split(&line, ':');
            if (is_v2 ? names.len == 0
                      : slice_eq(slice_split(&names, ','), SLICE("cpu")) || slice_eq(names, SLICE("cpu")))
                found = cgroup_find(out, root, line);
        }
    }
    buf_release(&text);
    return found;
}

unsigned cgroup_processors(const char *root)
{
    unsigned n = 0;
    struct buf text;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    if (text_read(&text, "%s/sys/devices/system/cpu/online", root)) {
        struct slice rest = buf_slice(&text);

        n = text_list_length(slice_split(&rest, '\n'));
    }
    buf_release(&text);
    return n;
}

/* Cores that one group's own limit allows; 0: it has none. path may be cut off anywhere. */
static double limit_at(const struct cgroup_place *g, size_t path_len, struct buf *text)
{
    const int len = (int)path_len;
    uint64_t quota, period;
    struct slice line;

    if (!g->is_v2)
        return text_read_u64(&quota, "%s" MOUNT "/cpu%.*s/cpu.cfs_quota_us", g->root, len, g->path) &&
                       text_read_u64(&period, "%s" MOUNT "/cpu%.*s/cpu.cfs_period_us", g->root, len, g->path) &&
                       period > 0
                   ? (double)quota / (double)period
                   : 0;
    if (!text_read(text, "%s" MOUNT "%.*s/cpu.max", g->root, len, g->path))
        return 0;
    line = buf_slice(text);
    line = slice_split(&line, '\n');
    return slice_to_u64(text_word(line, 0), &quota) && slice_to_u64(text_word(line, 1), &period) && period > 0
               ? (double)quota / (double)period
               : 0;
}

static unsigned set_size(const struct cgroup_place *g, struct buf *text)
{
    struct slice rest;

    if (!(g->is_v2 ? text_read(text, "%s" MOUNT "%s/cpuset.cpus.effective", g->root, g->path)
                   : text_read(text, "%s" MOUNT "/cpuset%s/cpuset.effective_cpus", g->root, g->path) ||
                         text_read(text, "%s" MOUNT "/cpuset%s/cpuset.cpus", g->root, g->path)))
        return 0;
    rest = buf_slice(text);
    return text_list_length(slice_split(&rest, '\n'));
}

static void tighten(double *cores, double limit)
{
    if (limit > 0 && (*cores == 0 || limit < *cores))
        *cores = limit;
}

double cgroup_capacity(const struct cgroup_place *g)
{
    double cores = (double)cgroup_processors(g->root);
    size_t len = strlen(g->path);
    struct buf text;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    tighten(&cores, set_size(g, &text));
    for (;;) {
        tighten(&cores, limit_at(g, len, &text));
        if (len == 0)
            break;
        do {
            len--;
        } while (len > 0 && g->path[len] != '/');
    }
    buf_release(&text);
    return cores;
}
