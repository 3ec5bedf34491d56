/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files beneath a folder and never outside, whatever the name says and whatever links lie about: openat2() with
 * RESOLVE_BENEATH where the kernel has it, else step by step without following any link. */
#ifndef PLIMSOLL_SERVE_BENEATH_H
#define PLIMSOLL_SERVE_BENEATH_H

#include "base/buf.h"

#include <sys/types.h>

/* A name of segments joined by '/', each safe: not empty, not "." or "..", no NUL, at most 255 bytes. Leading and
 * trailing slashes are not. */
bool beneath_is_safe(struct slice name);
/* Opens (flags as of open(2); O_CLOEXEC and O_NOFOLLOW are added). -1 with errno; EINVAL for an unsafe name. */
int beneath_open(int folder, struct slice name, int flags, mode_t mode);
/* Makes the folders of name up to its last '/'. 0, or -1 with errno. */
int beneath_make_folders(int folder, struct slice name, mode_t mode);

#endif
