/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of HdrHistogram's V2 encoding (HdrHistogram 2.1, AbstractHistogram.encodeIntoByteBuffer), private to
 * stats/.
 *
 *   base64 of   be32 outer cookie | be32 length of the rest | zlib of the following
 *   be32 inner cookie | be32 payload length | be32 normalizing offset | be32 digits | be64 lowest value
 *   | be64 highest value | be64 ratio (a double) | payload: counters from slot 0, see varint.h
 *
 * Bits 4-7 of a cookie tell the word size; writers set 1 there (variable length) and readers must ignore it. */
#ifndef PLIMSOLL_STATS_HIST_V2_H
#define PLIMSOLL_STATS_HIST_V2_H

#include <stdint.h>

#define V2_OUTER_COOKIE 0x1c849304u
#define V2_INNER_COOKIE 0x1c849303u
#define V2_WORD_SIZE 0x10u
#define V2_COOKIE_MASK 0xffffff0fu
#define V2_OUTER_BYTES 8u
#define V2_INNER_BYTES 40u
#define V2_RATIO_ONE UINT64_C(0x3ff0000000000000) /* the bits of 1.0 */
#define V2_DIGITS 3u

#endif
