/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as a list shows them: what a store knows of each without its document. Plain data between store/, which fills
 * it, and the renderers. A listing owns its texts; listing_release() ends them all. */
#ifndef PLIMSOLL_RESULT_LISTING_H
#define PLIMSOLL_RESULT_LISTING_H

#include "result/result.h"

struct listed_run {
    int64_t number; /* the store's own */
    char id[UUID_TEXT_MAX];
    char started[40]; /* RFC 3339, UTC; "" when not known */
    double duration_s;
    bool valid, interrupted;
    char *name, *kind, *note; /* "" when there is none */
    char **labels;            /* name, value, name, value, ... */
    size_t label_count;       /* pairs */
    struct strlist tags;
};

struct listing {
    struct listed_run *runs;
    size_t count;
};

/* {0} is an empty list. A new zeroed run at the end, valid until the next call; NULL when out of memory. */
struct listed_run *listing_add(struct listing *l);
bool listed_run_add_label(struct listed_run *r, const char *name, const char *value);
bool listing_has(const struct listing *l, int64_t number);
void listing_release(struct listing *l);

/* An array of objects: id, name, kind, started, duration_s, valid, interrupted, labels, tags, note. */
void listing_to_json(const struct listing *l, struct buf *out);

#endif
