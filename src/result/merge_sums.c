/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/merge_parts.h"

static void add_totals(struct totals *to, const struct totals *t)
{
    to->started += t->started;
    to->sent += t->sent;
    to->ok += t->ok;
    to->failed += t->failed;
    to->unfinished += t->unfinished;
    to->not_sent += t->not_sent;
    to->retried += t->retried;
    to->interim_replies += t->interim_replies;
    to->unfinished_oldest_s = fmax(to->unfinished_oldest_s, t->unfinished_oldest_s);
    to->ok_in_window += t->ok_in_window;
    to->bytes_sent += t->bytes_sent;
    to->bytes_received += t->bytes_received;
    to->body_bytes_received += t->body_bytes_received;
    to->connections_opened += t->connections_opened;
    to->connections_reused += t->connections_reused;
    to->tls_handshakes += t->tls_handshakes;
    to->tls_resumed += t->tls_resumed;
    to->in_flight_mean = merge_exact(to->in_flight_mean) + merge_exact(t->in_flight_mean);
}

static void add_warmup(struct warmup_totals *to, const struct warmup_totals *t)
{
    to->duration_s = fmax(to->duration_s, t->duration_s);
    to->started += t->started;
    to->sent += t->sent;
    to->ok += t->ok;
    to->failed += t->failed;
    to->unfinished += t->unfinished;
    to->retried += t->retried;
}

static void add_status(uint64_t to[STATUS_MAX], const uint64_t from[STATUS_MAX])
{
    for (size_t i = 0; i < STATUS_MAX; i++)
        to[i] += from[i];
}

/* An empty one is made only when there is something to add. */
static bool add_hist(struct hist **to, const struct hist *from)
{
    if (hist_count(from) == 0 && hist_overflow(from) == 0)
        return true;
    if (*to == NULL && hist_new(to, NULL) != 0)
        return false;
    hist_merge(*to, from);
    return true;
}

/* ---- errors ---- */

/* From the start of one window to that of another, in whole nanoseconds, so that moving twice is moving once. */
static double moved(double at_s, int64_t by_ns)
{
    return (double)(llround(at_s * NS_PER_S) + by_ns) / NS_PER_S;
}

static void move_errors(struct error_entry *errors, size_t count, int64_t by_ns)
{
    for (size_t i = 0; i < count; i++) {
        errors[i].first_at_s = moved(errors[i].first_at_s, by_ns);
        errors[i].last_at_s = moved(errors[i].last_at_s, by_ns);
    }
}

static int compare_texts(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

static bool same_error(const struct error_entry *a, const struct error_entry *b)
{
    return a->kind == b->kind && strcmp(a->detail != NULL ? a->detail : "", b->detail != NULL ? b->detail : "") == 0;
}

/* The example is that of the earliest; of two at the same time one by its text, always the same one. */
static bool join_error(struct error_entry *to, const struct error_entry *e, double first_at_s, double last_at_s)
{
    to->count += e->count;
    to->last_at_s = fmax(to->last_at_s, last_at_s);
    if (first_at_s < to->first_at_s || (first_at_s == to->first_at_s && compare_texts(e->first, to->first) < 0)) {
        char *first = e->first != NULL ? strdup(e->first) : NULL;

        if (e->first != NULL && first == NULL)
            return false;
        free(to->first);
        to->first = first;
        to->first_at_s = first_at_s;
    }
    return true;
}

static bool append_error(struct error_entry **list, size_t *count, const struct error_entry *e, int64_t by_ns)
{
    struct error_entry *grown = reallocarray(*list, *count + 1, sizeof(*grown)), *added;

    if (grown == NULL)
        return false;
    *list = grown;
    added = &grown[(*count)++];
    *added = (struct error_entry){ .kind = e->kind,
                                   .detail = strdup(e->detail != NULL ? e->detail : ""),
                                   .first = e->first != NULL ? strdup(e->first) : NULL,
                                   .count = e->count,
                                   .first_at_s = moved(e->first_at_s, by_ns),
                                   .last_at_s = moved(e->last_at_s, by_ns) };
    return added->detail != NULL && (e->first == NULL || added->first != NULL);
}

static int by_count(const void *a, const void *b)
{
    const struct error_entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->detail, y->detail);
}

