/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/query.h"

#include "serve/decode.h"

enum { NUMBER_MAX_BYTES = 64 };

enum query_found query_value(struct slice query, struct slice name, struct buf *out)
{
    while (query.len > 0) {
        struct slice value = slice_split(&query, '&');
        struct slice key = slice_split(&value, '=');
        if (slice_eq(key, name)) {
            return decode_query(out, value) ? QUERY_FOUND : QUERY_BAD;
        }
    }
    return QUERY_ABSENT;
}

bool query_text(struct exchange *x, const char *name, struct buf *out, bool *found)
{
    enum query_found state = query_value(x->head->query, slice_str(name), out);

    *found = state == QUERY_FOUND;
    if (state == QUERY_BAD) {
        exchange_fail(x, 400, "The parameter %s is too long or has a broken percent-escape.", name);
    }
    return state != QUERY_BAD;
}

bool query_number(struct exchange *x, const char *name, uint64_t min, uint64_t max, uint64_t *out)
{
    struct buf text;
    bool found, ok;
    uint64_t n;

    buf_init(&text, NUMBER_MAX_BYTES);
    ok = query_text(x, name, &text, &found);
    if (ok && found) {
        ok = slice_to_u64(buf_slice(&text), &n) && n >= min && n <= max;
        if (ok) {
            *out = n;
        } else {
            exchange_fail(x, 400, "The parameter %s must be a whole number from %llu to %llu, not \"%.*s\".", name,
                          (unsigned long long)min, (unsigned long long)max, SLICE_FMT(buf_slice(&text)));
        }
    }
    buf_release(&text);
    return ok;
}

bool query_bool(struct exchange *x, const char *name, bool *out)
{
    struct buf text;
    bool found, ok;

    buf_init(&text, NUMBER_MAX_BYTES);
    ok = query_text(x, name, &text, &found);
    if (ok && found) {
        struct slice s = buf_slice(&text);
        bool yes = slice_eq(s, SLICE("true")) || slice_eq(s, SLICE("1"));
        ok = yes || slice_eq(s, SLICE("false")) || slice_eq(s, SLICE("0"));
        if (ok) {
            *out = yes;
        } else {
            exchange_fail(x, 400, "The parameter %s must be true or false, not \"%.*s\".", name, SLICE_FMT(s));
        }
    }
    buf_release(&text);
    return ok;
}
