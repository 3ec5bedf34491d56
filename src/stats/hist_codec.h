/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms as bytes.
 *
 * Packed: our own use inside a run. Run-length zig-zag varints of the slots between min and max, preceded by the exact
 * figures; written without allocation into memory the caller reserved (see hist_pack_max()).
 * V2: HdrHistogram's "V2 compressed" encoding (cookie 0x1c849304 around 0x1c849303, big-endian header, ZigZag LEB128
 * counts, zlib), base64: other HdrHistogram libraries read it. It carries no exact sum, min or max and no overflow:
 * after decoding they are those of the slots' middles and ends until hist_set_exact() restores them. */
#ifndef PLIMSOLL_STATS_HIST_CODEC_H
#define PLIMSOLL_STATS_HIST_CODEC_H

#include "stats/hist.h"

/* Bytes that hist_pack() needs at most for any histogram. */
size_t hist_pack_max(void);
/* Writes at most hist_pack_max() bytes; returns how many. Never allocates. */
size_t hist_pack(const struct hist *h, uint8_t *out);
/* Adds a packed histogram to h. -1 (h then undefined) when the bytes are not a packed histogram. */
MUST_CHECK int hist_unpack_into(struct hist *h, const uint8_t *bytes, size_t len, struct err *err);
/* The packed sum of two packed ones into out, which has room for hist_pack_max() bytes. Returns how many; 0 when one of
 * them is not a packed histogram. */
MUST_CHECK size_t hist_pack_sum(uint8_t *out, struct slice a, struct slice b);

/* Appends the base64 text of the V2 compressed encoding. -1 when the buffer or zlib fails. */
MUST_CHECK int hist_encode_v2(const struct hist *h, struct buf *out, struct err *err);
/* Reads V2 compressed base64 of any HdrHistogram whose values fit ours; the caller frees *out. Hostile input is refused
 * with ERR_PEER: sizes are bounded before anything is allocated. */
MUST_CHECK int hist_decode_v2(struct hist **out, struct slice base64, struct err *err);

#endif
