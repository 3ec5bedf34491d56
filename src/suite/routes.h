/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of a cluster, read from what `kubectl get route,ingress,httproute -A -o json` (or -o yaml) prints, and
 * written as target lists for load. What is taken:
 *
 *   Route (OpenShift)  spec.host, else status.ingress.host; spec.path; spec.tls.termination; not what no router
 * admitted Ingress            every host and path of spec.rules; edge when spec.tls names the host (or no host at all),
 *                      passthrough, reencrypt and others by the annotations of the OpenShift and nginx controllers; a
 *                      rule without host by the address of its status
 *   HTTPRoute          every hostname and path match; http or edge by the listener of its Gateway, when that is in the
 *                      list, else by port (443, 8443) and section name of the parent; header matches become fields
 *
 * A wildcard *.example.com is asked as plimsoll.example.com. What gives no target is told with the reason. */
#ifndef PLIMSOLL_SUITE_ROUTES_H
#define PLIMSOLL_SUITE_ROUTES_H

#include "base/err.h"
#include "base/slice.h"
#include "base/strlist.h"

enum route_termination { ROUTE_HTTP, ROUTE_EDGE, ROUTE_PASSTHROUGH, ROUTE_REENCRYPT, ROUTE_TERMINATIONS };

struct route {
    enum route_termination termination;
    char *host, *path;      /* path: NULL: it names none */
    struct strlist headers; /* "Name: value" that a request must have */
};
struct routes {
    struct route *items;
    size_t count;
    struct strlist skipped; /* "shop/web: no router has admitted it" */
};

/* Where the router is, when the names of the routes do not lead there, and how it is asked. */
struct routes_manner {
    const char *path;                   /* asked of a route that names none; NULL: "/" */
    const char *address;                /* NULL: the route's own name */
    const char *http_port, *https_port; /* NULL: 80, 443 */
    const char *cacert;                 /* NULL: the system's */
    bool insecure;
};

/* ERR_CONFIG with file, line, the object's name and what is wrong with it; also when nothing in it gives a target. */
MUST_CHECK int routes_read(struct routes *out, const char *path, struct err *err);
void routes_release(struct routes *r);
/* targets-http.json, -edge, -passthrough, -reencrypt (those that there are) and -mix in a folder that is made. */
MUST_CHECK int routes_write(const struct routes *r, const struct routes_manner *how, const char *folder,
                            struct err *err);
/* "edge"; the names of lists and factors. */
const char *route_termination_name(enum route_termination t);
/* A text that is no number names a file of routes. */
bool routes_is_file(const char *from);

#endif
