/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>
#include <stdio.h>

/* The command is a function that parallel carries over: its own words ({}, {#}, {1} ...) can not be taken for those of
 * the user's, as {1} in a URL would be. */
static void add_function(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    buf_add_str(out, "# One share, as it runs on its machine. The document comes back on standard output.\n"
                     "share() {\n");
    job_add_open_files(out, job, "    ");
    buf_add_str(out, "    ");
    job_add_share(&w, job, "\"$start\"", "-", true);
    job_words_end(&w);
    buf_add_str(out, "}\nexport start\nexport -f share\n\n");
}

void job_add_ssh(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };
    char number[64];

    buf_printf(out,
               "#!/bin/bash\n# One plan as %" PRIu64
               " shares over ssh, by GNU parallel. Read it, change it, then: bash FILE\n",
               job->shares);
    job_add_preparation(out, job);
    add_function(out, job);
    buf_printf(out,
               "# PARALLEL_SEQ says which share it is; %" PRIu64 " at a time on a machine. What a share says\n"
               "# is kept in share-N/stderr.\n",
               job->per_machine);
    snprintf(number, sizeof(number), "parallel --jobs %" PRIu64, job->per_machine);
    job_word_raw(&w, number);
    job_word_pair(&w, "--sshlogin", job->hosts);
    job_word_pair(&w, "--sshloginfile", job->hosts_file);
    job_word_raw(&w, "--halt never --env start --env share");
    job_word_variables(&w, job, "--env");
    job_word_launcher(&w, job);
    job_word_raw(&w, "--results \"$parts/share-{}/\" share :::");
    snprintf(number, sizeof(number), "$(seq %" PRIu64 ") ||", job->shares);
    job_word_raw(&w, number);
    job_words_end(&w);
    buf_printf(out,
               "    echo \"parallel ended with $?: so many shares were invalid, or failed\" >&2\n"
               "for n in $(seq %" PRIu64 "); do\n"
               "    [ ! -s \"$parts/share-$n/stdout\" ] || mv \"$parts/share-$n/stdout\" \"$parts/part-$n.json\"\n"
               "done\n",
               job->shares);
    job_add_merge(out, job);
}
