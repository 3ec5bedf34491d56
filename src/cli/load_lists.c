/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_values.h"

#include "cli/load_options.h"
#include "cli/option_values.h"
#include "net/addr.h"
#include "stats/summary.h"

/* --expect-status */

static int bad_status(struct slice part, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is no status, class or range", SLICE_FMT(part));
    return err_hint(err, "write for example 200,404 or 2xx,3xx or 200-299; statuses go from 100 to 999");
}

/* "200" and "2xx" as a range. */
static bool parse_status(struct slice text, uint64_t *low, uint64_t *high)
{
    if (text.len != 3 || text.ptr[0] < '1' || text.ptr[0] > '9')
        return false;
    if (slice_eq_nocase(slice_drop(text, 1), SLICE("xx"))) {
        *low = (uint64_t)(text.ptr[0] - '0') * 100;
        *high = *low + 99;
        return true;
    }
    if (!slice_to_u64(text, low))
        return false;
    *high = *low;
    return true;
}

static int add_statuses(uint8_t *flags, struct slice part, struct err *err)
{
    struct slice rest = part;
    const bool range = slice_find(rest, '-') >= 0;
    const struct slice first = slice_split(&rest, '-');
    uint64_t low, first_high, last_low, high;

    if (!parse_status(first, &low, &first_high))
        return bad_status(part, err);
    high = first_high;
    if (range && (low != first_high || !parse_status(rest, &last_low, &high) || last_low != high || high < low))
        return bad_status(part, err);
    for (uint64_t status = low; status <= high; status++)
        flags[status] = 1;
    return 0;
}

int load_value_expect_status(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    struct slice rest = slice_str(text);
    uint8_t flags[STATUS_MAX] = { 0 };

    do {
        const bool more = slice_find(rest, ',') >= 0;

        if (add_statuses(flags, slice_trim(slice_split(&rest, ',')), err) != 0)
            return -1;
        if (!more)
            break;
    } while (true);
    memcpy(o->expect_status, flags, sizeof(flags));
    o->has_expect_status = true;
    return 0;
}

/* --percentiles */

enum { PERCENTILES_MAX = 32, PERCENTILE_DIGITS_MAX = 12 };

static int bad_percentile(struct slice part, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is no percentile", SLICE_FMT(part));
    return err_hint(err, "write numbers above 0 and up to 100, separated by commas, for example 50,99.95");
}

/* Digits, optionally a point and digits; strtod() alone would take "0x5" and "nan" too. */
static bool parse_percentile(struct slice text, double *out)
{
    char copy[PERCENTILE_DIGITS_MAX + 1];
    size_t digits = 0, points = 0;

    if (text.len == 0 || text.len > PERCENTILE_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        digits += text.ptr[i] >= '0' && text.ptr[i] <= '9';
        points += text.ptr[i] == '.' && i > 0 && i + 1 < text.len;
    }
    if (digits + points != text.len || points > 1)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, NULL);
    return *out > 0 && *out <= 100;
}

/* Documents name 9.9 and 99 alike ("p99"): two different percentiles may not share a key. */
static bool key_is_taken(double percentile, const double *others, size_t count)
{
    char mine[SUMMARY_KEY_MAX], other[SUMMARY_KEY_MAX];

    summary_percentile_key(mine, percentile);
    for (size_t i = 0; i < count; i++)
        if (strcmp(mine, summary_percentile_key(other, others[i])) == 0)
            return true;
    return false;
}

static bool is_among(double percentile, const double *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(others[i] < percentile) && !(others[i] > percentile))
            return true;
    return false;
}

static int add_percentile(struct load_options *o, struct slice part, struct err *err)
{
    double percentile;

    if (!parse_percentile(part, &percentile))
        return bad_percentile(part, err);
    if (is_among(percentile, RESULT_PERCENTILES, RESULT_PERCENTILE_COUNT) ||
        is_among(percentile, o->percentiles, o->percentile_count))
        return 0; /* is there anyway */
    if (key_is_taken(percentile, RESULT_PERCENTILES, RESULT_PERCENTILE_COUNT) ||
        key_is_taken(percentile, o->percentiles, o->percentile_count)) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" would have the same name as another percentile", SLICE_FMT(part));
        return err_hint(err, "documents drop the point (p999 is 99.9): choose a neighbouring value");
    }
    if (o->percentile_count == PERCENTILES_MAX) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is one too many", SLICE_FMT(part));
        return err_hint(err, "at most %d percentiles can be added", PERCENTILES_MAX);
    }
    o->percentiles[o->percentile_count++] = percentile;
    return 0;
}

