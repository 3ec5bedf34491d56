/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXTS_MAX ((size_t)64 << 20)
#define CHUNK_BYTES (UINT64_C(256) << 10)
#define CHUNKS_MAX 65536u
#define WRITE_MAX (UINT64_C(1) << 20)
#define COPY_BELOW 4096u /* pieces shorter than this are gathered into one write */
/* Shifts of the repetitions of a random body: a prime, so that none is like another. */
#define RANDOM_SHIFT 4099u

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a body");
}

static int add_piece(struct body *b, struct body_piece piece, struct err *err)
{
    if (piece.len == 0)
        return 0;
    if (b->count == b->_capacity) {
        const size_t capacity = b->_capacity > 0 ? 2 * b->_capacity : 4;
        struct body_piece *grown = realloc(b->pieces, capacity * sizeof(*grown));

        if (grown == NULL)
            return no_memory(err);
        b->pieces = grown;
        b->_capacity = capacity;
    }
    piece.start = b->bytes;
    b->pieces[b->count++] = piece;
    b->bytes += piece.len;
    return 0;
}

static int add_bytes(struct body *b, struct slice bytes, struct err *err)
{
    return add_piece(b, (struct body_piece){ .bytes = bytes.ptr, .len = bytes.len }, err);
}

/* What is written into the texts moves until they are complete: pieces of them hold offsets up to settle_texts(). */
#define OWN_TEXT (-2)

static int add_own_text(struct body *b, size_t from, struct err *err)
{
    return add_piece(b, (struct body_piece){ .file = OWN_TEXT, .offset = from, .len = b->_texts.len - from }, err);
}

static int settle_texts(struct body *b, struct err *err)
{
    if (!buf_ok(&b->_texts))
        return err_set(err, ERR_LIMIT, 0, "the text of a body is over %zu bytes", TEXTS_MAX);
    for (size_t i = 0; i < b->count; i++)
        if (b->pieces[i].file == OWN_TEXT)
            b->pieces[i].bytes = b->_texts.data + b->pieces[i].offset;
    return 0;
}

static int add_file(struct body *b, const char *path, struct err *err)
{
    int *grown = realloc(b->_files, (b->_file_count + 1) * sizeof(*grown));
    struct stat st;
    int fd;

    if (grown == NULL)
        return no_memory(err);
    b->_files = grown;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_CONFIG, errno, "cannot read the body file '%s'", path);
    b->_files[b->_file_count++] = fd;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return err_set(err, ERR_CONFIG, 0, "the body file '%s' is not a regular file", path);
    return add_piece(b, (struct body_piece){ .file = fd, .len = (uint64_t)st.st_size }, err);
}

static int add_random(struct body *b, uint64_t bytes, struct slice noise, struct err *err)
{
    uint64_t shift = 0;

    while (bytes > 0) {
        const struct slice part = slice_drop(noise, (size_t)shift);
        const uint64_t n = part.len < bytes ? part.len : bytes;

        if (add_bytes(b, slice_take(part, (size_t)n), err) != 0)
            return -1;
        bytes -= n;
        shift = (shift + RANDOM_SHIFT) % (noise.len / 2 + 1);
    }
    return 0;
}

