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
};

#endif
