/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a moment for programs. Pure. */
#ifndef PLIMSOLL_LIVE_FORMS_H
#define PLIMSOLL_LIVE_FORMS_H

#include "live/figures.h"

/* {"format": "plimsoll-live", "version": 1, …}; seconds and bytes; what is not known is null. Ends with a line break.
 */
void live_json(struct buf *out, const struct live_figures *f);
/* Prometheus' text format 0.0.4. Counters only grow while one thing runs. */
void live_metrics(struct buf *out, const struct live_figures *f);
#define LIVE_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

#endif
