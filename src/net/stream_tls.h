/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The TLS half of struct stream, called by stream.c. Not for other rooms. */
#ifndef PLIMSOLL_NET_STREAM_TLS_H
#define PLIMSOLL_NET_STREAM_TLS_H

#include "net/stream.h"

enum io stream_tls_read(struct stream *s, void *out, size_t len, size_t *moved);
enum io stream_tls_write(struct stream *s, const void *bytes, size_t len, size_t *moved);
bool stream_tls_has_pending(const struct stream *s);
void stream_tls_shutdown(struct stream *s);
void stream_tls_end(struct stream *s);

#endif
