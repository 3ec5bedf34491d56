/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"

/* A pipe as the kernel makes it; who fills it is given a larger one, so that it is read with fewer calls. */
#define PIPE_BYTES 65536u
#define SHOWN_MAX_BYTES 240u

void output_init(struct output *o, int fd, uint32_t copy, enum line_stream stream)
{
    *o = (struct output){ .fd = fd, .copy = copy, .stream = stream };
    buf_init(&o->_partial, LINE_MAX_BYTES);
}

void output_close(struct output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
}

void output_release(struct output *o)
{
    output_close(o);
    free(o->_tail);
    o->_tail = NULL;
    o->_tail_len = 0;
    buf_release(&o->_partial);
}

/* Without memory there is no tail: a failure is then told without its last lines. */
static void keep_tail(struct output *o, struct slice bytes)
{
    size_t kept;

    if (o->_tail == NULL)
        o->_tail = malloc(OUTPUT_TAIL_BYTES);
    if (o->_tail == NULL)
        return;
    if (bytes.len > OUTPUT_TAIL_BYTES)
        bytes = slice_drop(bytes, bytes.len - OUTPUT_TAIL_BYTES);
    kept = OUTPUT_TAIL_BYTES - bytes.len < o->_tail_len ? OUTPUT_TAIL_BYTES - bytes.len : o->_tail_len;
    memmove(o->_tail, o->_tail + (o->_tail_len - kept), kept);
    memcpy(o->_tail + kept, bytes.ptr, bytes.len);
    o->_tail_len = kept + bytes.len;
}

void output_remember(struct output *o, struct slice bytes)
{
    o->bytes += bytes.len;
    if (bytes.len > 0)
        keep_tail(o, bytes);
}

static void give(const struct output *o, const struct output_reader *r, struct slice bytes, uint64_t first_ns,
                 uint64_t now, bool whole)
{
    const struct line line = { o->copy, o->stream, first_ns, now, bytes, whole };

    r->on_line(r->arg, &line);
}

/* What stands before the first line feed, or all of it: after what was there already. */
static void give_beginning(struct output *o, const struct output_reader *r, struct slice *bytes, uint64_t now)
{
    while (o->_partial.len > 0 && bytes->len > 0) {
        const size_t room = LINE_MAX_BYTES - o->_partial.len;
        const struct slice seen = slice_take(*bytes, room);
        const ptrdiff_t end = slice_find(seen, '\n');
        const size_t taken = end >= 0 ? (size_t)end : seen.len;

        buf_append(&o->_partial, seen.ptr, taken);
        *bytes = slice_drop(*bytes, end >= 0 ? taken + 1 : taken);
        if (end < 0 && taken < room)
            return;
        give(o, r, buf_slice(&o->_partial), o->_first_ns, now, end >= 0);
        buf_clear(&o->_partial);
        o->_first_ns = now;
    }
}

static void give_lines(struct output *o, const struct output_reader *r, struct slice bytes, uint64_t now)
{
    give_beginning(o, r, &bytes, now);
    while (bytes.len > 0) {
        const struct slice seen = slice_take(bytes, LINE_MAX_BYTES);
        const ptrdiff_t end = slice_find(seen, '\n');

        if (end < 0 && seen.len < LINE_MAX_BYTES) {
            o->_first_ns = now;
            buf_append(&o->_partial, seen.ptr, seen.len);
            return;
        }
        give(o, r, slice_take(seen, end >= 0 ? (size_t)end : seen.len), now, now, end >= 0);
        bytes = slice_drop(bytes, end >= 0 ? (size_t)end + 1 : seen.len);
    }
}

enum output_read output_read(struct output *o, const struct output_reader *r, size_t *bytes)
{
    ssize_t n;

    *bytes = 0;
    do {
        n = read(o->fd, r->scratch, OUTPUT_READ_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return OUTPUT_NOTHING;
    if (n <= 0)
        return OUTPUT_ENDED;
    *bytes = (size_t)n;
    if (*bytes >= PIPE_BYTES && !o->_grown) {
        o->_grown = true; /* or refused, beyond what one user may have: no matter */
        fcntl(o->fd, F_SETPIPE_SZ, OUTPUT_READ_BYTES);
    }
    output_remember(o, slice_from(r->scratch, *bytes));
    if (r->on_line != NULL)
        give_lines(o, r, slice_from(r->scratch, *bytes), clock_now_ns());
    return OUTPUT_SOME;
}

void output_flush(struct output *o, const struct output_reader *r)
{
    if (o->_partial.len > 0 && r->on_line != NULL)
        give(o, r, buf_slice(&o->_partial), o->_first_ns, clock_now_ns(), false);
    buf_clear(&o->_partial);
}

/* Of a line that wrote over itself with carriage returns: what was to be seen at last. */
static struct slice last_written(struct slice line)
{
    while (slice_ends(line, SLICE("\r")))
        line = slice_take(line, line.len - 1);
    while (slice_find(line, '\r') >= 0)
        line = slice_drop(line, (size_t)slice_find(line, '\r') + 1);
    return line;
}

static bool add_printable(struct strlist *out, struct slice line)
{
    char text[SHOWN_MAX_BYTES + 4];
    size_t used = 0;

    for (line = last_written(line); line.len > 0 && used < SHOWN_MAX_BYTES;) {
        const size_t length = utf8_length(line);
        const unsigned char c = (unsigned char)line.ptr[0];
        const bool shown = length > 0 && c >= 0x20 && c != 0x7f;

        if (!shown)
            text[used++] = c == '\t' ? ' ' : '?';
        for (size_t i = 0; shown && i < length; i++)
            text[used++] = line.ptr[i];
        line = slice_drop(line, shown ? length : 1);
    }
    return strlist_add(out, slice_from(text, used));
}

bool output_last_lines(const struct output *o, struct strlist *out, size_t max)
{
    struct slice rest = slice_from(o->_tail, o->_tail_len), starts;
    size_t lines = 0;

    while (slice_ends(rest, SLICE("\n")))
        rest = slice_take(rest, rest.len - 1);
    if (o->bytes > o->_tail_len && slice_find(rest, '\n') >= 0) /* cut in a line: from the next one on */
        slice_split(&rest, '\n');
    for (starts = rest; starts.len > 0; slice_split(&starts, '\n'))
        lines++;
    for (; rest.len > 0; lines--) {
        const struct slice line = slice_split(&rest, '\n');

        if (lines <= max && !add_printable(out, line))
            return false;
    }
    return true;
}
