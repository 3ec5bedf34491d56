/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream of a copy: what it prints is read as it comes, its last bytes are kept, and it is cut into lines when
 * somebody listens. Memory is bounded whatever is printed: the last OUTPUT_TAIL_BYTES and at most one unfinished line
 * of LINE_MAX_BYTES. */
#ifndef PLIMSOLL_ROUNDS_OUTPUT_H
#define PLIMSOLL_ROUNDS_OUTPUT_H

#include "base/buf.h"
#include "base/strlist.h"
#include "rounds/lines.h"

#define OUTPUT_TAIL_BYTES 4096u
/* Of one read: enough to empty a pipe of the largest size that users without privileges get. */
#define OUTPUT_READ_BYTES (1024u * 1024u)

struct output {
    int fd; /* not blocking; -1: ended */
    enum line_stream stream;
    uint32_t copy;
    uint64_t bytes;
    char *_tail; /* NULL: nothing so far */
    size_t _tail_len;
    struct buf _partial;
    uint64_t _first_ns; /* of _partial */
    bool _grown;        /* its pipe was made larger */
};

/* Who reads. */
struct output_reader {
    char *scratch;                                       /* OUTPUT_READ_BYTES */
    void (*on_line)(void *arg, const struct line *line); /* NULL: nobody wants lines */
    void *arg;
};

enum output_read { OUTPUT_SOME, OUTPUT_NOTHING /* now */, OUTPUT_ENDED /* for ever: close it */ };

void output_init(struct output *o, int fd, uint32_t copy, enum line_stream stream);
void output_close(struct output *o);   /* the descriptor alone; what was printed stays */
void output_release(struct output *o); /* closes it too */
/* One read; *bytes: how much it was. */
enum output_read output_read(struct output *o, const struct output_reader *r, size_t *bytes);
/* As if these bytes had been read, for its tail alone. */
void output_remember(struct output *o, struct slice bytes);
/* Gives the line that has no end yet, if there is one. */
void output_flush(struct output *o, const struct output_reader *r);
/* The last max lines, printable and not longer than a screen's line or two. False: no memory. */
bool output_last_lines(const struct output *o, struct strlist *out, size_t max);

#endif
