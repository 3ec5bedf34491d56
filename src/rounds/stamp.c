/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/stamp.h"

#include "base/units.h"

#define DAY_S INT64_C(86400)
#define DAYS_BEFORE_1970 719468 /* from 0000-03-01 */
#define EPOCH_DIGITS_MIN 9u
#define EPOCH_DIGITS_MAX 11u
#define SOME_YEAR 2001
#define EPOCH_MAX_S INT64_C(7300000000) /* 2201: sums of two of them fit in 63 bits */

/* What is left of a line; every take_ function moves it on when it finds what it looks for, and leaves it when not. */
struct cursor {
    struct slice rest;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char next(const struct cursor *c)
{
    return c->rest.len > 0 ? c->rest.ptr[0] : '\0';
}

static bool take(struct cursor *c, char wanted)
{
    if (c->rest.len == 0 || c->rest.ptr[0] != wanted)
        return false;
    c->rest = slice_drop(c->rest, 1);
    return true;
}

/* Exactly so many digits, between least and most. */
static bool take_number(struct cursor *c, size_t digits, int least, int most, int *out)
{
    int value = 0;

    if (c->rest.len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!is_digit(c->rest.ptr[i]))
            return false;
        value = value * 10 + (c->rest.ptr[i] - '0');
    }
    if (value < least || value > most)
        return false;
    c->rest = slice_drop(c->rest, digits);
    *out = value;
    return true;
}

/* ".123456" or ",123"; digits beyond nanoseconds are dropped. False, and *ns 0, when there is none. */
static bool take_fraction(struct cursor *c, int64_t *ns)
{
    int64_t unit = NS_PER_S / 10;
    struct cursor at = *c;

    *ns = 0;
    if ((!take(&at, '.') && !take(&at, ',')) || !is_digit(next(&at)))
        return false;
    for (; is_digit(next(&at)); unit /= 10) {
        *ns += unit * (next(&at) - '0');
        at.rest = slice_drop(at.rest, 1);
    }
    *c = at;
    return true;
}

