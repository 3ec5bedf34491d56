/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/services.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "pattern/pattern.h"
#include "web/fetch.h"

#define LOG_MAX ((size_t)64 << 20)

/* A port that was free a moment ago. */
static int free_port(int *out, struct err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool good = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
                      getsockname(fd, (struct sockaddr *)&at, &len) == 0;
    const int sys = errno;

    if (fd >= 0)
        close(fd);
    *out = ntohs(at.sin_port);
    return good ? 0 : err_set(err, ERR_SYSTEM, sys, "cannot find a free port");
}

int services_init(struct services *v, const struct suite *s, const char *work_dir, const volatile int *stop,
                  struct names *names, struct err *err)
{
    *v = (struct services){ .suite = s, .work_dir = work_dir, .stop = stop };
    v->processes = calloc(s->service_count + 1, sizeof(*v->processes));
    v->said_before = calloc(s->service_count + 1, sizeof(*v->said_before));
    v->ends = calloc(s->service_count + 1, sizeof(*v->ends));
    for (size_t k = 0; v->processes != NULL && k < s->service_count; k++)
        v->processes[k] = PROCESS_NONE;
    if (v->processes == NULL || v->said_before == NULL || v->ends == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the services");
    for (size_t k = 0; k < s->service_count; k++) {
        char name[256], number[16];
        int port = 0;

        if (free_port(&port, err) != 0)
            return -1;
        snprintf(name, sizeof(name), "port:%s", s->services[k].name);
        snprintf(number, sizeof(number), "%d", port);
        if (!names_set(names, name, number))
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the services");
    }
    return 0;
}

void services_release(struct services *v)
{
    if (v->processes != NULL)
        for (size_t k = v->suite->service_count; k-- > 0;)
            process_end(&v->processes[k], PROCESS_GRACE_NS);
    free(v->processes);
    free(v->said_before);
    free(v->ends);
    v->ends = NULL;
    v->processes = NULL;
    v->said_before = NULL;
}

static void log_path(const struct services *v, size_t k, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/service-%s.log", v->work_dir, v->suite->services[k].name);
}

/* "[HOST:]PORT" accepts connections. */
static bool port_is_open(const char *at)
{
    const char *colon = strrchr(at, ':');
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char host[256] = "127.0.0.1";
    bool open = false;

    if (colon != NULL && (size_t)(colon - at) < sizeof(host)) {
        memcpy(host, at, (size_t)(colon - at));
        host[colon - at] = '\0';
    }
    if (getaddrinfo(host, colon != NULL ? colon + 1 : at, &hints, &found) != 0)
        return false;
    for (const struct addrinfo *a = found; a != NULL && !open; a = a->ai_next) {
        const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const struct timeval second = { .tv_sec = 1 };

        if (fd < 0)
            continue;
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second)); /* of connect(), too */
        open = connect(fd, a->ai_addr, a->ai_addrlen) == 0;
        close(fd);
    }
    freeaddrinfo(found);
    return open;
}

static bool url_answers(const char *url)
{
    const struct fetch_call call = { .url = url, .insecure = true, .total_ns = 2000 * NS_PER_MS };
    struct fetch_reply reply = { 0 };
    struct fetch *f;
    bool good;

    if (fetch_new(&f, NULL) != 0)
        return false;
    good = fetch_run(f, &call, &reply) == 0 && reply.status < 500;
    fetch_free(f);
    return good;
}

static bool log_matches(const struct services *v, size_t k, const struct pattern *p)
{
    char path[PATH_MAX];
    struct pattern_matcher *m;
    struct buf text;
    bool found = false;

    log_path(v, k, path);
    buf_init(&text, LOG_MAX);
    if (pattern_matcher_new(&m, NULL) == 0) {
        found = file_read(path, &text, NULL) == 0 &&
                pattern_find(p, m, slice_drop(buf_slice(&text), v->said_before[k])) == PATTERN_FOUND;
        pattern_matcher_free(m);
    }
    buf_release(&text);
    return found;
}

static bool is_ready(const struct services *v, size_t k, const char *at, const struct pattern *p)
{
    switch (v->suite->services[k].ready) {
    case READY_AT_ONCE:
        return true;
    case READY_PORT:
        return port_is_open(at);
    case READY_URL:
        return url_answers(at);
    case READY_LOG:
        return log_matches(v, k, p);
    }
    return false;
}

static int not_ready(const struct services *v, size_t k, const char *why, struct err *err)
{
    char path[PATH_MAX], tail[150];

    log_path(v, k, path);
    process_tail(path, v->said_before[k], tail, sizeof(tail));
    err_set(err, ERR_CONFIG, 0, "%s:%u: the service \"%s\" %s", v->suite->file, v->suite->services[k].line,
            v->suite->services[k].name, why);
    return tail[0] != '\0' ? err_hint(err, "it said: %s", tail) : err_hint(err, "it said nothing");
}

