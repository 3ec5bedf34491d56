/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths and query strings as the target application takes them apart. What was decoded comes back the same after
 * encoding and decoding again, as a path, as a value of a query, and found by its name; a name that is safe has no
 * segment that leads out of its folder. */
#include "serve/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "serve/beneath.h"
#include "serve/decode.h"
#include "serve/encode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 64 * 1024 };

static void check_same(struct slice encoded, struct slice plain)
{
    struct buf again;

    buf_init(&again, MAX_BYTES);
    assert(decode_path(&again, encoded) && slice_eq(buf_slice(&again), plain));
    buf_clear(&again);
    assert(decode_query(&again, encoded) && slice_eq(buf_slice(&again), plain));
    buf_release(&again);
}

static void check_found(struct slice encoded, struct slice plain)
{
    struct buf query, value;

    buf_init(&query, MAX_BYTES);
    buf_init(&value, MAX_BYTES);
    buf_add_str(&query, "prefix2=no&refix=no&&=&prefix=");
    buf_add_slice(&query, encoded);
    buf_add_str(&query, "&prefix=no");
    assert(buf_ok(&query));
    assert(query_value(buf_slice(&query), SLICE("prefix"), &value) == QUERY_FOUND);
    assert(slice_eq(buf_slice(&value), plain));
    buf_release(&query);
    buf_release(&value);
}

static void check_safe(struct slice name)
{
    assert(memchr(name.ptr, '\0', name.len) == NULL && name.ptr[0] != '/' && name.ptr[name.len - 1] != '/');
    while (name.len > 0) {
        struct slice segment = slice_split(&name, '/');
        assert(segment.len > 0 && segment.len <= 255);
        assert(!slice_eq(segment, SLICE("..")) && !slice_eq(segment, SLICE(".")));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = slice_from((const char *)data, size);
    struct buf plain, encoded, ignored;

    if (size > 4096) {
        return 0;
    }
    buf_init(&plain, MAX_BYTES);
    buf_init(&encoded, MAX_BYTES);
    buf_init(&ignored, MAX_BYTES);
    (void)query_value(text, SLICE("n"), &ignored);
    if (decode_path(&plain, text)) {
        encode_component(&encoded, buf_slice(&plain));
        check_same(buf_slice(&encoded), buf_slice(&plain));
        check_found(buf_slice(&encoded), buf_slice(&plain));
        if (beneath_is_safe(buf_slice(&plain))) {
            check_safe(buf_slice(&plain));
        }
    }
    buf_release(&plain);
    buf_release(&encoded);
    buf_release(&ignored);
    return 0;
}
