/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_resume.h"

#include <string.h>

enum { MARK_MAX = 64 };

bool run_is_of_suite(const struct result *r, const char *mark)
{
    char quoted[MARK_MAX];

    snprintf(quoted, sizeof(quoted), "\"%s\"", mark);
    for (size_t k = 0; k < r->config_count; k++)
        if (strcmp(r->config[k].name, RUN_SUITE_MARK) == 0)
            return strcmp(r->config[k].json, quoted) == 0;
    return false;
}

int run_find(struct runstore *store, const char *reference, struct listing *found, struct err *err)
{
    if (store == NULL)
        return err_set(err, ERR_CONFIG, 0, "--resume %s: nothing was ever stored here", reference);
    if (runstore_find(store, reference, found, err) != 0)
        return err_prefix(err, "--resume");
    if (found->count > 1) {
        err_set(err, ERR_CONFIG, 0, "--resume %s: %zu runs are called so", reference, found->count);
        return err_hint(err, "%s@latest is the newest of them", reference);
    }
    return 0;
}