int load_value_percentiles(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    struct slice rest = slice_str(text);
    bool more = true;

    if (o->percentiles == NULL)
        o->percentiles = calloc(PERCENTILES_MAX, sizeof(*o->percentiles));
    if (o->percentiles == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    o->percentile_count = 0;
    while (more) {
        more = slice_find(rest, ',') >= 0;
        if (add_percentile(o, slice_trim(slice_split(&rest, ',')), err) != 0)
            return -1;
    }
    return 0;
}

/* --save-failures */

int load_value_failures(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    const char *colon = strrchr(text, ':');
    uint64_t n = 0;

    if (colon == NULL || colon == text || !slice_to_u64(slice_str(colon + 1), &n) || n < row->min || n > row->max) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is not DIR:N", text);
        return err_hint(err,
                        "a directory and how many failures to keep in it (%u to %u), for example --save-failures %s",
                        (unsigned)row->min, (unsigned)row->max, row->example);
    }
    free(o->failures_dir);
    o->failures_dir = slice_dup(slice_from(text, (size_t)(colon - text)));
    o->failures_max = n;
    return o->failures_dir != NULL ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* --resolve, --source, --unix-socket */

static int bad_override(const char *text, const char *why, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%s\" %s", text, why);
    return err_hint(err, "write HOST:PORT:ADDRESS[,ADDRESS...], PORT may be *, for example www.test:443:127.0.0.1");
}

/* An IPv6 literal stands in brackets, as in a URL. */
static struct slice take_host(struct slice *rest)
{
    const ptrdiff_t end = rest->len > 0 && rest->ptr[0] == '[' ? slice_find_slice(*rest, SLICE("]:")) : -1;
    struct slice host;

    if (end < 0)
        return slice_split(rest, ':');
    host = slice_from(rest->ptr + 1, (size_t)end - 1);
    *rest = slice_drop(*rest, (size_t)end + 2);
    return host;
}

int load_override_split(struct load_override_parts *out, const char *text, struct err *err)
{
    struct slice rest = slice_str(text), port;
    uint64_t number = 0;

    out->host = take_host(&rest);
    port = slice_split(&rest, ':');
    out->addresses = rest;
    if (out->host.len == 0 || port.len == 0 || rest.len == 0)
        return bad_override(text, "lacks a part", err);
    if (!slice_eq(port, SLICE("*")) && (!slice_to_u64(port, &number) || number == 0 || number > UINT16_MAX))
        return bad_override(text, "has no port between 1 and 65535", err);
    out->port = (uint16_t)number;
    return 0;
}

static int check_addresses(struct slice list, struct err *err)
{
    struct addr addr;
    bool more = true;

    while (more) {
        more = slice_find(list, ',') >= 0;
        if (addr_parse(&addr, slice_trim(slice_split(&list, ',')), 0, err) != 0)
            return err_hint(err, "write addresses, not names, separated by commas: 127.0.0.1 or ::1");
    }
    return 0;
}

int load_value_override(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_override_parts parts;

    if (load_override_split(&parts, text, err) != 0)
        return -1;
    if (check_addresses(parts.addresses, err) != 0)
        return -1;
    return option_list(field, text, row, err);
}

int load_value_sources(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct slice rest = slice_str(text);
    bool more = true;

    if (check_addresses(rest, err) != 0)
        return -1;
    while (more) {
        more = slice_find(rest, ',') >= 0;
        if (!strlist_add(field, slice_trim(slice_split(&rest, ','))))
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    return 0;
}

int load_value_unix_socket(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct addr addr;

    if (text[0] != '\0' && addr_unix(&addr, slice_str(text), err) != 0)
        return -1;
    return option_text(field, text, row, err);
}
