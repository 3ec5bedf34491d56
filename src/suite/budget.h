/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a cell fit what the routers carry? Each client of each route keeps so many connections in a router as the factor
 * of its termination says: one for http and passthrough, two where the router speaks TLS to the backend or unpacks it
 * (edge, reencrypt); a mix has the mean of its parts.
 *     need  = clients * routes * factor, of all routers together
 *     worst = need / routers * imbalance, of the fullest one, since connections are not spread evenly
 * With routes of a cluster the need is the sum over those of the cell's termination ("mix": all), each with its own
 * factor; a cell without any has nothing to ask.
 * The cell is over when need > routers * maxconn; it is tight, a warning, when worst > maxconn (a full fit is that,
 * too). Source: the connection arithmetic of the published router benchmarks. */
#ifndef PLIMSOLL_SUITE_BUDGET_H
#define PLIMSOLL_SUITE_BUDGET_H

#include "suite/names.h"
#include "suite/routes.h"
#include "suite/suite.h"

struct cell_need {
    bool known; /* the suite has a budget */
    double need, capacity, worst, maxconn;
    bool is_over, is_tight;
    bool has_no_routes;
    uint64_t client_ports; /* clients * routes: connections of the generator, and its local ports and files */
};

/* routes: of a cluster; NULL: as many as the budget says. ERR_CONFIG "FILE: budget: …" for a number that is none, or a
 * termination without a factor. */
MUST_CHECK int budget_of_cell(const struct suite *s, const struct names *names, const struct routes *routes,
                              struct cell_need *out, struct err *err);

#endif