/* 03:50:21.5 */
static bool take_time(struct cursor *c, int64_t *ns, bool *whole)
{
    struct cursor at = *c;
    int hour, minute, second;
    int64_t fraction;

    if (!take_number(&at, 2, 0, 23, &hour) || !take(&at, ':') || !take_number(&at, 2, 0, 59, &minute) ||
        !take(&at, ':') || !take_number(&at, 2, 0, 60, &second))
        return false;
    *whole = !take_fraction(&at, &fraction);
    *ns = ((hour * 60 + minute) * 60 + second) * (int64_t)NS_PER_S + fraction;
    *c = at;
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar: years begin in March, so that the leap day is their last, and months
 * from March on have 153 days in five. */
static int64_t days_of(int year, int month, int day)
{
    const int from_march = (month + 9) % 12;
    const int y = year - (month <= 2);
    const int era = y / 400, of_era = y % 400; /* y is never below 0 */
    const int of_year = (153 * from_march + 2) / 5 + day - 1;

    return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_BEFORE_1970;
}

/* Z, +02:00, -0330; none: as if it were UTC. */
static void take_zone(struct cursor *c, int64_t *ns)
{
    struct cursor at = *c;
    const char sign = next(&at);
    int hours, minutes;

    if (take(c, 'Z') || (sign != '+' && sign != '-'))
        return;
    at.rest = slice_drop(at.rest, 1);
    if (!take_number(&at, 2, 0, 23, &hours) || (take(&at, ':'), !take_number(&at, 2, 0, 59, &minutes)))
        return;
    *ns -= (sign == '-' ? -1 : 1) * (hours * 60 + minutes) * 60 * (int64_t)NS_PER_S;
    *c = at;
}

/* 2017-07-31 03:50:21 */
static bool take_date(struct cursor *c, struct stamp *out)
{
    struct cursor at = *c;
    int year, month, day;
    int64_t time;

    if (!take_number(&at, 4, 1970, 2200, &year) || !take(&at, '-') || !take_number(&at, 2, 1, 12, &month) ||
        !take(&at, '-') || !take_number(&at, 2, 1, 31, &day) || (!take(&at, 'T') && !take(&at, ' ')) ||
        !take_time(&at, &time, &out->whole_seconds))
        return false;
    take_zone(&at, &time);
    out->kind = STAMP_MOMENT;
    out->ns = days_of(year, month, day) * DAY_S * (int64_t)NS_PER_S + time;
    *c = at;
    return true;
}

static bool take_month(struct cursor *c, int *month)
{
    static const char NAMES[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

    for (int i = 0; i < 12; i++)
        if (slice_starts(c->rest, slice_from(NAMES[i], 3))) {
            c->rest = slice_drop(c->rest, 3);
            *month = i + 1;
            return true;
        }
    return false;
}

/* Jul 31 03:50:21, Jul  1 03:50:21 */
static bool take_syslog(struct cursor *c, struct stamp *out)
{
    struct cursor at = *c;
    int month, day;
    int64_t time;

    if (!take_month(&at, &month) || !take(&at, ' ') ||
        !(take(&at, ' ') ? take_number(&at, 1, 1, 9, &day) : take_number(&at, 2, 1, 31, &day)) || !take(&at, ' ') ||
        !take_time(&at, &time, &out->whole_seconds))
        return false;
    out->kind = STAMP_OF_YEAR;
    out->ns = (days_of(SOME_YEAR, month, day) - days_of(SOME_YEAR, 1, 1)) * DAY_S * (int64_t)NS_PER_S + time;
    *c = at;
    return true;
}

/* 1501473021.123456 */
static bool take_epoch(struct cursor *c, struct stamp *out)
{
    struct cursor at = *c;
    int64_t seconds = 0, fraction;
    size_t digits = 0;

    for (; is_digit(next(&at)) && digits < EPOCH_DIGITS_MAX; digits++) {
        seconds = seconds * 10 + (next(&at) - '0');
        at.rest = slice_drop(at.rest, 1);
    }
    if (digits < EPOCH_DIGITS_MIN || seconds > EPOCH_MAX_S)
        return false;
    out->whole_seconds = !take_fraction(&at, &fraction);
    out->kind = STAMP_MOMENT;
    out->ns = seconds * (int64_t)NS_PER_S + fraction;
    *c = at;
    return true;
}

static bool take_any(struct cursor *c, struct stamp *out)
{
    if (take_date(c, out) || take_syslog(c, out))
        return true;
    if (take_time(c, &out->ns, &out->whole_seconds)) {
        out->kind = STAMP_TIME_OF_DAY;
        return true;
    }
    return take_epoch(c, out);
}

bool stamp_read(struct stamp *out, struct slice line)
{
    struct cursor c = { line };
    struct stamp found;
    const bool bracket = take(&c, '[');

    if (!take_any(&c, &found) || (bracket && !take(&c, ']')))
        return false;
    (void)take(&c, ':');
    if (c.rest.len > 0 && !take(&c, ' ') && !take(&c, '\t'))
        return false;
    found.bytes = line.len - c.rest.len;
    *out = found;
    return true;
}

static int64_t period_ns(enum stamp_kind kind)
{
    switch (kind) {
    case STAMP_TIME_OF_DAY:
        return DAY_S * (int64_t)NS_PER_S;
    case STAMP_OF_YEAR:
        return 365 * DAY_S * (int64_t)NS_PER_S;
    case STAMP_MOMENT:
        break;
    }
    return 0;
}

/* What to add for the period that has begun since the stamp before. */
static int64_t new_period_ns(const struct stamp_clock *c, const struct stamp *s)
{
    const int64_t period = period_ns(c->kind);

    return period > 0 && c->_last_ns - s->ns > period / 2 ? period : 0;
}

/* A line of yesterday that came a little after midnight. */
static bool is_of_period_before(const struct stamp_clock *c, const struct stamp *s)
{
    const int64_t period = period_ns(c->kind);

    return period > 0 && s->ns - c->_last_ns >= period - STAMP_DISORDER_NS;
}

static void start(struct stamp_clock *c, const struct stamp *s)
{
    *c = (struct stamp_clock){
        .started = true,
        .kind = s->kind,
        ._last_ns = s->ns,
        ._offset_ns = -s->ns,
        .whole_seconds = s->whole_seconds,
    };
}

uint64_t stamp_clock_read(struct stamp_clock *c, const struct stamp *s)
{
    const int64_t now = (int64_t)c->now_ns;
    int64_t offset, at;

    if (!c->started) {
        start(c, s);
        return 0;
    }
    if (s->kind != c->kind || is_of_period_before(c, s) ||
        __builtin_add_overflow(c->_offset_ns, new_period_ns(c, s), &offset) ||
        __builtin_add_overflow(s->ns, offset, &at) || (at < 0 && now > INT64_MAX + at))
        return c->now_ns;
    c->whole_seconds = c->whole_seconds && s->whole_seconds;
    if (now - at > STAMP_DISORDER_NS) {
        if (__builtin_add_overflow(offset, now - at, &offset))
            return c->now_ns;
        at = now;
        c->steps_back++;
    }
    if (at >= now) {
        c->_offset_ns = offset;
        c->_last_ns = s->ns;
        c->now_ns = (uint64_t)at;
    }
    return c->now_ns;
}
