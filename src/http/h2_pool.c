/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/h2_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

/* Blocks of powers of two from 32 bytes to 1 MiB, each class with a list of free ones; new ones are cut from the
 * mapping. A block never goes back to the mapping: the same few sizes come and go all the time. */
#define CLASS_FIRST 5u
#define CLASSES 16u

struct block {
    uint64_t class; /* a header before every block, 16 bytes so that what follows is aligned for anything */
    struct block *next;
};

struct h2_pool {
    char *bytes;
    size_t size, used;
    struct block *free[CLASSES];
};

int h2_pool_new(struct h2_pool **out, size_t max_bytes, struct err *err)
{
    struct h2_pool *p = calloc(1, sizeof(*p));
    void *bytes = NULL;

    *out = NULL;
    if (p == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    if (pages_map(&bytes, max_bytes, err) != 0) {
        free(p);
        return -1;
    }
    p->bytes = bytes;
    p->size = max_bytes;
    *out = p;
    return 0;
}

void h2_pool_free(struct h2_pool *p)
{
    if (p == NULL)
        return;
    pages_unmap(p->bytes, p->size);
    free(p);
}

static unsigned class_of(size_t size)
{
    const unsigned bits = size <= (1u << CLASS_FIRST) ? CLASS_FIRST : 64u - (unsigned)__builtin_clzll(size - 1);

    return bits - CLASS_FIRST < CLASSES ? bits - CLASS_FIRST : CLASSES;
}

static size_t class_size(uint64_t class)
{
    return (size_t)1 << (class + CLASS_FIRST);
}

static void *pool_malloc(size_t size, void *user_data)
{
    struct h2_pool *p = user_data;
    const unsigned class = class_of(size);
    struct block *b;

    if (class == CLASSES)
        return NULL;
    b = p->free[class];
    if (b != NULL) {
        p->free[class] = b->next;
        return b + 1;
    }
    if (p->size - p->used < sizeof(*b) + class_size(class))
        return NULL;
    b = (struct block *)(void *)(p->bytes + p->used);
    p->used += sizeof(*b) + class_size(class);
    b->class = class;
    return b + 1;
}

static void pool_free(void *ptr, void *user_data)
{
    struct h2_pool *p = user_data;
    struct block *b;

    if (ptr == NULL)
        return;
    b = (struct block *)ptr - 1;
    b->next = p->free[b->class];
    p->free[b->class] = b;
}

static void *pool_calloc(size_t count, size_t size, void *user_data)
{
    void *ptr;

    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    ptr = pool_malloc(count * size, user_data);
    if (ptr != NULL)
        memset(ptr, 0, count * size);
    return ptr;
}

static void *pool_realloc(void *ptr, size_t size, void *user_data)
{
    struct block *b;
    void *grown;

    if (ptr == NULL)
        return pool_malloc(size, user_data);
    b = (struct block *)ptr - 1;
    if (size <= class_size(b->class))
        return ptr;
    grown = pool_malloc(size, user_data);
    if (grown == NULL)
        return NULL;
    memcpy(grown, ptr, class_size(b->class));
    pool_free(ptr, user_data);
    return grown;
}

nghttp2_mem h2_pool_mem(struct h2_pool *p)
{
    return (nghttp2_mem){ p, pool_malloc, pool_free, pool_calloc, pool_realloc };
}
