/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit of open files: raised for ourselves as far as it must be, and told so that children get back what was. */
#ifndef PLIMSOLL_ROUNDS_OPEN_FILES_H
#define PLIMSOLL_ROUNDS_OPEN_FILES_H

#include "base/err.h"

#include <stdint.h>
#include <sys/resource.h>

/* ERR_LIMIT when need is above the hard limit. *before: what it was. */
MUST_CHECK int open_files_allow(uint64_t need, struct rlimit *before, struct err *err);

#endif
