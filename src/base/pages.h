/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory mapped before measuring and touched on first use: costs address space, not RSS.
 * Zero-filled. Used for histograms' counters, record logs and whatever the measured path writes. */
#ifndef PLIMSOLL_BASE_PAGES_H
#define PLIMSOLL_BASE_PAGES_H

#include "base/err.h"

#include <stddef.h>

/* 0 and *out set, or -1. bytes is rounded up to a page. */
MUST_CHECK int pages_map(void **out, size_t bytes, struct err *err);
void pages_unmap(void *p, size_t bytes); /* NULL is fine; the same bytes as given to pages_map() */

#endif
