/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From paths on the command line to a side of a comparison. */
#ifndef PLIMSOLL_CLI_COMPARE_INPUTS_H
#define PLIMSOLL_CLI_COMPARE_INPUTS_H

#include "result/side.h"

/* Adds the result documents that a path means: a file, all .json files of a folder, or the files of a pattern.
 * session, when given, is that of the documents that name none. ERR_CONFIG for what can not be read, for no
 * document at all, and for the same run twice on a side. */
MUST_CHECK int compare_inputs_add(struct side *side, const char *path, const char *session, struct err *err);
/* A file that holds both sides: touchstone's comparisons, of which one run is called NAME:base. ERR_USAGE when it holds
 * one side only. */
MUST_CHECK int compare_inputs_both(struct side *base, struct side *new, const char *path, struct err *err);

#endif
