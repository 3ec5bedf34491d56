/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "NAME=KIND:WHAT", as --watch takes it. Private to watch/. */
#ifndef PLIMSOLL_WATCH_SPEC_H
#define PLIMSOLL_WATCH_SPEC_H

#include "watch/source.h"

struct spec {
    struct slice name;
    struct slice kind; /* "pid", … */
    struct slice what; /* behind the colon */
    source_opener *open;
};

/* Slices point into text. ERR_USAGE with a hint; says nothing about what is behind the colon. */
MUST_CHECK int spec_parse(struct spec *out, struct slice text, struct err *err);

#endif
