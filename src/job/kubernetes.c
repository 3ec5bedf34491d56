/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "base/utf8.h"
#include "job/quote.h"

/* What stands in a container's way is kept in one place: the scripts, as files of a ConfigMap. In "command:" Kubernetes
 * would expand $(NAME) before a shell sees it. */
#define PLAN_DIR "/mnt/plan"
#define PARTS_DIR "/mnt/parts"
#define SCRIPT_MAX ((size_t)1 << 20)
#define MIB (UINT64_C(1) << 20)

static void add_head(struct buf *out, const struct job *job)
{
    buf_printf(out,
               "# One plan as %" PRIu64 " shares under Kubernetes (1.29 or newer). Read it, change it, then:\n"
               "#   kubectl apply -f FILE\n"
               "#   kubectl wait --for=condition=complete --timeout=%" PRIu64 "s job/%s-merge\n"
               "# (a result that is invalid or breaks a promise ends it as failed: --for=condition=failed sees that)\n"
               "#   kubectl logs job/%s-merge %s\n"
               "#   kubectl delete -f FILE\n",
               job->shares, job->time_limit_ns / NS_PER_S, job->name, job->name,
               job->kind == JOB_LOAD ? ">merged.json && plimsoll results merge merged.json"
                                     : "| awk '/^==> .* <==$/ { file = $2; next } { print >file }'; cat summary.txt");
    if (job->variable_count == 0)
        return;
    buf_printf(out,
               "# Before, the secret that the shares take their variables from:\n"
               "#   kubectl create secret generic %s-secrets",
               job->name);
    for (size_t i = 0; i < job->variable_count; i++)
        buf_printf(out, " --from-literal=%s=...", job->variables[i].name);
    buf_add_char(out, '\n');
    for (size_t i = 0; i < job->variable_count; i++)
        buf_printf(out, "#   %s: %s\n", job->variables[i].name, job->variables[i].what);
}

static void add_metadata(struct buf *out, const struct job *job, const char *suffix, const char *part)
{
    buf_printf(out, "metadata:\n  name: \"%s%s\"\n", job->name, suffix);
    if (job->name_space != NULL) {
        buf_add_str(out, "  namespace: ");
        quote_yaml(out, slice_str(job->name_space));
        buf_add_char(out, '\n');
    }
    buf_printf(out, "  labels:\n    app.kubernetes.io/name: plimsoll\n    app.kubernetes.io/instance: \"%s\"\n",
               job->name);
    if (part != NULL)
        buf_printf(out, "    app.kubernetes.io/component: %s\n", part);
}

/* Parts of several runs may lie in one claim: each run has a folder named after its start. */
static void add_folder(struct buf *out)
{
    buf_add_str(out, "parts=" PARTS_DIR "/$(tr -cd '0-9TZ' <" PLAN_DIR "/start-at)\n");
}

/* Of several runs in one store: each has a folder named after its start there too. */
static void add_store(struct buf *out, const struct job *job)
{
    buf_add_str(out, "store=");
    quote_shell(out, slice_str(job->store));
    buf_add_str(out, "/$(tr -cd '0-9TZ' <" PLAN_DIR "/start-at)\n");
}

/* What a share leaves goes to the store; several documents as one archive. */
static void add_upload(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    if (job->kind != JOB_LOAD)
        buf_add_str(out, "own=$parts/share-$((JOB_COMPLETION_INDEX + 1)).tar\n"
                         "(cd \"$folder\" && tar -cf \"$own\" *.json) || exit 3\n");
    else
        buf_add_str(out, "own=$parts/part-$((JOB_COMPLETION_INDEX + 1)).json\n"
                         "[ -e \"$own\" ] || exit $code\n");
    job_word(&w, job->program);
    job_word_raw(&w, "results put \"$store\" \"$own\" || code=3");
    job_words_end(&w);
    buf_add_str(out, "exit $code\n");
}

static void add_own_folder(struct buf *out, const struct job *job)
{
    buf_add_str(out, "folder=$parts/share-$((JOB_COMPLETION_INDEX + 1))\nmkdir -p \"$folder\"\n");
    if (job->kind == JOB_RUN) {
        buf_add_str(out, JOB_SUITE "=");
        quote_shell(out, slice_str(job->suite_path != NULL ? job->suite_path : PLAN_DIR "/suite.yaml"));
        buf_add_char(out, '\n');
    }
}

