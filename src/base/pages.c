/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t page_bytes(void)
{
    const long n = sysconf(_SC_PAGESIZE);

    return n > 0 ? (size_t)n : 4096u;
}

/* 0 when bytes is too large to be rounded up. Nothing asked for still gives one page. */
static size_t round_up(size_t bytes)
{
    const size_t page = page_bytes();

    if (bytes > SIZE_MAX - page)
        return 0;
    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/* A limit on the address space refuses what would never be touched. */
static int refused(size_t bytes, int sys, struct err *err)
{
    struct rlimit limit;

    err_set(err, ERR_SYSTEM, sys, "cannot map %zu bytes of memory", bytes);
    if (sys != ENOMEM || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return -1;
    return err_hint(err,
                    "the address space is limited to %llu KiB (ulimit -v), and most of what is mapped is never "
                    "touched: raise the limit, or set one on memory (a cgroup) instead",
                    (unsigned long long)limit.rlim_cur / 1024);
}

int pages_map(void **out, size_t bytes, struct err *err)
{
    const size_t size = round_up(bytes);

    *out = NULL;
    if (size == 0)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot map %zu bytes of memory", bytes);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return refused(bytes, errno, err);
    /* With transparent huge pages set to "always" the first touched byte would cost 2 MiB. Kernels without them say
     * EINVAL. */
    (void)madvise(p, size, MADV_NOHUGEPAGE);
    *out = p;
    return 0;
}

void pages_unmap(void *p, size_t bytes)
{
    if (p != NULL)
        munmap(p, round_up(bytes));
}
