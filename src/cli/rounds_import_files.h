/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that the words of plimsoll rounds import name, in memory.
 *
 *   FILE         its content tells what it is
 *   N=FILE       the same, and N ran at once
 *   DIRECTORY    what --log-dir left: the copies of a round, or rounds with their copies */
#ifndef PLIMSOLL_CLI_ROUNDS_IMPORT_FILES_H
#define PLIMSOLL_CLI_ROUNDS_IMPORT_FILES_H

#include "base/buf.h"
#include "base/strlist.h"
#include "rounds/import.h"

struct import_files {
    struct rounds_input *inputs; /* their texts and names belong to the lists below */
    struct buf *texts;
    char **names;
    size_t count;
    uint32_t groups;
};

/* The caller ends *out with import_files_release(), after -1 too. */
MUST_CHECK int import_files_read(struct import_files *out, const struct strlist *words, struct err *err);
void import_files_release(struct import_files *f);

#endif
