/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/net_dev.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "watch/text.h"

enum { RECEIVED_WORD = 0, SENT_WORD = 8 };

static bool namespace_of(char out[64], const char *root, const char *process)
{
    char path[PATH_MAX];
    ssize_t n;

    snprintf(path, sizeof(path), "%s/proc/%s/ns/net", root, process);
    n = readlink(path, out, 63);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool net_dev_is_own(const char *root, uint64_t pid)
{
    char own[64], other[64], process[32];

    snprintf(process, sizeof(process), "%" PRIu64, pid);
    return namespace_of(own, root, "self") && namespace_of(other, root, process) && strcmp(own, other) != 0;
}

void net_dev_sum(struct slice text, uint64_t *received, uint64_t *sent)
{
    *received = *sent = 0;
    while (text.len > 0) {
        struct slice rest = slice_split(&text, '\n');
        const struct slice name = slice_trim(slice_split(&rest, ':'));
        uint64_t in, out;

        if (slice_eq(name, SLICE("lo")) || !slice_to_u64(text_word(rest, RECEIVED_WORD), &in) ||
            !slice_to_u64(text_word(rest, SENT_WORD), &out))
            continue; /* the two lines of heading too */
        *received += in;
        *sent += out;
    }
}

void net_dev_read(struct reading *out, const char *root, uint64_t pid)
{
    uint64_t received, sent;
    struct buf text;

    buf_init(&text, TEXT_FILE_MAX_BYTES);
    if (text_read(&text, "%s/proc/%" PRIu64 "/net/dev", root, pid)) {
        net_dev_sum(buf_slice(&text), &received, &sent);
        reading_add(out, SLICE("net_received_bytes_per_s"), READING_COUNTER, (double)received);
        reading_add(out, SLICE("net_sent_bytes_per_s"), READING_COUNTER, (double)sent);
    }
    buf_release(&text);
}
