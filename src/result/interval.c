/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/hist_codec.h"

int interval_set_latency(struct interval *v, const struct hist *h, struct err *err)
{
    uint8_t *packed;

    free(v->latency);
    v->latency = NULL;
    v->latency_bytes = 0;
    if (hist_count(h) == 0 && hist_overflow(h) == 0)
        return 0;
    packed = malloc(hist_pack_max());
    if (packed != NULL) {
        v->latency_bytes = hist_pack(h, packed);
        v->latency = malloc(v->latency_bytes);
    }
    if (v->latency != NULL)
        memcpy(v->latency, packed, v->latency_bytes);
    free(packed);
    return v->latency != NULL ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for an interval");
}

int interval_add_failed(struct interval *to, uint64_t failed, const uint64_t *by_kind, struct err *err)
{
    const bool known = failed == 0 || by_kind != NULL;

    if ((to->failed > 0 && to->by_kind == NULL) || !known) {
        free(to->by_kind);
        to->by_kind = NULL;
    } else if (failed > 0) {
        to->by_kind = to->by_kind != NULL ? to->by_kind : calloc(FAIL_KINDS, sizeof(*to->by_kind));
        if (to->by_kind == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for an interval");
        for (size_t k = 0; k < FAIL_KINDS; k++)
            to->by_kind[k] += by_kind[k];
    }
    to->failed += failed;
    return 0;
}

void interval_release(struct interval *v)
{
    free(v->latency);
    free(v->by_kind);
    *v = (struct interval){ 0 };
}

int interval_get_latency(const struct interval *v, struct hist *h, struct err *err)
{
    return v->latency == NULL ? 0 : hist_unpack_into(h, v->latency, v->latency_bytes, err);
}

int interval_add_latency(struct interval *to, const struct interval *v, uint8_t *scratch, struct err *err)
{
    const struct slice mine = slice_from((const char *)to->latency, to->latency_bytes);
    const struct slice others = slice_from((const char *)v->latency, v->latency_bytes);
    const uint8_t *sum = to->latency != NULL ? scratch : v->latency;
    uint8_t *grown;
    size_t bytes;

    if (v->latency == NULL)
        return 0;
    bytes = to->latency != NULL ? hist_pack_sum(scratch, mine, others) : v->latency_bytes;
    if (bytes == 0)
        return err_set(err, ERR_CONFIG, 0, "the latencies of an interval can not be added");
    grown = realloc(to->latency, bytes);
    if (grown == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for an interval");
    memcpy(grown, sum, bytes);
    to->latency = grown;
    to->latency_bytes = bytes;
    return 0;
}
