/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/media.h"

#include <string.h>

static const struct map_case {
    const char *why, *mapping, *path;
    const char *want; /* NULL: none fits */
} MAPS[] = {
    { "a folder", "/data/=/raw/", "/data/a/b", "/raw/a/b" },
    { "without slashes at the ends", "/data=/raw", "/data/a", "/raw/a" },
    { "the first that fits", "/x/=/1/,/data/=/2/,/data/a/=/3/", "/data/a/b", "/2/a/b" },
    { "spaces around", " /data/ = /raw/ , /y/=/z/", "/y/a", "/z/a" },
    { "the URI is encoded, its slashes are not", "/data/=/raw/", "/data/a b%41?#/\xc3\xbc",
      "/raw/a%20b%2541%3F%23/%C3%BC" },
    { "not in the middle of a name", "/data=/raw", "/database/a", NULL },
    { "another folder", "/other/=/raw/", "/data/a", NULL },
    { "no URI", "/data/", "/data/a", NULL },
    { "no path as URI", "/data/=raw/", "/data/a", NULL },
    { "nothing", "", "/data/a", NULL },
    { "nothing but signs", ",=,=/raw/,", "/data/a", NULL },
    { "every path begins with nothing", "=/raw/", "/data/a", NULL },
};

static void maps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(MAPS) / sizeof(MAPS[0]); i++) {
        struct buf out;
        buf_init(&out, 1024);
        bool mapped = media_map(&out, slice_str(MAPS[i].mapping), slice_str(MAPS[i].path));
        if (mapped != (MAPS[i].want != NULL) || (mapped && strcmp(out.data, MAPS[i].want) != 0))
            fail_msg("%s: %s", MAPS[i].why, mapped ? out.data : "none");
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(maps) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
