/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_checks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/load_options.h"

int load_check_slo(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;

    struct slo more;
    struct slo_clause *grown;

    if (slo_parse(&more, slice_str(text), err) != 0) {
        slo_release(&more);
        return -1;
    }
    grown = realloc(o->slo.clauses, (o->slo.count + more.count) * sizeof(*grown));
    if (grown == NULL) {
        slo_release(&more);
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    memcpy(grown + o->slo.count, more.clauses, more.count * sizeof(*grown));
    o->slo.clauses = grown;
    o->slo.count += more.count;
    free(more.clauses); /* their texts have moved */
    return 0;
}
