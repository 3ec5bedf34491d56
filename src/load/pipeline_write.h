/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of the requests in a connection's queue, on their way out. Private to pipeline.c. */
#ifndef PLIMSOLL_LOAD_PIPELINE_WRITE_H
#define PLIMSOLL_LOAD_PIPELINE_WRITE_H

#include "load/loader.h"

bool pipeline_is_all_sent(const struct exchange *x);
/* Some of the bytes of those that are not all written (there is one): as stream_write() and body_write() have it. */
enum io pipeline_write_some(struct client *c, size_t *moved);
/* So many of them are out, in a write from `before` to `after`. */
void pipeline_note_written(struct client *c, size_t moved, uint64_t before, uint64_t after);

#endif
