/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GET /metrics (Prometheus text), /readyz. */
#include "serve/handlers.h"

#include "serve/metrics.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { TEXT_MAX_BYTES = 1024 * 1024, WORKERS_MAX = 1024 };

void handle_metrics(struct exchange *x)
{
    const struct site *site = x->worker->site;
    const struct metrics *all[WORKERS_MAX];
    struct serve_counts counts;
    struct buf out;

    for (unsigned i = 0; i < site->worker_count; i++) {
        all[i] = &site->workers[i].metrics;
    }
    worker_count(site->workers, site->worker_count, &counts);
    buf_init(&out, TEXT_MAX_BYTES);
    metrics_write(&out, all, &counts, site->worker_count);
    exchange_reply_buf(x, 200, SLICE("text/plain; version=0.0.4; charset=utf-8"), &out);
}

void handle_ready(struct exchange *x)
{
    if (x->worker->phase == WORKER_SERVING) {
        exchange_reply(x, 200, TYPE_JSON, SLICE("{\"status\":\"ready\"}\n"));
    } else {
        exchange_fail(x, 503, "The server is stopping.");
    }
}
