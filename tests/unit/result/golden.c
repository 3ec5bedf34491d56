/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

#define GOLDEN_MAX_BYTES (1u << 22)

static void compare(const char *path, struct slice want, struct slice got)
{
    for (unsigned number = 1; want.len > 0 || got.len > 0; number++) {
        const struct slice a = slice_split(&want, '\n');
        const struct slice b = slice_split(&got, '\n');

        if (!slice_eq(a, b))
            fail_msg("%s:%u\n  want: %.*s\n  got:  %.*s", path, number, SLICE_FMT(a), SLICE_FMT(b));
    }
}

void golden_check(const char *path, struct slice got)
{
    struct err err = { 0 };
    struct buf want;
    char full[1024];

    snprintf(full, sizeof(full), "%s/%s", GOLDEN_DIR, path);
    if (getenv("PLIMSOLL_UPDATE_GOLDEN") != NULL) {
        if (file_write(full, got, &err) < 0)
            fail_msg("%s", err.what);
        return;
    }
    buf_init(&want, GOLDEN_MAX_BYTES);
    if (file_read(full, &want, &err) < 0)
        fail_msg("%s", err.what);
    compare(path, buf_slice(&want), got);
    assert_int_equal(want.len, got.len);
    buf_release(&want);
}
