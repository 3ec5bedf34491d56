/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Promises: what is read is within its bounds, and reads the same again from its own clauses. */
#include "result/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct slo_clause *c)
{
    struct slo again;

    if (!isfinite(c->limit) || c->limit < 0)
        abort();
    if (c->figure == SLO_PERCENTILE && !(c->percentile > 0 && c->percentile <= 100))
        abort();
    if (c->scope == SLO_TARGET && c->target == NULL && c->target_number == 0)
        abort();
    if (slo_parse(&again, slice_str(c->text), NULL) != 0 || again.count != 1 || again.clauses[0].figure != c->figure ||
        again.clauses[0].op != c->op || again.clauses[0].scope != c->scope)
        abort();
    slo_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { 0 };
    struct slo slo;

    if (slo_parse(&slo, slice_from((const char *)data, size), &err) == 0) {
        for (size_t i = 0; i < slo.count; i++)
            check(&slo.clauses[i]);
    } else if (err.what[0] == '\0') {
        abort();
    }
    slo_release(&slo);
    return 0;
}
