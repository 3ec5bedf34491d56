/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canned.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, REQUEST_MAX = 256 * 1024, BYTES = 1000000 };

struct peer {
    struct canned *server;
    pthread_t thread;
    int fd;
    char request[REQUEST_MAX];
};

struct canned {
    pthread_t thread;
    int listener;
    uint16_t port;
    struct peer *peers[CONNECTIONS_MAX];
    unsigned count; /* atomic */
};

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        bytes += n;
        len -= (size_t)n;
    }
}

static void send_text(int fd, const char *text)
{
    send_all(fd, text, strlen(text));
}

static void send_reply(int fd, const char *body, size_t len)
{
    char head[128];

    snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nX-Test: seen\r\nContent-Length: %zu\r\n\r\n", len);
    send_text(fd, head);
    send_all(fd, body, len);
}

static void wait_for_end(int fd)
{
    char dropped[4096];

    while (recv(fd, dropped, sizeof(dropped), 0) > 0) {
    }
}

/* Where the request ends, or 0 while it is not complete. */
static size_t end_of_request(const char *request)
{
    const char *end = strstr(request, "\r\n\r\n");
    const char *length = strcasestr(request, "\r\nContent-Length:");
    size_t content = length != NULL ? strtoul(length + 17, NULL, 10) : 0;

    if (end == NULL) {
        return 0;
    }
    if (strcasestr(request, "\r\nTransfer-Encoding: chunked") != NULL) {
        const char *last = strstr(end, "\r\n0\r\n\r\n");
        return last != NULL ? (size_t)(last + 7 - request) : 0;
    }
    return strlen(end + 4) >= content ? (size_t)(end + 4 + content - request) : 0;
}

/* False: the connection is over. */
static bool answer(struct peer *p, size_t len)
{
    char *path = strchr(p->request, '/');

    if (path == NULL || strncmp(path, "/die", 4) == 0) {
        return false;
    }
    if (strncmp(path, "/bytes", 6) == 0) {
        char *bytes = malloc(BYTES);
        memset(bytes, 'x', BYTES);
        send_reply(p->fd, bytes, BYTES);
        free(bytes);
    } else if (strncmp(path, "/interim", 8) == 0) {
        send_text(p->fd, "HTTP/1.1 103 Early Hints\r\nX-Test: early\r\n\r\n");
        send_reply(p->fd, "late", 4);
    } else if (strncmp(path, "/short", 6) == 0 || strncmp(path, "/stall", 6) == 0) {
        send_text(p->fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
        if (path[2] == 't') {
            wait_for_end(p->fd);
        }
        return false;
    } else if (strncmp(path, "/silent", 7) == 0) {
        wait_for_end(p->fd);
        return false;
    } else if (strncmp(path, "/once", 5) == 0) {
        send_reply(p->fd, "once", 4);
        return false;
    } else {
        send_reply(p->fd, p->request, strncmp(p->request, "HEAD", 4) == 0 ? 0 : len);
    }
    return true;
}

static void *serve_peer(void *arg)
{
    struct peer *p = arg;
    size_t have = 0;

    for (ssize_t n; (n = recv(p->fd, p->request + have, REQUEST_MAX - 1 - have, 0)) > 0;) {
        have += (size_t)n;
        p->request[have] = '\0';
        if (p->request[0] == 0x16) { /* a handshake of TLS */
            send_text(p->fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
            break;
        }
        if (strstr(p->request, "\r\n\r\n") != NULL && strstr(p->request, " /refuse") != NULL) {
            send_text(p->fd, "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
            wait_for_end(p->fd);
            break;
        }
        size_t len = end_of_request(p->request);
        if (len > 0) {
            if (!answer(p, len)) {
                break;
            }
            have = 0;
        }
    }
    shutdown(p->fd, SHUT_RDWR);
    return NULL;
}

static void *accept_peers(void *arg)
{
    struct canned *s = arg;

    while (s->count < CONNECTIONS_MAX) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0) {
            break;
        }
        struct peer *p = calloc(1, sizeof(*p));
        p->server = s;
        p->fd = fd;
        s->peers[s->count] = p;
        pthread_create(&p->thread, NULL, serve_peer, p);
        __atomic_fetch_add(&s->count, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

struct canned *canned_start(void)
{
    struct sockaddr_in where = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t len = sizeof(where);
    struct canned *s = calloc(1, sizeof(*s));

    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&where, sizeof(where)), 0);
    assert_int_equal(listen(s->listener, 64), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&where, &len), 0);
    s->port = ntohs(where.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, accept_peers, s), 0);
    return s;
}

void canned_stop(struct canned *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    for (unsigned i = 0; i < s->count; i++) {
        shutdown(s->peers[i]->fd, SHUT_RDWR);
        pthread_join(s->peers[i]->thread, NULL);
        close(s->peers[i]->fd);
        free(s->peers[i]);
    }
    free(s);
}

uint16_t canned_port(const struct canned *s)
{
    return s->port;
}

unsigned canned_connections(struct canned *s)
{
    return __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
}
