/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/prepare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/units.h"
#include "load/health.h"
#include "net/listen.h"

#define KEEP_EXAMPLE FAILURE_EXAMPLE_MAX
#define KEEP_WHOLE (1024u * 1024u + 64u * 1024u)
#define HEAD_MAX_DEFAULT (64u * 1024u)
#define TLS_CONFIGS_MAX 256u
#define FILES_SPARE 64u /* loops, standard streams, outputs, resolver */

void load_plan_init(struct load_plan *p)
{
    *p = (struct load_plan){ .connections = 10,
                             .timeout_ns = 30 * UINT64_C(1000000000),
                             .connect_timeout_ns = 5 * UINT64_C(1000000000),
                             .drain_ns = UINT64_C(1000000000),
                             .version = HTTP_1_1,
                             .family = AF_UNSPEC,
                             .max_errors = 0.01 };
}

static void expect_defaults(struct load *l)
{
    for (int s = 0; s < STATUS_MAX; s++) {
        if (l->plan.expect_any_status)
            l->expect[s] = 1;
        else if (l->plan.expect_status != NULL)
            l->expect[s] = l->plan.expect_status[s];
        else
            l->expect[s] = s >= 200 && s < 400;
    }
}

/* One block of random bytes serves all random bodies. */
static int prepare_random(struct load *l, struct err *err)
{
    uint64_t longest = 0;
    struct rng rng;
    void *memory;

    for (size_t i = 0; i < l->plan.target_count; i++)
        if (l->plan.targets[i].body.random_bytes > longest)
            longest = l->plan.targets[i].body.random_bytes;
    l->noise_bytes = (size_t)(longest < BODY_RANDOM_MAX ? longest : BODY_RANDOM_MAX);
    if (l->noise_bytes == 0)
        return 0;
    if (pages_map(&memory, l->noise_bytes, err) != 0)
        return -1;
    l->noise = memory;
    rng_init(&rng, l->plan.seed);
    rng_fill(&rng, l->noise, l->noise_bytes);
    return 0;
}

/* What the checks of all targets need of every exchange. */
static void note_checks(struct run *run)
{
    for (size_t i = 0; i < run->target_count; i++) {
        const struct check *c = &run->targets[i].check;

        run->checks |= c->looks_at_body || c->looks_at_fields;
        run->checks_fields |= c->looks_at_fields;
        run->has_digests |= c->spec != NULL && c->spec->body_sha256 != NULL;
        run->has_patterns |= c->pattern != NULL;
        if (run->targets[i].keep_template.max_bytes > run->render_max)
            run->render_max = run->targets[i].keep_template.max_bytes;
        if (run->targets[i].close_template.max_bytes > run->render_max)
            run->render_max = run->targets[i].close_template.max_bytes;
    }
    if (run->checks_fields || run->plan->cookies) /* whole heads are kept */
        run->keep_max += run->reply_settings.head_max_bytes;
}

