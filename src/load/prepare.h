/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run made ready (prepare.c) and run (run.c): what the two share. */
#ifndef PLIMSOLL_LOAD_PREPARE_H
#define PLIMSOLL_LOAD_PREPARE_H

#include "load/loader.h"

struct load {
    struct load_plan plan;
    struct run run;
    struct loader *workers;
    size_t workers_bytes;
    uint32_t connections; /* of all targets */
    uint32_t capacity;    /* with those that --grow may add */
    uint8_t expect[STATUS_MAX];
    uint64_t first_seq; /* of the next worker */
    char *noise;        /* bytes of random bodies; NULL: there are none */
    size_t noise_bytes;
    uint64_t open_files_limit;
    struct load_first first;
    struct load_start start;
};

/* share.c: what of the plan is this process's. In this order: */
/* ERR_USAGE when there are fewer `what` over the whole plan than shares. */
MUST_CHECK int share_check(const struct load *l, uint64_t n, const char *what, struct err *err);
/* The same for all that can be counted beforehand. A constant rate has as many requests due in its window as shares;
 * other schedules need not: what is due of them is not known (Poisson), or is the last word of stages that end. */
MUST_CHECK int share_check_plan(const struct load *l, struct err *err);
/* Adds up the connections of all targets; they have those of the whole plan until they are placed. */
void share_count_connections(struct load *l);
/* Which connection of which target is the k-th of this process; leaves each target its connections of this share. */
MUST_CHECK int share_place_connections(struct load *l, struct err *err);
/* Splits what else is numbered, of the plan and of the feed. */
void share_numbers(struct load *l);

#endif