/* WHATWG, multipart/form-data: a quote and line breaks of a name as percent escapes. */
static void add_quoted(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\r' || *text == '\n')
            buf_printf(out, "%%%02X", (unsigned)*text);
        else
            buf_add_char(out, *text);
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* One part, its boundary before it. */
static int add_part(struct body *b, const struct load_part *part, const char *boundary, bool first, struct err *err)
{
    const size_t from = b->_texts.len;
    const char *type = part->content_type != NULL ? part->content_type
                       : part->path != NULL       ? "application/octet-stream"
                                                  : NULL;

    buf_printf(&b->_texts, "%s--%s\r\nContent-Disposition: form-data; name=\"", first ? "" : "\r\n", boundary);
    add_quoted(&b->_texts, part->name);
    if (part->path != NULL) {
        buf_add_str(&b->_texts, "\"; filename=\"");
        add_quoted(&b->_texts, part->file_name != NULL ? part->file_name : base_name(part->path));
    }
    buf_add_str(&b->_texts, "\"\r\n");
    if (type != NULL)
        buf_printf(&b->_texts, "Content-Type: %s\r\n", type);
    buf_add_str(&b->_texts, "\r\n");
    if (part->path == NULL)
        buf_add_slice(&b->_texts, part->value);
    if (add_own_text(b, from, err) != 0)
        return -1;
    return part->path != NULL ? add_file(b, part->path, err) : 0;
}

static int add_form(struct body *b, const struct load_body *spec, uint64_t seed, struct err *err)
{
    char boundary[48];
    size_t from;

    snprintf(boundary, sizeof(boundary), "plimsoll%016llx%016llx", (unsigned long long)rng_derive(seed, 1),
             (unsigned long long)rng_derive(seed, 2));
    snprintf(b->content_type, sizeof(b->content_type), "multipart/form-data; boundary=%s", boundary);
    for (size_t i = 0; i < spec->part_count; i++)
        if (add_part(b, &spec->parts[i], boundary, i == 0, err) != 0)
            return -1;
    from = b->_texts.len;
    buf_printf(&b->_texts, "\r\n--%s--\r\n", boundary);
    return add_own_text(b, from, err);
}

static int add_chunk(struct body *b, const struct body_piece *from, uint64_t at, uint64_t len, struct err *err)
{
    struct body_piece piece = *from;
    const size_t text = b->_texts.len;

    buf_printf(&b->_texts, "%s%llx\r\n", b->count > 0 ? "\r\n" : "", (unsigned long long)len);
    if (add_own_text(b, text, err) != 0)
        return -1;
    piece.len = len;
    piece.offset += at;
    if (piece.bytes != NULL)
        piece.bytes += at;
    return add_piece(b, piece, err);
}

/* The pieces anew, each cut into chunks (RFC 9112 7.1). */
static int frame(struct body *b, struct err *err)
{
    const struct body plain = *b;
    const uint64_t least = plain.bytes / CHUNKS_MAX + 1, size = least > CHUNK_BYTES ? least : CHUNK_BYTES;
    int rc = 0;

    b->pieces = NULL;
    b->count = b->_capacity = 0;
    b->bytes = 0;
    for (size_t i = 0; i < plain.count && rc == 0; i++)
        for (uint64_t at = 0; at < plain.pieces[i].len && rc == 0; at += size) {
            const uint64_t left = plain.pieces[i].len - at;

            rc = add_chunk(b, &plain.pieces[i], at, left < size ? left : size, err);
        }
    free(plain.pieces);
    if (rc == 0) {
        const size_t from = b->_texts.len;

        buf_printf(&b->_texts, "%s0\r\n\r\n", b->count > 0 ? "\r\n" : "");
        rc = add_own_text(b, from, err);
    }
    return rc;
}

int body_prepare(struct body *b, const struct load_body *spec, struct slice noise, bool chunked, uint64_t seed,
                 struct err *err)
{
    int rc = 0;

    *b = (struct body){ 0 };
    buf_init(&b->_texts, TEXTS_MAX);
    if (!spec->present)
        return 0;
    if (spec->from_file)
        rc = add_file(b, spec->path, err);
    else if (spec->random_bytes > 0)
        rc = add_random(b, spec->random_bytes, noise, err);
    else if (spec->part_count > 0)
        rc = add_form(b, spec, seed, err);
    else
        rc = add_bytes(b, spec->bytes, err);
    b->content_bytes = b->bytes;
    if (rc == 0 && chunked)
        rc = frame(b, err);
    return rc == 0 ? settle_texts(b, err) : -1;
}

void body_release(struct body *b)
{
    for (size_t i = 0; i < b->_file_count; i++)
        close(b->_files[i]);
    free(b->_files);
    free(b->pieces);
    buf_release(&b->_texts);
    *b = (struct body){ 0 };
}

void body_inline(struct body *b, struct buf *head, struct buf *other_head, size_t max)
{
    size_t n = 0;
    uint64_t moved = 0;

    while (n < b->count && b->pieces[n].bytes != NULL && moved + b->pieces[n].len <= max) {
        const struct slice bytes = slice_from(b->pieces[n].bytes, (size_t)b->pieces[n].len);

        buf_add_slice(head, bytes);
        buf_add_slice(other_head, bytes);
        moved += b->pieces[n++].len;
    }
    if (n == 0)
        return;
    b->count -= n;
    memmove(b->pieces, b->pieces + n, b->count * sizeof(*b->pieces));
    for (size_t i = 0; i < b->count; i++)
        b->pieces[i].start -= moved;
    b->bytes -= moved;
}

/* --- the measured path ------------------------------------------------------------------------------------------- */

static const struct body_piece *piece_at(const struct body *b, uint64_t at, size_t *piece)
{
    while (at >= b->pieces[*piece].start + b->pieces[*piece].len)
        ++*piece;
    return &b->pieces[*piece];
}

long body_read(const struct body *b, uint64_t at, size_t *piece, char *out, size_t len)
{
    size_t done = 0;

    while (done < len && at < b->bytes) {
        const struct body_piece *p = piece_at(b, at, piece);
        const uint64_t from = at - p->start, left = p->len - from;
        size_t n = len - done < left ? len - done : (size_t)left;

        if (p->bytes != NULL) {
            memcpy(out + done, p->bytes + from, n);
        } else {
            const ssize_t got = pread(p->file, out + done, n, (off_t)(p->offset + from));

            if (got <= 0)
                return -1;
            n = (size_t)got;
        }
        done += n;
        at += n;
    }
    return (long)done;
}

/* Short pieces of memory in a row leave in one write. */
static size_t gather(const struct body *b, uint64_t at, size_t piece, char *scratch, size_t room)
{
    size_t done = 0;

    for (; piece < b->count && b->pieces[piece].bytes != NULL && done < room; piece++) {
        const struct body_piece *p = &b->pieces[piece];
        const uint64_t from = at + done - p->start, left = p->len - from;
        const size_t n = room - done < left ? room - done : (size_t)left;

        memcpy(scratch + done, p->bytes + from, n);
        done += n;
    }
    return done;
}

enum io body_write(const struct body *b, uint64_t at, size_t *piece, struct stream *to, const struct body_way *way,
                   size_t *moved)
{
    const struct body_piece *p = piece_at(b, at, piece);
    const uint64_t from = at - p->start;
    const size_t n = (size_t)(p->len - from < WRITE_MAX ? p->len - from : WRITE_MAX);

    if (p->bytes == NULL)
        return (way->copies_files ? stream_copy_file : stream_send_file)(to, p->file, p->offset + from, n, way->scratch,
                                                                         way->scratch_len, moved);
    if (p->len < COPY_BELOW && *piece + 1 < b->count && p[1].bytes != NULL)
        return stream_write(to, way->scratch, gather(b, at, *piece, way->scratch, way->scratch_len), moved);
    return stream_write(to, p->bytes + from, n, moved);
}
