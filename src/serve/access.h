/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may write: a public server writes only for those who have its token, unless it was started to write for
 * everybody. */
#ifndef PLIMSOLL_SERVE_ACCESS_H
#define PLIMSOLL_SERVE_ACCESS_H

#include "serve/exchange.h"

/* False: the refusal (401, 403) was answered. */
bool access_may_write(struct exchange *x);

#endif
