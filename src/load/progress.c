/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/progress.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/units.h"

/* A little after the full second, when the workers have closed theirs. */
#define PROGRESS_PHASE_NS UINT64_C(30000000)

void progress_reader_init(struct progress_reader *r, const struct load_plan *plan, struct loader *workers,
                          uint32_t worker_count)
{
    *r = (struct progress_reader){
        .plan = plan, .workers = workers, .worker_count = worker_count, .started_ns = clock_now_ns()
    };
    r->next_ns = r->started_ns + NS_PER_S;
    if (plan->on_progress == NULL)
        return;
    if (hist_new(&r->latency, NULL) == 0)
        r->cursors = calloc(worker_count, sizeof(*r->cursors));
}

void progress_reader_release(struct progress_reader *r)
{
    hist_free(r->latency);
    free(r->cursors);
}

static void read_seconds(struct progress_reader *r, struct load_progress *p)
{
    struct interval_counts counts;
    double rate = 0;

    hist_reset(r->latency);
    for (uint32_t i = 0; i < r->worker_count; i++) {
        double ok = 0, seconds = 0;

        while (interval_log_next(&r->workers[i].log, &r->cursors[i], &counts, r->latency)) {
            ok += (double)counts.ok;
            seconds += (double)(counts.end_ns - counts.start_ns) / 1e9;
            r->ended += counts.ok + counts.failed;
            r->failed += counts.failed;
            p->in_flight += counts.in_flight_end;
        }
        rate += seconds > 0 ? ok / seconds : 0;
    }
    p->requests_per_s = rate;
    p->p50_ns = hist_value_at(r->latency, 50);
    p->p99_ns = hist_value_at(r->latency, 99);
    p->done = r->ended;
    p->failed = r->failed;
}

const char *run_stage(struct run *run, uint64_t now_ns, double *elapsed_s)
{
    const struct load_plan *plan = run->plan;
    uint64_t begin;
    bool go;

    pthread_mutex_lock(&run->lock);
    go = run->go;
    begin = run->go_ns + plan->warmup_ns;
    pthread_mutex_unlock(&run->lock);
    *elapsed_s = go && now_ns > begin ? (double)(now_ns - begin) / 1e9 : 0;
    return !go                                                            ? "connecting"
           : now_ns < begin                                               ? "warm-up"
           : plan->duration_ns > 0 && now_ns >= begin + plan->duration_ns ? "draining"
                                                                          : "measuring";
}

void progress_reader_poll(struct progress_reader *r, struct run *run)
{
    const struct load_plan *plan = r->plan;
    struct load_progress p = { 0 };
    const uint64_t now = clock_now_ns();
    uint64_t begin;
    bool go;

    if (r->cursors == NULL || now < r->next_ns)
        return;
    pthread_mutex_lock(&run->lock);
    go = run->go;
    begin = run->go_ns + plan->warmup_ns;
    pthread_mutex_unlock(&run->lock);
    p.planned = plan->requests;
    p.planned_s = (double)plan->duration_ns / 1e9;
    p.stage = run_stage(run, now, &p.elapsed_s);
    read_seconds(r, &p);
    plan->on_progress(plan->arg, &p);
    /* In step with the workers' own seconds. */
    r->next_ns = go && now >= begin ? begin + ((now - begin) / NS_PER_S + 1) * NS_PER_S + PROGRESS_PHASE_NS
                                    : now + NS_PER_S;
}
