/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What phases.h hides, for the files of this room that read and follow a list. */
#ifndef PLIMSOLL_ROUNDS_PHASES_INTERNAL_H
#define PLIMSOLL_ROUNDS_PHASES_INTERNAL_H

#include "pattern/pattern.h"
#include "rounds/phases.h"

struct phase_rule {
    char *name, *group;           /* group may be NULL */
    struct pattern *first, *last; /* one of the two may be NULL */
};

struct phases {
    char *title;
    struct pattern *failed; /* NULL: none */
    struct phase_rule *rules;
    size_t count;
};

#endif
