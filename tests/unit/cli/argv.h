/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines for tests: words separated by '|', so that values may hold spaces and be empty. */
#ifndef PLIMSOLL_TESTS_CLI_ARGV_H
#define PLIMSOLL_TESTS_CLI_ARGV_H

#include "base/strlist.h"

/* argv[0] is "test". The list owns the words; its items are the argv. */
static inline struct strlist argv_of(const char *line)
{
    struct strlist words = STRLIST_INIT;
    struct slice rest = slice_str(line);
    bool more = rest.len > 0;

    assert_true(strlist_add(&words, SLICE("test")));
    while (more) {
        more = slice_find(rest, '|') >= 0;
        assert_true(strlist_add(&words, slice_split(&rest, '|')));
    }
    return words;
}

#endif
