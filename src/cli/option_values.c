/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/option_values.h"

#include <inttypes.h>

#include "base/units.h"

int option_flag(void *field, const char *text, const struct option_row *row, struct err *err)
{
    *(bool *)field = true;
    return 0;
}

static int out_of_range(const char *text, const char *bound, const char *limit, const struct option_row *row,
                        struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%s\" is too %s", text, bound);
    return err_hint(err, "the %s is %s, for example --%s %s", bound[0] == 's' ? "least" : "most", limit, row->name,
                    row->example);
}

static int check_number(uint64_t n, const char *text, const struct option_row *row, struct err *err)
{
    char limit[UNITS_TEXT_MAX];

    if (n < row->min) {
        snprintf(limit, sizeof(limit), "%" PRIu64, row->min);
        return out_of_range(text, "small", limit, row, err);
    }
    if (row->max != 0 && n > row->max) {
        snprintf(limit, sizeof(limit), "%" PRIu64, row->max);
        return out_of_range(text, "large", limit, row, err);
    }
    return 0;
}

int option_count(void *field, const char *text, const struct option_row *row, struct err *err)
{
    uint64_t n;

    if (units_parse_count(slice_str(text), &n, err) != 0)
        return -1;
    if (check_number(n, text, row, err) != 0)
        return -1;
    *(uint64_t *)field = n;
    return 0;
}

int option_u64(void *field, const char *text, const struct option_row *row, struct err *err)
{
    uint64_t n;

    if (!slice_to_u64(slice_str(text), &n)) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is not a whole number", text);
        return err_hint(err, "digits alone, for example --%s %s", row->name, row->example);
    }
    if (check_number(n, text, row, err) != 0)
        return -1;
    *(uint64_t *)field = n;
    return 0;
}

int option_duration(void *field, const char *text, const struct option_row *row, struct err *err)
{
    char limit[UNITS_TEXT_MAX];
    uint64_t ns;

    if (units_parse_duration(slice_str(text), &ns, err) != 0)
        return -1;
    if (ns < row->min)
        return out_of_range(text, "small", units_format_duration(limit, (double)row->min), row, err);
    if (row->max != 0 && ns > row->max)
        return out_of_range(text, "large", units_format_duration(limit, (double)row->max), row, err);
    *(uint64_t *)field = ns;
    return 0;
}

int option_share(void *field, const char *text, const struct option_row *row, struct err *err)
{
    return units_parse_share(slice_str(text), field, err);
}

int option_check_printable(const char *text, struct err *err)
{
    for (const char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p >= 0x20 && *p != 0x7f)
            continue;
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is followed by the control character \\x%02x", (int)(p - text), text,
                (unsigned)(unsigned char)*p);
        return err_hint(
            err, "leave out line breaks and control characters; a missing quote in a script may have added them");
    }
    return 0;
}

static int check_text(const char *text, const struct option_row *row, struct err *err)
{
    if (text[0] == '\0') {
        err_set(err, ERR_USAGE, 0, "\"\" is empty");
        if (row == NULL || row->example == NULL)
            return err_hint(err,
                            "give a value, or leave the option out; an unset variable in a script may be the cause");
        return err_hint(err, "for example --%s %s; an unset variable in a script may be the cause", row->name,
                        row->example);
    }
    return option_check_printable(text, err);
}

int option_text(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (check_text(text, row, err) != 0)
        return -1;
    *(const char **)field = text;
    return 0;
}

int option_bytes(void *field, const char *text, const struct option_row *row, struct err *err)
{
    *(const char **)field = text;
    return 0;
}

int option_path(void *field, const char *text, const struct option_row *row, struct err *err)
{
    return option_text(field, text, row, err);
}

int option_list(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (check_text(text, row, err) != 0)
        return -1;
    if (!strlist_add(field, slice_str(text)))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

void option_hide(struct buf *out, struct slice value)
{
    buf_add_str(out, "***");
}

int option_names(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct slice rest = slice_str(text);

    if (option_check_printable(text, err) != 0)
        return -1;
    do {
        const struct slice name = slice_trim(slice_split(&rest, ','));

        if (name.len == 0) {
            err_set(err, ERR_USAGE, 0, "\"%s\" holds an empty name", text);
            return err_hint(err, "for example %s", row->example);
        }
        if (!strlist_add(field, name))
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
    } while (rest.len > 0);
    return 0;
}

int option_change(void *field, const char *text, const struct option_row *row, struct err *err)
{
    double share;

    if (option_share(&share, text, row, err) != 0)
        return -1;
    if (!(share > 0 && share < 1)) {
        err_set(err, ERR_USAGE, 0, "\"%s\" must lie between 0%% and 100%%", text);
        return err_hint(err, "for example %s", row->example);
    }
    *(double *)field = share;
    return 0;
}
