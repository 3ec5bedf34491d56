/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job.h"

#include <string.h>

#include "base/utf8.h"
#include "job/parts.h"

static const struct engine {
    const char *name, *client;
    void (*add)(struct buf *out, const struct job *job);
} ENGINES[JOB_ENGINES] = {
    [JOB_KUBERNETES] = { "kubernetes", "kubectl", job_add_kubernetes },
    [JOB_SLURM] = { "slurm", "sbatch", job_add_slurm },
    [JOB_MPI] = { "mpi", "mpirun", job_add_mpi },
    [JOB_SSH] = { "ssh", "parallel", job_add_ssh },
};

const char *job_engine_name(enum job_engine engine)
{
    return ENGINES[engine].name;
}

const char *job_engine_client(enum job_engine engine)
{
    return ENGINES[engine].client;
}

enum job_engine job_engine_of(struct slice name)
{
    for (int i = 0; i < JOB_ENGINES; i++)
        if (slice_eq(name, slice_str(ENGINES[i].name)))
            return (enum job_engine)i;
    return JOB_ENGINES;
}

static int check_words(const struct job *job, struct err *err)
{
    for (size_t i = 0; i < job->word_count && job->engine == JOB_KUBERNETES; i++)
        if (job->words[i].variable == NULL && !utf8_is_valid(slice_str(job->words[i].text))) {
            err_set(err, ERR_USAGE, 0, "word %zu of the command is not UTF-8: a manifest can not hold it", i + 1);
            return err_hint(err, "write the bytes as %%XX in URLs, or in a file that the image holds");
        }
    return 0;
}

int job_render(struct buf *out, const struct job *job, struct err *err)
{
    if (check_words(job, err) != 0)
        return -1;
    ENGINES[job->engine].add(out, job);
    return buf_ok(out) ? 0 : err_set(err, ERR_LIMIT, 0, "the command is too long");
}

/* ---- lines that come back ---- */

/* The number that the slice begins with. */
static bool take_number(struct slice *s, uint64_t *number)
{
    size_t digits = 0;

    while (digits < s->len && s->ptr[digits] >= '0' && s->ptr[digits] <= '9')
        digits++;
    if (!slice_to_u64(slice_take(*s, digits), number))
        return false;
    *s = slice_drop(*s, digits);
    return true;
}

static bool take(struct slice *s, struct slice what)
{
    if (!slice_starts(*s, what))
        return false;
    *s = slice_drop(*s, what.len);
    return true;
}

/* srun --label: " 2: text", the number as wide as the last one's. */
static bool slurm_line(struct slice line, uint64_t *index, struct slice *text)
{
    *text = slice_trim(line);
    return take_number(text, index) && take(text, SLICE(": "));
}

/* mpirun --tag-output: "[1,2]<stderr>:text", [job,rank]. */
static bool mpi_line(struct slice line, uint64_t *index, struct slice *text)
{
    uint64_t job;

    *text = line;
    return take(text, SLICE("[")) && take_number(text, &job) && take(text, SLICE(",")) && take_number(text, index) &&
           (take(text, SLICE("]<stderr>:")) || take(text, SLICE("]<stdout>:")));
}

/* kubectl logs --prefix: "[pod/NAME-2-x7k2p/share] text": the index is between the last dash but one and the last. */
static bool kubernetes_line(struct slice line, uint64_t *index, struct slice *text)
{
    struct slice pod, number;
    size_t end;

    *text = line;
    if (!take(text, SLICE("[pod/")))
        return false;
    pod = slice_split(text, ']');
    pod = slice_split(&pod, '/');
    take(text, SLICE(" "));
    for (end = pod.len; end > 0 && pod.ptr[end - 1] != '-'; end--)
        ;
    if (end < 2)
        return false;
    pod = slice_take(pod, end - 1);
    for (end = pod.len; end > 0 && pod.ptr[end - 1] != '-'; end--)
        ;
    number = slice_drop(pod, end);
    return end > 0 && take_number(&number, index) && number.len == 0;
}

bool job_line(enum job_engine engine, struct slice line, uint64_t *share, struct slice *text)
{
    static bool (*const READERS[JOB_ENGINES])(struct slice, uint64_t *, struct slice *) = {
        [JOB_KUBERNETES] = kubernetes_line, [JOB_SLURM] = slurm_line, [JOB_MPI] = mpi_line
    };
    uint64_t index;

    if (READERS[engine] == NULL || !READERS[engine](line, &index, text))
        return false;
    *share = index + 1;
    return true;
}
