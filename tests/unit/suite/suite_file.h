/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A suite of the test's own text, in a file that is gone again at once. */
#ifndef PLIMSOLL_TEST_SUITE_FILE_H
#define PLIMSOLL_TEST_SUITE_FILE_H

#include "suite/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_suite(struct suite **out, const char *text, const struct strlist *sets, struct err *err)
{
    char path[] = "/tmp/plimsoll-suite-XXXXXX";
    const int fd = mkstemp(path);
    int rc;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    rc = suite_read(out, path, sets, err);
    unlink(path);
    return rc;
}

#endif
