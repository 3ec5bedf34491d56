/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/machine.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/cgroup.h"
#include "watch/text.h"

struct reader {
    struct machine_facts *facts;
    const char *root;
    struct buf text;
};

void machine_facts_init(struct machine_facts *f)
{
    memset(f, 0, sizeof(*f));
    f->open_files_soft = f->open_files_hard = f->files_used = f->files_max = NAN;
    f->port_first = f->port_last = f->tw_reuse = f->time_wait = f->somaxconn = NAN;
    f->conntrack_count = f->conntrack_max = f->ipv6_disabled = NAN;
    f->processors = f->capacity = f->throttled_share = f->governed = f->turbo = NAN;
    f->memory_available = f->memory_total = f->tracer_pid = NAN;
    f->watched_s = f->stolen_share = f->others_cores = NAN;
    f->timer_p50_ns = f->timer_p99_ns = f->timer_max_ns = NAN;
    f->clock_read_ns = f->clock_resolution_ns = f->round_trip_p50_ns = NAN;
    f->wall_synced = f->wall_error_s = NAN;
}

static double number(const struct reader *r, const char *path)
{
    uint64_t value;

    return text_read_u64(&value, "%s%s", r->root, path) ? (double)value : NAN;
}

/* The first line, without what does not print. */
static void word(const struct reader *r, char *out, size_t size, const char *path)
{
    struct buf text;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    if (text_read(&text, "%s%s", r->root, path)) {
        struct slice rest = buf_slice(&text);
        const struct slice line = slice_trim(slice_split(&rest, '\n'));

        snprintf(out, size, "%.*s", SLICE_FMT(line));
    }
    buf_release(&text);
    for (char *c = out; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static struct slice lines_of(struct reader *r, const char *path)
{
    return text_read(&r->text, "%s%s", r->root, path) ? buf_slice(&r->text) : SLICE("");
}

/* The line that begins so, behind it; empty: there is none. */
static struct slice line_after(struct slice text, const char *begin)
{
    while (text.len > 0) {
        const struct slice line = slice_split(&text, '\n');

        if (slice_starts(line, slice_str(begin)))
            return slice_drop(line, strlen(begin));
    }
    return SLICE("");
}

static bool has_line(struct slice text, const char *whole)
{
    while (text.len > 0)
        if (slice_eq(slice_split(&text, '\n'), slice_str(whole)))
            return true;
    return false;
}

/* "unlimited" is INFINITY. */
static double limit_word(struct slice line, size_t n)
{
    const struct slice text = text_word(line, n);
    uint64_t value;

    if (slice_eq(text, SLICE("unlimited")))
        return (double)INFINITY;
    return slice_to_u64(text, &value) ? (double)value : NAN;
}

static void read_files(struct reader *r)
{
    struct slice line = line_after(lines_of(r, "/proc/self/limits"), "Max open files");

    r->facts->open_files_soft = limit_word(line, 0);
    r->facts->open_files_hard = limit_word(line, 1);
    line = lines_of(r, "/proc/sys/fs/file-nr");
    line = slice_split(&line, '\n');
    r->facts->files_used = limit_word(line, 0);
    r->facts->files_max = limit_word(line, 2);
}

static void read_ipv6(struct reader *r)
{
    struct slice rest = lines_of(r, "/proc/net/if_inet6");

    /* Address, interface, prefix length, scope (00 global, 10 host, 20 link), flags, name. */
    while (rest.len > 0) {
        const struct slice line = slice_split(&rest, '\n');

        r->facts->ipv6_loopback |= slice_starts(line, SLICE("00000000000000000000000000000001 "));
        r->facts->ipv6_global |= slice_eq(text_word(line, 3), SLICE("00"));
    }
    r->facts->ipv6_disabled = number(r, "/proc/sys/net/ipv6/conf/all/disable_ipv6");
}

static void read_network(struct reader *r)
{
    struct machine_facts *f = r->facts;
    struct slice line = lines_of(r, "/proc/sys/net/ipv4/ip_local_port_range");

    line = slice_split(&line, '\n');
    f->port_first = limit_word(line, 0);
    f->port_last = limit_word(line, 1);
    f->tw_reuse = number(r, "/proc/sys/net/ipv4/tcp_tw_reuse");
    f->somaxconn = number(r, "/proc/sys/net/core/somaxconn");
    f->conntrack_count = number(r, "/proc/sys/net/netfilter/nf_conntrack_count");
    f->conntrack_max = number(r, "/proc/sys/net/netfilter/nf_conntrack_max");
    line = line_after(lines_of(r, "/proc/net/sockstat"), "TCP:");
    for (size_t i = 0; text_word(line, i).len > 0; i++)
        if (slice_eq(text_word(line, i), SLICE("tw")))
            f->time_wait = limit_word(line, i + 1);
    f->address_translation = has_line(lines_of(r, "/proc/net/ip_tables_names"), "nat");
    read_ipv6(r);
}

/* One governor's word per processor; the worst counts. */
static void read_governors(const struct reader *r)
{
    struct machine_facts *f = r->facts;
    char pattern[PATH_MAX];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", r->root);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    f->governed = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[MACHINE_NAME_MAX] = "";

        word(r, name, sizeof(name), found.gl_pathv[i] + strlen(r->root));
        if (name[0] == '\0' || strcmp(name, "performance") == 0)
            continue;
        f->governed++;
        memcpy(f->governor, name, sizeof(name));
    }
    globfree(&found);
}

static void read_turbo(const struct reader *r)
{
    const double off = number(r, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    const double boost = number(r, "/sys/devices/system/cpu/cpufreq/boost");

    if (!isnan(off)) {
        r->facts->turbo = off == 0;
        r->facts->turbo_mend = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo";
    } else if (!isnan(boost)) {
        r->facts->turbo = boost != 0;
        r->facts->turbo_mend = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
    }
}

/* Of the control group that this process is in. */
static void read_quota(struct reader *r)
{
    struct machine_facts *f = r->facts;
    struct cgroup_place *g = calloc(1, sizeof(*g));
    uint64_t periods, stopped;
    double capacity;

    if (g != NULL && cgroup_of_process(g, r->root, (uint64_t)getpid())) {
        capacity = cgroup_capacity(g);
        if (capacity > 0)
            f->capacity = capacity;
        if (text_read(&r->text, "%s" CGROUP_MOUNT "%s%s/cpu.stat", r->root, g->is_v2 ? "" : "/cpu", g->path) &&
            text_find(buf_slice(&r->text), "nr_periods", &periods) && periods > 0 &&
            text_find(buf_slice(&r->text), "nr_throttled", &stopped))
            f->throttled_share = (double)stopped / (double)periods;
    }
    free(g);
}

static void read_processors(struct reader *r)
{
    struct machine_facts *f = r->facts;
    const unsigned processors = cgroup_processors(r->root);

    if (processors > 0)
        f->processors = processors;
    read_governors(r);
    read_turbo(r);
    read_quota(r);
    f->is_virtual = slice_find_slice(line_after(lines_of(r, "/proc/cpuinfo"), "flags"), SLICE(" hypervisor")) >= 0;
    word(r, f->clock_source, sizeof(f->clock_source),
         "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    word(r, f->clock_sources, sizeof(f->clock_sources),
         "/sys/devices/system/clocksource/clocksource0/available_clocksource");
}

static void read_power(const struct reader *r)
{
    char pattern[PATH_MAX], state[MACHINE_NAME_MAX];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/sys/class/power_supply/BAT*/status", r->root);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        state[0] = '\0';
        word(r, state, sizeof(state), found.gl_pathv[i] + strlen(r->root));
        r->facts->on_battery |= strcmp(state, "Discharging") == 0;
    }
    globfree(&found);
}

/* "always [madvise] never": the one in brackets. */
static void read_huge_pages(struct reader *r)
{
    struct slice rest = lines_of(r, "/sys/kernel/mm/transparent_hugepage/enabled"), mode;

    slice_split(&rest, '[');
    mode = slice_split(&rest, ']');
    snprintf(r->facts->huge_pages, sizeof(r->facts->huge_pages), "%.*s", SLICE_FMT(mode));
}

static void read_other(struct reader *r)
{
    struct machine_facts *f = r->facts;
    struct slice text = lines_of(r, "/proc/meminfo");
    uint64_t kib;

    if (text_find(text, "MemAvailable", &kib))
        f->memory_available = 1024.0 * (double)kib;
    if (text_find(text, "MemTotal", &kib))
        f->memory_total = 1024.0 * (double)kib;
    if (text_find(lines_of(r, "/proc/self/status"), "TracerPid", &kib))
        f->tracer_pid = (double)kib;
    f->preloads = getenv("LD_PRELOAD") != NULL;
    read_huge_pages(r);
    read_power(r);
}

void machine_read(struct machine_facts *f, const char *root)
{
    struct reader r = { .facts = f, .root = root };

    buf_init(&r.text, TEXT_FILE_MAX_BYTES);
    read_files(&r);
    read_network(&r);
    read_processors(&r);
    read_other(&r);
    buf_release(&r.text);
}
