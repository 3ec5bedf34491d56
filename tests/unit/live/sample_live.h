/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as a load in its thirteenth second has them. */
#ifndef PLIMSOLL_TESTS_SAMPLE_LIVE_H
#define PLIMSOLL_TESTS_SAMPLE_LIVE_H

#include "live/figures.h"

/* On the heap: the caller frees. */
struct live_figures *sample_figures(void);

#endif
