/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/files_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/random_text.h"

/* Every piece is written from another place of a block of random text, so that no two files are alike although the text
 * is made once: making it for each byte would measure us and not the disk. The block fits into a second-level cache. */
#define PIECE_BYTES (512u * 1024u)
#define SHIFT_BYTES (64u * 1024u)
#define BLOCK_BYTES (PIECE_BYTES + SHIFT_BYTES)

struct hand {
    struct files_job *job;
    pthread_t thread;
    struct rng rng;
    char *block;
    uint64_t done, bytes;
};

void files_name(char out[FILES_NAME_MAX], const char *prefix, uint64_t number)
{
    snprintf(out, FILES_NAME_MAX, "%.*s_%" PRIu64 ".txt", FILES_PREFIX_MAX, prefix, number);
}

uint64_t files_number(struct slice name, struct slice prefix)
{
    uint64_t number;

    if (!slice_starts(name, prefix) || !slice_ends(name, SLICE(".txt")) || name.len < prefix.len + 6) {
        return 0;
    }
    struct slice digits = slice_take(slice_drop(name, prefix.len + 1), name.len - prefix.len - 5);
    bool good = name.ptr[prefix.len] == '_' && digits.ptr[0] != '0' && slice_to_u64(digits, &number);
    return good ? number : 0;
}

bool files_prefix_is_good(struct slice prefix)
{
    for (size_t i = 0; i < prefix.len; i++) {
        unsigned char c = (unsigned char)prefix.ptr[i];
        if (c < 0x20 || c == 0x7f || c == '/') {
            return false;
        }
    }
    return prefix.len > 0 && prefix.len <= FILES_PREFIX_MAX;
}

static bool is_stopped(const struct files_job *j)
{
    return __atomic_load_n(&j->_stop, __ATOMIC_RELAXED) != 0 || j->is_cancelled(j->arg);
}

/* The first failure is kept, and ends the others. */
static void fail(struct files_job *j, uint64_t number, int error)
{
    if (__atomic_exchange_n(&j->_stop, 1, __ATOMIC_RELAXED) == 0) {
        j->error = error;
        j->failed = number;
    }
}

static int write_bytes(struct hand *h, int fd)
{
    uint64_t left = h->job->size;

    while (left > 0) {
        const char *from = h->block + rng_below(&h->rng, SHIFT_BYTES);
        ssize_t n = write(fd, from, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        left -= n > 0 ? (uint64_t)n : 0;
        h->bytes += n > 0 ? (uint64_t)n : 0;
        if (left > 0 && is_stopped(h->job)) {
            errno = ECANCELED;
            return -1;
        }
    }
    return h->job->sync ? fsync(fd) : 0;
}

static int write_one(struct hand *h, const char *name)
{
    const struct files_job *j = h->job;

    if (j->delete_first && unlinkat(j->folder, name, 0) != 0 && errno != ENOENT) {
        return -1;
    }
    int fd = openat(j->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (fd < 0) {
        return -1;
    }
    int rc = write_bytes(h, fd), error = errno;
    if (close(fd) != 0 && rc == 0) { /* a network file system says here that it is full */
        rc = -1;
        error = errno;
    }
    if (rc != 0) {
        unlinkat(j->folder, name, 0); /* half a file is no file */
        errno = error;
    }
    return rc;
}

static int read_one(struct hand *h, const char *name)
{
    int fd = openat(h->job->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = 0;

    if (fd < 0) {
        return -1;
    }
    while ((n = read(fd, h->block, BLOCK_BYTES)) > 0 && !is_stopped(h->job)) {
        h->bytes += (uint64_t)n;
    }
    int error = errno;
    close(fd);
    errno = n > 0 ? ECANCELED : error;
    return n == 0 ? 0 : -1;
}

static void *work(void *arg)
{
    struct hand *h = arg;
    struct files_job *j = h->job;
    char name[FILES_NAME_MAX];

    for (;;) {
        uint64_t i = __atomic_fetch_add(&j->_next, 1, __ATOMIC_RELAXED);
        if (i >= j->n || is_stopped(j)) {
            return NULL;
        }
        files_name(name, j->prefix, i + 1);
        uint64_t begin_ns = clock_now_ns();
        if ((j->read ? read_one(h, name) : write_one(h, name)) != 0) {
            fail(j, i + 1, errno);
            return NULL;
        }
        j->times_ns[i] = clock_now_ns() - begin_ns;
        h->done++;
    }
}

static void run_hands(struct files_job *j, struct hand *hands)
{
    unsigned started = 1;

    j->elapsed_ns = clock_now_ns();
    while (started < j->parallel && pthread_create(&hands[started].thread, NULL, work, &hands[started]) == 0) {
        started++;
    }
    work(&hands[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(hands[i].thread, NULL);
    }
    j->elapsed_ns = clock_now_ns() - j->elapsed_ns;
    for (unsigned i = 0; i < j->parallel; i++) {
        j->done += hands[i].done;
        j->bytes += hands[i].bytes;
    }
}

/* Text to write for all, or room of its own for each reader. */
static char *make_blocks(const struct files_job *j, struct rng *rng)
{
    size_t bytes = j->read ? (size_t)BLOCK_BYTES * j->parallel : BLOCK_BYTES;
    char *blocks = malloc(bytes);

    if (blocks != NULL && !j->read) {
        random_text_fill(rng, blocks, BLOCK_BYTES);
    }
    return blocks;
}

bool files_job_run(struct files_job *j)
{
    struct rng rng;

    rng_init(&rng, rng_seed_from_system());
    char *blocks = make_blocks(j, &rng);
    struct hand *hands = calloc(j->parallel, sizeof(*hands));
    j->times_ns = calloc(j->n > 0 ? j->n : 1, sizeof(*j->times_ns));
    bool ok = blocks != NULL && hands != NULL && j->times_ns != NULL;
    for (unsigned i = 0; ok && i < j->parallel; i++) {
        hands[i].job = j;
        hands[i].block = blocks + (j->read ? (size_t)BLOCK_BYTES * i : 0);
        rng_init(&hands[i].rng, rng_next(&rng));
    }
    if (ok) {
        run_hands(j, hands);
    }
    free(blocks);
    free(hands);
    return ok;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void files_job_sort(struct files_job *j)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < j->n; i++) {
        if (j->times_ns[i] != 0) {
            j->times_ns[kept++] = j->times_ns[i];
        }
    }
    j->done = kept;
    qsort(j->times_ns, kept, sizeof(*j->times_ns), compare);
}

/* The smallest value with at least that share of all at or below it. */
uint64_t files_job_quantile(const struct files_job *j, double share)
{
    double rank = share * (double)j->done;
    uint64_t whole = (uint64_t)rank;

    if (j->done == 0) {
        return 0;
    }
    whole += (double)whole < rank;
    return j->times_ns[whole > 0 ? whole - 1 : 0];
}

void files_job_release(struct files_job *j)
{
    free(j->times_ns);
    j->times_ns = NULL;
}
