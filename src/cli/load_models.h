/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the values that say when requests are due and how many connections there are, for rows of options.h. All
 * of them fill fields of a struct load_options, which they get whole. */
#ifndef PLIMSOLL_CLI_LOAD_MODELS_H
#define PLIMSOLL_CLI_LOAD_MODELS_H

#include "cli/options.h"

option_parser load_model_connections; /* "50", or stages "10:30s,100:1m" */
option_parser load_model_rate;        /* "500", "0.5/s", "30/min", "10k/s" */
option_parser load_model_arrivals;    /* "constant", "poisson" */
/* "100/s:30s,500/s:1m": the rate goes in a line from that of the stage before to this one's; the first stage has no
 * other before it and stays at its rate. "step:100/s:30s,…": every stage stays at its own. */
option_parser load_model_stages;
option_parser load_model_burst; /* "100:1s" */
option_parser load_model_think; /* "1s", "1s..2s" */

#endif
