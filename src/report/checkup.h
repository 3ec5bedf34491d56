/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a look at this machine found, for people: what spoils first, each with why and how to mend it. */
#ifndef PLIMSOLL_REPORT_CHECKUP_H
#define PLIMSOLL_REPORT_CHECKUP_H

#include "base/buf.h"
#include "result/checkup.h"

/* width: of the terminal; 0: 80. */
void report_checkup(struct buf *out, const struct checkup *c, unsigned width);

#endif
