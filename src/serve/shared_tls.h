/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The TLS context of all workers: one, so that every thread shows the same certificate and a session begun with one
 * resumes with any. Replaced as a whole when the certificate is read again; the old one goes when the last worker has
 * let go of it. */
#ifndef PLIMSOLL_SERVE_SHARED_TLS_H
#define PLIMSOLL_SERVE_SHARED_TLS_H

#include "base/err.h"

#include <pthread.h>

struct serve_config;
struct tls_context;

/* A context and who uses it. */
struct tls_share {
    struct tls_context *context;
    unsigned users;
};

struct shared_tls {
    pthread_mutex_t _lock;
    struct tls_share *_now; /* counts as a user itself; NULL: no TLS */
    int _reloads;
};

MUST_CHECK int shared_tls_init(struct shared_tls *s, const struct serve_config *config, struct err *err);
void shared_tls_release(struct shared_tls *s); /* after every worker let go; zero is fine */
/* The one in force, or NULL. */
struct tls_share *shared_tls_take(struct shared_tls *s);
void shared_tls_drop(struct shared_tls *s, struct tls_share *share); /* NULL is fine */
/* The n-th request to read the certificate again: the first worker that comes with it does so. A broken pair leaves the
 * old one in force. */
void shared_tls_reload(struct shared_tls *s, const struct serve_config *config, int n);

#endif
