/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/judge.h"

#include <errno.h>

static const struct machine_check *const GROUPS[] = {
    MACHINE_NETWORK_CHECKS,
    MACHINE_CLOCK_CHECKS,
    MACHINE_PROCESSOR_CHECKS,
    MACHINE_OTHER_CHECKS,
};
#define GROUP_COUNT (sizeof(GROUPS) / sizeof(GROUPS[0]))

static const struct machine_check *nth(size_t n)
{
    for (size_t g = 0; g < GROUP_COUNT; g++)
        for (const struct machine_check *c = GROUPS[g]; c->name != NULL; c++)
            if (n-- == 0)
                return c;
    return NULL;
}

const char *machine_check_name(size_t n)
{
    const struct machine_check *c = nth(n);

    return c != NULL ? c->name : NULL;
}

int machine_judge(const struct machine_facts *f, struct checkup *out, struct err *err)
{
    const struct machine_check *c;

    for (size_t i = 0; (c = nth(i)) != NULL; i++) {
        struct finding *finding = checkup_add(out, c->name, c->title);

        if (finding != NULL)
            c->judge(f, finding);
        if (finding == NULL || finding->found == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for what was found");
    }
    return 0;
}
