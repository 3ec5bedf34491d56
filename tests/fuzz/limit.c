/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents of limits from anybody: what is accepted is written and read again without a change, and rendered as text
 * without anything that a terminal would take for a command, and as a page in which none of it is markup. */
#include "result/limit.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/limit.h"

#define MAX_BYTES (1u << 26)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int ok)
{
    if (!ok)
        abort();
}

static void check_same_again(const struct limit_report *r, struct buf *first)
{
    struct limit_report *back = NULL;
    struct buf second;

    buf_init(first, MAX_BYTES);
    buf_init(&second, MAX_BYTES);
    need(limit_report_to_json(r, first, NULL) == 0);
    need(limit_report_looks_like(buf_slice(first)));
    need(limit_report_from_json(&back, buf_slice(first), NULL) == 0);
    need(limit_report_to_json(back, &second, NULL) == 0);
    need(slice_eq(buf_slice(first), buf_slice(&second)));
    buf_release(&second);
    limit_report_free(back);
}

static void check_text(const struct limit_report *r)
{
    struct buf text;

    buf_init(&text, MAX_BYTES);
    report_limit(&text, r, 0);
    need(buf_ok(&text));
    for (size_t i = 0; i < text.len; i++)
        need((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
    buf_release(&text);
}

/* As many elements begin whatever the document says. */
static void check_page(struct slice json)
{
    struct collection c = { 0 };
    struct buf page;

    buf_init(&page, MAX_BYTES);
    need(collection_add_limit(&c, json, NULL, "fuzz", NULL) == 0 && collection_tell_apart(&c));
    need(report_html(&page, &c, &(struct html_options){ 0 }, NULL) == 0);
    need(strstr(page.data, "<img") == NULL);
    collection_release(&c);
    buf_release(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limit_report *r = NULL;
    struct err err = { 0 };
    struct buf json;

    if (limit_report_from_json(&r, slice_from((const char *)data, size), &err) < 0) {
        need(r == NULL && err.what[0] != '\0');
        return 0;
    }
    check_same_again(r, &json);
    check_text(r);
    check_page(buf_slice(&json));
    buf_release(&json);
    limit_report_free(r);
    return 0;
}
