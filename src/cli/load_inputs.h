/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a run, made of what the user said, with everything the plan points to. Reads the files and variables that
 * options name; nothing is sent. */
#ifndef PLIMSOLL_CLI_LOAD_INPUTS_H
#define PLIMSOLL_CLI_LOAD_INPUTS_H

#include "cli/load_options.h"
#include "cli/load_targets.h"
#include "load/load.h"

struct load_inputs {
    struct load_plan plan;
    struct load_stage _rate; /* --rate as the one stage it is */
    struct load_target *_targets;
    struct load_targets _listed; /* of --targets */
    struct load_expect _expect;
    struct load_part *_parts;
    struct load_override *_overrides;
    struct addr *_sources;
    struct buf _body, _authorization;
    struct strlist _texts; /* hosts and addresses of overrides */
};

/* options must outlive inputs. On failure (ERR_USAGE, ERR_CONFIG) nothing is left to release. */
MUST_CHECK int load_inputs_make(struct load_inputs *in, const struct load_options *o, struct err *err);
void load_inputs_release(struct load_inputs *in);

#endif
