/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's request file: whatever the bytes, what is taken keeps the promises of the header, and what is refused says why.
 */
#include "result/mb_requests.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct mb_request *r)
{
    if (r->host == NULL || r->host[0] == '\0' || r->method == NULL || r->path == NULL || r->port == 0)
        abort();
    if (r->clients < 1 || r->clients > MB_CLIENTS_MAX || r->delay_min_ms > r->delay_max_ms)
        abort();
    if ((r->body != NULL && r->random_bytes > 0) || r->tcp_idle_s < 0 || r->tcp_interval_s < 0 || r->tcp_probes < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mb_requests list;
    struct err err = { 0 };

    if (mb_requests_read(&list, slice_from((const char *)data, size), &err) == 0) {
        if (list.count == 0)
            abort();
        for (size_t i = 0; i < list.count; i++)
            check(&list.items[i]);
    } else if (err.what[0] == '\0') {
        abort();
    }
    mb_requests_release(&list);
    return 0;
}
