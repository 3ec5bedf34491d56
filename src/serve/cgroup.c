/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

enum { FILE_MAX_BYTES = 16 * 1024 };

/* The number behind "throttled_usec ". */
static bool read_stat(const char *path, uint64_t *ns)
{
    struct buf text;
    bool found = false;

    buf_init(&text, FILE_MAX_BYTES);
    if (file_read(path, &text, NULL) == 0) {
        struct slice rest = buf_slice(&text);
        while (rest.len > 0 && !found) {
            struct slice line = slice_split(&rest, '\n');
            uint64_t us;
            if (slice_starts(line, SLICE("throttled_usec ")) && slice_to_u64(slice_drop(line, 15), &us)) {
                *ns = us * 1000;
                found = true;
            }
        }
    }
    buf_release(&text);
    return found;
}

bool cgroup_throttled(uint64_t *ns)
{
    char path[512] = "/sys/fs/cgroup/cpu.stat";
    struct buf text;

    buf_init(&text, FILE_MAX_BYTES);
    if (file_read("/proc/self/cgroup", &text, NULL) == 0) {
        struct slice rest = buf_slice(&text);
        while (rest.len > 0) {
            struct slice line = slice_split(&rest, '\n');
            if (slice_starts(line, SLICE("0::"))) {
                snprintf(path, sizeof(path), "/sys/fs/cgroup%.*s/cpu.stat", SLICE_FMT(slice_drop(line, 3)));
            }
        }
    }
    buf_release(&text);
    return read_stat(path, ns) || read_stat("/sys/fs/cgroup/cpu.stat", ns);
}
