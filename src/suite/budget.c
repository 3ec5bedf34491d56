/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/budget.h"

#include <math.h>
#include <stdlib.h>

#include "suite/keys.h"

static const struct {
    const char *name;
    double factor;
} FACTORS[] = { { "http", 1 }, { "passthrough", 1 }, { "edge", 2 }, { "reencrypt", 2 }, { "mix", 1.5 } };

/* A text of the budget as a number; NULL stands for `missing`. */
static int number_of(const struct suite *s, const struct names *names, const char *what, const char *text,
                     double missing, double *out, struct err *err)
{
    char *filled, *end;
    bool good;

    *out = missing;
    if (text == NULL)
        return 0;
    filled = names_text(names, text, err);
    if (filled == NULL)
        return err_prefix(err, "%s: budget: %s", s->file, what);
    *out = strtod(filled, &end);
    good = end != filled && *end == '\0' && isfinite(*out) && *out > 0;
    if (!good)
        err_set(err, ERR_CONFIG, 0, "%s: budget: %s is \"%s\", it must be a number above 0", s->file, what, filled);
    free(filled);
    return good ? 0 : -1;
}

static int factor_of(const struct suite *s, struct slice name, double *out, struct err *err)
{
    for (size_t k = 0; k < s->budget.factors.count; k++) {
        const struct suite_pair *pair = &s->budget.factors.items[k];
        char *end;

        if (!slice_eq(slice_str(pair->name), name))
            continue;
        *out = strtod(pair->value, &end);
        if (end != pair->value && *end == '\0' && isfinite(*out) && *out > 0)
            return 0;
        return err_set(err, ERR_CONFIG, 0, "%s:%u: the factor of \"%s\" is \"%s\", it must be a number above 0",
                       s->file, pair->line, pair->name, pair->value);
    }
    for (size_t k = 0; k < sizeof(FACTORS) / sizeof(FACTORS[0]); k++)
        if (slice_eq(name, slice_str(FACTORS[k].name))) {
            *out = FACTORS[k].factor;
            return 0;
        }
    err_set(err, ERR_CONFIG, 0, "%s: budget: there is no factor for the termination \"%.*s\"", s->file,
            SLICE_FMT(name));
    return err_hint(err, "add it under \"factors\": connections that one client's needs in the router");
}

/* The mean over the parts of "edge+http"; 1 when the budget names no termination. */
static int mean_factor(const struct suite *s, const struct names *names, double *out, struct err *err)
{
    char *filled;
    struct slice rest;
    double sum = 0;
    unsigned parts = 0;
    int rc = 0;

    *out = 1;
    if (s->budget.termination == NULL)
        return 0;
    filled = names_text(names, s->budget.termination, err);
    if (filled == NULL)
        return err_prefix(err, "%s: budget: termination", s->file);
    rest = slice_str(filled);
    do {
        double factor = 0;

        rc = factor_of(s, slice_trim(slice_split(&rest, '+')), &factor, err);
        sum += factor;
        parts++;
    } while (rc == 0 && rest.len > 0);
    free(filled);
    *out = sum / parts;
    return rc;
}

int budget_of_cell(const struct suite *s, const struct names *names, struct cell_need *out, struct err *err)
{
    const struct suite_budget *b = &s->budget;
    double clients, routes, routers, factor;

    *out = (struct cell_need){ .known = b->present };
    if (!b->present)
        return 0;
    if (number_of(s, names, "clients", b->clients, 1, &clients, err) != 0 ||
        number_of(s, names, "routes", b->routes, 1, &routes, err) != 0 ||
        number_of(s, names, "routers", b->routers, 1, &routers, err) != 0 ||
        number_of(s, names, "maxconn", b->maxconn, 1, &out->maxconn, err) != 0 ||
        mean_factor(s, names, &factor, err) != 0)
        return -1;
    out->need = clients * routes * factor;
    out->capacity = routers * out->maxconn;
    out->worst = routers > 1 ? out->need / routers * b->imbalance : out->need;
    out->is_over = out->need > out->capacity;
    out->is_tight = !out->is_over && (out->worst > out->maxconn || out->need >= out->capacity);
    out->client_ports = clients * routes < 1e15 ? (uint64_t)(clients * routes) : UINT64_MAX;
    return 0;
}
