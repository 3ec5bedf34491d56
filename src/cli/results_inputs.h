/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the words of a command line mean that name results: files of any format that can be imported, folders and
 * patterns of files, or runs of the store. A file of that name comes first. */
#ifndef PLIMSOLL_CLI_RESULTS_INPUTS_H
#define PLIMSOLL_CLI_RESULTS_INPUTS_H

#include "base/strlist.h"
#include "store/store.h"

/* Is given what else a file may be: the text of a search for a limit (result/limit.h). */
typedef int results_visit_limit(void *arg, struct slice json, const char *source, struct err *err);

/* The store, opened when it is first needed. {0} at first. */
struct results_inputs {
    results_visit_limit *limit; /* NULL: no results, and refused */
    struct runstore *store;
    bool looked; /* it was tried: a store of NULL is one that does not exist */
};
void results_inputs_release(struct results_inputs *in);
/* Opens in->store for reading, if there is one. */
MUST_CHECK int results_inputs_store(struct results_inputs *in, struct err *err);

/* "-", a file, a folder's .json files, a pattern's files. False: the word may be a run. */
bool results_word_is_file(const char *word);
/* Appends the paths of the files that the word means. ERR_CONFIG when there are none. */
MUST_CHECK int results_word_files(const char *word, struct strlist *out, struct err *err);
/* The runs that the word means. ERR_CONFIG when there is none, or no store. */
MUST_CHECK int results_word_runs(struct results_inputs *in, const char *word, struct listing *out, struct err *err);

/* Hands over every result that the word means; json is its document ({0} of a foreign report). What visit returns but
 * 0 ends it. */
typedef int results_visit(void *arg, const struct result *r, struct slice json, const char *source, struct err *err);
MUST_CHECK int results_word_visit(struct results_inputs *in, const char *word, results_visit *visit, void *arg,
                                  struct err *err);

#endif
