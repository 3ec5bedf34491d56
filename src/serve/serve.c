/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/serve.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/pattern.h"
#include "serve/site.h"
#include "serve/worker.h"

enum { THREADS_MAX = 1024, BACKLOG_DEFAULT = 4096, TEXTS = 15, RECURSION_MAX = 40 };

#define SECOND_NS 1000000000u

struct serve {
    struct serve_config config; /* our copy */
    char *texts[TEXTS];
    struct site site;
    struct worker *workers;
    size_t worker_count; /* initialised ones */
    size_t thread_count; /* running ones */
    struct serve_address addresses[SERVE_LISTEN_MAX];
    size_t address_count;
    char *certificate_pem;
    bool joined;
};

void serve_config_init(struct serve_config *c)
{
    *c = (struct serve_config){
        .listen = STRLIST_INIT,
        .tls_listen = STRLIST_INIT,
        .backlog = BACKLOG_DEFAULT,
        .head_max_bytes = 64 * 1024,
        .body_max_bytes = 1024ull * 1024 * 1024,
        .head_timeout_ns = 10ull * SECOND_NS,
        .body_timeout_ns = 30ull * SECOND_NS,
        .body_min_rate = 500,
        .send_timeout_ns = 60ull * SECOND_NS,
        .idle_timeout_ns = 75ull * SECOND_NS,
        .grace_ns = 10ull * SECOND_NS,
        .max_delay_ns = 3600ull * SECOND_NS,
        .max_cpu_ns = 60ull * SECOND_NS,
        .max_disk_bytes = 4ull * 1024 * 1024 * 1024,
        .max_recursion = 25,
        .blobstore_timeout_ns = 60ull * SECOND_NS,
        .s3_timeout_ns = 10ull * SECOND_NS,
        .scan_timeout_ns = 60ull * SECOND_NS,
        .self_urls = STRLIST_INIT,
        .allow_upstream = STRLIST_INIT,
    };
}

void serve_config_release(struct serve_config *c)
{
    strlist_release(&c->listen);
    strlist_release(&c->tls_listen);
    strlist_release(&c->self_urls);
    strlist_release(&c->allow_upstream);
}

/* ---- Checking and copying the configuration ---- */

static int check(const struct serve_config *c, struct err *err)
{
    if (c->listen.count + c->tls_listen.count > SERVE_LISTEN_MAX) {
        return err_set(err, ERR_CONFIG, 0, "more than %d addresses to listen on", SERVE_LISTEN_MAX);
    }
    if ((c->cert_file == NULL) != (c->key_file == NULL)) {
        err_set(err, ERR_CONFIG, 0, "a certificate needs its key and a key its certificate");
        return err_hint(err, "give both --cert FILE and --key FILE, or none for a certificate made now");
    }
    if (c->threads > THREADS_MAX) {
        return err_set(err, ERR_CONFIG, 0, "%u threads are more than %d", c->threads, THREADS_MAX);
    }
    if (c->head_max_bytes == 0 || c->body_max_bytes == 0) {
        return err_set(err, ERR_CONFIG, 0, "the limits of head and body must be above 0");
    }
    if (c->max_recursion > RECURSION_MAX) {
        return err_set(err, ERR_CONFIG, 0, "a recursion of %u is more than %d", c->max_recursion, RECURSION_MAX);
    }
    if (c->head_max_bytes > 16u * 1024 * 1024) {
        return err_set(err, ERR_CONFIG, 0, "a head of %u bytes is more than 16 MiB", c->head_max_bytes);
    }
    return 0;
}

static bool copy_list(struct strlist *to, const struct strlist *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!strlist_add(to, slice_str(from->items[i]))) {
            return false;
        }
    }
    return true;
}