static bool add_errors(struct error_entry **list, size_t *count, const struct error_entry *from, size_t n,
                       int64_t by_ns)
{
    bool ok = true;

    for (size_t i = 0; i < n && ok; i++) {
        size_t at = 0;

        while (at < *count && !same_error(&(*list)[at], &from[i]))
            at++;
        if (at < *count)
            ok = join_error(&(*list)[at], &from[i], moved(from[i].first_at_s, by_ns), moved(from[i].last_at_s, by_ns));
        else
            ok = append_error(list, count, &from[i], by_ns);
    }
    if (ok && *count > 1)
        qsort(*list, *count, sizeof(**list), by_count);
    return ok;
}

/* ---- addresses, targets ---- */

static int by_address(const void *a, const void *b)
{
    return compare_texts(((const struct address_entry *)a)->address, ((const struct address_entry *)b)->address);
}

static bool add_addresses(struct result *sum, const struct result *r)
{
    for (size_t i = 0; i < r->address_count; i++) {
        const struct address_entry *a = &r->addresses[i];
        struct address_entry *grown;
        size_t at = 0;

        while (at < sum->address_count && compare_texts(sum->addresses[at].address, a->address) != 0)
            at++;
        if (at == sum->address_count) {
            grown = reallocarray(sum->addresses, sum->address_count + 1, sizeof(*grown));
            if (grown == NULL)
                return false;
            sum->addresses = grown;
            grown[at] = (struct address_entry){ .address = strdup(a->address != NULL ? a->address : "") };
            sum->address_count++;
            if (grown[at].address == NULL)
                return false;
        }
        sum->addresses[at].connections += a->connections;
        sum->addresses[at].requests += a->requests;
        sum->addresses[at].failed_connects += a->failed_connects;
    }
    if (sum->address_count > 1)
        qsort(sum->addresses, sum->address_count, sizeof(*sum->addresses), by_address);
    return true;
}

static int compare_targets(const struct target_result *a, const struct target_result *b)
{
    const int order = compare_texts(a->url, b->url);

    return order != 0 ? order : compare_texts(a->method, b->method);
}

static int by_target(const void *a, const void *b)
{
    return compare_targets(a, b);
}

/* Its counters are still empty. NULL: no memory. */
static struct target_result *new_target(struct result *sum, const struct target_result *t)
{
    struct target_result *grown = reallocarray(sum->targets, sum->target_count + 1, sizeof(*grown)), *added;

    if (grown == NULL)
        return NULL;
    sum->targets = grown;
    added = &grown[sum->target_count++];
    memset(added, 0, sizeof(*added));
    added->url = strdup(t->url != NULL ? t->url : "");
    added->method = strdup(t->method != NULL ? t->method : "");
    return added->url != NULL && added->method != NULL ? added : NULL;
}

/* near: where the target before was found, plus one; most parts have the same targets in the same order. */
static struct target_result *find_target(struct result *sum, const struct target_result *t, size_t known, size_t near)
{
    if (near < known && compare_targets(&sum->targets[near], t) == 0)
        return &sum->targets[near];
    for (size_t i = 0; i < known; i++)
        if (compare_targets(&sum->targets[i], t) == 0)
            return &sum->targets[i];
    return new_target(sum, t);
}

static bool add_target(struct target_result *to, const struct target_result *t, int64_t by_ns)
{
    add_totals(&to->totals, &t->totals);
    add_status(to->status, t->status);
    return add_hist(&to->latency, t->latency) && add_hist(&to->service_time, t->service_time) &&
           add_errors(&to->errors, &to->error_count, t->errors, t->error_count, by_ns);
}

static bool add_targets(struct result *sum, const struct result *r, int64_t by_ns)
{
    const size_t known = sum->target_count;
    size_t near = 0;

    for (size_t i = 0; i < r->target_count; i++) {
        /* The same target twice in a part is one afterwards. */
        struct target_result *to = find_target(sum, &r->targets[i], i > 0 ? sum->target_count : known, near);

        if (to == NULL || !add_target(to, &r->targets[i], by_ns))
            return false;
        near = (size_t)(to - sum->targets) + 1;
    }
    if (sum->target_count > 1)
        qsort(sum->targets, sum->target_count, sizeof(*sum->targets), by_target);
    return true;
}

