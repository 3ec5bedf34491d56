/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kubernetes: apply, look until the merging pod has ended, take its log (the merged document), delete. */
#include "cli/job_apply.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/interrupt.h"

#define TURN_MS 500
#define CLIENT_TIMEOUT_NS (UINT64_C(120) * NS_PER_S)
#define OUTPUT_MAX_BYTES ((size_t)1 << 28)
#define SLACK_NS (UINT64_C(300) * NS_PER_S)
enum { WORDS_MAX = 16 };

struct cluster {
    struct job_run *run;
    char manifest[PATH_MAX], secret[PATH_MAX], out_path[PATH_MAX], logs[PATH_MAX];
    bool has_secret, has_objects, was_taken;
    struct process follower;
};

/* kubectl, the namespace if one was given, then words (NULL-terminated). */
static void words_of(const struct cluster *c, const char *out[WORDS_MAX], const char *const *words)
{
    const char *name_space = c->run->plan->job.name_space;
    size_t n = 0;

    out[n++] = "kubectl";
    while (*words != NULL && n < WORDS_MAX - 3)
        out[n++] = *words++;
    if (name_space != NULL) {
        out[n++] = "--namespace";
        out[n++] = name_space;
    }
    out[n] = NULL;
}

static int kubectl(const struct cluster *c, const char *const *words, struct err *err)
{
    const char *all[WORDS_MAX];
    int status;

    words_of(c, all, words);
    return job_run_client(c->run, all, c->out_path, CLIENT_TIMEOUT_NS, &status, err);
}

