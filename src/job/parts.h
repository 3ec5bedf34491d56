/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the texts of several schedulers have in common. Private to job/. */
#ifndef PLIMSOLL_JOB_PARTS_H
#define PLIMSOLL_JOB_PARTS_H

#include "job/job.h"

/* Words of a command, on lines that are not too long to read. {out, 0} at its beginning. */
struct job_words {
    struct buf *out;
    size_t column;
};
void job_word_raw(struct job_words *w, const char *text); /* as it is: "$start" */
void job_word(struct job_words *w, const char *text);     /* quoted for a shell */
/* The option and its value; nothing where there is none (NULL). */
void job_word_pair(struct job_words *w, const char *option, const char *value);
/* The variables that shares take over from the launcher's environment, each behind the option. */
void job_word_variables(struct job_words *w, const struct job *job, const char *option);
/* What the user gives to the launcher. */
void job_word_launcher(struct job_words *w, const struct job *job);
void job_words_end(struct job_words *w);

/* Comments and the lines before the launcher: variables that must be set, the folder of parts, the start. */
void job_add_preparation(struct buf *out, const struct job *job);
/* "<<'MARK'", the suite and the mark again, on lines. */
void job_add_suite_text(struct buf *out, const struct job *job);
/* "plimsoll load --share auto ... WORDS": start and part are written as they are ("\"$start\""), folder within quotes;
 * tells_count: the scheduler does not tell a share how many there are. */
void job_add_share(struct job_words *w, const struct job *job, const char *start, const char *part, const char *folder,
                   bool tells_count);
/* The lines that say how many open files a share needs, where that is known. */
void job_add_open_files(struct buf *out, const struct job *job, const char *indent);
/* What follows the launcher. */
void job_add_merge(struct buf *out, const struct job *job);

/* Of limit and run: documents of one name are merged, for each name; what comes of it is in $parts/merged and
 * $parts/summary.txt, whose last line is "exit status: N", and in $code. stores: the results are kept in the store. */
void job_add_pieces(struct buf *out, const struct job *job, bool stores);

void job_add_kubernetes(struct buf *out, const struct job *job);
void job_add_slurm(struct buf *out, const struct job *job);
void job_add_mpi(struct buf *out, const struct job *job);
void job_add_ssh(struct buf *out, const struct job *job);

#endif