static void add_share_script(struct buf *out, const struct job *job)
{
    const bool goes_on = job->kind != JOB_LOAD || job->store != NULL;
    struct job_words w = { out, 0 };

    buf_add_str(out, "set -eu\n");
    add_folder(out);
    if (job->store != NULL)
        add_store(out, job);
    buf_add_str(out, "mkdir -p \"$parts\"\n");
    job_add_open_files(out, job, "");
    if (job->kind != JOB_LOAD)
        add_own_folder(out, job);
    if (goes_on)
        buf_add_str(out, "code=0\n");
    else
        job_word_raw(&w, "exec");
    job_add_share(&w, job, "@" PLAN_DIR "/start-at", "\"$parts/part-{share}.json\"", "$folder", true);
    if (goes_on)
        job_word_raw(&w, "|| code=$?");
    job_words_end(&w);
    if (job->store != NULL)
        add_upload(out, job);
    else if (goes_on)
        buf_add_str(out, ": >\"$folder/ended\"\nexit $code\n");
}

/* The log is all that leaves the cluster by itself: each file in it behind its name. */
static void add_merge_of_many(struct buf *out, const struct job *job)
{
    job_add_pieces(out, job, false);
    buf_add_str(out, "# All of the log: the documents, then what they say together.\n"
                     "for file in \"$parts\"/merged/*.json \"$parts/summary.txt\"; do\n"
                     "    [ ! -e \"$file\" ] || { echo \"==> ${file##*/} <==\" && cat \"$file\"; }\n"
                     "done\n"
                     "exit $code\n");
}

/* From the store to where parts of a claim would lie. */
static void add_download(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };
    char text[96];

    add_store(out, job);
    buf_add_str(out,
                "mkdir -p \"$parts\"\n# Waits for the parts; after that time it merges what there is, and says what "
                "is missing.\n");
    job_word(&w, job->program);
    snprintf(text, sizeof(text), "results get --wait %" PRIu64 "s --output \"$parts\" \"$store\"",
             job->time_limit_ns / NS_PER_S);
    job_word_raw(&w, text);
    for (uint64_t i = 1; i <= job->shares; i++) {
        if (job->kind == JOB_LOAD)
            snprintf(text, sizeof(text), "part-%" PRIu64 ".json", i);
        else
            snprintf(text, sizeof(text), "share-%" PRIu64 ".tar", i);
        job_word_raw(&w, text);
    }
    job_word_raw(&w, ">&2 || true");
    job_words_end(&w);
    if (job->kind != JOB_LOAD)
        buf_add_str(out,
                    "for own in \"$parts\"/share-*.tar; do\n"
                    "    [ ! -e \"$own\" ] || { mkdir -p \"${own%.tar}\" && tar -xf \"$own\" -C \"${own%.tar}\"; }\n"
                    "done\n");
}

static void add_wait(struct buf *out, const struct job *job)
{
    buf_printf(out,
               "# Waits for the parts; after that time it merges what there is, and says what is missing.\n"
               "for second in $(seq %" PRIu64 "); do\n"
               "    [ \"$(ls \"$parts\"/%s 2>/dev/null | wc -l)\" -lt %" PRIu64 " ] || break\n"
               "    sleep 1\n"
               "done\n",
               job->time_limit_ns / NS_PER_S, job->kind == JOB_LOAD ? "part-*.json" : "share-*/ended", job->shares);
}

static void add_merge_script(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    buf_add_str(out, "set -u\n");
    add_folder(out);
    if (job->store != NULL)
        add_download(out, job);
    else
        add_wait(out, job);
    if (job->kind != JOB_LOAD) {
        add_merge_of_many(out, job);
        return;
    }
    job_word(&w, job->program);
    job_word_raw(&w, "results merge --no-store --output \"$parts/merged.json\" \"$parts\"/part-*.json");
    job_word_raw(&w, ">\"$parts/report.txt\" 2>&1");
    job_words_end(&w);
    buf_add_str(out, "code=$?\n"
                     "# The document is all of the log.\n"
                     "cat \"$parts/merged.json\" || cat \"$parts/report.txt\" >&2\n"
                     "exit $code\n");
}

static void add_script(struct buf *out, const struct job *job, const char *key,
                       void (*add)(struct buf *out, const struct job *job))
{
    struct buf script;

    buf_init(&script, SCRIPT_MAX);
    add(&script, job);
    buf_printf(out, "  %s:", key);
    quote_yaml_lines(out, buf_slice(&script), 2);
    buf_release(&script);
}

