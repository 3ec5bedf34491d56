/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares what a renderer made with a file kept in the repository, line by line. With PLIMSOLL_UPDATE_GOLDEN=1 in the
 * environment the file is written instead: read the difference before committing it. */
#ifndef PLIMSOLL_TESTS_GOLDEN_H
#define PLIMSOLL_TESTS_GOLDEN_H

#include "base/slice.h"

/* Fails the test with the first line that differs. path is relative to GOLDEN_DIR. */
void golden_check(const char *path, struct slice got);

#endif
