/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>

#include "base/units.h"

#define MIB (UINT64_C(1) << 20)

/* "HH:MM:SS", rounded up to whole minutes. */
static void add_time(struct buf *out, uint64_t ns)
{
    const uint64_t minutes = (ns / NS_PER_S + 59) / 60;

    buf_printf(out, "#SBATCH --time=%" PRIu64 ":%02" PRIu64 ":00\n", minutes / 60, minutes % 60);
}

static void add_directives(struct buf *out, const struct job *job)
{
    buf_printf(out, "#SBATCH --job-name=%s\n#SBATCH --ntasks=%" PRIu64 "\n#SBATCH --ntasks-per-node=%" PRIu64 "\n",
               job->name, job->shares, job->per_machine);
    if (job->cpus > 0)
        buf_printf(out, "#SBATCH --cpus-per-task=%" PRIu64 "\n", job->cpus);
    if (job->memory_bytes > 0)
        buf_printf(out, "#SBATCH --mem=%" PRIu64 "M\n", (job->memory_bytes * job->per_machine + MIB - 1) / MIB);
    add_time(out, job->time_limit_ns);
    buf_printf(out, "#SBATCH --output=%s-%%j.log\n", job->name);
    buf_add_str(out, "#SBATCH --export=ALL\n"
                     "#SBATCH --propagate=NOFILE\n");
    for (size_t i = 0; i < job->launcher->count; i++)
        buf_printf(out, "#SBATCH %s\n", job->launcher->items[i]);
    buf_add_str(out, "# No other job beside the shares gives cleaner figures:\n##SBATCH --exclusive\n");
}

void job_add_slurm(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    buf_printf(out, "#!/bin/sh\n# One plan as %" PRIu64 " shares under Slurm. Read it, change it, then: sbatch FILE\n",
               job->shares);
    add_directives(out, job);
    buf_add_char(out, '\n');
    job_add_preparation(out, job);
    job_add_open_files(out, job, "");
    buf_add_str(out, "# SLURM_PROCID and SLURM_NTASKS say which share a task is. One that fails does not end\n"
                     "# the others. Their own reports are dropped: the merged one follows.\n");
    job_word_raw(&w, "srun --label --kill-on-bad-exit=0");
    job_add_share(&w, job, "\"$start\"", "\"$parts/part-{share}.json\"", "$parts/share-{share}", false);
    job_word_raw(&w, ">/dev/null ||");
    job_words_end(&w);
    buf_add_str(out, "    echo \"srun ended with $?: a share was invalid, or failed\" >&2\n");
    job_add_merge(out, job);
}
