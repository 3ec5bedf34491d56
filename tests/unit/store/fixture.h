/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store in a folder of its own, and runs to put into it. Failures end the test. */
#ifndef PLIMSOLL_TESTS_STORE_FIXTURE_H
#define PLIMSOLL_TESTS_STORE_FIXTURE_H

#include "store/store.h"

struct fixture {
    char folder[64];
    char path[96]; /* the store's; not there before fixture_open() */
    struct runstore *store;
};

void fixture_init(struct fixture *f);
void fixture_release(struct fixture *f); /* and the folder */
void fixture_open(struct fixture *f);
/* Closed and opened again: what is there then was written. */
void fixture_reopen(struct fixture *f);

/* Keeps a run of the given id, name and start; labels: "a=1 b=2" or NULL. */
void fixture_add(struct fixture *f, const char *id, const char *name, const char *started, const char *labels);
struct result *fixture_result(const char *id, const char *name, const char *started, const char *labels);
int fixture_try_add(struct runstore *s, const struct result *r, struct err *err);
size_t fixture_count(struct fixture *f);
/* A number that the query gives on a connection of its own. */
long fixture_query(const char *path, const char *sql);

#endif
