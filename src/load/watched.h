/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a watcher saw, as a part of a result. */
#ifndef PLIMSOLL_LOAD_WATCHED_H
#define PLIMSOLL_LOAD_WATCHED_H

#include "result/result.h"
#include "watch/watcher.h"

/* After watcher_join(): every part with its figures, its spec without secrets, and a warning for each that could not be
 * read always. Series get as many values as r has intervals, or without any as there were seconds. NULL: nothing is
 * added. */
MUST_CHECK int load_add_watched(struct result *r, const struct watcher *watcher, struct err *err);
/* "KIND:WHAT" as it may be written: without the secrets of URLs, and without a command that speaks of any. */
void load_redact_spec(struct buf *out, struct slice spec);

#endif