static void add_suite(struct buf *out, const struct job *job)
{
    buf_add_slice(out, job->suite);
    if (!slice_ends(job->suite, SLICE("\n")))
        buf_add_char(out, '\n');
}

static void add_config_map(struct buf *out, const struct job *job)
{
    buf_add_str(out, "apiVersion: v1\nkind: ConfigMap\n");
    add_metadata(out, job, "", NULL);
    buf_add_str(out, "data:\n  # All shares begin at this moment; who comes late says by how much. Change it before a "
                     "manifest is applied again.\n"
                     "  start-at: ");
    quote_yaml(out, slice_str(job->start_at));
    buf_add_char(out, '\n');
    add_script(out, job, "share.sh", add_share_script);
    add_script(out, job, "merge.sh", add_merge_script);
    if (job->suite.len > 0 && job->suite_path == NULL)
        add_script(out, job, "suite.yaml", add_suite);
}

static const char *claim_of(const struct job *job, char own[128])
{
    snprintf(own, 128, "%s-parts", job->name);
    return job->claim != NULL ? job->claim : own;
}

static void add_claim(struct buf *out, const struct job *job)
{
    if (job->claim != NULL || job->store != NULL)
        return;
    buf_add_str(
        out, "---\n# Where the shares leave their parts: many nodes write to it. Most clusters need a class that can\n"
             "# (NFS, CephFS, EFS, Filestore, Azure Files ...); --claim NAME takes one that is there.\n"
             "apiVersion: v1\nkind: PersistentVolumeClaim\n");
    add_metadata(out, job, "-parts", NULL);
    buf_printf(out,
               "spec:\n  accessModes: [\"ReadWriteMany\"]\n  # storageClassName: nfs\n  resources:\n    requests:\n"
               "      storage: \"%" PRIu64 "Mi\"\n",
               (job->claim_bytes + MIB - 1) / MIB);
}

/* One machine for each share, where no more than one is asked for; else spread evenly. */
static void add_spread(struct buf *out, const struct job *job)
{
    if (job->per_machine == 1) {
        buf_printf(out,
                   "      # Never two shares on one node: they would share its ports, its network card and its CPUs.\n"
                   "      affinity:\n"
                   "        podAntiAffinity:\n"
                   "          requiredDuringSchedulingIgnoredDuringExecution:\n"
                   "            - topologyKey: kubernetes.io/hostname\n"
                   "              labelSelector:\n"
                   "                matchLabels:\n"
                   "                  app.kubernetes.io/instance: \"%s\"\n"
                   "                  app.kubernetes.io/component: share\n",
                   job->name);
        return;
    }
    buf_printf(out,
               "      # Evenly over the nodes.\n"
               "      topologySpreadConstraints:\n"
               "        - maxSkew: 1\n"
               "          topologyKey: kubernetes.io/hostname\n"
               "          whenUnsatisfiable: DoNotSchedule\n"
               "          labelSelector:\n"
               "            matchLabels:\n"
               "              app.kubernetes.io/instance: \"%s\"\n"
               "              app.kubernetes.io/component: share\n",
               job->name);
}

static void add_resources(struct buf *out, const struct job *job)
{
    if (job->cpus == 0 && job->memory_bytes == 0)
        return;
    buf_add_str(out, "          # Requests as high as limits: the node keeps them free for the share.\n"
                     "          resources:\n");
    for (int i = 0; i < 2; i++) {
        buf_printf(out, "            %s:\n", i == 0 ? "requests" : "limits");
        if (job->cpus > 0)
            buf_printf(out, "              cpu: \"%" PRIu64 "\"\n", job->cpus);
        if (job->memory_bytes > 0)
            buf_printf(out, "              memory: \"%" PRIu64 "Mi\"\n", (job->memory_bytes + MIB - 1) / MIB);
    }
}

static void add_environment(struct buf *out, const struct job *job)
{
    if (job->variable_count == 0)
        return;
    buf_add_str(out, "          env:\n");
    for (size_t i = 0; i < job->variable_count; i++)
        buf_printf(out,
                   "            - name: %s\n"
                   "              valueFrom:\n"
                   "                secretKeyRef:\n"
                   "                  name: \"%s-secrets\"\n"
                   "                  key: %s\n",
                   job->variables[i].name, job->name, job->variables[i].name);
}

