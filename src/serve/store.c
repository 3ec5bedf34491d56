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
    static const char *const FOLDERS[] = { "output", "blobs", "assets" };
    uint64_t used = 0, max = s->config->max_disk_bytes;

    for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++) {
        int folder = s->data >= 0 ? openat(s->data, FOLDERS[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (folder >= 0) {
            used += usage_below(folder, prefix, i == 0 ? n : 0, 0);
        }
    }
    return used < max ? max - used : 0;
}

static const struct slice NOTHING = { "", 0 };

static uint64_t used_now(const struct site *s)
{
    uint64_t room = store_room(s, NOTHING, 0);

    return s->config->max_disk_bytes - room; /* at most the maximum: more makes no difference */
}

void store_recount(struct site *s)
{
    uint64_t used = used_now(s);

    pthread_mutex_lock(&s->usage.lock);
    s->usage.used = used;
    s->usage.known = true;
    pthread_mutex_unlock(&s->usage.lock);
}

bool store_reserve(struct site *s, uint64_t bytes)
{
    struct usage *u = &s->usage;

    pthread_mutex_lock(&u->lock);
    if (!u->known) {
        u->used = used_now(s);
        u->known = true;
    }
    uint64_t taken = u->used + u->reserved;
    bool fits = taken <= s->config->max_disk_bytes && bytes <= s->config->max_disk_bytes - taken;
    u->reserved += fits ? bytes : 0;
    pthread_mutex_unlock(&u->lock);
    return fits;
}

void store_unreserve(struct site *s, uint64_t bytes)
{
    pthread_mutex_lock(&s->usage.lock);
    s->usage.reserved -= bytes;
    pthread_mutex_unlock(&s->usage.lock);
}

void store_add(struct site *s, uint64_t added, uint64_t removed)
{
    pthread_mutex_lock(&s->usage.lock);
    if (s->usage.known) {
        uint64_t used = s->usage.used + added;
        s->usage.used = used > removed ? used - removed : 0;
    }
    pthread_mutex_unlock(&s->usage.lock);
}
