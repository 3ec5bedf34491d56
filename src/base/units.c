/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* A unit's name and how many of the smallest unit it is. */
struct unit {
    const char *name;
    uint64_t scale;
};

static const struct unit DURATION_UNITS[] = {
    /* falling: "1h30m", never "30m1h" */
    { "h", UINT64_C(3600000000000) },
    { "m", UINT64_C(60000000000) },
    { "s", NS_PER_S },
    { "ms", NS_PER_MS },
    { "us", NS_PER_US },
    { "\xc2\xb5s", NS_PER_US }, /* U+00B5, as Go prints it */
    { "ns", 1 },
    { NULL, 0 },
};

static const struct unit SIZE_UNITS[] = {
    { "B", 1 },
    { "kB", 1000 },
    { "KB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", UINT64_C(1000000000000) },
    { "KiB", UINT64_C(1) << 10 },
    { "MiB", UINT64_C(1) << 20 },
    { "GiB", UINT64_C(1) << 30 },
    { "TiB", UINT64_C(1) << 40 },
    { NULL, 0 },
};

static const struct unit COUNT_UNITS[] = {
    { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { NULL, 0 },
};

#define DURATION_HINT "write for example 1.5s, 200ms, 2m or 1h30m"
#define SIZE_HINT "write for example 512B, 20MB (10^6) or 1MiB (2^20)"
#define COUNT_HINT "write for example 1000, 10k or 2M"
#define SHARE_HINT "write for example 1% or 0.01"

/* What a parser says about the whole text. */
struct source {
    const char *what; /* "duration" */
    const char *hint;
    char shown[48]; /* the text fit to be quoted: bounded, without control characters */
};

static struct source source_of(const char *what, const char *hint, struct slice text)
{
    struct source src = { .what = what, .hint = hint };
    const size_t room = sizeof(src.shown) - 4;
    size_t n = 0;

    for (; n < text.len && n < room; n++)
        src.shown[n] = (unsigned char)text.ptr[n] >= 0x20 && text.ptr[n] != 0x7f ? text.ptr[n] : '?';
    memcpy(src.shown + n, n < text.len ? "..." : "", n < text.len ? 4 : 1);
    return src;
}

static int refuse(const struct source *src, struct err *err, const char *why)
{
    err_set(err, ERR_USAGE, 0, "%s \"%s\" %s", src->what, src->shown, why);
    return err_hint(err, "%s", src->hint);
}

/* A decimal number kept as what was written: digits / 10^places, so that 1.1s is 1100000000 ns and not
 * 1100000000.0000002. */
struct decimal {
    uint64_t whole;
    uint64_t fraction; /* its digits as a number, without trailing zeros */
    unsigned places;   /* how many digits */
};

#define PLACES_MAX 19u /* 10^19 fits into 64 bits */

static uint64_t power_of_ten(unsigned n)
{
    uint64_t p = 1;

    while (n-- > 0)
        p *= 10u;
    return p;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct slice take_digits(struct slice *rest)
{
    size_t n = 0;

    while (n < rest->len && is_digit(rest->ptr[n]))
        n++;
    const struct slice digits = slice_take(*rest, n);
    *rest = slice_drop(*rest, n);
    return digits;
}

/* Takes "12" or "12.50" from the front. */
static int take_decimal(struct slice *rest, struct decimal *out, const struct source *src, struct err *err)
{
    *out = (struct decimal){ 0 };
    if (rest->len > 0 && rest->ptr[0] == '-')
        return refuse(src, err, "is negative");
    const struct slice whole = take_digits(rest);
    if (whole.len == 0)
        return refuse(src, err,
                      rest->len > 0 && rest->ptr[0] == '.' ? "lacks a digit before the point" : "lacks a number");
    if (!slice_to_u64(whole, &out->whole))
        return refuse(src, err, "is too large");
    if (rest->len == 0 || rest->ptr[0] != '.')
        return 0;
    *rest = slice_drop(*rest, 1);
    struct slice fraction = take_digits(rest);
    if (fraction.len == 0)
        return refuse(src, err, "lacks a digit behind the point");
    while (fraction.len > 0 && fraction.ptr[fraction.len - 1] == '0')
        fraction.len--;
    if (fraction.len == 0)
        return 0;
    if (fraction.len > PLACES_MAX)
        return refuse(src, err, "has too many digits behind the point");
    out->places = (unsigned)fraction.len;
    return slice_to_u64(fraction, &out->fraction) ? 0 : refuse(src, err, "has too many digits behind the point");
}

/* number * scale as an exact integer. */
static int scale_exactly(const struct decimal *d, uint64_t scale, uint64_t *out, const struct source *src,
                         struct err *err)
{
    const unsigned __int128 part = (unsigned __int128)d->fraction * scale;
    const uint64_t divisor = power_of_ten(d->places);
    uint64_t value;

    if (part % divisor != 0)
        return refuse(src, err, "is finer than the smallest unit");
    if (__builtin_mul_overflow(d->whole, scale, &value) ||
        __builtin_add_overflow(value, (uint64_t)(part / divisor), &value))
        return refuse(src, err, "is too large");
    *out = value;
    return 0;
}

/* Takes a unit's letters: everything up to the next digit. */
static struct slice take_unit(struct slice *rest)
{
    size_t n = 0;

    while (n < rest->len && !is_digit(rest->ptr[n]))
        n++;
    const struct slice unit = slice_take(*rest, n);
    *rest = slice_drop(*rest, n);
    return unit;
}

static const struct unit *find_unit(const struct unit *units, struct slice name)
{
    for (; units->name != NULL; units++)
        if (slice_eq(slice_str(units->name), name))
            return units;
    return NULL;
}

static bool has_space(struct slice s)
{
    return slice_find(s, ' ') >= 0 || slice_find(s, '\t') >= 0;
}

static int refuse_unit(const struct source *src, struct slice unit, struct err *err)
{
    if (has_space(unit))
        return refuse(src, err, "has a space in it");
    return refuse(src, err, "has an unknown unit");
}

static int refuse_bare_duration(const struct source *src, struct slice text, struct err *err)
{
    const int shown = text.len < 20 ? (int)text.len : 0;

    refuse(src, err, "has no unit");
    return shown > 0 ? err_hint(err, "write %.*ss or %.*sms", shown, text.ptr, shown, text.ptr) : -1;
}

int units_parse_duration(struct slice text, uint64_t *out_ns, struct err *err)
{
    const struct source src = source_of("duration", DURATION_HINT, text);
    struct slice rest = text;
    uint64_t total = 0;
    uint64_t last_scale = UINT64_MAX;

    if (text.len == 0)
        return refuse(&src, err, "is empty");
    while (rest.len > 0) {
        struct decimal number;
        uint64_t part;
        if (take_decimal(&rest, &number, &src, err) < 0)
            return -1;
        const struct slice name = take_unit(&rest);
        if (name.len == 0 && last_scale == UINT64_MAX)
            return refuse_bare_duration(&src, text, err);
        if (name.len == 0)
            return refuse(&src, err, "has a number without unit");
        const struct unit *unit = find_unit(DURATION_UNITS, name);
        if (unit == NULL)
            return refuse_unit(&src, name, err);
        if (unit->scale >= last_scale)
            return refuse(&src, err, "does not go from large units to small ones");
        if (rest.len > 0 && number.places > 0)
            return refuse(&src, err, "has a fraction before its last unit");
        if (scale_exactly(&number, unit->scale, &part, &src, err) < 0)
            return -1;
        if (__builtin_add_overflow(total, part, &total))
            return refuse(&src, err, "is too large");
        last_scale = unit->scale;
    }
    *out_ns = total;
    return 0;
}

/* One number and one unit. */
static int parse_single(struct slice text, const struct unit *units, const struct source *src, uint64_t *out,
                        struct err *err)
{
    struct decimal number;
    struct slice rest = text;

    if (text.len == 0)
        return refuse(src, err, "is empty");
    if (take_decimal(&rest, &number, src, err) < 0)
        return -1;
    const struct unit *unit = find_unit(units, rest);
    if (unit == NULL && rest.len == 0)
        return refuse(src, err, "has no unit");
    if (unit == NULL)
        return refuse_unit(src, rest, err);
    return scale_exactly(&number, unit->scale, out, src, err);
}

/* True for digits and points: text that may stand in a hint as it is. */
static bool is_plain(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_digit(text.ptr[i]) && text.ptr[i] != '.')
            return false;
    return text.len > 0 && text.len < 20;
}

int units_parse_size(struct slice text, uint64_t *out_bytes, struct err *err)
{
    struct source src = source_of("size", SIZE_HINT, text);
    const char last = text.len > 0 ? text.ptr[text.len - 1] : '0';
    const struct slice number = is_digit(last) ? text : slice_take(text, text.len - 1);
    const int len = (int)number.len;
    char hint[96];

    if (is_plain(number) && slice_find(SLICE("kKMGT"), last) >= 0) {
        /* "1M" is 10^6 to some and 2^20 to others: ask which. */
        snprintf(hint, sizeof(hint), "write %.*s%cB (powers of 1000) or %.*s%ciB (powers of 1024)", len, number.ptr,
                 last, len, number.ptr, last == 'k' ? 'K' : last);
        src.hint = hint;
    } else if (is_plain(number) && is_digit(last) && slice_find(number, '.') < 0) {
        snprintf(hint, sizeof(hint), "write %.*sB, %.*sMB (10^6) or %.*sMiB (2^20)", len, number.ptr, len, number.ptr,
                 len, number.ptr);
        src.hint = hint;
    }
    return parse_single(text, SIZE_UNITS, &src, out_bytes, err);
}

int units_parse_count(struct slice text, uint64_t *out, struct err *err)
{
    const struct source src = source_of("number", COUNT_HINT, text);

    return parse_single(text, COUNT_UNITS, &src, out, err);
}

#define SHARE_DIGITS_MAX \
    15u /* below 2^53, so numerator and denominator are exact and the quotient is the nearest double */

int units_parse_share(struct slice text, double *out, struct err *err)
{
    const struct source src = source_of("share", SHARE_HINT, text);
    struct slice rest = text;
    struct decimal d;

    if (text.len == 0)
        return refuse(&src, err, "is empty");
    if (take_decimal(&rest, &d, &src, err) < 0)
        return -1;
    const bool percent = slice_eq(rest, SLICE("%"));
    if (rest.len > 0 && !percent)
        return refuse_unit(&src, rest, err);
    const uint64_t one = percent ? 100 : 1;
    if (d.whole > one || (d.whole == one && d.fraction != 0)) {
        refuse(&src, err, "is more than the whole");
        return percent || text.len >= 20 ? -1
                                         : err_hint(err, "write %.*s%% or a fraction from 0 to 1", SLICE_FMT(text));
    }
    if (d.places + 3 > SHARE_DIGITS_MAX)
        return refuse(&src, err, "has too many digits behind the point");
    const uint64_t tens = power_of_ten(d.places);
    *out = (double)(d.whole * tens + d.fraction) / (double)(tens * one);
    return 0;
}