/* ---- the generators ---- */

static int by_load(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static bool add_cpus(struct generator_health *to, const struct generator_health *g)
{
    double *grown = reallocarray(to->cpu_per_worker, to->workers + g->workers + 1, sizeof(*grown));

    if (grown == NULL)
        return false;
    to->cpu_per_worker = grown;
    for (size_t i = 0; i < g->workers; i++)
        grown[to->workers++] = g->cpu_per_worker[i];
    qsort(grown, to->workers, sizeof(*grown), by_load);
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_generator(struct generator_health *to, const struct generator_health *g)
{
    to->limited |= g->limited;
    for (size_t i = 0; i < g->reasons.count; i++)
        if (!strlist_contains(&to->reasons, slice_str(g->reasons.items[i])) &&
            !strlist_add(&to->reasons, slice_str(g->reasons.items[i])))
            return false;
    if (to->reasons.count > 1)
        qsort(to->reasons.items, to->reasons.count, sizeof(*to->reasons.items), by_text);
    to->open_files_max = to->open_files_max > g->open_files_max ? to->open_files_max : g->open_files_max;
    if (g->open_files_limit > 0 && (to->open_files_limit == 0 || g->open_files_limit < to->open_files_limit))
        to->open_files_limit = g->open_files_limit;
    to->rate_asked = merge_exact(to->rate_asked) + merge_exact(g->rate_asked);
    to->rate_achieved = merge_exact(to->rate_achieved) + merge_exact(g->rate_achieved);
    to->log_waits += g->log_waits;
    return add_cpus(to, g) && add_hist(&to->loop_lag, g->loop_lag) && add_hist(&to->send_lateness, g->send_lateness);
}

/* Of several versions of TLS the first by its text stands for all. */
static bool add_tls(struct result *sum, const struct result *r)
{
    if (r->tls_version != NULL &&
        (sum->tls_version == NULL || strcmp(r->tls_version, sum->tls_version) < 0 ||
         (strcmp(r->tls_version, sum->tls_version) == 0 && compare_texts(r->tls_cipher, sum->tls_cipher) < 0))) {
        free(sum->tls_version);
        free(sum->tls_cipher);
        sum->tls_version = strdup(r->tls_version);
        sum->tls_cipher = r->tls_cipher != NULL ? strdup(r->tls_cipher) : NULL;
        if (sum->tls_version == NULL || (r->tls_cipher != NULL && sum->tls_cipher == NULL))
            return false;
    }
    return add_hist(&sum->tls_full, r->tls_full) && add_hist(&sum->tls_resumed, r->tls_resumed);
}

static bool add_histograms(struct result *sum, const struct result *r)
{
    bool ok = true;

    hist_merge(sum->latency, r->latency);
    hist_merge(sum->service_time, r->service_time);
    for (size_t i = 0; i < CLASSES && ok; i++)
        ok = add_hist(&sum->by_class[i], r->by_class[i]);
    for (size_t i = 0; i < PHASES && ok; i++)
        ok = add_hist(&sum->phases[i], r->phases[i]);
    return ok;
}

int merge_sums(struct result *sum, const struct result *r, struct err *err)
{
    const uint64_t start = merge_start_ns(sum->started), other = merge_start_ns(r->started);
    const int64_t by_ns = (int64_t)(other - start);

    if (by_ns < 0) { /* r begins the whole: what is there already lies later in it */
        move_errors(sum->errors, sum->error_count, -by_ns);
        for (size_t i = 0; i < sum->target_count; i++)
            move_errors(sum->targets[i].errors, sum->targets[i].error_count, -by_ns);
    }
    const int64_t shift = by_ns > 0 ? by_ns : 0;

    add_totals(&sum->totals, &r->totals);
    add_warmup(&sum->warmup, &r->warmup);
    add_status(sum->status, r->status);
    return add_histograms(sum, r) && add_errors(&sum->errors, &sum->error_count, r->errors, r->error_count, shift) &&
                   add_addresses(sum, r) && add_targets(sum, r, shift) &&
                   add_generator(&sum->generator, &r->generator) && add_tls(sum, r)
               ? 0
               : merge_no_memory(err);
}