/* The variables' values; the file is for us alone, and gone as soon as it was applied. */
static int write_secret(struct cluster *c, struct err *err)
{
    const struct job *job = &c->run->plan->job;
    const char **values = calloc(job->variable_count + 1, sizeof(*values));
    struct buf text;
    int rc;

    if (values == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make the job's secret");
    for (size_t i = 0; i < job->variable_count; i++)
        values[i] = getenv(job->variables[i].name);
    buf_init(&text, OUTPUT_MAX_BYTES);
    rc = job_render_secret(&text, job, values, err);
    if (rc == 0)
        rc = file_write(c->secret, buf_slice(&text), err);
    buf_release(&text);
    free(values);
    return rc;
}

static int apply_secret(struct cluster *c, struct err *err)
{
    const char *const words[] = { "apply", "-f", c->secret, NULL };
    int rc;

    if (c->run->plan->job.variable_count == 0)
        return 0;
    if (write_secret(c, err) != 0)
        return -1;
    rc = kubectl(c, words, err);
    unlink(c->secret);
    c->has_secret = rc == 0;
    return rc;
}

/* Starts `kubectl logs -f` again and again: it ends while pods are not there yet. */
static void follow(struct cluster *c)
{
    char selector[160], requests[48];
    const char *const words[] = { "logs", "--follow", "--prefix", "--ignore-errors", "--since=3s", requests,
                                  "-l",   selector,   NULL };
    const char *all[WORDS_MAX];
    struct process_outcome out;
    struct err ignored = { 0 };

    if (process_is_running(&c->follower, &out))
        return;
    snprintf(selector, sizeof(selector), "app.kubernetes.io/instance=%s,app.kubernetes.io/component=share",
             c->run->plan->job.name);
    snprintf(requests, sizeof(requests), "--max-log-requests=%" PRIu64, c->run->plan->job.shares);
    words_of(c, all, words);
    const struct process_job job = { .name = "kubectl", .words = all, .out_path = c->logs, .log_path = "/dev/null" };

    if (process_start(&c->follower, &job, &ignored) != 0)
        c->follower = PROCESS_NONE;
}

/* *state: 's', 'f' or 'r': the merging job has succeeded, failed, or goes on. */
static int look(struct cluster *c, char *state, struct err *err)
{
    char name[80];
    const char *const words[] = { "get", "job", name, "-o", "jsonpath={.status.succeeded}/{.status.failed}", NULL };
    struct buf text;
    struct slice failed, succeeded;
    int rc;

    snprintf(name, sizeof(name), "%s-merge", c->run->plan->job.name);
    if (kubectl(c, words, err) != 0)
        return -1;
    buf_init(&text, 4096);
    rc = file_read(c->out_path, &text, err);
    failed = buf_slice(&text);
    succeeded = slice_split(&failed, '/');
    *state = succeeded.len > 0 && succeeded.ptr[0] != '0' ? 's' : failed.len > 0 && failed.ptr[0] != '0' ? 'f' : 'r';
    buf_release(&text);
    return rc;
}

static int wait_for_merge(struct cluster *c, char *state, struct err *err)
{
    const uint64_t end_ns = clock_now_ns() + c->run->plan->job.time_limit_ns + SLACK_NS;

    for (;;) {
        if (look(c, state, err) != 0)
            return -1;
        if (*state != 'r')
            return 0;
        if (*interrupt_flag() != 0) {
            c->run->cancelled = true;
            return 0;
        }
        if (clock_now_ns() > end_ns)
            return err_set(err, ERR_SYSTEM, ETIMEDOUT, "job %s", c->run->plan->job.name);
        follow(c);
        job_watch_turn(&c->run->watch);
        (void)poll(NULL, 0, TURN_MS);
    }
}

/* What the merging pod wrote: the document, and before it what it complained about. */
static int fetch(struct cluster *c, const char *path, int *code, struct err *err)
{
    const struct job *job = &c->run->plan->job;
    char name[80];
    const char *const words[] = { "logs", name, NULL };
    struct buf text;
    int rc;

    snprintf(name, sizeof(name), "job/%s-merge", c->run->plan->job.name);
    if (kubectl(c, words, err) != 0)
        return -1;
    buf_init(&text, OUTPUT_MAX_BYTES);
    rc = file_read(c->out_path, &text, err);
    struct slice all = buf_slice(&text);
    if (rc == 0 && job->kind != JOB_LOAD) {
        rc = job_pieces_unpack(all, job->parts, code, err);
        buf_release(&text);
        return rc;
    }
    const ptrdiff_t begin = slice_starts(all, SLICE("{")) ? 0 : slice_find_slice(all, SLICE("\n{"));
    if (rc == 0 && begin < 0) {
        fprintf(stderr, "%.*s", SLICE_FMT(all));
        rc = err_set(err, ERR_PEER, 0, "the merging pod made no result");
    }
    if (rc == 0) { /* a report that follows, of a result that is not valid, stands behind the last brace */
        struct slice document = slice_drop(all, (size_t)begin + (begin > 0));
        const ptrdiff_t last = slice_find_slice(document, SLICE("\n}\n"));

        rc = file_write(path, last >= 0 ? slice_take(document, (size_t)last + 3) : document, err);
    }
    buf_release(&text);
    return rc;
}

static int clean(struct cluster *c, struct err *err)
{
    char name[80];
    const char *const manifest[] = { "delete", "--ignore-not-found", "--wait=false", "-f", c->manifest, NULL };
    const char *const secret[] = { "delete", "--ignore-not-found", "secret", name, NULL };
    int rc = 0;

    process_end(&c->follower, 0);
    snprintf(name, sizeof(name), "%s-secrets", c->run->plan->job.name);
    if (c->run->options->keep && !c->run->cancelled)
        return 0;
    rc = c->has_objects ? kubectl(c, manifest, err) : 0;
    if (c->has_secret && kubectl(c, secret, err) != 0)
        rc = -1;
    return rc;
}

/* Nothing was sent: that is as good as a wrong usage. */
static int not_taken(struct err *err)
{
    err->kind = ERR_CONFIG;
    return err_hint(err,
                    "kubectl cluster-info says whether there is a cluster, kubectl auth can-i create jobs whether it "
                    "takes them from you");
}

static int carry_out(struct cluster *c, const char *merged, int *code, struct err *err)
{
    const char *const words[] = { "apply", "-f", c->manifest, NULL };
    char state = 'r';

    if (apply_secret(c, err) != 0)
        return not_taken(err);
    c->has_objects = true; /* some of them, also when it ends with an error */
    if (kubectl(c, words, err) != 0)
        return not_taken(err);
    c->was_taken = true;
    cli_note(c->run->who, "job %s was applied; the shares start at %s", c->run->plan->job.name,
             c->run->plan->job.start_at);
    if (wait_for_merge(c, &state, err) != 0)
        return -1;
    job_watch_end(&c->run->watch);
    return c->run->cancelled ? 0 : fetch(c, merged, code, err);
}

int job_apply_kubernetes(struct job_run *run, int *code, struct err *err)
{
    struct cluster c = { .run = run, .follower = PROCESS_NONE };
    const char *merged = run->plan->job.merged;
    char own[PATH_MAX];
    struct err cleaning = { 0 };
    int rc;

    if (job_run_write(run, "job.yaml", c.manifest, err) != 0 || job_run_path(run, "secret.yaml", c.secret, err) != 0 ||
        job_run_path(run, "kubectl.out", c.out_path, err) != 0 || job_run_path(run, "shares.log", c.logs, err) != 0 ||
        job_run_path(run, "merged.json", own, err) != 0 || job_watch_add(&run->watch, c.logs, 0, err) != 0)
        return -1;
    rc = carry_out(&c, merged != NULL ? merged : own, code, err);
    if (clean(&c, &cleaning) != 0 && c.was_taken)
        cli_complain(run->who, &cleaning);
    if (rc == 0 && !run->cancelled && run->plan->job.kind == JOB_LOAD)
        *code = job_run_report(run, merged != NULL ? merged : own, true);
    return rc;
}
