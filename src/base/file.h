/* Whole files: read with a limit, written atomically (a temporary file beside it, fsync, rename), so
 * that a killed process never leaves half a file. */
#ifndef PLIMSOLL_BASE_FILE_H
#define PLIMSOLL_BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the file's bytes to an initialised *out ("-" is standard input). -1 when unreadable or above the buffer's maximum. */
MUST_CHECK int file_read(const char *path, struct buf *out, struct err *err);
/* "-" writes to standard output (not atomic there). Keeps an existing file's mode; /dev/null, pipes and
 * terminals are written directly. */
MUST_CHECK int file_write(const char *path, struct slice bytes, struct err *err);

#endif
