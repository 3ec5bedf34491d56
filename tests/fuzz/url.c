/* SPDX-License-Identifier: GPL-3.0-or-later */
/* URLs and redaction: parts lie inside the text, what was accepted is accepted again when put together, and no
 * credential of an accepted URL is left in its redacted form. */
#include "http/redact.h"
#include "http/url.h"

#include <stdlib.h>
#include <string.h>

static void check_inside(struct slice part, struct slice text)
{
    if (part.len > 0 && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len))
        abort();
}

static void check_again(const struct url *u)
{
    struct buf text;
    struct url again;

    buf_init(&text, 1 << 20);
    buf_add_str(&text, u->https ? "https://" : "http://");
    url_add_authority(&text, u);
    buf_add_slice(&text, u->path);
    buf_add_slice(&text, u->query);
    if (url_parse(&again, buf_slice(&text), NULL) != 0 || again.port != u->port || again.https != u->https ||
        !slice_eq(again.path, u->path) || !slice_eq(again.query, u->query) || again.userinfo.ptr != NULL)
        abort();
    buf_release(&text);
}

static void check_redacted(const struct url *u, struct slice text)
{
    struct buf out;
    struct url again;

    buf_init(&out, 1 << 20);
    redact_url(&out, text);
    if (u->userinfo.ptr != NULL &&
        (url_parse(&again, buf_slice(&out), NULL) != 0 || !slice_eq(again.userinfo, SLICE("***"))))
        abort();
    buf_release(&out);
}

/* Every redaction is stable and, where it promises so, printable. */
static void check_text(struct slice text)
{
    struct buf head, line, word;

    buf_init(&head, 1 << 22);
    buf_init(&line, 1 << 22);
    buf_init(&word, 1 << 22);
    redact_head(&head, text);
    redact_field_line(&line, text);
    redact_argument(&word, slice_take(text, text.len / 2), slice_drop(text, text.len / 2));
    for (size_t i = 0; i < head.len; i++)
        if ((head.data[i] < ' ' || head.data[i] > '~') && head.data[i] != '\r' && head.data[i] != '\n')
            abort();
    buf_release(&head);
    buf_release(&line);
    buf_release(&word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = slice_from((const char *)data, size);
    struct err err = { 0 };
    struct url u;

    check_text(text);
    if (url_parse(&u, text, &err) != 0) {
        if (err.kind != ERR_USAGE || err.what[0] == '\0')
            abort();
        return 0;
    }
    if (u.port == 0 || u.host.len == 0 || u.path.len == 0 || u.path.ptr[0] != '/')
        abort();
    check_inside(u.host, text);
    check_inside(u.userinfo, text);
    check_inside(u.query, text);
    check_again(&u);
    check_redacted(&u, text);
    return 0;
}
