/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The suites that come with plimsoll, found by name. They lie in DIR/suites, with what they start in DIR/testbeds,
 * where DIR is, in this order:
 *   - ../share/plimsoll beside the program: /usr/bin/plimsoll of the package, and an archive unpacked anywhere
 *   - the folder above the program's, when it has suites: build/plimsoll of a copy of the sources
 *   - where Meson was told to install (PLIMSOLL_DATA_DIR) */
#ifndef PLIMSOLL_CLI_INSTALLED_H
#define PLIMSOLL_CLI_INSTALLED_H

#include <limits.h>

#include "base/err.h"
#include "base/strlist.h"

/* out: the path as given when there is such a file, or when it could only be that of a file of the user's own (it has
 * folders); else that of the suite which comes with plimsoll. "cloud-check", "cloud-check.yaml" and
 * "suites/cloud-check.yaml" name the same. ERR_CONFIG when there is neither, with the nearest name or all of them as
 * hint. */
MUST_CHECK int installed_suite(char out[PATH_MAX], const char *given, struct err *err);
/* Their names, without ".yaml", of the first DIR that has any. */
void installed_suites(struct strlist *names);

#endif