static int wait_ready(struct services *v, size_t k, const char *at, const struct pattern *p, struct err *err)
{
    const struct suite_service *s = &v->suite->services[k];
    const uint64_t end_ns = clock_now_ns() + s->timeout_ns;
    const struct timespec turn = { .tv_nsec = 20000000 };
    struct process_outcome how = { 0 };
    char why[120];

    for (;;) {
        if (!process_is_running(&v->processes[k], &how)) {
            snprintf(why, sizeof(why), "ended with status %d before it was ready", how.status);
            return not_ready(v, k, why, err);
        }
        if (is_ready(v, k, at, p))
            return 0;
        if (v->stop != NULL && *v->stop != 0)
            return err_set(err, ERR_SYSTEM, EINTR, "while the service \"%s\" came up", s->name);
        if (clock_now_ns() >= end_ns) {
            char after[UNITS_TEXT_MAX];

            snprintf(why, sizeof(why), "was not ready after %s", units_format_duration(after, (double)s->timeout_ns));
            return not_ready(v, k, why, err);
        }
        nanosleep(&turn, NULL);
    }
}

/* What was listening there before would answer in its place. */
static int refuse_taken_port(const struct services *v, size_t k, const char *at, struct err *err)
{
    const struct suite_service *s = &v->suite->services[k];

    if (s->ready != READY_PORT || !port_is_open(at))
        return 0;
    return err_set(err, ERR_CONFIG, 0, "%s:%u: the service \"%s\" cannot be started: something listens on %s already",
                   v->suite->file, s->line, s->name, at);
}

static int start_one(struct services *v, size_t k, const char *command, const char *at, struct err *err)
{
    const struct suite_service *s = &v->suite->services[k];
    char path[PATH_MAX];
    const char *words[4];
    const struct process_job job = { .name = s->name, .words = words, .cwd = v->suite->dir, .log_path = path };
    struct pattern *p = NULL;
    int rc = 0;

    log_path(v, k, path);
    v->said_before[k] = process_log_bytes(path);
    process_shell_words(words, command);
    if (s->ready == READY_LOG && pattern_new(&p, at, err) != 0)
        return err_prefix(err, "%s:%u", v->suite->file, s->line);
    if (refuse_taken_port(v, k, at, err) != 0 || process_start(&v->processes[k], &job, err) != 0)
        rc = -1;
    if (rc == 0)
        rc = wait_ready(v, k, at, p, err);
    pattern_free(p);
    return rc;
}

static int fill_and_start(struct services *v, size_t k, const struct names *names, struct err *err)
{
    const struct suite_service *s = &v->suite->services[k];
    char *command = names_text(names, s->run, err);
    char *at = command != NULL ? names_text(names, s->ready_at != NULL ? s->ready_at : "", err) : NULL;
    int rc = -1;

    v->ends[k] = (struct service_end){ 0 };
    if (at == NULL)
        err_prefix(err, "%s:%u", v->suite->file, s->line);
    else
        rc = start_one(v, k, command, at, err);
    free(command);
    free(at);
    return rc;
}

int services_start(struct services *v, bool each_cell, const struct names *names, struct err *err)
{
    for (size_t k = 0; k < v->suite->service_count; k++)
        if (v->suite->services[k].each_cell == each_cell && fill_and_start(v, k, names, err) != 0)
            return -1;
    return 0;
}

void services_end(struct services *v, bool each_cell)
{
    for (size_t k = v->suite->service_count; k-- > 0;)
        if (v->suite->services[k].each_cell == each_cell) {
            process_end(&v->processes[k], PROCESS_GRACE_NS);
            v->ends[k] = (struct service_end){ 0 };
        }
}

static void say_end(const struct services *v, size_t k, char *note, size_t room)
{
    const struct service_end *end = &v->ends[k];

    if (end->signal != 0)
        snprintf(note, room, "the service \"%s\" was ended by signal %d", v->suite->services[k].name, end->signal);
    else
        snprintf(note, room, "the service \"%s\" ended with status %d", v->suite->services[k].name, end->status);
}

const char *services_find_dead(struct services *v, char *note, size_t room)
{
    for (size_t k = 0; k < v->suite->service_count; k++) {
        struct process_outcome how = { 0 };

        if (v->processes[k].pid != 0 && !process_is_running(&v->processes[k], &how))
            v->ends[k] = (struct service_end){ true, how.status, how.signal };
        if (!v->ends[k].is_dead)
            continue;
        say_end(v, k, note, room);
        return v->suite->services[k].name;
    }
    return NULL;
}

int services_mend(struct services *v, const struct names *names, void (*on_warning)(void *arg, const char *text),
                  void *arg, struct err *err)
{
    for (size_t k = 0; k < v->suite->service_count; k++) {
        const struct suite_service *s = &v->suite->services[k];
        char note[256], text[320];

        if (!v->ends[k].is_dead || s->if_it_dies == DIES_LEAVE)
            continue;
        say_end(v, k, note, sizeof(note));
        if (s->if_it_dies == DIES_STOP) {
            err_set(err, ERR_PEER, 0, "%s:%u: %s", v->suite->file, s->line, note);
            return err_hint(err, "its \"if_it_dies\" is stop; what it said is in service-%s.log", s->name);
        }
        snprintf(text, sizeof(text), "%s and is started again", note);
        on_warning(arg, text);
        process_end(&v->processes[k], 0);
        if (fill_and_start(v, k, names, err) != 0)
            return -1;
    }
    return 0;
}

int services_add_pids(const struct services *v, struct names *names, struct err *err)
{
    for (size_t k = 0; k < v->suite->service_count; k++) {
        char name[256], number[16];

        snprintf(name, sizeof(name), "pid:%s", v->suite->services[k].name);
        snprintf(number, sizeof(number), "%d", (int)v->processes[k].pid);
        if (!names_set(names, name, number))
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the services");
    }
    return 0;
}
