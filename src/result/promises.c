/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/slo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* As it was given, and of each where it was worst. */
static char *clause_text(const struct slo_clause *c, const struct slo_outcome *o)
{
    char *text = NULL;

    if (o->worst == 0)
        return slice_dup(slice_str(c->text));
    if (c->scope == SLO_EACH_TARGET)
        return asprintf(&text, "%s (worst: target %zu)", c->text, o->worst) < 0 ? NULL : text;
    return asprintf(&text, "%s (worst: %s)", c->text, reply_class_text((enum reply_class)(o->worst - 1))) < 0 ? NULL
                                                                                                              : text;
}

int result_judge_slo(struct result *r, const struct slo *slo, struct err *err)
{
    struct slo_outcome *outcomes = calloc(slo->count + 1, sizeof(*outcomes));

    r->promises = calloc(slo->count + 1, sizeof(*r->promises));
    if (outcomes == NULL || r->promises == NULL) {
        free(outcomes);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the promises");
    }
    (void)slo_evaluate(slo, r, outcomes);
    for (size_t i = 0; i < slo->count; i++) {
        const struct slo_clause *c = &slo->clauses[i];
        struct promise *p = &r->promises[r->promise_count++];

        p->clause = clause_text(c, &outcomes[i]);
        p->unit = c->figure < SLO_ERRORS ? PROMISE_SECONDS : c->figure == SLO_ERRORS ? PROMISE_SHARE : PROMISE_PER_S;
        p->limit = c->limit;
        p->known = outcomes[i].known;
        p->observed = outcomes[i].value;
        p->kept = outcomes[i].kept || (r->nothing_due && !outcomes[i].known);
        if (p->clause == NULL) {
            free(outcomes);
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the promises");
        }
    }
    free(outcomes);
    return 0;
}

bool result_promises_kept(const struct result *r)
{
    for (size_t i = 0; i < r->promise_count; i++)
        if (!r->promises[i].kept)
            return false;
    return true;
}

const char *promise_unit_text(enum promise_unit unit)
{
    static const char *const TEXTS[] = { [PROMISE_SECONDS] = "s", [PROMISE_SHARE] = "share", [PROMISE_PER_S] = "1/s" };

    return TEXTS[unit];
}

int promise_unit_parse(enum promise_unit *out, struct slice text)
{
    for (unsigned i = PROMISE_SECONDS; i <= PROMISE_PER_S; i++) {
        if (!slice_eq(text, slice_str(promise_unit_text((enum promise_unit)i))))
            continue;
        *out = (enum promise_unit)i;
        return 0;
    }
    return -1;
}
