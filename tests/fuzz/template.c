/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests with places: what is rendered stays inside its room, is the same for the same numbers, has the lines of the
 * head it was made of, and says the length of its body. Inputs: a line of options, a target, a field's value, and the
 * body, each up to a line break. */
#include "load/template.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lines_in(struct slice text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n';
    return n;
}

static void check_length(struct slice head, size_t body_len)
{
    const ptrdiff_t at = slice_find_slice(head, SLICE("\r\nContent-Length: "));
    struct slice digits;
    uint64_t said;

    if (at < 0)
        abort();
    digits = slice_drop(head, (size_t)at + 18);
    if (!slice_to_u64(slice_split(&digits, '\r'), &said) || said != body_len)
        abort();
}

static void check(const struct template *t, const struct template_source *from, const struct template_values *v)
{
    char *out = malloc(t->max_bytes + 1), *again = malloc(t->max_bytes + 1);
    size_t head_len = 0, again_head = 0;
    size_t len;

    if (out == NULL || again == NULL)
        abort();
    len = template_render(t, v, out, &head_len);
    if (len > t->max_bytes || head_len > len)
        abort();
    if (template_render(t, v, again, &again_head) != len || again_head != head_len || memcmp(out, again, len) != 0)
        abort();
    if (lines_in(slice_from(out, head_len)) != lines_in(from->head) + (v->cookies.len > 0))
        abort();
    if (from->has_body)
        check_length(slice_from(out, head_len), len - head_len);
    free(out);
    free(again);
}

static void make_head(struct buf *out, struct slice target, struct slice value, bool has_body)
{
    buf_printf(out, "GET %.*s HTTP/1.1\r\nHost: a.test\r\nX-Field: %.*s\r\n%s\r\n", SLICE_FMT(target), SLICE_FMT(value),
               has_body ? "Content-Length: 0\r\n" : "");
}

static bool is_line(struct slice s)
{
    return slice_find(s, '\r') < 0 && slice_find_slice(s, SLICE("\r\nContent-Length: ")) < 0;
}

static void try_source(const struct template_source *from, bool random_row)
{
    struct template_values v = { .seed = 1, .seq = 41, .connection = 6, .feed = from->feed, .random_row = random_row };
    struct err err = { 0 };
    struct template t;

    if (from->cookies)
        v.cookies = SLICE("a=b; c=d");
    if (template_make(&t, from, &err) == 0)
        check(&t, from, &v);
    else if (err.what[0] == '\0')
        abort();
    template_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = slice_from((const char *)data, size);
    const struct slice options = slice_split(&rest, '\n'), target = slice_split(&rest, '\n');
    const struct slice value = slice_split(&rest, '\n');
    struct template_source from = { .has_body = slice_find(options, 'b') >= 0,
                                    .body = rest,
                                    .cookies = slice_find(options, 'c') >= 0,
                                    .feed_path = "feed" };
    struct feed feed = { 0 };
    struct buf head;

    if (!is_line(target) || !is_line(value))
        return 0;
    if (feed_parse(&feed, "feed", SLICE("name,text,x y\nalice,\"a,b\",1\nbob,\"100%\nof it\",\n"), NULL) != 0)
        abort();
    if (slice_find(options, 'f') >= 0)
        from.feed = &feed;
    buf_init(&head, 1 << 20);
    make_head(&head, target, value, from.has_body);
    from.head = buf_slice(&head);
    if (buf_ok(&head))
        try_source(&from, slice_find(options, 'r') >= 0);
    buf_release(&head);
    feed_release(&feed);
    return 0;
}