/* Targets of one host and port resume each other's sessions. */
static void number_tls_peers(struct run *run)
{
    for (size_t i = 0; i < run->target_count; i++) {
        struct target *t = &run->targets[i];
        size_t same = 0;

        while (same < i &&
               (run->targets[same].url.port != t->url.port || strcmp(run->targets[same].host, t->host) != 0))
            same++;
        t->tls_peer = (uint32_t)same + 1;
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_tls(const struct tls_client_config *a, const struct tls_client_config *b)
{
    return a->insecure == b->insecure && same_text(a->ca_file, b->ca_file) && same_text(a->cert_file, b->cert_file) &&
           same_text(a->key_file, b->key_file) && same_text(a->ciphers, b->ciphers) &&
           same_text(a->groups, b->groups) && a->min_version == b->min_version && a->max_version == b->max_version &&
           same_text(a->alpn, b->alpn);
}

/* Targets with the same settings share a context: one holds all of the system's certificates. */
static int number_tls_configs(struct run *run, struct err *err)
{
    for (size_t i = 0; i < run->target_count; i++) {
        struct target *t = &run->targets[i];
        struct tls_client_config config = t->spec->tls != NULL ? *t->spec->tls : run->plan->tls;
        uint32_t k = 0;

        if (!t->https)
            continue;
        if (run->is_h2 && config.alpn == NULL)
            config.alpn = "h2";
        while (k < run->tls_config_count && !same_tls(&run->tls_configs[k], &config))
            k++;
        t->tls_config = k;
        if (k < run->tls_config_count)
            continue;
        if (k == TLS_CONFIGS_MAX)
            return err_set(err, ERR_LIMIT, 0, "the targets have more than %u different TLS settings", TLS_CONFIGS_MAX);
        if (run->tls_configs == NULL)
            run->tls_configs = calloc(TLS_CONFIGS_MAX, sizeof(*run->tls_configs));
        if (run->tls_configs == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for TLS settings");
        run->tls_configs[run->tls_config_count++] = config;
    }
    return 0;
}

/* Each row once: as many requests as there are rows. */
static int read_feed(struct load *l, struct err *err)
{
    struct load_plan *plan = &l->plan;

    if (plan->feed == NULL)
        return 0;
    if (feed_read(&l->run.feed, plan->feed, err) != 0)
        return -1;
    if (plan->feed_order == LOAD_FEED_ONCE && (plan->requests == 0 || plan->requests > l->run.feed.rows))
        plan->requests = l->run.feed.rows;
    return 0;
}

static int prepare_targets(struct load *l, struct err *err)
{
    struct run *run = &l->run;
    struct target_shared shared;
    void *table;

    if (prepare_random(l, err) != 0)
        return -1;
    shared = (struct target_shared){ .feed = l->plan.feed != NULL ? &run->feed : NULL,
                                     .statuses = l->expect,
                                     .noise = slice_from(l->noise, l->noise_bytes) };

    run->targets = calloc(l->plan.target_count, sizeof(*run->targets));
    if (run->targets == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for %zu targets", l->plan.target_count);
    if (pages_map(&table, sizeof(*run->addresses), err) != 0)
        return -1;
    run->addresses = table;
    for (size_t i = 0; i < l->plan.target_count; i++) {
        run->target_count++;
        if (target_prepare(&run->targets[i], &l->plan.targets[i], &l->plan, &shared, err) != 0)
            return -1;
    }
    if (number_tls_configs(run, err) != 0)
        return -1;
    note_checks(run);
    if (run->has_digests || run->has_patterns)
        run->reply_settings.on_body = http1_on_body;
    for (size_t i = 0; i < run->target_count; i++) {
        if (run->targets[i].manner.tls_resume > 0) {
            number_tls_peers(run);
            break;
        }
    }
    return 0;
}

/* One lookup per name: targets of the same host and port share the answer of the first. */
static int resolve_targets(struct load *l, struct err *err)
{
    struct run *run = &l->run;

    for (size_t i = 0; i < run->target_count; i++) {
        struct target *t = &run->targets[i];
        size_t same = 0;

        while (same < i && (run->targets[same].connect_port != t->connect_port ||
                            strcmp(run->targets[same].connect_host, t->connect_host) != 0))
            same++;
        if (same < i) {
            if (target_share_addresses(t, &run->targets[same], err) != 0)
                return -1;
        } else if (target_resolve(t, &l->plan, run->addresses, err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int check_source(const struct addr *a, struct err *err)
{
    char text[ADDR_TEXT_MAX];
    const int fd = socket(a->sa.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int rc = fd < 0 ? -1 : bind(fd, &a->sa.any, a->len);
    const int sys = errno;

    if (fd >= 0)
        close(fd);
    return rc == 0 ? 0 : err_set(err, ERR_CONFIG, sys, "cannot use the source address %s", addr_format(text, a));
}

/* The source addresses must be ours: found out now, not by every connect. */
static int check_sources(const struct load *l, struct err *err)
{
    const struct load_plan *plan = &l->plan;

    for (size_t i = 0; i < plan->source_count; i++)
        if (check_source(&plan->sources[i], err) != 0)
            return -1;
    for (size_t i = 0; i < l->run.target_count; i++)
        if (l->run.targets[i].manner.source != NULL && check_source(l->run.targets[i].manner.source, err) != 0)
            return -1;
    return 0;
}

/* A socket that is not there is a mistake to be told at once, like a name that does not resolve. */
static int check_unix_socket(const struct load_plan *plan, struct err *err)
{
    struct stat st;

    if (plan->unix_socket == NULL)
        return 0;
    if (stat(plan->unix_socket, &st) != 0)
        return err_set(err, ERR_CONFIG, errno, "cannot use the socket '%s'", plan->unix_socket);
    if (!S_ISSOCK(st.st_mode))
        return err_set(err, ERR_CONFIG, 0, "'%s' is not a socket", plan->unix_socket);
    return 0;
}

static void note_ports(struct run *run, const struct load_plan *plan)
{
    unsigned low, high;

    snprintf(run->ports_note, sizeof(run->ports_note), "local ports used up");
    if (net_port_range(&low, &high, NULL) == 0)
        snprintf(run->ports_note, sizeof(run->ports_note), "local ports used up (%u-%u on %zu address%s)", low, high,
                 plan->source_count > 0 ? plan->source_count : 1, plan->source_count > 1 ? "es" : "");
}

static int check_files(struct load *l, struct err *err)
{
    const bool short_lived = l->plan.requests_per_connection > 0 || l->plan.version == HTTP_1_0;
    const uint64_t need = l->capacity + FILES_SPARE + 8u * l->run.worker_count +
                          (short_lived ? l->connections / 4u : 0);

    l->open_files_limit = net_raise_open_files();
    if (need <= l->open_files_limit)
        return 0;
    err_set(err, ERR_LIMIT, 0, "%u connection%s %llu open files, the limit is %llu", l->connections,
            l->connections == 1 ? " needs" : "s need", (unsigned long long)need,
            (unsigned long long)l->open_files_limit);
    return err_hint(err, "raise the hard limit (ulimit -Hn) or use fewer connections");
}

/* Each worker has a connection, and may send on it. */
static uint32_t worker_count_of(const struct load *l)
{
    const struct load_plan *plan = &l->plan;
    const uint64_t in_flight = deal_below(&l->run.shares, plan->share.index, plan->max_in_flight);
    uint64_t count = plan->threads > 0 ? plan->threads : health_cpus();

    count = count < l->connections ? count : l->connections;
    return (uint32_t)(plan->max_in_flight > 0 && in_flight < count ? in_flight : count);
}

static int size_run(struct load *l, struct err *err)
{
    const struct load_plan *plan = &l->plan;
    struct run *run = &l->run;
    const uint32_t shares = load_share_count(plan->share);
    uint64_t turns, grown;

    share_count_connections(l);
    if (share_check(l, run->all_connections, "connections", err) != 0)
        return -1;
    turns = run->all_connections;
    if (plan->requests > 0 && plan->requests < turns)
        turns = plan->requests; /* more connections than requests would only be opened and closed */
    if (turns > UINT32_MAX || turns / shares > UINT32_MAX / 8)
        return err_set(err, ERR_LIMIT, 0, "%llu connections are more than one process can hold",
                       (unsigned long long)turns / shares);
    deal_init(&run->shares, turns, shares, run->target_count);
    l->connections = (uint32_t)deal_turns(&run->shares, plan->share.index);
    l->capacity = l->connections;
    grown = deal_below(&run->shares, plan->share.index, (uint64_t)plan->grow * plan->target_count);
    if (run->is_open && grown > l->connections)
        l->capacity = (uint32_t)grown;
    run->worker_count = worker_count_of(l);
    deal_init(&run->workers, l->connections, run->worker_count, run->target_count);
    return check_files(l, err) != 0 ? -1 : share_place_connections(l, err);
}

/* Part i of n of a whole, so that the parts add up to it exactly. */
static uint64_t part_before(uint64_t whole, uint64_t i, uint64_t n)
{
    return whole / n * i + whole % n * i / n;
}

/* Without a total: what the connections may send, when each has its limit. */
static uint64_t budget_of_clients(const struct run *run, const struct loader_share *share, uint32_t i)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < share->conn_count; k++) {
        const struct place *place = &run->places[deal_number(&run->workers, i, k)];
        const uint64_t limit = run->targets[place->target].manner.requests_per_client;

        if (limit == 0)
            return UINT64_MAX;
        sum += limit;
    }
    return sum;
}

/* Requests: in the closed model by the share of connections; in the open one by their turns. */
static uint64_t budget_of(const struct load *l, const struct loader_share *share, uint32_t i, uint32_t first_conn)
{
    const uint64_t n = l->plan.requests;

    if (n == 0)
        return budget_of_clients(&l->run, share, i);
    if (l->run.is_open)
        return deal_below(&l->run.workers, i, n);
    return part_before(n, first_conn + share->conn_count, l->connections) - part_before(n, first_conn, l->connections);
}

/* Numbers of requests: every one once over all workers; without gaps where there is a count of them. In the open model
 * those of the window come from the schedule. */
static void number_requests(struct load *l, struct loader_share *share, uint32_t i)
{
    share->first_seq = i;
    share->seq_step = l->run.worker_count;
    share->first_warm_seq = l->plan.requests + i;
    if (l->plan.requests == 0 || l->run.is_open || share->budget == UINT64_MAX)
        return;
    share->first_seq = l->first_seq;
    share->seq_step = 1;
    l->first_seq += share->budget;
}

static int prepare_workers(struct load *l, struct err *err)
{
    struct run *run = &l->run;
    const uint32_t n = run->worker_count;
    uint32_t first_conn = 0;
    void *memory;

    l->workers_bytes = n * sizeof(struct loader);
    if (pages_map(&memory, l->workers_bytes, err) != 0)
        return -1;
    l->workers = memory;
    for (uint32_t i = 0; i < n; i++) {
        struct loader_share s = { .conn_count = (uint32_t)deal_turns(&run->workers, i), .in_flight_limit = UINT64_MAX };

        s.grow_count = (uint32_t)deal_below(&run->workers, i, l->capacity) - s.conn_count;
        s.budget = budget_of(l, &s, i, first_conn);
        number_requests(l, &s, i);
        if (l->plan.max_in_flight > 0)
            s.in_flight_limit = deal_below(&run->workers, i, l->plan.max_in_flight);
        if (loader_init(&l->workers[i], run, i, &s, err) != 0)
            return -1;
        first_conn += s.conn_count;
    }
    return 0;
}

/* A schedule or stages of connections that end give the run its length; the warm-up runs at the first rate. */
static void set_schedule(struct load *l)
{
    struct load_plan *plan = &l->plan;
    uint64_t length = l->run.is_open ? schedule_length_ns(&plan->schedule) : 0;

    for (size_t i = 0; i < plan->connection_stage_count; i++)
        length += plan->connection_stages[i].length_ns;
    if (plan->duration_ns == 0 && length > 0 && length != UINT64_MAX)
        plan->duration_ns = length;
    l->run.warm_schedule = plan->schedule;
    if (plan->schedule.stage_count > 0) {
        const struct load_stage *g = &plan->schedule.stages[0];
        const double rate = g->from_per_s > 0 ? g->from_per_s : g->to_per_s;

        l->run.warm_stage = (struct load_stage){ rate, rate, UINT64_MAX };
        l->run.warm_schedule.stages = &l->run.warm_stage;
        l->run.warm_schedule.stage_count = 1;
    }
    if (plan->duration_ns == 0 && plan->requests == 0)
        plan->duration_ns = 10 * UINT64_C(1000000000);
}

int load_prepare(struct load **out, const struct load_plan *plan, struct err *err)
{
    struct load *l = calloc(1, sizeof(*l));
    pthread_condattr_t attributes;

    *out = NULL;
    if (l == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the run");
    l->plan = *plan;
    l->run.plan = &l->plan;
    l->run.share = plan->share;
    l->run.is_open = plan->schedule.stage_count > 0 || plan->schedule.burst_size > 0;
    if (read_feed(l, err) != 0) {
        feed_release(&l->run.feed);
        free(l);
        return -1;
    }
    if (l->plan.connect_timeout_ns > l->plan.timeout_ns) /* which counts from when the opening begins */
        l->plan.connect_timeout_ns = l->plan.timeout_ns;
    set_schedule(l);
    l->run.is_h2 = plan->version == HTTP_2;
    l->run.is_pipelined = !l->run.is_h2 && plan->pipeline > 1;
    l->run.streams = l->run.is_h2 && plan->streams > 1 ? plan->streams : l->run.is_pipelined ? plan->pipeline : 1;
    l->run.reply_settings.head_max_bytes = plan->head_max_bytes != 0 ? plan->head_max_bytes : HEAD_MAX_DEFAULT;
    l->run.keep_max = plan->save_failures_dir != NULL || plan->on_seen != NULL ? KEEP_WHOLE : KEEP_EXAMPLE;
    pthread_mutex_init(&l->run.lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&l->run.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    expect_defaults(l);
    note_ports(&l->run, &l->plan);
    if (share_check_plan(l, err) != 0 || prepare_targets(l, err) != 0 || size_run(l, err) != 0) {
        load_free(l);
        return -1;
    }
    share_numbers(l);
    if (check_sources(l, err) != 0 || check_unix_socket(&l->plan, err) != 0 || resolve_targets(l, err) != 0 ||
        prepare_workers(l, err) != 0) {
        load_free(l);
        return -1;
    }
    *out = l;
    return 0;
}
