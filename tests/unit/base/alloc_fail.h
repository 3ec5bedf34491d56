/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the n-th allocation fail. A test that uses it links alloc_fail.c with alloc_fail_link_args (see meson.build),
 * which redirects the allocation calls of our own code, and of nobody else's. */
#ifndef PLIMSOLL_TESTS_ALLOC_FAIL_H
#define PLIMSOLL_TESTS_ALLOC_FAIL_H

#include <stdbool.h>

/* The nth (from 1) allocation from now on fails, and no other. 0: none. */
void alloc_fail_at(unsigned nth);
/* Ends it; true when an allocation was refused since alloc_fail_at(): false says that a sweep has seen them all. */
bool alloc_fail_end(void);

#endif
