/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random letters and digits, made faster than a disk takes them. */
#ifndef PLIMSOLL_SERVE_RANDOM_TEXT_H
#define PLIMSOLL_SERVE_RANDOM_TEXT_H

#include "base/random.h"

void random_text_fill(struct rng *r, char *out, size_t len);

#endif
