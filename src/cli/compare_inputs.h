/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From words on the command line to a side of a comparison: files of any format that can be imported, folders and
 * patterns of them, and runs of the store. */
#ifndef PLIMSOLL_CLI_COMPARE_INPUTS_H
#define PLIMSOLL_CLI_COMPARE_INPUTS_H

#include "cli/results_inputs.h"
#include "result/side.h"

/* What is read, and whose documents it was: a run counts once on a side. {0} at first. */
struct compare_inputs {
    struct results_inputs results;
    bool per_target; /* each target of a document is a cell of its own */
    struct compare_document {
        char id[UUID_TEXT_MAX];
        char *source;
    } * documents;
    size_t count;
};
void compare_inputs_release(struct compare_inputs *in);

/* Adds what a word means. session, when given, is that of the samples that name none. ERR_CONFIG for what can not be
 * read, and for no run at all. */
MUST_CHECK int compare_inputs_add(struct compare_inputs *in, struct side *side, const char *word, const char *session,
                                  struct err *err);
/* The stored samples of unchanged code (results tag --same-code), each with its session; none without a store. */
MUST_CHECK int compare_inputs_same_code(struct compare_inputs *in, struct side *out, struct err *err);
/* The end of a side: ERR_CONFIG when it has a run twice. */
MUST_CHECK int compare_inputs_end_side(struct compare_inputs *in, struct err *err);
/* A file that holds both sides: touchstone's comparisons, of which one run is called NAME:base. ERR_USAGE when it holds
 * one side only. */
MUST_CHECK int compare_inputs_both(struct compare_inputs *in, struct side *base, struct side *new, const char *path,
                                   struct err *err);

#endif
