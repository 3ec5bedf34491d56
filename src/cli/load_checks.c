/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/load_options.h"
#include "cli/option_values.h"
#include "http/request.h"
#include "pattern/pattern.h"

int load_check_size(void *field, const char *text, const struct option_row *row, struct err *err)
{
    uint64_t bytes;

    if (units_parse_size(slice_str(text), &bytes, err) != 0)
        return -1;
    if (bytes < row->min || (row->max > 0 && bytes > row->max)) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is too %s", text, bytes < row->min ? "small" : "large");
        return err_hint(err, "for example --%s %s", row->name, row->example);
    }
    *(uint64_t *)field = bytes;
    return 0;
}

int load_check_body_size(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;

    o->has_expect_body_size = true;
    return load_check_size(&o->expect_body_size, text, row, err);
}

static int digit_of(char c)
{
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c != '\0' ? strchr(DIGITS, c) : NULL;

    return at != NULL ? (int)(at - DIGITS) % 16 : -1;
}

int load_check_sha256(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    bool good = strlen(text) == 2 * sizeof(o->expect_sha256);

    for (size_t i = 0; good && i < sizeof(o->expect_sha256); i++) {
        const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

        good = high >= 0 && low >= 0;
        o->expect_sha256[i] = (uint8_t)(good ? high * 16 + low : 0);
    }
    o->has_expect_sha256 = good;
    if (good)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.80s\" is no SHA-256", text);
    return err_hint(err, "64 hex digits, as sha256sum FILE prints them");
}

int load_check_pattern(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct pattern *pattern;

    if (pattern_new(&pattern, text, err) != 0)
        return err_hint(err, "for example --%s %s", row->name, row->example);
    pattern_free(pattern);
    return option_bytes(field, text, row, err);
}

int load_check_field(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct strlist *list = field;
    struct slice rest = slice_str(text);
    const struct slice name = slice_trim(slice_split(&rest, ':'));
    char *with_colon = NULL;
    int status;

    if (list->count == LOAD_EXPECT_FIELDS)
        return err_set(err, ERR_USAGE, 0, "at most %d fields can be expected", LOAD_EXPECT_FIELDS);
    if (name.len > 0 && asprintf(&with_colon, "%.*s: x", SLICE_FMT(name)) < 0)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    status = with_colon != NULL && request_check_field(slice_str(with_colon), NULL) == 0 ? 0 : -1;
    free(with_colon);
    if (status == 0)
        return option_list(field, text, row, err);
    err_set(err, ERR_USAGE, 0, "\"%s\" names no field", text);
    return err_hint(err, "write 'NAME: VALUE', or NAME alone when any value will do");
}

int load_check_slo(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;

    struct slo more;
    struct slo_clause *grown;

    if (slo_parse(&more, slice_str(text), err) != 0) {
        slo_release(&more);
        return -1;
    }
    grown = realloc(o->slo.clauses, (o->slo.count + more.count) * sizeof(*grown));
    if (grown == NULL) {
        slo_release(&more);
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    memcpy(grown + o->slo.count, more.clauses, more.count * sizeof(*grown));
    o->slo.clauses = grown;
    o->slo.count += more.count;
    free(more.clauses); /* their texts have moved */
    return 0;
}
