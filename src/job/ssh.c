/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "job/quote.h"

static void add_suite(struct buf *out, const struct job *job)
{
    if (job->kind != JOB_RUN)
        return;
    if (job->suite_path != NULL) {
        buf_add_str(out, JOB_SUITE "=");
        quote_shell(out, slice_str(job->suite_path));
        buf_add_str(out, "\nexport " JOB_SUITE "\n\n");
        return;
    }
    buf_add_str(out, "# The suite goes along with the function.\nsuite_text=$(cat ");
    job_add_suite_text(out, job);
    buf_add_str(out, ")\nexport suite_text\n\n");
}

/* Several documents come back as one archive. */
static void add_function_of_many(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    add_suite(out, job);
    buf_add_str(out,
                "# One share, as it runs on its machine. Its documents come back on standard output, as an archive.\n"
                "share() {\n");
    job_add_open_files(out, job, "    ");
    buf_add_str(out, "    local dir code=0\n"
                     "    dir=$(mktemp -d) && mkdir \"$dir/out\" || return 2\n");
    if (job->kind == JOB_RUN && job->suite_path == NULL)
        buf_add_str(out, "    local " JOB_SUITE "=$dir/suite.yaml\n"
                         "    printf '%s\\n' \"$suite_text\" >\"$" JOB_SUITE "\"\n");
    buf_add_str(out, "    ");
    job_add_share(&w, job, "\"$start\"", "", "$dir/out", true);
    job_word_raw(&w, ">/dev/null || code=$?");
    job_words_end(&w);
    buf_printf(out,
               "    (cd \"$dir/out\" && set -- %s-*.json && { [ ! -e \"$1\" ] || tar -cf - \"$@\"; })\n"
               "    rm -rf \"$dir\"\n"
               "    return $code\n"
               "}\nexport start\nexport -f share\n\n",
               job->kind == JOB_LIMIT ? "round" : "sample");
}

/* What came back goes to where each share's documents are looked for. */
static void add_return(struct buf *out, const struct job *job)
{
    buf_printf(out, "for n in $(seq %" PRIu64 "); do\n", job->shares);
    if (job->kind == JOB_LOAD)
        buf_add_str(out, "    [ ! -s \"$parts/share-$n/stdout\" ] || mv \"$parts/share-$n/stdout\" "
                         "\"$parts/part-$n.json\"\n");
    else
        buf_add_str(out, "    [ ! -s \"$parts/share-$n/stdout\" ] || tar -xf \"$parts/share-$n/stdout\" -C "
                         "\"$parts/share-$n\" ||\n"
                         "        echo \"share $n: its documents did not come back whole\" >&2\n");
    buf_add_str(out, "done\n");
}

/* The command is a function that parallel carries over: its own words ({}, {#}, {1} ...) can not be taken for those of
 * the user's, as {1} in a URL would be. */
static void add_function(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    if (job->kind != JOB_LOAD) {
        add_function_of_many(out, job);
        return;
    }
    buf_add_str(out, "# One share, as it runs on its machine. The document comes back on standard output.\n"
                     "share() {\n");
    job_add_open_files(out, job, "    ");
    buf_add_str(out, "    ");
    job_add_share(&w, job, "\"$start\"", "-", "", true);
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
    if (job->kind == JOB_RUN)
        job_word_raw(&w, job->suite_path != NULL ? "--env " JOB_SUITE : "--env suite_text");
    job_word_variables(&w, job, "--env");
    job_word_launcher(&w, job);
    job_word_raw(&w, "--results \"$parts/share-{}/\" share :::");
    snprintf(number, sizeof(number), "$(seq %" PRIu64 ") ||", job->shares);
    job_word_raw(&w, number);
    job_words_end(&w);
    buf_add_str(out, "    echo \"parallel ended with $?: so many shares were invalid, or failed\" >&2\n");
    add_return(out, job);
    job_add_merge(out, job);
}
