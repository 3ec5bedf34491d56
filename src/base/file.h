/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files: read with a limit, written atomically (a temporary file beside it, fsync, rename), so
 * that a killed process never leaves half a file. */
#ifndef PLIMSOLL_BASE_FILE_H
#define PLIMSOLL_BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the file's bytes to an initialised *out ("-" is standard input). -1 when unreadable (ERR_CONFIG) or above the
 * buffer's maximum (ERR_LIMIT); *out then holds what it held before. */
MUST_CHECK int file_read(const char *path, struct buf *out, struct err *err);
/* "-" writes to standard output (not atomic there). Keeps an existing file's mode and follows links; /dev/null, pipes,
 * terminals and names of open descriptors (/dev/stdout, /dev/fd/3) are written directly. ERR_SYSTEM on failure; the old
 * file is then untouched. A process killed while writing may leave a file .plimsoll-….tmp beside it. */
MUST_CHECK int file_write(const char *path, struct slice bytes, struct err *err);

#endif
