/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the text report of rounds, in the order in which they are printed; each prints nothing when it has
 * nothing to say. Private to report/. */
#ifndef PLIMSOLL_REPORT_ROUNDS_PARTS_H
#define PLIMSOLL_REPORT_ROUNDS_PARTS_H

#include "report/sections.h"
#include "result/rounds_sizes.h"

struct rounds_report {
    struct section s;
    const struct rounds_result *rounds;
    struct rounds_sizes sizes;
    bool verbose;
};

/* Of one series. */
void rounds_part_single(const struct rounds_report *p, uint32_t series);    /* one at a time, several times */
void rounds_part_rounds(const struct rounds_report *p, uint32_t series);    /* a row per round, and its end */
void rounds_part_durations(const struct rounds_report *p, uint32_t series); /* every one, with -v */
void rounds_part_phases(const struct rounds_report *p, uint32_t series);
void rounds_part_scaling(const struct rounds_report *p, uint32_t series);
/* Of all. */
void rounds_part_failures(const struct rounds_report *p);
void rounds_part_series(const struct rounds_report *p);

/* Whether the series has one size, 1, in several rounds. */
bool rounds_is_single(const struct rounds_report *p, uint32_t series);
/* "27.23 s", "101 ms"; "-" when it is not known. */
const char *rounds_time(char out[UNITS_TEXT_MAX], double s);

#endif
