/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's store of results, from the side of the commands. */
#ifndef PLIMSOLL_CLI_STORING_H
#define PLIMSOLL_CLI_STORING_H

#include "store/store.h"

/* Where it is: $PLIMSOLL_DB, else plimsoll/results.db in $XDG_DATA_HOME, else in ~/.local/share. Appended to an
 * initialised *out. ERR_CONFIG when there is no home to have it in. */
MUST_CHECK int storing_path(struct buf *out, struct err *err);
/* For writing it makes the folders and the file; the caller ends *out with runstore_close(). For reading, *out is NULL
 * when nothing was ever stored. */
MUST_CHECK int storing_open(struct runstore **out, enum runstore_access access, struct err *err);

/* Keeps a run that has just ended. What goes wrong is a warning and never changes an exit code; the document is then
 * written to a file beside the store, or to where that is possible, and that is said. written: a file that has the
 * document already; NULL: none. */
void storing_keep(const struct result *r, const char *written, const char *who);

#endif
