/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks, by what they look at. Private to machine/. */
#ifndef PLIMSOLL_MACHINE_JUDGE_H
#define PLIMSOLL_MACHINE_JUDGE_H

#include "machine/machine.h"

/* Gives the finding its level and sentences, from the facts alone. */
typedef void machine_judge_fn(const struct machine_facts *f, struct finding *out);

struct machine_check {
    const char *name, *title;
    machine_judge_fn *judge;
};

/* Each ends with a row without a name. */
extern const struct machine_check MACHINE_NETWORK_CHECKS[];
extern const struct machine_check MACHINE_CLOCK_CHECKS[];
extern const struct machine_check MACHINE_PROCESSOR_CHECKS[];
extern const struct machine_check MACHINE_OTHER_CHECKS[];

#endif
