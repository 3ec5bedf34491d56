/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedulers whose text is a script: mpirun and parallel run it from here, Slurm is given it. */
#include "cli/job_apply.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/interrupt.h"

#define TURN_MS 200
#define SLURM_TURN_MS 1000
#define CANCEL_GRACE_NS (UINT64_C(30) * NS_PER_S)
#define CLIENT_TIMEOUT_NS (UINT64_C(60) * NS_PER_S)
#define LINE_MAX_BYTES ((size_t)1 << 16)
#define OUTPUT_MAX_BYTES ((size_t)1 << 26)

static void pause_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* The script refuses it too, but of Slurm that would be told in a log, hours later. */
static int check_parts(const struct job *job, struct err *err)
{
    DIR *dir = opendir(job->parts);
    const struct dirent *entry;
    char found[64] = "";

    while (dir != NULL && found[0] == '\0' && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "part-", 5) == 0 || strncmp(entry->d_name, "share-", 6) == 0)
            snprintf(found, sizeof(found), "%.60s", entry->d_name);
    if (dir != NULL)
        closedir(dir);
    if (found[0] == '\0')
        return 0;
    err_set(err, ERR_CONFIG, 0, "%s has parts of another run: %s", job->parts, found);
    return err_hint(err, "give another folder with --parts, or empty that one");
}

/* ---- mpirun, parallel ---- */

static int watch_ssh_shares(struct job_run *run, struct err *err)
{
    const struct job *job = &run->plan->job;
    char path[PATH_MAX];

    for (uint64_t i = 1; i <= job->shares; i++) {
        snprintf(path, sizeof(path), "%s/share-%" PRIu64 "/stderr", job->parts, i);
        if (job_watch_add(&run->watch, path, i, err) != 0)
            return -1;
    }
    return 0;
}

/* The launcher is interrupted as by Ctrl-C, ends its shares, and the script merges what they have. */
static void wait_for_script(struct job_run *run, struct process *p, struct process_outcome *out)
{
    uint64_t asked_ns = 0;

    while (process_is_running(p, out)) {
        job_watch_turn(&run->watch);
        if (*interrupt_flag() != 0 && asked_ns == 0) {
            asked_ns = clock_now_ns();
            run->cancelled = true;
            kill(-p->pid, SIGINT);
        }
        if (asked_ns != 0 && clock_now_ns() - asked_ns > CANCEL_GRACE_NS)
            process_end(p, 0);
        pause_ms(TURN_MS);
    }
    job_watch_end(&run->watch);
}

static int show_file(const char *path, FILE *to, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, OUTPUT_MAX_BYTES);
    rc = file_read(path, &text, err);
    if (rc == 0)
        fwrite(text.data != NULL ? text.data : "", 1, text.len, to);
    buf_release(&text);
    return rc;
}

int job_apply_script(struct job_run *run, int *code, struct err *err)
{
    const bool by_ssh = run->plan->job.engine == JOB_SSH;
    char script[PATH_MAX], out_path[PATH_MAX], log_path[PATH_MAX];
    const char *const words[] = { by_ssh ? "bash" : "sh", script, NULL };
    struct process process;
    struct process_outcome out = { 0 };

    if (check_parts(&run->plan->job, err) != 0 || job_run_write(run, "job.sh", script, err) != 0 ||
        job_run_path(run, "out", out_path, err) != 0 || job_run_path(run, "log", log_path, err) != 0 ||
        job_watch_add(&run->watch, log_path, 0, err) != 0 || (by_ssh && watch_ssh_shares(run, err) != 0))
        return -1;
    const struct process_job job = { .name = words[0], .words = words, .out_path = out_path, .log_path = log_path };

    if (process_start(&process, &job, err) != 0)
        return -1;
    wait_for_script(run, &process, &out);
    process_end(&process, 0);
    *code = out.status;
    return show_file(out_path, stdout, err);
}

/* ---- Slurm ---- */

/* The first line of a program's output, without blanks at its ends. */
static int read_line(const char *path, char *out, size_t room, struct err *err)
{
    struct buf text;
    struct slice rest, line;
    int rc;

    buf_init(&text, LINE_MAX_BYTES);
    rc = file_read(path, &text, err);
    rest = buf_slice(&text);
    line = slice_trim(slice_split(&rest, '\n'));
    snprintf(out, room, "%.*s", SLICE_FMT(line));
    buf_release(&text);
    return rc;
}

