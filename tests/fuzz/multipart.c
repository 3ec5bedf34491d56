/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multipart bodies. Properties: what comes out does not depend on how the bytes were cut; content is never longer than
 * the body; every part that began before the end has ended when the body is complete. The first byte chooses the
 * boundary's length. */
#include "http/multipart.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t hash, content;
    unsigned parts, ends;
};

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void mix(struct seen *s, struct slice bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        s->hash = (s->hash ^ (unsigned char)bytes.ptr[i]) * 1099511628211u;
}

static void on_part(void *arg, struct slice name, struct slice filename, struct slice type)
{
    struct seen *s = arg;

    promise(s->parts++ == s->ends && name.ptr != NULL);
    mix(s, name);
    mix(s, filename);
    mix(s, type);
}

static void on_content(void *arg, struct slice bytes)
{
    struct seen *s = arg;

    promise(s->parts == s->ends + 1 && bytes.len > 0);
    s->content += bytes.len;
    mix(s, bytes);
}

static void on_part_end(void *arg)
{
    struct seen *s = arg;

    s->ends++;
    mix(s, SLICE(";"));
}

static enum multipart_state run(struct seen *s, struct slice boundary, struct slice bytes, size_t step)
{
    static const struct multipart_events EVENTS = { on_part, on_content, on_part_end };
    static struct multipart m; /* large for a stack under the sanitizers */
    enum multipart_state state = MULTIPART_MORE;

    *s = (struct seen){ .hash = 1469598103934665603u };
    multipart_begin(&m, boundary, &EVENTS, s);
    for (size_t at = 0; at < bytes.len; at += step)
        state = multipart_feed(&m, slice_take(slice_drop(bytes, at), step));
    promise(s->content <= bytes.len && s->parts <= MULTIPART_PARTS_MAX);
    promise(state != MULTIPART_DONE || s->parts == s->ends);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char BOUNDARY[] = "b-boundary";
    struct seen whole, cut;
    struct slice bytes = { (const char *)data + 1, size - 1 };

    if (size == 0)
        return 0;
    struct slice found, boundary = slice_from(BOUNDARY, 1 + data[0] % 10u);
    if (multipart_boundary(bytes, &found))
        promise(found.len > 0 && found.len <= MULTIPART_BOUNDARY_MAX && found.ptr >= bytes.ptr &&
                found.ptr + found.len <= bytes.ptr + bytes.len);
    enum multipart_state a = run(&whole, boundary, bytes, size), b = run(&cut, boundary, bytes, 1);
    promise(a == b && whole.parts == cut.parts && whole.ends == cut.ends && whole.content == cut.content &&
            whole.hash == cut.hash);
    return 0;
}
