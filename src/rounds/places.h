/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places in words of a command: {i}, {round}, {n}, {uuid}. Braces around anything else are text. */
#ifndef PLIMSOLL_ROUNDS_PLACES_H
#define PLIMSOLL_ROUNDS_PLACES_H

#include "base/buf.h"
#include "base/random.h"

struct places {
    uint32_t copy, round, n;
    char uuid[UUID_TEXT_MAX];
};

/* Appends text to out, every place replaced. */
void places_fill(struct buf *out, struct slice text, const struct places *p);
bool places_in(struct slice text);

#endif
