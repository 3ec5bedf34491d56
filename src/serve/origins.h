/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which servers this one may call: itself, by its listening addresses and --self-url, and those of --allow-upstream.
 * Anything else must first prove with its /healthz that it is this server (handle_recursive.c). A request can name any
 * server (?url=, a forged Host): without this list it could make this machine call whatever it can reach. */
#ifndef PLIMSOLL_SERVE_ORIGINS_H
#define PLIMSOLL_SERVE_ORIGINS_H

#include "base/err.h"
#include "http/url.h"
#include "serve/serve.h"

struct origin {
    char host[256];
    bool any_scheme, any_port, https;
    bool ours; /* our own listener: its certificate need not be checked */
    uint16_t port;
};

enum { ORIGINS_MAX = 256 };

struct origins {
    struct origin items[ORIGINS_MAX];
    size_t count;
};

/* --self-url and --allow-upstream; ERR_CONFIG with the offending value. */
MUST_CHECK int origins_init(struct origins *o, const struct serve_config *config, struct err *err);
/* A listener: its address, and for wildcards every address of this machine. */
void origins_add_listener(struct origins *o, const struct addr *a, bool tls);
/* A base URL that reaches the listener from this machine: loopback for wildcards. */
void origins_self_url(char *out, size_t size, const struct addr *a, bool tls);
/* The entry that allows it, or NULL. */
const struct origin *origins_find(const struct origins *o, const struct url *base);

#endif
