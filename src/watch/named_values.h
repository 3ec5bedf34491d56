/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs print of themselves, as readings: pure, bytes in, values out. Private to watch/. */
#ifndef PLIMSOLL_WATCH_NAMED_VALUES_H
#define PLIMSOLL_WATCH_NAMED_VALUES_H

#include "base/err.h"
#include "watch/reading.h"

/* Lines "name=value"; empty ones and those that begin with # are passed over, so is what else stands there as long as
 * one line fits. A name ending in "_total" counts. -1: no line fits, err quotes the first. */
MUST_CHECK int named_values_read(struct reading *out, struct slice text, struct err *err);

/* What `kubectl top pods --no-headers` prints: name, CPU ("250m"), memory ("64Mi"), a pod on each line. The sums, and
 * how many pods. -1: a line is none. */
MUST_CHECK int pod_list_read(struct reading *out, struct slice text, struct err *err);
/* A quantity of Kubernetes: "250m", "1", "12345n", "64Mi", "1.5G". */
bool pod_quantity(struct slice text, double *out);

#endif
