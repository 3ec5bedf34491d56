/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and what stands for them in the texts of a suite: "{target}/{routes}.html".
 *
 * A place is {NAME} with NAME of letters, digits and . _ - : alone; other braces are text, and so is what load and
 * rounds fill in themselves ({seq}, {uuid}, {random:8}, {connection}, {i}, {n}, {round}) unless a name here says
 * otherwise.
 * {{NAME}} is {NAME} as text. A value is not filled in again. */
#ifndef PLIMSOLL_SUITE_NAMES_H
#define PLIMSOLL_SUITE_NAMES_H

#include "base/buf.h"
#include "base/err.h"

struct names {
    struct name_value {
        char *name, *value;
    } * items;
    size_t count;
};

/* The last value of a name counts. False: no memory. */
bool names_set(struct names *p, const char *name, const char *value);
bool names_copy(struct names *out, const struct names *from); /* adds to out; false: no memory */
void names_release(struct names *p);
const char *names_get(const struct names *p, struct slice name); /* NULL: there is none */

/* Appends the text to out. ERR_CONFIG for a name that is not known, with the nearest one as hint. */
MUST_CHECK int names_fill(const struct names *p, const char *text, struct buf *out, struct err *err);
/* The same as a text of its own, which the caller frees; NULL: the error is set. */
char *names_text(const struct names *p, const char *text, struct err *err);
/* Values that hold places of others get them filled in: a parameter may hold what only the runner knows ({port:NAME},
 * {work}, {run}, {plimsoll}), a place of the cell, and another parameter that does. Places that are not known stay. */
void names_fill_values(struct names *p);

#endif
