/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a foreign report said, for people: what is not known is not printed. */
#ifndef PLIMSOLL_REPORT_IMPORTED_H
#define PLIMSOLL_REPORT_IMPORTED_H

#include "base/buf.h"
#include "result/result.h"

void report_imported(struct buf *out, const struct result *r);

#endif