static void add_container(struct buf *out, const struct job *job, const char *script, const char *container)
{
    buf_printf(out, "      containers:\n        - name: %s\n          image: ", container);
    quote_yaml(out, slice_str(job->image));
    buf_printf(out,
               "\n          command: [\"sh\", \"" PLAN_DIR "/%s\"]\n"
               "          securityContext:\n"
               "            allowPrivilegeEscalation: false\n"
               "            capabilities: { drop: [\"ALL\"] }\n"
               "          volumeMounts:\n"
               "            - { name: plan, mountPath: " PLAN_DIR ", readOnly: true }\n"
               "            - { name: parts, mountPath: " PARTS_DIR " }\n",
               script);
}

static void add_volumes(struct buf *out, const struct job *job)
{
    char own[128];

    buf_printf(out,
               "      volumes:\n"
               "        - name: plan\n"
               "          configMap:\n"
               "            name: \"%s\"\n"
               "        - name: parts\n",
               job->name);
    if (job->store != NULL) {
        buf_add_str(out, "          emptyDir: {}\n");
        return;
    }
    buf_add_str(out, "          persistentVolumeClaim:\n            claimName: ");
    quote_yaml(out, slice_str(claim_of(job, own)));
    buf_add_char(out, '\n');
}

/* The pod, up to its containers. */
static void add_pod(struct buf *out, const struct job *job, const char *part)
{
    buf_printf(out,
               "  template:\n"
               "    metadata:\n"
               "      labels:\n"
               "        app.kubernetes.io/name: plimsoll\n"
               "        app.kubernetes.io/instance: \"%s\"\n"
               "        app.kubernetes.io/component: %s\n"
               "    spec:\n"
               "      restartPolicy: Never\n"
               "      automountServiceAccountToken: false\n"
               "      securityContext:\n"
               "        runAsNonRoot: true\n"
               "        runAsUser: 65532\n"
               "        fsGroup: 65532\n",
               job->name, part);
}

static void add_shares(struct buf *out, const struct job *job)
{
    buf_add_str(out, "---\n# The shares, all at once; JOB_COMPLETION_INDEX says which one a pod is. None is started a "
                     "second time: it would\n"
                     "# be late. One that fails does not end the others.\n"
                     "apiVersion: batch/v1\nkind: Job\n");
    add_metadata(out, job, "", "share");
    buf_printf(out,
               "spec:\n"
               "  completionMode: Indexed\n"
               "  completions: %" PRIu64 "\n"
               "  parallelism: %" PRIu64 "\n"
               "  backoffLimitPerIndex: 0\n"
               "  activeDeadlineSeconds: %" PRIu64 "\n",
               job->shares, job->shares, job->time_limit_ns / NS_PER_S);
    add_pod(out, job, "share");
    add_spread(out, job);
    add_container(out, job, "share.sh", "share");
    add_resources(out, job);
    add_environment(out, job);
    add_volumes(out, job);
}

static void add_merge_job(struct buf *out, const struct job *job)
{
    buf_add_str(out, "---\n# Merges the parts when all are there. Exact: counts and histograms are added.\n"
                     "apiVersion: batch/v1\nkind: Job\n");
    add_metadata(out, job, "-merge", "merge");
    buf_printf(out, "spec:\n  backoffLimit: 0\n  activeDeadlineSeconds: %" PRIu64 "\n",
               job->time_limit_ns / NS_PER_S + 120);
    add_pod(out, job, "merge");
    add_container(out, job, "merge.sh", "merge");
    if (job->store != NULL)
        add_environment(out, job);
    add_volumes(out, job);
}

void job_add_kubernetes(struct buf *out, const struct job *job)
{
    add_head(out, job);
    add_config_map(out, job);
    add_claim(out, job);
    add_shares(out, job);
    add_merge_job(out, job);
}

int job_render_secret(struct buf *out, const struct job *job, const char *const *values, struct err *err)
{
    buf_add_str(out, "apiVersion: v1\nkind: Secret\n");
    add_metadata(out, job, "-secrets", NULL);
    buf_add_str(out, "stringData:\n");
    for (size_t i = 0; i < job->variable_count; i++) {
        if (!utf8_is_valid(slice_str(values[i])))
            return err_set(err, ERR_USAGE, 0, "%s is not UTF-8: a manifest can not hold it", job->variables[i].what);
        buf_printf(out, "  %s: ", job->variables[i].name);
        quote_yaml(out, slice_str(values[i]));
        buf_add_char(out, '\n');
    }
    return buf_ok(out) ? 0 : err_set(err, ERR_LIMIT, 0, "the secrets are too long");
}
