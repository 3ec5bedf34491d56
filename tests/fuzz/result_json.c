/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result documents from anybody: what is accepted is written and read again without a change, judged, and rendered
 * without anything that a terminal would take for a command. */
#include "result/result.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/text.h"

#define MAX_BYTES (1u << 26)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int ok)
{
    if (!ok)
        abort();
}

static void write_document(const struct result *r, struct buf *out)
{
    buf_init(out, MAX_BYTES);
    need(result_to_json(r, out, NULL) == 0);
}

static void check_same_again(const struct result *r)
{
    struct result *back = NULL;
    struct buf first, second;

    write_document(r, &first);
    need(result_from_json(&back, buf_slice(&first), NULL) == 0);
    write_document(back, &second);
    need(slice_eq(buf_slice(&first), buf_slice(&second)));
    buf_release(&first);
    buf_release(&second);
    result_free(back);
}

static void check_text(const struct result *r)
{
    struct buf text, csv;

    buf_init(&text, MAX_BYTES);
    buf_init(&csv, MAX_BYTES);
    report_text(&text, r, NULL);
    report_csv(&csv, r);
    need(buf_ok(&text) && buf_ok(&csv));
    for (size_t i = 0; i < text.len; i++)
        need((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
    need(strstr(text.data, " \n") == NULL);
    buf_release(&text);
    buf_release(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { 0 };
    struct result *r = NULL;

    if (result_from_json(&r, slice_from((const char *)data, size), &err) < 0) {
        need(r == NULL && err.what[0] != '\0');
        return 0;
    }
    check_same_again(r);
    result_judge(r, 0.01, true);
    check_same_again(r);
    check_text(r);
    result_free(r);
    return 0;
}
