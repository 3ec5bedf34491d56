/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job_apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/run_work.h"

#define SCRIPT_MAX_BYTES ((size_t)1 << 22)

int job_run_path(const struct job_run *run, const char *name, char *out, struct err *err)
{
    const int n = snprintf(out, PATH_MAX, "%s/%s", run->dir, name);

    return n > 0 && n < PATH_MAX ? 0 : err_set(err, ERR_SYSTEM, ENAMETOOLONG, "%s", run->dir);
}

int job_run_write(const struct job_run *run, const char *name, char *path, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, SCRIPT_MAX_BYTES);
    rc = job_run_path(run, name, path, err);
    if (rc == 0)
        rc = job_render(&text, &run->plan->job, err);
    if (rc == 0)
        rc = file_write(path, buf_slice(&text), err);
    buf_release(&text);
    return rc;
}

int job_run_client(const struct job_run *run, const char *const *words, const char *out_path, uint64_t timeout_ns,
                   int *status, struct err *err)
{
    struct process process;
    struct process_outcome out;
    char log[PATH_MAX], said[200];

    if (job_run_path(run, "client.log", log, err) != 0)
        return -1;
    const struct process_job job = { .name = words[0], .words = words, .out_path = out_path, .log_path = log };

    unlink(log);
    unlink(out_path);
    if (process_start(&process, &job, err) != 0)
        return -1;
    process_wait(&process, timeout_ns, NULL, 0, NULL, NULL, &out);
    process_end(&process, 0);
    *status = out.status;
    if (out.end == PROCESS_TIMED_OUT)
        return err_set(err, ERR_SYSTEM, ETIMEDOUT, "%s %s", words[0], words[1]);
    if (out.status == 0)
        return 0;
    process_tail(log, 0, said, sizeof(said));
    return err_set(err, ERR_SYSTEM, 0, "%s %s ended with %d: %s", words[0], words[1], out.status,
                   said[0] != '\0' ? said : "it said nothing");
}

int job_run_report(const struct job_run *run, const char *document, bool store)
{
    char *words[7];
    int count = 0, code;

    words[count++] = strdup("results");
    words[count++] = strdup("merge");
    if (!store)
        words[count++] = strdup("--no-store");
    words[count++] = strdup("--");
    words[count++] = strdup(document);
    words[count] = NULL;
    code = cmd_results(count, words);
    for (int i = 0; i < count; i++)
        free(words[i]);
    return code;
}

static bool is_in_path(const char *program)
{
    struct slice rest = slice_str(getenv("PATH"));
    char path[PATH_MAX];

    while (rest.len > 0) {
        const struct slice dir = slice_split(&rest, ':');

        snprintf(path, sizeof(path), "%.*s/%s", SLICE_FMT(dir), program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static int check_clients(enum job_engine engine, struct err *err)
{
    static const char *const NEEDED[JOB_ENGINES][4] = {
        [JOB_KUBERNETES] = { "kubectl" },
        [JOB_SLURM] = { "sbatch", "squeue", "scancel" },
        [JOB_MPI] = { "mpirun" },
        [JOB_SSH] = { "parallel", "bash" },
    };

    for (size_t i = 0; i < 4 && NEEDED[engine][i] != NULL; i++)
        if (!is_in_path(NEEDED[engine][i])) {
            err_set(err, ERR_CONFIG, 0, "%s is not here, which --apply needs", NEEDED[engine][i]);
            return err_hint(err, "install it, or leave --apply out and run the printed text where it is");
        }
    return 0;
}

static int make_dir(struct job_run *run, struct err *err)
{
    const char *temporary = getenv("TMPDIR");

    snprintf(run->dir, sizeof(run->dir), "%s/plimsoll-job-XXXXXX",
             temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    if (mkdtemp(run->dir) != NULL)
        return 0;
    run->dir[0] = '\0';
    return err_set(err, ERR_SYSTEM, errno, "cannot make a folder for the job's files");
}

static int carry_out(struct job_run *run, int *code, struct err *err)
{
    static int (*const ENGINES[JOB_ENGINES])(struct job_run *, int *, struct err *) = {
        [JOB_KUBERNETES] = job_apply_kubernetes,
        [JOB_SLURM] = job_apply_slurm,
        [JOB_MPI] = job_apply_script,
        [JOB_SSH] = job_apply_script,
    };
    const struct job *job = &run->plan->job;

    if (check_clients(job->engine, err) != 0 || job_plan_set_environment(run->plan, err) != 0 ||
        make_dir(run, err) != 0 || job_watch_init(&run->watch, job, run->options->progress, run->who, err) != 0)
        return -1;
    interrupt_install();
    return ENGINES[job->engine](run, code, err);
}

int job_apply(const struct job_plan *plan, const struct job_options *o, const char *who)
{
    struct job_run run = { .plan = plan, .options = o, .who = who };
    struct err err = { 0 };
    int code = 0;

    if (carry_out(&run, &code, &err) != 0) {
        job_watch_end(&run.watch);
        code = cli_complain(who, &err);
        run.keeps_dir = run.dir[0] != '\0' && err_exit_code(err.kind) != 2;
    }
    job_watch_release(&run.watch);
    if (run.keeps_dir)
        cli_note(who, "what the programs said: %s", run.dir);
    else if (run.dir[0] != '\0')
        run_work_remove(run.dir);
    return run.cancelled ? INTERRUPT_EXIT_CODE : code;
}
