/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a command with places to what execve() takes: one copy's words, environment, directory and program. */
#ifndef PLIMSOLL_ROUNDS_PROGRAM_H
#define PLIMSOLL_ROUNDS_PROGRAM_H

#include "rounds/places.h"
#include "rounds/rounds.h"
#include "rounds/spawn.h"

struct program {
    char *path;           /* found; NULL: it was not, and error says why */
    int error;            /* errno of the search */
    struct strlist words; /* argv */
    struct strlist added; /* "K=V" */
    char **envp;          /* ours and what was added, the later one of a name; its texts belong to others */
    char *cwd, *input;    /* NULL: ours, /dev/null */
};

/* False: no memory (nothing is left). A program that is not found is no failure here: *p says so. */
bool program_make(struct program *p, const struct rounds_plan *plan, const struct rounds_command *command,
                  const struct places *places);
void program_release(struct program *p);
/* Looks for name as execvp() does: in PATH, unless there is a slash in it. NULL with errno (ENOENT, EACCES); the caller
 * frees it. */
char *program_find(const char *name);

#endif
