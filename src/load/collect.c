/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "http/redact.h"
#include "load/watched.h"
#include "net/listen.h"

/* Longer than this the opening of the connections is worth a word. */
#define SLOW_RAMP_S 3.0

struct span collect_window(const struct run *run, const struct loader *workers)
{
    struct span s = { .start_ns = UINT64_MAX };
    uint64_t last_end = 0, deadline = 0;
    bool by_count = true; /* every worker had sent its share before the deadline */

    for (uint32_t i = 0; i < run->worker_count; i++) {
        const struct loader *w = &workers[i];

        if (w->window_start_ns < s.start_ns)
            s.start_ns = w->window_start_ns;
        if (w->last_end_ns > last_end)
            last_end = w->last_end_ns;
        if (w->window_end_ns > deadline)
            deadline = w->window_end_ns;
        if (w->budget > 0 && !w->gave_up)
            by_count = false;
    }
    s.end_ns = by_count && last_end < deadline ? last_end : deadline;
    for (uint32_t i = 0; i < run->worker_count; i++) /* gave up: until it did */
        if (workers[i].gave_up && workers[i].finished_ns > s.end_ns)
            s.end_ns = workers[i].finished_ns;
    if (s.end_ns < s.start_ns)
        s.end_ns = s.start_ns;
    return s;
}

double span_since(const struct span *s, uint64_t ns)
{
    return ns > s->start_ns ? (double)(ns - s->start_ns) / 1e9 : 0;
}

static int collect_target(struct target_result *out, const struct run *run, size_t k, const struct loader *workers,
                          double length_s, struct err *err)
{
    struct buf url;

    buf_init(&url, 64 * 1024);
    redact_url(&url, slice_str(run->targets[k].spec->url));
    out->url = buf_detach(&url);
    out->method = slice_dup(slice_str(run->targets[k].spec->method));
    if (out->url == NULL || out->method == NULL || hist_new(&out->latency, err) != 0 ||
        hist_new(&out->service_time, err) != 0)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    for (uint32_t i = 0; i < run->worker_count; i++) {
        const struct tally *t = &workers[i].tallies[k];

        tally_add_to(t, &out->totals);
        hist_merge(out->latency, &t->latency);
        hist_merge(out->service_time, &t->service_time);
        for (int s = 0; s < STATUS_MAX; s++)
            out->status[s] += t->status[s];
    }
    out->totals.requests_per_s = length_s > 0 ? (double)out->totals.ok_in_window / length_s : 0;
    out->totals.in_flight_mean = length_s > 0 ? out->totals.in_window_s / length_s
                                              : 0; /* by Little's law: integrated for the whole alone */
    return 0;
}

