/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_values.h"

#include <string.h>

#include "base/units.h"
#include "cli/load_models.h"
#include "cli/option_values.h"
#include "cli/rounds_options.h"
#include "result/rounds_scaling.h"

#define SIZE_MOST 10000u

int rounds_value_sizes(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct rounds_options *o = field;
    struct slice rest = slice_str(text);

    o->size_count = 0;
    do {
        const struct slice part = slice_trim(slice_split(&rest, ','));
        uint64_t n;

        if (!slice_to_u64(part, &n) || n == 0 || n > SIZE_MOST) {
            err_set(err, ERR_USAGE, 0, "\"%.*s\" is no number of copies", SLICE_FMT(part));
            return err_hint(err, "from 1 to %u, separated by commas, for example --%s %s", SIZE_MOST, row->name,
                            row->example);
        }
        if (o->size_count == ROUNDS_SIZES_MAX) {
            err_set(err, ERR_USAGE, 0, "\"%s\" has more than %u sizes", text, ROUNDS_SIZES_MAX);
            return err_hint(err, "powers of two are enough to see a law: 1,2,4,8,16,32");
        }
        for (size_t i = 0; i < o->size_count; i++) {
            if (o->sizes[i] != n)
                continue;
            err_set(err, ERR_USAGE, 0, "%llu copies stand twice in \"%s\"", (unsigned long long)n, text);
            return err_hint(err, "--samples repeats every size");
        }
        o->sizes[o->size_count++] = (uint32_t)n;
    } while (rest.len > 0);
    return 0;
}

int rounds_value_order(void *field, const char *text, const struct option_row *row, struct err *err)
{
    enum rounds_order *order = field;

    (void)row;
    *order = strcmp(text, "as-written") == 0 ? ROUNDS_AS_WRITTEN : ROUNDS_INTERLEAVED;
    if (*order == ROUNDS_AS_WRITTEN || strcmp(text, "interleaved") == 0)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is no order of rounds", text);
    return err_hint(err, "write interleaved or as-written");
}

int rounds_value_rate(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options rate = { 0 };

    if (load_model_rate(&rate, text, row, err) != 0)
        return -1;
    *(double *)field = rate.rate_per_s;
    return 0;
}

/* "3" or "10-12" */
static bool parse_range(struct slice part, uint64_t *low, uint64_t *high)
{
    const struct slice first = slice_split(&part, '-');

    if (!slice_to_u64(first, low))
        return false;
    *high = *low;
    return (part.len == 0 || slice_to_u64(part, high)) && *low <= *high && *high < ROUNDS_EXITS;
}

int rounds_value_expect_exit(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct rounds_options *o = field;
    struct slice rest = slice_str(text);

    memset(o->expect_exit, 0, sizeof(o->expect_exit));
    do {
        const struct slice part = slice_trim(slice_split(&rest, ','));
        uint64_t low, high;

        if (!parse_range(part, &low, &high)) {
            err_set(err, ERR_USAGE, 0, "\"%.*s\" is no exit code", SLICE_FMT(part));
            return err_hint(err, "from 0 to 255, or a range, separated by commas: --%s %s", row->name, row->example);
        }
        memset(&o->expect_exit[low], 1, (size_t)(high - low) + 1);
    } while (rest.len > 0);
    o->has_expect_exit = true;
    return 0;
}

int rounds_value_env(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (slice_find(slice_str(text), '=') <= 0) {
        const size_t shown = strlen(text) < 40 ? strlen(text) : 40;

        err_set(err, ERR_USAGE, 0, "\"%.*s\" is not NAME=VALUE", (int)shown, text);
        return err_hint(err, "for example --%s %s", row->name, row->example);
    }
    return strlist_add(field, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

int rounds_value_format(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char *const NAMES[] = {
        [ROUNDS_TEXT] = "text", [ROUNDS_ROUNDUP] = "roundup", [ROUNDS_MARKDOWN] = "markdown", [ROUNDS_CSV] = "csv"
    };

    (void)row;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(text, NAMES[i]) != 0)
            continue;
        *(enum rounds_format *)field = (enum rounds_format)i;
        return 0;
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no form of the report", text);
    return err_hint(err, "write text, roundup, markdown or csv");
}

int rounds_value_slo(void *field, const char *text, const struct option_row *row, struct err *err)
{
    (void)row;
    slo_release(field);
    return slo_parse(field, slice_str(text), err) != 0 || rounds_slo_check(field, err) != 0 ? -1 : 0;
}

int rounds_value_word(void *field, const char *text, const struct option_row *row, struct err *err)
{
    (void)row;
    return strlist_add(field, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

void rounds_redact_env(struct buf *out, struct slice value)
{
    buf_add_slice(out, slice_split(&value, '='));
    buf_add_str(out, "=***");
}