/* Every text of the configuration, so that the caller may free his. */
static bool copy_texts(struct serve *s)
{
    struct serve_config *c = &s->config;
    const char **texts[TEXTS] = { &c->cert_file, &c->key_file,         &c->root,      &c->data_root,    &c->cluster_id,
                                  &c->token,     &c->access_log,       &c->s3_bucket, &c->s3_endpoint,  &c->s3_key_id,
                                  &c->s3_secret, &c->s3_session_token, &c->s3_region, &c->scan_command, &c->blobstore };

    for (size_t i = 0; i < TEXTS; i++) {
        if (*texts[i] == NULL) {
            continue;
        }
        s->texts[i] = slice_dup(slice_str(*texts[i]));
        *texts[i] = s->texts[i];
        if (s->texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

static unsigned cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static int copy_config(struct serve *s, const struct serve_config *config, struct err *err)
{
    s->config = *config;
    s->config.listen = s->config.tls_listen = (struct strlist)STRLIST_INIT;
    s->config.self_urls = s->config.allow_upstream = (struct strlist)STRLIST_INIT;
    bool ok = copy_texts(s) && copy_list(&s->config.listen, &config->listen) &&
              copy_list(&s->config.tls_listen, &config->tls_listen) &&
              copy_list(&s->config.self_urls, &config->self_urls) &&
              copy_list(&s->config.allow_upstream, &config->allow_upstream);
    if (ok && s->config.listen.count + s->config.tls_listen.count == 0) {
        ok = strlist_add(&s->config.listen, SLICE(SERVE_DEFAULT_LISTEN));
    }
    if (s->config.threads == 0) {
        s->config.threads = cpus();
    }
    if (s->config.backlog <= 0) {
        s->config.backlog = BACKLOG_DEFAULT;
    }
    return ok ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
}

/* ---- Listening ---- */

static bool is_loopback(const struct addr *a)
{
    if (a->sa.any.sa_family == AF_INET) {
        return ntohl(a->sa.v4.sin_addr.s_addr) >> 24 == 127;
    }
    return a->sa.any.sa_family != AF_INET6 || IN6_IS_ADDR_LOOPBACK(&a->sa.v6.sin6_addr);
}

static int parse_address(const struct serve *s, struct addr *out, const char *text, struct err *err)
{
    if (addr_parse_listen(out, slice_str(text), err) != 0) {
        return -1;
    }
    if (!s->config.allow_public && !is_loopback(out)) {
        err_set(err, ERR_CONFIG, 0, "%s is not a loopback address: other machines could reach this server", text);
        return err_hint(err, "say --public when that is wanted");
    }
    return 0;
}

/* SO_REUSEPORT, which lets our workers share a port, would let another process of the same user join in unnoticed: a
 * listener without it is refused where anybody listens. */
static int check_unused(const struct addr *on, struct err *err)
{
    struct addr bound;
    int fd;

    if (on->sa.any.sa_family == AF_UNIX || on->sa.v4.sin_port == 0) { /* at the same place in an IPv6 address */
        return 0;
    }
    if (listen_open(&fd, on, false, 1, &bound, err) != 0) {
        return -1;
    }
    close(fd);
    return 0;
}

/* One address: a listener for each worker. The first takes the port (perhaps a free one), the others share it. */
static int listen_on(struct serve *s, const char *text, bool tls, struct err *err)
{
    struct serve_address *a = &s->addresses[s->address_count];
    char shown[ADDR_TEXT_MAX];

    if (parse_address(s, &a->addr, text, err) != 0 || check_unused(&a->addr, err) != 0) {
        return -1;
    }
    for (size_t i = 0; i < s->worker_count; i++) {
        struct addr bound;
        int fd;
        if (listen_open(&fd, &a->addr, true, s->config.backlog, &bound, err) != 0) {
            return -1;
        }
        a->addr = bound;
        if (worker_listen(&s->workers[i], fd, tls, err) != 0) {
            return -1;
        }
    }
    a->tls = tls;
    snprintf(a->url, sizeof(a->url), "%s://%s", tls ? "https" : "http", addr_format(shown, &a->addr));
    s->address_count++;
    if (s->site.self_url[0] == '\0') { /* the first is a plain one when there is any */
        origins_self_url(s->site.self_url, sizeof(s->site.self_url), &a->addr, tls);
    }
    origins_add_listener(&s->site.origins, &a->addr, tls);
    return 0;
}

static int listen_on_all(struct serve *s, struct err *err)
{
    for (size_t i = 0; i < s->config.listen.count; i++) {
        if (listen_on(s, s->config.listen.items[i], false, err) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < s->config.tls_listen.count; i++) {
        if (listen_on(s, s->config.tls_listen.items[i], true, err) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- Threads ---- */

static void *thread_main(void *arg)
{
    worker_run(arg);
    return NULL;
}

static int start_threads(struct serve *s, struct err *err)
{
    sigset_t all, before;
    int rc = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit it: signals are the caller's */
    while (rc == 0 && s->thread_count < s->worker_count) {
        struct worker *w = &s->workers[s->thread_count];
        rc = pthread_create(&w->thread, NULL, thread_main, w);
        s->thread_count += rc == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? 0 : err_set(err, ERR_SYSTEM, rc, "cannot start a server thread");
}

static int make_workers(struct serve *s, struct err *err)
{
    unsigned threads = s->config.threads, max = s->config.max_connections;

    s->workers = calloc(threads, sizeof(*s->workers));
    if (s->workers == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
    }
    while (s->worker_count < threads) {
        if (worker_init(&s->workers[s->worker_count], &s->config, &s->site, err) != 0) {
            return -1;
        }
        s->workers[s->worker_count].max_open = (max + threads - 1) / threads;
        s->worker_count++;
    }
    s->site.workers = s->workers;
    s->site.worker_count = (unsigned)s->worker_count;
    return 0;
}

int serve_start(struct serve **out, const struct serve_config *config, struct err *err)
{
    struct serve *s = NULL;

    *out = NULL;
    if (check(config, err) != 0) {
        return -1;
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
    }
    pattern_bytes();
    if (copy_config(s, config, err) != 0 || site_init(&s->site, &s->config, err) != 0 || make_workers(s, err) != 0 ||
        shared_tls_init(&s->site.tls, &s->config, err) != 0 || listen_on_all(s, err) != 0 ||
        blobstore_use_self(&s->site.blobstore, &s->config, s->site.self_url, err) != 0 || start_threads(s, err) != 0) {
        serve_free(s);
        return -1;
    }
    if (s->config.tls_listen.count > 0 && s->config.cert_file == NULL) {
        struct tls_share *share = shared_tls_take(&s->site.tls);
        s->certificate_pem = tls_context_certificate_pem(share->context);
        shared_tls_drop(&s->site.tls, share);
    }
    *out = s;
    return 0;
}

const struct serve_address *serve_addresses(const struct serve *s, size_t *count)
{
    *count = s->address_count;
    return s->addresses;
}

const char *serve_certificate_pem(const struct serve *s)
{
    return s->certificate_pem;
}

unsigned serve_threads(const struct serve *s)
{
    return (unsigned)s->thread_count;
}

void serve_stop(struct serve *s)
{
    for (size_t i = 0; i < s->thread_count; i++) {
        __atomic_add_fetch(&s->workers[i].stop_calls, 1, __ATOMIC_RELAXED);
        wakeup_send(&s->workers[i].wakeup);
    }
}

void serve_reload(struct serve *s)
{
    for (size_t i = 0; i < s->thread_count; i++) {
        __atomic_add_fetch(&s->workers[i].reload_calls, 1, __ATOMIC_RELAXED);
        wakeup_send(&s->workers[i].wakeup);
    }
}

int serve_wait(struct serve *s)
{
    int rc = 0;

    for (size_t i = 0; !s->joined && i < s->thread_count; i++) {
        pthread_join(s->workers[i].thread, NULL);
        rc = s->workers[i].was_cut_off ? -1 : rc;
    }
    s->joined = true;
    return rc;
}

void serve_count(const struct serve *s, struct serve_counts *out)
{
    worker_count(s->workers, s->worker_count, out);
}

void serve_free(struct serve *s)
{
    if (s == NULL) {
        return;
    }
    if (s->thread_count > 0 && !s->joined) {
        serve_stop(s);
        serve_stop(s);
        serve_wait(s);
    }
    for (size_t i = 0; i < s->worker_count; i++) {
        worker_release(&s->workers[i]);
    }
    shared_tls_release(&s->site.tls);
    site_release(&s->site);
    serve_config_release(&s->config);
    for (size_t i = 0; i < TEXTS; i++) {
        free(s->texts[i]);
    }
    free(s->workers);
    free(s->certificate_pem);
    free(s);
}
