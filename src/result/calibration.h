/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison is worth: runs of unchanged code are set against each other as if one of them were new.
 *
 * From sessions: each session against each later one, with all others as the history, as it would be when the code had
 * changed in between. From one session alone: its samples are dealt to two sides of the same size, CALIBRATION_DEALS
 * times, as reproducible as the seed. Every verdict of a change is then a false alarm. How well it sees: in one cell of
 * each comparison, another one each time, the new side is made worse by a factor, and the least factor at which the
 * verdict is "regressed" is found by bisection to 0.1 %; nine of ten comparisons need at most found_change.
 *
 * Pure numbers. Comparisons of the same sessions overlap, so their share is an estimate, no independent trials. */
#ifndef PLIMSOLL_RESULT_CALIBRATION_H
#define PLIMSOLL_RESULT_CALIBRATION_H

#include "result/comparison.h"

#define CALIBRATION_DEALS 200u
#define CALIBRATION_MAX 500u /* comparisons; of more pairs of sessions these, evenly chosen */

struct calibration_metric {
    char *name;
    bool higher_is_better;
    size_t comparisons;
    size_t alarms;       /* comparisons with a cell that "regressed" or "improved" */
    size_t suspects;     /* without an alarm, but with a suspect */
    double found_change; /* as a fraction, for the worse; NAN: nine of ten would find no change whatever */
};

struct calibration {
    struct calibration_metric *metrics;
    size_t metric_count;
    size_t runs, sessions, cells;
    enum compare_design design;
    double min_change;
};

/* runs: of unchanged code; those without a session are of one. The caller ends *out, also after a failure. ERR_CONFIG
 * when there are too few to set against each other; ERR_USAGE for names that nothing has. */
MUST_CHECK int calibration_make(struct calibration *out, const struct side *runs,
                                const struct comparison_options *options, struct err *err);
void calibration_release(struct calibration *c);

/* runs, sessions, cells, min_change, and of each metric its members; a change as a fraction, null when none is found.
 */
void calibration_to_json(const struct calibration *c, struct buf *out);

#endif
