/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports as anybody may hand them over. The first byte chooses the format (0: it is told by the content). Whatever the
 * bytes are: refused with a sentence, or results whose documents can be written and read back to the same. */
#include "import/import.h"

#include <assert.h>
#include <string.h>

enum { JSON_MAX_BYTES = 1 << 26, RESULTS_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct result *r)
{
    struct err err = { 0 };
    struct result *back = NULL;
    struct buf first, second;

    buf_init(&first, JSON_MAX_BYTES);
    buf_init(&second, JSON_MAX_BYTES);
    assert(result_to_json(r, &first, &err) == 0);
    assert(result_from_json(&back, buf_slice(&first), &err) == 0);
    assert(result_to_json(back, &second, &err) == 0);
    assert(slice_eq(buf_slice(&first), buf_slice(&second)));
    result_free(back);
    buf_release(&first);
    buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct imported in = { 0 };
    struct err err = { 0 };
    enum import_format format;

    if (size < 1)
        return 0;
    format = (enum import_format)(data[0] % IMPORT_FORMAT_COUNT);
    if (import_text(&in, "fuzz.txt", slice_from((const char *)data + 1, size - 1), format, NULL, &err) != 0) {
        assert(err.kind != ERR_NONE && err.what[0] != '\0' && in.count == 0);
    } else {
        assert(in.count > 0);
        for (size_t i = 0; i < in.count && i < RESULTS_MAX; i++)
            check(in.results[i]);
    }
    imported_release(&in);
    return 0;
}
