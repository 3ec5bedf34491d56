/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units, as a user types them. The first byte chooses the parser. Whatever is refused says why and how to
 * write it; whatever is accepted means the same without its leading zeros, and with a zero in front. */
#include "base/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int parser(struct slice text, uint64_t *out, struct err *err);

/* Nothing that would play with a terminal. */
static void check_printable(const char *text)
{
    for (; *text != '\0'; text++)
        assert((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void check_refusal(const struct err *err)
{
    assert(err->kind == ERR_USAGE && err->what[0] != '\0' && err->hint[0] != '\0');
    check_printable(err->what);
    check_printable(err->hint);
}

static int parse_share(struct slice text, uint64_t *out, struct err *err)
{
    double share = -1;
    const int rc = units_parse_share(text, &share, err);

    if (rc == 0) {
        assert(share >= 0.0 && share <= 1.0);
        memcpy(out, &share, sizeof(*out));
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static parser *const PARSERS[] = { units_parse_duration, units_parse_size, units_parse_count, parse_share };
    struct err err = { 0 };
    uint64_t value = 1;
    uint64_t again = 2;

    if (size == 0)
        return 0;
    parser *parse = PARSERS[data[0] % 4];
    if (parse(slice_from((const char *)data + 1, size - 1), &value, &err) < 0) {
        check_refusal(&err);
        return 0;
    }
    char *padded = malloc(size);
    assert(padded != NULL);
    padded[0] = '0';
    memcpy(padded + 1, data + 1, size - 1);
    assert(parse(slice_from(padded, size), &again, &err) == 0 && again == value);
    free(padded);
    return 0;
}