/* "17" or "17;cluster": what sbatch --parsable prints. */
static int submit(struct job_run *run, const char *out_path, char *id, size_t room, struct err *err)
{
    char script[PATH_MAX];
    const char *const words[] = { "sbatch", "--parsable", script, NULL };
    int status;

    if (job_run_write(run, "job.sh", script, err) != 0)
        return -1;
    if (job_run_client(run, words, out_path, CLIENT_TIMEOUT_NS, &status, err) != 0) {
        err->kind = ERR_CONFIG; /* nothing was sent */
        return err_hint(err, "sinfo says whether there is a cluster, and which partitions take jobs");
    }
    if (read_line(out_path, id, room, err) != 0)
        return -1;
    id[strspn(id, "0123456789")] = '\0';
    if (id[0] == '\0')
        return err_set(err, ERR_PEER, 0, "sbatch told no number of a job");
    cli_note(run->who, "job %s was submitted", id);
    return 0;
}

static bool has_ended(const char *state)
{
    static const char *const GOING[] = { "PENDING",   "RUNNING",  "CONFIGURING", "COMPLETING",
                                         "SUSPENDED", "REQUEUED", "RESIZING",    "SIGNALING",
                                         "STAGE_OUT", "STOPPED",  "REQUEUE_HOLD" };

    for (size_t i = 0; i < sizeof(GOING) / sizeof(GOING[0]); i++)
        if (strcmp(state, GOING[i]) == 0)
            return false;
    return true; /* also "": squeue has forgotten it */
}

static int cancel(struct job_run *run, const char *id, const char *out_path, struct err *err)
{
    const char *const words[] = { "scancel", id, NULL };
    int status;

    run->cancelled = true;
    cli_note(run->who, "job %s is cancelled", id);
    return job_run_client(run, words, out_path, CLIENT_TIMEOUT_NS, &status, err);
}

static int wait_for_job(struct job_run *run, const char *id, const char *out_path, struct err *err)
{
    const char *const words[] = { "squeue", "--noheader", "--states=all", "--format=%T", "--jobs", id, NULL };
    char state[64] = "PENDING";
    struct err failed = { 0 };
    unsigned misses = 0;
    int status;

    while (!has_ended(state)) {
        job_watch_turn(&run->watch);
        if (*interrupt_flag() != 0 && !run->cancelled && cancel(run, id, out_path, err) != 0)
            return -1;
        pause_ms(SLURM_TURN_MS);
        /* An id that is not known any more is an error of squeue; so is a controller that restarts. */
        if (job_run_client(run, words, out_path, CLIENT_TIMEOUT_NS, &status, &failed) == 0) {
            misses = 0;
            if (read_line(out_path, state, sizeof(state), err) != 0)
                return -1;
        } else if (++misses == 10) {
            break;
        }
    }
    job_watch_end(&run->watch);
    return 0;
}

int job_apply_slurm(struct job_run *run, int *code, struct err *err)
{
    const struct job *job = &run->plan->job;
    char out_path[PATH_MAX], id[64], log[PATH_MAX], merged[PATH_MAX];

    if (check_parts(job, err) != 0 || job_run_path(run, "out", out_path, err) != 0 ||
        submit(run, out_path, id, sizeof(id), err) != 0)
        return -1;
    snprintf(log, sizeof(log), "%s-%s.log", job->name, id);
    snprintf(merged, sizeof(merged), "%s/merged.json", job->parts);
    if (job_watch_add(&run->watch, log, 0, err) != 0 || wait_for_job(run, id, out_path, err) != 0)
        return -1;
    if (job->kind != JOB_LOAD && !run->cancelled) {
        snprintf(merged, sizeof(merged), "%s/summary.txt", job->parts);
        return job_pieces_report(merged, code, err) == 0 ? 0 : err_hint(err, "its output is in %s", log);
    }
    if (access(job->merged != NULL ? job->merged : merged, R_OK) == 0) {
        *code = job_run_report(run, job->merged != NULL ? job->merged : merged, false);
        return 0;
    }
    if (run->cancelled)
        return 0;
    err_set(err, ERR_SYSTEM, 0, "job %s left no merged result", id);
    return err_hint(err, "its output is in %s", log);
}
