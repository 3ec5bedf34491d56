/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>
#include <stdio.h>

void job_add_mpi(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };
    char number[64];

    buf_printf(out,
               "#!/bin/sh\n# One plan as %" PRIu64
               " shares under MPI's launcher (Open MPI). Read it, change it, then: sh FILE\n",
               job->shares);
    job_add_preparation(out, job);
    job_add_open_files(out, job, "");
    buf_printf(out,
               "# OMPI_COMM_WORLD_RANK and _SIZE say which share a process is. At most %" PRIu64
               " on one machine. One that\n"
               "# fails does not end the others. Their own reports are dropped: the merged one follows. Interrupted,\n"
               "# they have 3 s to write their parts.\n",
               job->per_machine);
    snprintf(number, sizeof(number), "mpirun -n %" PRIu64, job->shares);
    job_word_raw(&w, number);
    snprintf(number, sizeof(number), "--map-by ppr:%" PRIu64 ":node", job->per_machine);
    job_word_raw(&w, number);
    job_word_raw(&w, "--bind-to none --tag-output --mca orte_abort_on_non_zero_status 0 "
                     "--mca odls_base_sigkill_timeout 3");
    job_word_pair(&w, "--host", job->hosts);
    job_word_pair(&w, "--hostfile", job->hosts_file);
    job_word_variables(&w, job, "-x");
    job_word_launcher(&w, job);
    job_add_share(&w, job, "\"$start\"", "\"$parts/part-{share}.json\"", "$parts/share-{share}", false);
    job_word_raw(&w, ">/dev/null ||");
    job_words_end(&w);
    buf_add_str(out, "    echo \"mpirun ended with $?: a share was invalid, or failed\" >&2\n");
    job_add_merge(out, job);
}
