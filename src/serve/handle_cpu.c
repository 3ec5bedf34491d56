/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /prime/{n}: the smallest prime that is at least n, found the slow way. Each candidate is divided by every number
 * from 2 to its half until a remainder is 0. The count of divisions is the benchmark: they are made one by one, in 64
 * bits, and nothing is left out. GET /fibonacci/{n}: the other CPU check, over at once. */
#include "serve/handlers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "serve/cgroup.h"
#include "serve/offload.h"
#include "serve/query.h"
#include "serve/worker.h"

#define PRIME_MAX (1ull << 53)
#define BLOCK 262144u /* divisions between two looks at the clock: about a millisecond */

enum { COPIES_MAX = 64, FIBONACCI_MAX = 93 };

struct prime_job;

/* One copy of the search, in its own thread. */
struct prime_copy {
    struct offload offload; /* first */
    struct prime_job *job;
    uint64_t prime; /* 0: not found */
    uint64_t divisions, elapsed_ns;
};

/* Lives until its last thread ended, longer than the exchange when the client leaves. */
struct prime_job {
    struct exchange *x; /* NULL: the client left */
    uint64_t n, max_cpu_ns, begin_ns, throttled_ns;
    bool show_copies;
    unsigned count, running;
    struct prime_copy copies[];
};

/* Divides up to BLOCK times. 1: a remainder was 0; 0: all done without; -1: not done yet. */
static int divide_block(uint64_t candidate, uint64_t *divisor, uint64_t *divisions)
{
    uint64_t d = *divisor, end = candidate / 2, last = end - d < BLOCK ? end : d + BLOCK - 1;

    for (; d <= last; d++) {
        uint64_t remainder = candidate % d;
        __asm__ volatile("" : "+r"(remainder)); /* the compiler knows nothing about it: each one is computed */
        if (remainder == 0) {
            *divisions += d - *divisor + 1;
            return 1;
        }
    }
    *divisions += d - *divisor;
    *divisor = d;
    return d > end ? 0 : -1;
}

static bool is_over(const struct prime_copy *c)
{
    return offload_is_cancelled(&c->offload) || clock_thread_cpu_ns() > c->job->max_cpu_ns;
}

static void search(struct prime_copy *c)
{
    uint64_t candidate = c->job->n < 2 ? 2 : c->job->n;

    for (;; candidate++) {
        uint64_t divisor = 2;
        int state = candidate / 2 < 2 ? 0 : -1;
        while (state < 0) {
            state = divide_block(candidate, &divisor, &c->divisions);
            if (state < 0 && is_over(c)) {
                return;
            }
        }
        if (state == 0) {
            c->prime = candidate;
            return;
        }
    }
}

static void run_copy(struct offload *o)
{
    struct prime_copy *c = (struct prime_copy *)(void *)o;
    uint64_t begin_ns = clock_now_ns();

    search(c);
    c->elapsed_ns = clock_now_ns() - begin_ns;
}

static double per_second(uint64_t count, uint64_t ns)
{
    return ns == 0 ? 0 : (double)count * 1e9 / (double)ns;
}

static void add_figures(struct buf *out, uint64_t divisions, uint64_t ns)
{
    buf_printf(out, "\"seconds\":%.6f,\"divisions\":%llu,\"divisionsPerSecond\":%.0f", (double)ns / 1e9,
               (unsigned long long)divisions, per_second(divisions, ns));
}

