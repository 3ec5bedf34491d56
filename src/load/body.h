/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body of a request as it goes over the wire: pieces of memory and of files in a row, the chunk framing and the
 * boundaries of a form among them. Made before the run; while measuring, workers only read it. Files are sent from the
 * file (sendfile, pread) and never held in memory. */
#ifndef PLIMSOLL_LOAD_BODY_H
#define PLIMSOLL_LOAD_BODY_H

#include "base/buf.h"
#include "load/load.h"
#include "net/stream.h"

/* Random bodies longer than this are made of shifted repetitions of so many bytes. */
#define BODY_RANDOM_MAX ((uint64_t)16 << 20)

struct body_piece {
    uint64_t start, len; /* in the body */
    const char *bytes;   /* NULL: of the file */
    int file;
    uint64_t offset; /* in the file */
};

struct body {
    struct body_piece *pieces;
    size_t count, _capacity;
    uint64_t bytes;         /* of all pieces: what goes over the wire */
    uint64_t content_bytes; /* without chunk framing */
    char content_type[96];  /* of a form; "" else */
    struct buf _texts;
    int *_files;
    size_t _file_count;
};

/* noise: as many random bytes as the longest random body has, at most BODY_RANDOM_MAX; it and spec must outlive the
 * body. Forms get a boundary by seed. ERR_CONFIG for files that can not be read or have no size. body_release() also
 * after -1. */
MUST_CHECK int body_prepare(struct body *b, const struct load_body *spec, struct slice noise, bool chunked,
                            uint64_t seed, struct err *err);
void body_release(struct body *b);
/* Moves what stands at the beginning in memory, up to max bytes, to the end of *head. */
void body_inline(struct body *b, struct buf *head, struct buf *other_head, size_t max);

/* How a worker writes bodies. */
struct body_way {
    char *scratch;
    size_t scratch_len;
    bool copies_files; /* by way of scratch even where the kernel could send them */
};

/* Writes some of the body from byte `at` on; *piece is the caller's cursor, 0 for at 0. IO_EOF: a file became shorter.
 * The same `at` always gives the same bytes, as TLS wants it. */
enum io body_write(const struct body *b, uint64_t at, size_t *piece, struct stream *to, const struct body_way *way,
                   size_t *moved);
/* Copies some; -1 when a file became shorter. */
long body_read(const struct body *b, uint64_t at, size_t *piece, char *out, size_t len);

#endif
