/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/shared_tls.h"

#include <errno.h>
#include <stdlib.h>

#include "net/tls.h"
#include "serve/serve.h"

/* Protocols spoken over TLS; curl --http1.0 offers the oldest alone. */
#define ALPN "h2,http/1.1,http/1.0"

static int make(struct tls_share **out, const struct serve_config *config, struct err *err)
{
    const struct tls_server_config tls = {
        .cert_file = config->cert_file, .key_file = config->key_file, .names = "localhost,127.0.0.1,::1", .alpn = ALPN
    };
    struct tls_share *share = calloc(1, sizeof(*share));

    *out = share;
    if (share == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start TLS");
    }
    if (tls_server_context(&share->context, &tls, err) != 0) {
        free(share);
        *out = NULL;
        return -1;
    }
    share->users = 1;
    return 0;
}

int shared_tls_init(struct shared_tls *s, const struct serve_config *config, struct err *err)
{
    *s = (struct shared_tls){ 0 };
    pthread_mutex_init(&s->_lock, NULL);
    return config->tls_listen.count > 0 ? make(&s->_now, config, err) : 0;
}

static void drop(struct tls_share *share)
{
    if (share != NULL && --share->users == 0) {
        tls_context_free(share->context);
        free(share);
    }
}

void shared_tls_release(struct shared_tls *s)
{
    drop(s->_now);
    s->_now = NULL;
}

struct tls_share *shared_tls_take(struct shared_tls *s)
{
    pthread_mutex_lock(&s->_lock);
    struct tls_share *share = s->_now;
    if (share != NULL) {
        share->users++;
    }
    pthread_mutex_unlock(&s->_lock);
    return share;
}

void shared_tls_drop(struct shared_tls *s, struct tls_share *share)
{
    pthread_mutex_lock(&s->_lock);
    drop(share);
    pthread_mutex_unlock(&s->_lock);
}

void shared_tls_reload(struct shared_tls *s, const struct serve_config *config, int n)
{
    struct tls_share *fresh;

    pthread_mutex_lock(&s->_lock);
    if (s->_reloads < n) {
        s->_reloads = n;
        if (s->_now != NULL && config->cert_file != NULL && make(&fresh, config, NULL) == 0) {
            drop(s->_now);
            s->_now = fresh;
        }
    }
    pthread_mutex_unlock(&s->_lock);
}
