/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our side of the conversation with other HdrHistogram libraries, see run and compare.js.
 *
 *   hist_tool encode    reads lines "VALUE_NS COUNT", prints the V2 text
 *   hist_tool decode    reads a V2 text, prints "count N", "p PERCENTILE VALUE" ..., "slot LOW HIGH COUNT" ... */
#include "stats/hist_codec.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define INPUT_MAX ((size_t)64 * 1024 * 1024)

static int encode(struct slice input, struct err *err)
{
    struct buf text;
    struct hist *h;

    if (hist_new(&h, err) < 0)
        return -1;
    while (input.len > 0) {
        struct slice count = slice_split(&input, '\n');
        uint64_t ns;
        uint64_t n;
        if (!slice_to_u64(slice_split(&count, ' '), &ns) || !slice_to_u64(count, &n))
            return err_set(err, ERR_USAGE, 0, "a line is not VALUE_NS COUNT");
        hist_record_n(h, ns, n);
    }
    buf_init(&text, INPUT_MAX);
    const int rc = hist_encode_v2(h, &text, err);
    if (rc == 0)
        printf("%.*s\n", SLICE_FMT(buf_slice(&text)));
    buf_release(&text);
    hist_free(h);
    return rc;
}

static int decode(struct slice input, struct err *err)
{
    static const double PERCENTILES[] = { 0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100 };
    struct hist_iter it;
    struct hist *h;

    while (input.len > 0 && input.ptr[input.len - 1] == '\n')
        input.len--;
    if (hist_decode_v2(&h, input, err) < 0)
        return -1;
    printf("count %" PRIu64 "\n", hist_count(h));
    for (size_t i = 0; i < sizeof(PERCENTILES) / sizeof(PERCENTILES[0]); i++)
        printf("p %g %" PRIu64 "\n", PERCENTILES[i], hist_value_at(h, PERCENTILES[i]));
    hist_iter_init(&it, h);
    while (hist_iter_next(&it))
        printf("slot %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", it.low_ns, it.high_ns, it.count);
    hist_free(h);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    struct buf input;
    int rc = -1;

    buf_init(&input, INPUT_MAX);
    if (argc == 2 && file_read("-", &input, &err) == 0) {
        if (strcmp(argv[1], "encode") == 0)
            rc = encode(buf_slice(&input), &err);
        else if (strcmp(argv[1], "decode") == 0)
            rc = decode(buf_slice(&input), &err);
    }
    buf_release(&input);
    if (rc < 0)
        fprintf(stderr, "hist_tool: %s\n", err.what[0] != '\0' ? err.what : "usage: hist_tool encode|decode < INPUT");
    return rc < 0;
}
