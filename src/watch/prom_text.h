/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text format of Prometheus (version 0.0.4), sample by sample, and which samples are wanted. Pure. Private to
 * watch/. */
#ifndef PLIMSOLL_WATCH_PROM_TEXT_H
#define PLIMSOLL_WATCH_PROM_TEXT_H

#include "base/err.h"
#include "base/slice.h"

struct prom_sample {
    struct slice name, labels; /* labels: what is between the braces, as it came */
    double value;
    bool is_counter; /* its family's TYPE says so, or its name ends in _total */
};

struct prom_text {
    struct slice rest;
    struct slice family; /* that the last # TYPE was about */
    bool family_counts, family_is_summary;
};

/* The next sample that can be read; lines that are none are passed over. False: there are no more. */
bool prom_text_next(struct prom_text *p, struct prom_sample *out);

/* "name" or "name{label="value",...}": samples that have these labels, others may be there too. */
struct prom_selector {
    struct slice text, name, labels;
};
/* The next of a list, at commas outside of braces. -1: it is none (ERR_USAGE with a hint). */
MUST_CHECK int prom_selector_next(struct slice *list, struct prom_selector *out, struct err *err);
bool prom_selector_matches(const struct prom_selector *s, const struct prom_sample *sample);

#endif
