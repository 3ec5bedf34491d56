/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source line by line, in constant memory. Private to import/. */
#ifndef PLIMSOLL_IMPORT_LINES_H
#define PLIMSOLL_IMPORT_LINES_H

#include "import/source.h"

enum { LINES_AHEAD = 64 };

struct lines {
    struct source *source;
    char *_data;
    size_t _at, _len;
    bool _ended;
    uint64_t number; /* of the line given last, from 1 */
    bool unfinished; /* the line given last has no end: the file is cut off, or was written without */
    bool failed;     /* err of the source is filled */
};

/* False when out of memory, err filled. The head of the source comes first. */
MUST_CHECK bool lines_init(struct lines *l, struct source *s);
void lines_release(struct lines *l);
/* False at the end, or when failed. The line's end ("\n" or "\r\n") is not part of it, but there is always a byte
 * behind it, which is '\n', and LINES_AHEAD bytes may be read. A line longer than 1 MiB is a failure. */
bool lines_next(struct lines *l, struct slice *line);

#endif