static int collect_targets(struct result *r, const struct run *run, const struct loader *workers, struct err *err)
{
    r->targets = calloc(run->target_count, sizeof(*r->targets));
    if (r->targets == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    for (size_t k = 0; k < run->target_count; k++) {
        r->target_count++;
        if (collect_target(&r->targets[k], run, k, workers, r->duration_s, err) != 0)
            return -1;
        for (uint32_t i = 0; i < run->worker_count; i++)
            tally_add_to(&workers[i].tallies[k], &r->totals);
        hist_merge(r->latency, r->targets[k].latency);
        hist_merge(r->service_time, r->targets[k].service_time);
        for (int s = 0; s < STATUS_MAX; s++)
            r->status[s] += r->targets[k].status[s];
    }
    r->totals.requests_per_s = r->duration_s > 0 ? (double)r->totals.ok_in_window / r->duration_s : 0;
    return 0;
}

static int merge_into(struct hist **out, const struct hist *from, struct err *err)
{
    if (hist_count(from) == 0 && hist_overflow(from) == 0)
        return 0;
    if (*out == NULL && hist_new(out, err) != 0)
        return -1;
    hist_merge(*out, from);
    return 0;
}

static int collect_histograms(struct result *r, const struct run *run, const struct loader *workers, struct err *err)
{
    for (uint32_t i = 0; i < run->worker_count; i++) {
        for (int k = 0; k < CLASSES; k++)
            if (merge_into(&r->by_class[k], &workers[i].by_class[k], err) != 0)
                return -1;
        for (int k = 0; k < PHASES; k++)
            if (merge_into(&r->phases[k], &workers[i].phases[k], err) != 0)
                return -1;
        if (merge_into(&r->phases[PHASE_TLS], &workers[i].tls_full, err) != 0 ||
            merge_into(&r->phases[PHASE_TLS], &workers[i].tls_resumed, err) != 0 ||
            merge_into(&r->tls_full, &workers[i].tls_full, err) != 0 ||
            merge_into(&r->tls_resumed, &workers[i].tls_resumed, err) != 0)
            return -1;
        if (merge_into(&r->generator.send_lateness, &workers[i].send_lateness, err) != 0)
            return -1;
        if (merge_into(&r->generator.loop_lag, &workers[i].loop_lag, err) != 0)
            return -1;
    }
    for (size_t k = 0; k < run->target_count; k++) {
        if (run->targets[k].lookup_ns == 0)
            continue;
        if (r->phases[PHASE_DNS] == NULL && hist_new(&r->phases[PHASE_DNS], err) != 0)
            return -1;
        hist_record(r->phases[PHASE_DNS], run->targets[k].lookup_ns);
    }
    return 0;
}

/* Adds one worker's entry to a list of the result's: the same kind and reason become one, the earliest example stays.
 */
static int add_error(struct error_entry **list, size_t *count, const struct failures *f, const struct failure_entry *e,
                     const struct strlist *secrets, const struct span *s)
{
    struct error_entry *grown, *x = NULL;
    struct buf detail, example;
    const double first = span_since(s, e->first_ns), last = span_since(s, e->last_ns);

    buf_init(&detail, 1024);
    buf_init(&example, 64 * 1024);
    failure_detail(&e->why, &detail);
    failure_mask(&detail, secrets, failure_request(f, e));
    if (detail.len == 0)
        buf_add_str(&detail, "");
    for (size_t i = 0; i < *count && x == NULL; i++)
        if ((*list)[i].kind == e->why.kind && slice_eq(slice_str((*list)[i].detail), buf_slice(&detail)))
            x = &(*list)[i];
    if (x == NULL) {
        grown = realloc(*list, (*count + 1) * sizeof(**list));
        if (grown == NULL)
            goto fail;
        *list = grown;
        x = &grown[(*count)++];
        *x = (struct error_entry){
            .kind = e->why.kind, .detail = buf_detach(&detail), .first_at_s = first, .last_at_s = last
        };
        if (x->detail == NULL)
            x->detail = slice_dup(SLICE(""));
    }
    if (x->first == NULL || first < x->first_at_s) {
        failure_example(f, e, secrets, &example);
        if (example.len > 0) {
            free(x->first);
            x->first = buf_detach(&example);
        }
    }
    x->count += e->count;
    if (first < x->first_at_s)
        x->first_at_s = first;
    if (last > x->last_at_s)
        x->last_at_s = last;
    buf_release(&detail);
    buf_release(&example);
    return 0;
fail:
    buf_release(&detail);
    buf_release(&example);
    return -1;
}

static int by_count(const void *a, const void *b)
{
    const struct error_entry *x = a, *y = b;

    return x->count < y->count ? 1 : x->count > y->count ? -1 : (int)x->kind - (int)y->kind;
}

static int collect_errors(struct result *r, const struct run *run, const struct loader *workers, const struct span *s,
                          struct err *err)
{
    for (uint32_t i = 0; i < run->worker_count; i++) {
        for (size_t k = 0; k < workers[i].failures.count; k++) {
            const struct failures *f = &workers[i].failures;
            const struct failure_entry *e = &f->entries[k];
            struct target_result *t = &r->targets[e->target];

            const struct strlist *secrets = &run->targets[e->target].secrets;

            if (add_error(&r->errors, &r->error_count, f, e, secrets, s) != 0 ||
                add_error(&t->errors, &t->error_count, f, e, secrets, s) != 0)
                return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        }
    }
    if (r->error_count > 1)
        qsort(r->errors, r->error_count, sizeof(*r->errors), by_count);
    for (size_t k = 0; k < r->target_count; k++)
        if (r->targets[k].error_count > 1)
            qsort(r->targets[k].errors, r->targets[k].error_count, sizeof(*r->errors), by_count);
    return 0;
}

static int collect_addresses(struct result *r, const struct run *run, const struct loader *workers, struct err *err)
{
    const uint32_t n = atomic_load(&run->addresses->count);

    r->addresses = calloc(n > 0 ? n : 1, sizeof(*r->addresses));
    if (r->addresses == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    for (uint32_t a = 0; a < n; a++) {
        struct address_entry *e = &r->addresses[r->address_count];
        char text[ADDR_TEXT_MAX];

        for (uint32_t i = 0; i < run->worker_count; i++) {
            e->connections += workers[i].connections_by_address[a];
            e->requests += workers[i].requests_by_address[a];
            e->failed_connects += workers[i].failed_by_address[a];
        }
        if (e->connections + e->requests + e->failed_connects == 0)
            continue;
        e->address = slice_dup(slice_str(addr_format(text, &run->addresses->items[a])));
        if (e->address == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        r->address_count++;
    }
    return 0;
}

static struct interval *interval_at(struct result *r, size_t index, struct err *err)
{
    struct interval *grown;

    if (index < r->interval_count)
        return &r->intervals[index];
    grown = realloc(r->intervals, (index + 1) * sizeof(*grown));
    if (grown == NULL) {
        err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        return NULL;
    }
    memset(grown + r->interval_count, 0, (index + 1 - r->interval_count) * sizeof(*grown));
    r->intervals = grown;
    r->interval_count = index + 1;
    return &grown[index];
}

static int add_interval(struct result *r, const struct interval_counts *c, struct hist *latency, const struct span *s,
                        struct err *err)
{
    struct interval *x = interval_at(r, c->index, err);
    const double length = (double)(c->end_ns - c->start_ns) / 1e9;

    if (x == NULL)
        return -1;
    x->t_s = span_since(s, c->start_ns);
    if (length > x->length_s)
        x->length_s = length;
    x->started += c->started;
    x->ok += c->ok;
    x->bytes += c->bytes;
    x->in_flight += (double)c->in_flight_ns / 1e9; /* divided by the length at the end */
    if (interval_add_failed(x, c->failed, c->failed_by_kind, err) != 0)
        return -1;
    return interval_get_latency(x, latency, err) != 0 ? -1 : interval_set_latency(x, latency, err);
}

static int collect_intervals(struct result *r, const struct run *run, const struct loader *workers,
                             const struct span *s, struct err *err)
{
    struct interval_counts counts;
    struct hist *latency = NULL;
    int rc = -1;

    if (hist_new(&latency, err) != 0)
        return -1;
    for (uint32_t i = 0; i < run->worker_count; i++) {
        size_t cursor = 0;

        for (;;) {
            hist_reset(latency);
            if (!interval_log_next(&workers[i].log, &cursor, &counts, latency))
                break;
            if (add_interval(r, &counts, latency, s, err) != 0)
                goto out;
        }
    }
    for (size_t i = 0; i < r->interval_count; i++)
        if (r->intervals[i].length_s > 0)
            r->intervals[i].in_flight /= r->intervals[i].length_s;
    rc = 0;
out:
    hist_free(latency);
    return rc;
}

/* What this machine ran out of limited the load, whatever its CPU did. */
static void note_exhaustion(struct result *r)
{
    for (size_t i = 0; i < r->error_count; i++) {
        const struct error_entry *e = &r->errors[i];
        const char *hint = e->kind == FAIL_PORTS_EXHAUSTED   ? "; --source ADDR,ADDR brings more"
                           : e->kind == FAIL_FILES_EXHAUSTED ? "; raise the limit of open files (ulimit -n)"
                                                             : NULL;
        char text[256];

        if (hint == NULL)
            continue;
        r->generator.limited = true;
        snprintf(text, sizeof(text), "%s%s", e->detail, hint);
        (void)strlist_add(&r->generator.reasons, slice_str(text));
    }
}

static int collect_health(struct result *r, const struct run *run, const struct loader *workers,
                          const struct run_facts *facts, const struct span *s, struct err *err)
{
    struct generator_health *h = &r->generator;
    unsigned low = 0, high = 0;
    uint64_t open = 0;
    int highest = 0;

    h->cpu_per_worker = calloc(run->worker_count, sizeof(double));
    if (h->cpu_per_worker == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
    h->workers = run->worker_count;
    for (uint32_t i = 0; i < run->worker_count; i++) {
        const struct loader *w = &workers[i];
        const uint64_t end = w->window_end_ns < w->finished_ns ? w->window_end_ns : w->finished_ns;
        const double length = end > s->start_ns ? (double)(end - s->start_ns) : 0;

        /* A window that never began has used nothing. */
        h->cpu_per_worker[i] = length > 0 && w->cpu_start_ns > 0 ? (double)(w->cpu_end_ns - w->cpu_start_ns) / length
                                                                 : 0;
        open += w->open_connections_max;
        highest = w->highest_fd > highest ? w->highest_fd : highest;
        h->log_waits += w->ring.waits;
    }
    h->open_files_max = (uint64_t)highest + 1;
    h->open_files_limit = facts->open_files_limit;
    if (run->plan->unix_socket == NULL && net_port_range(&low, &high, NULL) == 0) {
        h->ports_available = (uint64_t)(high - low + 1) * (run->plan->source_count > 0 ? run->plan->source_count : 1);
        h->ports_used = open + facts->net_after.time_wait; /* a port in TIME_WAIT is in use too */
        if (h->ports_used > h->ports_available)
            h->ports_used = h->ports_available;
    }
    h->time_wait_start = facts->net_before.time_wait;
    h->time_wait_end = facts->net_after.time_wait;
    h->retransmits = facts->net_after.retransmits - facts->net_before.retransmits;
    if (workers[0].is_open && r->duration_s > 0) {
        h->rate_asked = pace_due_before(run, s->end_ns - s->start_ns) / r->duration_s;
        h->rate_achieved = (double)r->totals.sent / r->duration_s;
    }
    health_judge(h, health_cpus());
    note_exhaustion(r);
    return 0;
}

static void collect_warmup(struct result *r, const struct run *run, const struct loader *workers)
{
    struct warmup_totals *t = &r->warmup;

    t->duration_s = (double)run->plan->warmup_ns / 1e9;
    for (uint32_t i = 0; i < run->worker_count; i++) {
        const struct warm_tally *w = &workers[i].warm;

        t->started += w->started;
        t->sent += w->sent;
        t->ok += w->ok;
        t->failed += w->failed;
        t->unfinished += w->unfinished;
        t->retried += w->retried;
    }
}

static void collect_times(struct result *r, const struct run *run, const struct loader *workers,
                          const struct run_facts *facts, const struct span *s)
{
    uint64_t ramp_end = facts->ramp_start_ns, in_flight = 0;
    bool gone = facts->never_reached;

    for (uint32_t i = 0; i < run->worker_count; i++) {
        ramp_end = workers[i].ramp_end_ns > ramp_end ? workers[i].ramp_end_ns : ramp_end;
        in_flight += workers[i].in_flight_ns;
        gone |= workers[i].gave_up;
        r->totals.not_sent += workers[i].not_sent;
    }
    for (uint32_t i = 0; i < run->worker_count && gone; i++) /* of -n: what was given up with the target */
        if (workers[i].budget != UINT64_MAX && !workers[i].is_open)
            r->totals.not_sent += workers[i].budget;
    clock_format_rfc3339(r->started, facts->started_wall_ns);
    r->ramp_s = (double)(ramp_end - facts->ramp_start_ns) / 1e9;
    r->duration_s = (double)(s->end_ns - s->start_ns) / 1e9;
    r->totals.in_flight_mean = r->duration_s > 0 ? (double)in_flight / 1e9 / r->duration_s : 0;
    r->interrupted = facts->interrupted;
}

static void explain(struct result *r, const struct run *run, const struct loader *workers,
                    const struct run_facts *facts)
{
    bool gave_up = false;
    char text[UNITS_TEXT_MAX];

    for (uint32_t i = 0; i < run->worker_count; i++)
        gave_up |= workers[i].gave_up;
    if (facts->never_reached)
        result_add_reason(r,
                          r->error_count > 0 && r->errors[0].kind == FAIL_TLS ? "no connection could be secured: %s"
                                                                              : "the target was never reached: %s",
                          r->error_count > 0 && r->errors[0].detail[0] != '\0' ? r->errors[0].detail
                                                                               : "no connection could be opened");
    for (size_t i = 0; i < r->error_count; i++)
        if (r->errors[i].kind == FAIL_TLS &&
            slice_starts(slice_str(r->errors[i].detail), SLICE("certificate verify failed")))
            result_add_reason(
                r, "the certificate does not verify: --cacert FILE names its authority, -k goes without verification");
    if (r->generator.ports_used * 2 > r->generator.ports_available && r->ramp_s > SLOW_RAMP_S)
        result_add_warning(
            r,
            "opening the connections took %.1f s: with more than half of the %llu local ports in use the "
            "kernel searches long for a free one; --source ADDR,ADDR brings more",
            r->ramp_s, (unsigned long long)r->generator.ports_available);
    if (gave_up)
        result_add_reason(r, "given up: no connection could be opened for %s",
                          units_format_duration(text, (double)run->plan->timeout_ns));
    if (r->totals.early_replies > 0)
        result_add_warning(r,
                           "%s %s came whole before the request was sent whole: the server did not read it to its end, "
                           "and the time of such a request says little",
                           units_format_count(text, r->totals.early_replies),
                           r->totals.early_replies == 1 ? "reply" : "replies");
    for (size_t i = 0; i < run->target_count && run->is_pipelined; i++) {
        if (run->targets[i].is_idempotent)
            continue;
        result_add_warning(r,
                           "%s was pipelined: where a connection is lost, nobody can tell which of its requests were "
                           "acted upon (RFC 9112, 9.3.2 advises against it)",
                           run->targets[i].spec->method);
        break;
    }
    for (uint32_t i = 0; i < run->worker_count; i++) {
        if (workers[i].h2_max_concurrent == 0 || workers[i].h2_max_concurrent >= run->streams)
            continue;
        result_add_warning(r,
                           "the server allows %u streams at a time on a connection: the rest of the %u were not used",
                           workers[i].h2_max_concurrent, run->streams);
        break;
    }
}

int collect(struct result *r, const struct run *run, struct loader *workers, const struct run_facts *facts,
            struct err *err)
{
    const struct span s = collect_window(run, workers);

    collect_times(r, run, workers, facts, &s);
    collect_warmup(r, run, workers);
    for (size_t i = 0; i < run->plan->percentile_count; i++) {
        if (r->percentiles == NULL)
            r->percentiles = calloc(run->plan->percentile_count, sizeof(double));
        if (r->percentiles == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the result");
        r->percentiles[r->percentile_count++] = run->plan->percentiles[i];
    }
    if (collect_targets(r, run, workers, err) != 0 || collect_histograms(r, run, workers, err) != 0 ||
        collect_errors(r, run, workers, &s, err) != 0 || collect_addresses(r, run, workers, err) != 0 ||
        collect_intervals(r, run, workers, &s, err) != 0 || collect_health(r, run, workers, facts, &s, err) != 0)
        return -1;
    for (uint32_t i = 0; i < run->worker_count && r->tls_version == NULL; i++) {
        if (workers[i].first.tls_version[0] == '\0')
            continue;
        r->tls_version = slice_dup(slice_str(workers[i].first.tls_version));
        r->tls_cipher = slice_dup(slice_str(workers[i].first.tls_cipher));
    }
    if (load_add_watched(r, run->plan->watcher, err) != 0)
        return -1;
    r->nothing_due = run->is_open && run->shares.players > 1 && r->totals.started + r->totals.not_sent == 0;
    explain(r, run, workers, facts);
    collect_save_failures(r, run, workers, &s);
    result_judge(r, run->plan->max_errors, run->plan->strict);
    return 0;
}
