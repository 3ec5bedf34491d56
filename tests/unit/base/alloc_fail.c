/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alloc_fail.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);

static unsigned countdown;
static bool refused;

void alloc_fail_at(unsigned nth)
{
    countdown = nth;
    refused = false;
}

bool alloc_fail_end(void)
{
    countdown = 0;
    return refused;
}

static bool refuse(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    refused = true;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
    return refuse() ? NULL : __real_reallocarray(old, n, size);
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    return refuse() ? MAP_FAILED : __real_mmap64(at, size, prot, flags, fd, offset);
}
