/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of a cluster's objects share. Private to routes_read.c and routes_gateway.c. */
#ifndef PLIMSOLL_SUITE_ROUTES_TAKER_H
#define PLIMSOLL_SUITE_ROUTES_TAKER_H

#include "doc/doc.h"
#include "suite/routes.h"

enum { TAKER_NAME_MAX = 300, TAKER_KINDS_MAX = 160 };

struct routes_taker {
    struct doc *doc;
    struct routes *out;
    struct doc_node *items;       /* all objects: a route looks for its Gateway there */
    char name[TAKER_NAME_MAX];    /* of the object in hand: "shop/web" */
    char others[TAKER_KINDS_MAX]; /* kinds that are no routes */
    struct err *err;
};

int taker_no_memory(struct routes_taker *t);
/* ERR_CONFIG "FILE:LINE: shop/web: what". */
int taker_refuse(struct routes_taker *t, struct doc_node *at, const char *what);
/* The object, or a part of it, gives no target. */
MUST_CHECK int taker_skip(struct routes_taker *t, const char *why);
/* path: "a.b.c"; NULL: there is none. */
struct doc_node *taker_find(struct doc_node *node, const char *path);
struct slice taker_text_at(struct doc_node *node, const char *path); /* empty: none, or no text */
/* The same, but what is there must be a text. */
MUST_CHECK int taker_text_of(struct routes_taker *t, struct doc_node *node, const char *path, struct slice *out);
/* The first of a list, or the thing itself. */
struct doc_node *taker_first(struct doc_node *node);
/* headers (NULL: none) are taken over; path.len 0: the route names none. */
MUST_CHECK int taker_add(struct routes_taker *t, struct doc_node *at, enum route_termination termination,
                         struct slice host, struct slice path, struct strlist *headers);

MUST_CHECK int taker_httproute(struct routes_taker *t, struct doc_node *o);

#endif
