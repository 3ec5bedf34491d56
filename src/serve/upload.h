/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is being received: it lies in the folder uploads and takes its name when it is whole, so that a reader
 * never sees half of one and a broken upload leaves nothing. Its bytes are taken off --max-disk before they come. */
#ifndef PLIMSOLL_SERVE_UPLOAD_H
#define PLIMSOLL_SERVE_UPLOAD_H

#include "base/slice.h"

struct site;

struct upload {
    struct site *_site;
    int _fd, _folder;
    char _name[64]; /* "": none, or it has become something else */
    uint64_t bytes, _reserved;
};

/* All of these: 0, or an errno (EDQUOT: --max-disk). expected: what is known of its size; 0 when nothing is. */
int upload_open(struct upload *u, struct site *site, uint64_t expected);
int upload_write(struct upload *u, struct slice bytes);
/* Moves it to a name in a folder; replaced: the size of what had it before. */
int upload_publish(struct upload *u, int folder, const char *name, uint64_t replaced);
/* For reading what was received, until upload_close(). */
int upload_file(const struct upload *u);
/* Removes what was not published, gives back what was reserved. Once after upload_open(), whatever that said. */
void upload_close(struct upload *u);

#endif
