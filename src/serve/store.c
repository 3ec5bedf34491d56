/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/files_job.h"
#include "serve/site.h"

enum { DEPTH_MAX = 64 };

int store_open(const struct site *s, const char *folder)
{
    if (s->data < 0) {
        errno = ENOENT;
        return -1;
    }
    if (mkdirat(s->data, folder, 0755) != 0 && errno != EEXIST) {
        return -1;
    }
    return openat(s->data, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static uint64_t usage_below(int folder, struct slice prefix, uint64_t n, unsigned depth);

static uint64_t usage_of(int folder, const char *name, struct slice prefix, uint64_t n, unsigned depth)
{
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return 0;
    }
    if (!S_ISDIR(st.st_mode)) {
        uint64_t number = n > 0 ? files_number(slice_str(name), prefix) : 0;
        return number > 0 && number <= n ? 0 : (uint64_t)st.st_size;
    }
    int below = depth < DEPTH_MAX ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    return below >= 0 ? usage_below(below, SLICE(""), 0, depth + 1) : 0;
}

/* Takes folder. */
static uint64_t usage_below(int folder, struct slice prefix, uint64_t n, unsigned depth)
{
    DIR *dir = fdopendir(folder);
    uint64_t bytes = 0;

    if (dir == NULL) {
        close(folder);
        return 0;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            bytes += usage_of(dirfd(dir), e->d_name, prefix, n, depth);
        }
    }
    closedir(dir);
    return bytes;
}

uint64_t store_usage(int folder, struct slice prefix, uint64_t n)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return own >= 0 ? usage_below(own, prefix, n, 0) : 0;
}

uint64_t store_room(const struct site *s, struct slice prefix, uint64_t n)
{
    static const char *const FOLDERS[] = { "output", "blobs" };
    uint64_t used = 0, max = s->config->max_disk_bytes;

    for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
        int folder = s->data >= 0 ? openat(s->data, FOLDERS[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (folder >= 0) {
            used += usage_below(folder, prefix, i == 0 ? n : 0, 0);
        }
    }
    return used < max ? max - used : 0;
}
