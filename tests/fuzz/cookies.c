/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cookies of a connection after any heads: never more than their room, nothing that would break a head, each name once,
 * and what was just set and fits is there. Inputs: heads, as HTTP/1 has them. */
#include "load/cookies.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct slice name_of(struct slice pair)
{
    return slice_split(&pair, '=');
}

/* How many cookies have that name. */
static size_t count(const struct cookies *c, struct slice name)
{
    struct slice rest = cookies_text(c);
    size_t n = 0;

    while (rest.len > 0)
        n += slice_eq(name_of(slice_trim(slice_split(&rest, ';'))), name);
    return n;
}

static void check(const struct cookies *c)
{
    struct slice rest = cookies_text(c);

    if (c->len > COOKIES_BYTES)
        abort();
    for (size_t i = 0; i < c->len; i++)
        if ((unsigned char)c->text[i] < ' ' || c->text[i] == 0x7f)
            abort();
    while (rest.len > 0) {
        const struct slice pair = slice_trim(slice_split(&rest, ';'));

        if (slice_find(pair, '=') <= 0 || count(c, name_of(pair)) != 1)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cookies *c = calloc(1, sizeof(*c));
    struct url url;

    if (c == NULL || url_parse(&url, SLICE("http://www.a.test/dir/page"), NULL) != 0)
        abort();
    cookies_take_head(c, &url, slice_from((const char *)data, size));
    check(c);
    cookies_take(c, &url, slice_from((const char *)data, size));
    check(c);
    cookies_take(c, &url, SLICE("own=1"));
    check(c);
    if (count(c, SLICE("own")) != 1 && c->len + strlen("; own=1") <= COOKIES_BYTES)
        abort();
    cookies_take(c, &url, SLICE("own=; Max-Age=0"));
    check(c);
    if (count(c, SLICE("own")) != 0)
        abort();
    free(c);
    return 0;
}
