/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first "model name" of /proc/cpuinfo; left empty where the kernel has none (arm64). */
static void fill_cpu_name(char *out, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[512];

    if (f == NULL)
        return;
    while (fgets(line, sizeof(line), f) != NULL) {
        struct slice value = slice_str(line);
        const struct slice name = slice_split(&value, ':');

        if (!slice_eq(slice_trim(name), SLICE("model name")))
            continue;
        if (slice_ends(value, SLICE("\n")))
            value = slice_take(value, value.len - 1);
        snprintf(out, size, "%.*s", SLICE_FMT(slice_trim(value)));
        break;
    }
    fclose(f);
}

void host_info_fill(struct host_info *h)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    struct utsname u;

    memset(h, 0, sizeof(*h));
    if (uname(&u) == 0) {
        snprintf(h->hostname, sizeof(h->hostname), "%s", u.nodename);
        snprintf(h->kernel, sizeof(h->kernel), "%.30s %.64s %.30s", u.sysname, u.release, u.machine);
    }
    fill_cpu_name(h->cpu, sizeof(h->cpu));
    snprintf(h->tool_version, sizeof(h->tool_version), "plimsoll %s", PLIMSOLL_VERSION);
    h->cpus = cpus > 0 ? (unsigned)cpus : 1;
    if (pages > 0 && page_bytes > 0)
        h->memory_bytes = (uint64_t)pages * (uint64_t)page_bytes;
}
