/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a source said at one moment: names and values.
 *
 * The name is that of the figure that comes of it. A counter only rises (but for a restart of what counts) and its
 * figure is its rise per second: CPU seconds become "cpu_cores", bytes read "read_bytes_per_s". A gauge is its figure.
 * Values that are not numbers are left out. */
#ifndef PLIMSOLL_WATCH_READING_H
#define PLIMSOLL_WATCH_READING_H

#include "base/slice.h"

#define READING_NAME_MAX 128
#define READING_VALUES_MAX 32

enum reading_kind { READING_GAUGE, READING_COUNTER };

struct reading_value {
    char name[READING_NAME_MAX];
    enum reading_kind kind;
    double value;
};

struct reading {
    struct reading_value values[READING_VALUES_MAX];
    size_t count;
    bool is_full; /* more was said than there is room for */
};

void reading_clear(struct reading *r);
/* A value of a name that is there already is added to it. */
void reading_add(struct reading *r, struct slice name, enum reading_kind kind, double value);
/* The same for names as Prometheus has them: a counter's "_total" becomes "_per_s", and what counts CPU seconds or
 * resident memory of a process or container gets the name that all sources have for it. */
void reading_add_named(struct reading *r, struct slice name, bool is_counter, double value);
/* Letters, digits and _ : . - { } = " , not empty, short enough, and no name that a watched part's own facts have. */
bool reading_name_is_fit(struct slice name);

#endif