static void add_copies(struct buf *out, const struct prime_job *job)
{
    buf_add_str(out, ",\"threads\":[");
    for (unsigned i = 0; i < job->count; i++) {
        buf_add_str(out, i > 0 ? ",{" : "{");
        add_figures(out, job->copies[i].divisions, job->copies[i].elapsed_ns);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void answer_prime(struct exchange *x, const struct prime_job *job)
{
    uint64_t elapsed_ns = clock_now_ns() - job->begin_ns, divisions = 0, throttled_ns;
    bool found = true;
    struct buf out;

    for (unsigned i = 0; i < job->count; i++) {
        divisions += job->copies[i].divisions;
        found &= job->copies[i].prime != 0;
    }
    buf_init(&out, 64 * 1024);
    if (found) {
        buf_printf(&out, "{\"n\":\"%llu\",\"prime\":%llu,", (unsigned long long)job->n,
                   (unsigned long long)job->copies[0].prime);
    } else {
        buf_printf(&out,
                   "{\"error\":\"The limit of %.3g s of CPU time was reached before a prime was "
                   "found.\",\"status\":503,\"n\":\"%llu\",",
                   (double)job->max_cpu_ns / 1e9, (unsigned long long)job->n);
    }
    buf_printf(&out, "\"msTime\":%.0f,", round((double)elapsed_ns / 1e6));
    add_figures(&out, divisions, elapsed_ns);
    if (job->throttled_ns != UINT64_MAX && cgroup_throttled(&throttled_ns)) {
        buf_printf(&out, ",\"throttledSeconds\":%.6f", (double)(throttled_ns - job->throttled_ns) / 1e9);
    }
    if (job->show_copies) {
        add_copies(&out, job);
    }
    buf_add_str(&out, "}\n");
    exchange_reply_buf(x, found ? 200 : 503, TYPE_JSON, &out);
}

static void copy_done(struct offload *o)
{
    struct prime_job *job = ((struct prime_copy *)(void *)o)->job;

    if (--job->running > 0) {
        return;
    }
    struct exchange *x = job->x;
    if (x != NULL) {
        x->on_end = NULL;
        answer_prime(x, job);
    }
    free(job);
}

static void client_left(struct exchange *x)
{
    struct prime_job *job = x->state;

    job->x = NULL;
    for (unsigned i = 0; i < job->count; i++) {
        offload_cancel(&job->copies[i].offload);
    }
}

/* Starts what it can: false when nothing runs. */
static bool start_copies(struct prime_job *job, struct worker *w, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct prime_copy *c = &job->copies[i];
        c->job = job;
        c->offload.run = run_copy;
        c->offload.done = copy_done;
        if (!offload_start(&c->offload, w)) {
            break;
        }
        job->count = ++job->running;
    }
    return job->running == count;
}

void handle_prime(struct exchange *x)
{
    uint64_t n, copies = 0;

    if (!exchange_number(x, "n", PRIME_MAX, &n) || !query_number(x, "threads", 1, COPIES_MAX, &copies)) {
        return;
    }
    unsigned count = copies > 0 ? (unsigned)copies : 1;
    struct prime_job *job = calloc(1, sizeof(*job) + count * sizeof(job->copies[0]));
    if (job == NULL) {
        exchange_fail(x, 500, "Out of memory.");
        return;
    }
    job->x = x;
    job->n = n;
    job->show_copies = copies > 0;
    job->max_cpu_ns = x->worker->config->max_cpu_ns;
    if (!cgroup_throttled(&job->throttled_ns)) {
        job->throttled_ns = UINT64_MAX;
    }
    job->begin_ns = clock_now_ns();
    bool all = start_copies(job, x->worker, count);
    x->state = job;
    x->on_end = client_left;
    x->end_with_client = true;
    if (all) {
        return;
    }
    x->on_end = NULL;
    if (job->running == 0) {
        free(job);
    } else {
        client_left(x);
    }
    exchange_fail(x, 503, "Too much is being computed already.");
}

void handle_fibonacci(struct exchange *x)
{
    uint64_t n, a = 0, b = 1;
    char text[128];

    if (!exchange_number(x, "n", UINT64_MAX, &n)) {
        return;
    }
    if (n > FIBONACCI_MAX) {
        exchange_fail(x, 422, "n must be at most %d: the next Fibonacci number does not fit into 64 bits.",
                      FIBONACCI_MAX);
        return;
    }
    uint64_t begin_ns = clock_now_ns();
    for (uint64_t i = 0; i < n; i++) {
        uint64_t next = a + b;
        a = b;
        b = next;
    }
    int len = snprintf(text, sizeof(text), "{\"n\":\"%llu\",\"fibonacci\":%llu,\"msTime\":%llu}\n",
                       (unsigned long long)n, (unsigned long long)a,
                       (unsigned long long)(clock_now_ns() - begin_ns) / 1000000u);
    exchange_reply(x, 200, TYPE_JSON, slice_from(text, (size_t)len));
}
