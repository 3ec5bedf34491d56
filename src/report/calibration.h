/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a comparison is worth (result/calibration.h), for people: a line a metric, and what it means. */
#ifndef PLIMSOLL_REPORT_CALIBRATION_H
#define PLIMSOLL_REPORT_CALIBRATION_H

#include "base/buf.h"
#include "result/calibration.h"

void report_calibration(struct buf *out, const struct calibration *c);

#endif
