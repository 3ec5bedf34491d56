/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/pattern.h"

#include <pthread.h>
#include <string.h>

static const char LINE[PATTERN_LINE + 1] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n";

static char region[PATTERN_BYTES]; /* written once, under region_once */
static pthread_once_t region_once = PTHREAD_ONCE_INIT;

static void build(void)
{
    for (size_t i = 0; i < PATTERN_BYTES; i += PATTERN_LINE) {
        memcpy(region + i, LINE, PATTERN_LINE);
    }
}

const char *pattern_bytes(void)
{
    pthread_once(&region_once, build);
    return region;
}

void pattern_copy(char *out, uint64_t offset, size_t len)
{
    const char *bytes = pattern_bytes() + offset % PATTERN_LINE;

    while (len > 0) {
        size_t n = len < PATTERN_BYTES - PATTERN_LINE ? len : PATTERN_BYTES - PATTERN_LINE;
        memcpy(out, bytes, n);
        out += n;
        len -= n;
    }
}
