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

/* How many of a cluster's routes a cell asks, and the sum of their factors. */
static int sum_routes(const struct suite *s, const struct names *names, const struct routes *routes, double *count,
                      double *sum, struct err *err)
{
    char *filled = names_text(names, s->budget.termination != NULL ? s->budget.termination : "mix", err);
    int rc = filled != NULL ? 0 : err_prefix(err, "%s: budget: termination", s->file);

    *count = *sum = 0;
    for (size_t k = 0; rc == 0 && k < routes->count; k++) {
        const char *name = route_termination_name(routes->items[k].termination);
        struct slice rest = slice_str(filled);
        double factor = 0;

        while (rc == 0 && rest.len > 0) {
            const struct slice part = slice_trim(slice_split(&rest, '+'));

            if (!slice_eq(part, SLICE("mix")) && !slice_eq(part, slice_str(name)))
                continue;
            rc = factor_of(s, slice_str(name), &factor, err);
            *count += 1;
            *sum += factor;
            break;
        }
    }
    free(filled);
    return rc;
}

/* routes: how many are asked; factors: the sum of what each needs of a client. */
static int count_routes(const struct suite *s, const struct names *names, const struct routes *of_cluster,
                        double *routes, double *factors, struct err *err)
{
    double factor;

    if (of_cluster != NULL)
        return sum_routes(s, names, of_cluster, routes, factors, err);
    if (number_of(s, names, "routes", s->budget.routes, 1, routes, err) != 0 ||
        mean_factor(s, names, &factor, err) != 0)
        return -1;
    *factors = *routes * factor;
    return 0;
}

int budget_of_cell(const struct suite *s, const struct names *names, const struct routes *of_cluster,
                   struct cell_need *out, struct err *err)
{
    const struct suite_budget *b = &s->budget;
    double clients, routes, routers, factors;

    *out = (struct cell_need){ .known = b->present };
    if (!b->present)
        return 0;
    if (number_of(s, names, "clients", b->clients, 1, &clients, err) != 0 ||
        number_of(s, names, "routers", b->routers, 1, &routers, err) != 0 ||
        number_of(s, names, "maxconn", b->maxconn, 1, &out->maxconn, err) != 0 ||
        count_routes(s, names, of_cluster, &routes, &factors, err) != 0)
        return -1;
    out->need = clients * factors;
    out->has_no_routes = routes <= 0;
    out->capacity = routers * out->maxconn;
    out->worst = routers > 1 ? out->need / routers * b->imbalance : out->need;
    out->is_over = out->need > out->capacity;
    out->is_tight = !out->is_over && (out->worst > out->maxconn || out->need >= out->capacity);
    out->client_ports = clients * routes < 1e15 ? (uint64_t)(clients * routes) : UINT64_MAX;
    return 0;
}
