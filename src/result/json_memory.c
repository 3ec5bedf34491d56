/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_memory.h"

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { BLOCK_MIN = 64 * 1024, BLOCK_MAX = 4 * 1024 * 1024, ALIGNMENT = 16 };

struct block {
    struct block *before;
    size_t used, size; /* of memory */
    _Alignas(ALIGNMENT) char memory[];
};

static _Thread_local struct {
    bool begun;
    struct block *last;
} here;

static struct block *add_block(size_t bytes)
{
    size_t size = here.last == NULL ? BLOCK_MIN : here.last->size < BLOCK_MAX ? 2 * here.last->size : BLOCK_MAX;
    struct block *b;

    size = bytes > size ? bytes : size;
    b = size < SIZE_MAX - sizeof(*b) ? malloc(sizeof(*b) + size) : NULL;
    if (b == NULL)
        return NULL;
    *b = (struct block){ .before = here.last, .size = size };
    here.last = b;
    return b;
}

static void *take(size_t bytes)
{
    struct block *b = here.last;
    const size_t rounded = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

    if (!here.begun)
        return malloc(bytes);
    if (rounded < bytes)
        return NULL;
    if (b == NULL || b->size - b->used < rounded)
        b = add_block(rounded);
    if (b == NULL)
        return NULL;
    b->used += rounded;
    return b->memory + b->used - rounded;
}

/* What lies in a block goes with it. */
static void give_back(void *p)
{
    for (const struct block *b = here.last; b != NULL; b = b->before)
        if ((uintptr_t)p >= (uintptr_t)b->memory && (uintptr_t)p < (uintptr_t)b->memory + b->size)
            return;
    free(p);
}

static void install(void)
{
    json_set_alloc_funcs(take, give_back);
}

void json_memory_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, install);
    here.begun = true;
}

void json_memory_end(void)
{
    while (here.last != NULL) {
        struct block *b = here.last;

        here.last = b->before;
        free(b);
    }
    here.begun = false;
}
