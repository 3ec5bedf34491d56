/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/access.h"

#include "serve/worker.h"

/* Takes as long for any token of the same length: its bytes can not be found one by one. */
static bool is_same_secret(struct slice a, struct slice b)
{
    unsigned difference = 0;

    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        difference |= (unsigned)(unsigned char)(a.ptr[i] ^ b.ptr[i]);
    }
    return difference == 0;
}

bool access_may_write(struct exchange *x)
{
    const struct serve_config *config = x->worker->config;
    struct slice given = request_head_field(x->head, SLICE("Authorization"));
    const struct field challenge = { SLICE("WWW-Authenticate"), SLICE("Bearer realm=\"plimsoll\"") };

    if (config->token == NULL) {
        if (!config->allow_public || config->open_writes) {
            return true;
        }
        exchange_fail(x, 403, "This server is public: writing needs --token or --open-writes at its start.");
        return false;
    }
    if (slice_starts_nocase(given, SLICE("Bearer ")) &&
        is_same_secret(slice_trim(slice_drop(given, 7)), slice_str(config->token))) {
        return true;
    }
    exchange_fail_fields(x, 401, &challenge, 1, "Writing needs this server's token: Authorization: Bearer TOKEN.");
    return false;
}
