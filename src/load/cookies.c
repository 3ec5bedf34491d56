/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/cookies.h"

#include <string.h>

#define FORGOTTEN_YEAR 2000u

struct attributes {
    bool removes, elsewhere;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The year of "Thu, 01 Jan 1970 00:00:00 GMT" and its older forms; 0: there is none. */
static unsigned year_of(struct slice date)
{
    for (size_t i = 0; i + 4 <= date.len; i++) {
        uint64_t year = 0;
        const bool alone = (i == 0 || !is_digit(date.ptr[i - 1])) && (i + 4 == date.len || !is_digit(date.ptr[i + 4]));

        if (alone && slice_to_u64(slice_from(date.ptr + i, 4), &year))
            return (unsigned)year;
    }
    return 0;
}

static bool host_is_in(struct slice host, struct slice domain)
{
    if (slice_starts(domain, SLICE(".")))
        domain = slice_drop(domain, 1);
    if (slice_eq_nocase(host, domain))
        return true;
    return host.len > domain.len && host.ptr[host.len - domain.len - 1] == '.' &&
           slice_eq_nocase(slice_drop(host, host.len - domain.len), domain);
}

static bool path_is_in(struct slice path, struct slice cookie_path)
{
    if (!slice_starts(cookie_path, SLICE("/")))
        return true;
    return slice_starts(path, cookie_path) &&
           (path.len == cookie_path.len || slice_ends(cookie_path, SLICE("/")) || path.ptr[cookie_path.len] == '/');
}

static void take_attribute(struct attributes *a, const struct url *url, struct slice text)
{
    struct slice value = text;
    const struct slice name = slice_trim(slice_split(&value, '='));

    value = slice_trim(value);
    if (slice_eq_nocase(name, SLICE("max-age")))
        a->removes = a->removes || slice_starts(value, SLICE("-")) || slice_eq(value, SLICE("0"));
    else if (slice_eq_nocase(name, SLICE("expires")))
        a->removes = a->removes || (year_of(value) > 0 && year_of(value) < FORGOTTEN_YEAR);
    else if (slice_eq_nocase(name, SLICE("domain")))
        a->elsewhere = a->elsewhere || (value.len > 0 && !host_is_in(url->host, value));
    else if (slice_eq_nocase(name, SLICE("path")))
        a->elsewhere = a->elsewhere || !path_is_in(url->path, value);
    else if (slice_eq_nocase(name, SLICE("secure")))
        a->elsewhere = a->elsewhere || !url->https;
}

/* Takes out the cookie of that name. */
static void drop(struct cookies *c, struct slice name)
{
    struct slice rest = slice_from(c->text, c->len);

    while (rest.len > 0) {
        const size_t at = (size_t)(rest.ptr - c->text);
        struct slice value = slice_trim(slice_split(&rest, ';'));
        size_t end;

        if (!slice_eq(slice_split(&value, '='), name))
            continue;
        end = (size_t)(rest.len > 0 ? rest.ptr - c->text : (ptrdiff_t)c->len);
        memmove(c->text + at, c->text + end, c->len - end);
        c->len -= (uint32_t)(end - at);
        while (c->len > 0 && (c->text[c->len - 1] == ';' || c->text[c->len - 1] == ' '))
            c->len--;
        if (at == 0 && c->len > 0 && c->text[0] == ' ')
            memmove(c->text, c->text + 1, --c->len);
        return;
    }
}

static void add(struct cookies *c, struct slice pair)
{
    const size_t separator = c->len > 0 ? 2 : 0;

    if (c->len + separator + pair.len > COOKIES_BYTES)
        return;
    memcpy(c->text + c->len, "; ", separator);
    memcpy(c->text + c->len + separator, pair.ptr, pair.len);
    c->len += (uint32_t)(separator + pair.len);
}

/* Bytes that would break the head it goes into. */
static bool is_clean(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
            return false;
    return true;
}

void cookies_take(struct cookies *c, const struct url *url, struct slice set_cookie)
{
    struct slice rest = set_cookie, value;
    const struct slice pair = slice_trim(slice_split(&rest, ';'));
    struct attributes a = { false, false };
    struct slice name;

    if (slice_find(pair, '=') <= 0 || !is_clean(pair))
        return;
    value = pair;
    name = slice_split(&value, '=');
    while (rest.len > 0)
        take_attribute(&a, url, slice_split(&rest, ';'));
    if (a.elsewhere)
        return;
    drop(c, name);
    if (!a.removes)
        add(c, pair);
}

void cookies_take_head(struct cookies *c, const struct url *url, struct slice head)
{
    bool interim = false;

    while (head.len > 0) {
        struct slice line = slice_split(&head, '\n');

        if (slice_ends(line, SLICE("\r")))
            line = slice_take(line, line.len - 1);
        if (line.len == 0 && !interim)
            return; /* the body follows */
        if (slice_starts(line, SLICE("HTTP/1.")))
            interim = slice_starts(slice_drop(line, 8), SLICE(" 1"));
        if (slice_starts_nocase(line, SLICE("set-cookie:")))
            cookies_take(c, url, slice_trim(slice_drop(line, 11)));
    }
}
