/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of an mb run, made of its request file and options, with everything the plan points to. */
#ifndef PLIMSOLL_CLI_MB_PLAN_H
#define PLIMSOLL_CLI_MB_PLAN_H

#include "cli/mb_options.h"
#include "load/load.h"
#include "result/mb_requests.h"

struct mb_plan {
    struct load_plan plan;
    struct mb_requests requests;
    struct strlist names; /* "GET http://a.test:80/", per request: a column of the CSV; without secrets */
    struct load_target *_targets;
    struct load_manner *_manners;
    struct addr *_sources;
    struct strlist _urls, _authorities;
};

/* -1 with ERR_CONFIG when something in the file is wrong; to be released either way. */
MUST_CHECK int mb_plan_make(struct mb_plan *p, const struct mb_options *o, struct slice json, struct err *err);
void mb_plan_release(struct mb_plan *p);

#endif
