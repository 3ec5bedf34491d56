/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of tolerance, as anybody may write them. What is refused says why, without a control character, and leaves
 * nothing; what is accepted can be asked. */
#include "cli/compare_rules.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text)
{
    for (; *text != '\0'; text++)
        assert((unsigned char)*text >= 0x20 && *text != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "routes", value[] = "500";
    char *names[] = { name, NULL }, *values[] = { value };
    const struct strlist dimensions = { names, 1 };
    struct tolerance_rules rules;
    struct err err = { 0 };

    if (compare_rules_parse(&rules, "rules", slice_from((const char *)data, size), &err) != 0) {
        assert(rules.count == 0 && rules.items == NULL && err.what[0] != '\0');
        check_printable(err.what);
        return 0;
    }
    assert(rules.count > 0);
    for (size_t i = 0; i < rules.count; i++) {
        assert(rules.items[i].path.count % 2 == 1 && isfinite(rules.items[i].tolerancy));
        assert(rules.items[i].max_failures >= 0 && rules.items[i].max_failures <= 100);
        (void)tolerance_rule_matches(&rules.items[i], &dimensions, values, "requests_per_s");
    }
    tolerance_rules_release(&rules);
    return 0;
}
