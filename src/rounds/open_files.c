/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/open_files.h"

#include <errno.h>
#include <inttypes.h>

int open_files_allow(uint64_t need, struct rlimit *before, struct err *err)
{
    struct rlimit raised;

    if (getrlimit(RLIMIT_NOFILE, before) != 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot read the limit of open files");
    if (before->rlim_cur >= need)
        return 0;
    if (before->rlim_max < need) {
        err_set(err, ERR_LIMIT, 0, "so many copies need %" PRIu64 " open files, and the limit is %" PRIu64, need,
                (uint64_t)before->rlim_max);
        return err_hint(err, "fewer copies, or a higher hard limit (ulimit -Hn)");
    }
    raised = *before;
    raised.rlim_cur = (rlim_t)need;
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot raise the limit of open files to %" PRIu64, need);
    return 0;
}
