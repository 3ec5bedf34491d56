/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/object_store.h"
#include "cli/share_start.h"

#define VARIABLE_MAX 64u
#define SPARE_FILES 128u /* of a process beside its connections */
#define SLACK_NS (UINT64_C(120) * NS_PER_S)
#define SUITE_MAX_BYTES ((size_t)100 << 10) /* a variable of the environment has 128 KiB, a ConfigMap 1 MiB */
#define UNKNOWN_LENGTH_NS (UINT64_C(3600) * NS_PER_S)

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "cannot plan the job");
}

/* A share with nothing to do is refused by load; better once and now. */
static int check_size(const struct load_options *l, uint64_t shares, struct err *err)
{
    const uint64_t connections = l != NULL ? l->connections * l->urls.count : 0;

    if (l == NULL)
        return 0;
    if (l->targets_file == NULL && l->urls.count > 0 && connections < shares) {
        err_set(err, ERR_USAGE, 0, "%" PRIu64 " connection%s can not be divided among %" PRIu64 " shares", connections,
                units_plural(connections), shares);
        return err_hint(err, "-c and -n of the command are those of the whole plan");
    }
    if (l->requests > 0 && l->requests < shares) {
        err_set(err, ERR_USAGE, 0, "%" PRIu64 " request%s can not be divided among %" PRIu64 " shares", l->requests,
                units_plural(l->requests), shares);
        return err_hint(err, "-c and -n of the command are those of the whole plan");
    }
    return 0;
}

/* ---- secrets ---- */

/* Only what may stand in a comment and in ${NAME:?...}. */
static void add_label(struct buf *out, const char *word)
{
    for (; *word != '\0' && *word != '='; word++)
        if ((*word | 0x20) >= 'a' ? (*word | 0x20) <= 'z'
                                  : (*word == '-' || *word == '.' || (*word >= '0' && *word <= '9')))
            buf_add_char(out, *word);
}

/* "the value of --user"; "word 3, with --user=". */
static char *describe(const struct job_options *o, size_t i)
{
    const char *const *words = (const char *const *)o->words.items + 1;
    struct buf text;

    buf_init(&text, 4096);
    if (words[i][0] == '-') {
        buf_add_str(&text, "the whole word that begins with ");
        if (words[i][1] == '-')
            add_label(&text, words[i]);
        else
            buf_printf(&text, "-%c", (words[i][1] | 0x20) >= 'a' && (words[i][1] | 0x20) <= 'z' ? words[i][1] : '-');
    } else if (i > 0 && words[i - 1][0] == '-') {
        buf_add_str(&text, "the value of ");
        add_label(&text, words[i - 1]);
    } else {
        buf_printf(&text, "word %zu of the command, a URL", i + 1);
    }
    return buf_detach(&text);
}

static bool add_variable(struct job_plan *p, char *name, char *what)
{
    struct job_variable *all = realloc(p->variables, (p->job.variable_count + 1) * sizeof(*all));

    if (all != NULL)
        p->variables = all;
    if (all == NULL || name == NULL || what == NULL) {
        free(name);
        free(what);
        return false;
    }
    all[p->job.variable_count++] = (struct job_variable){ name, what };
    return true;
}

/* The words; one that the command would not store as it is has a secret in it. */
static int take_words(struct job_plan *p, const struct job_options *o, const struct job_command *c, struct err *err)
{
    const size_t count = o->words.count - 1;

    p->words = calloc(count, sizeof(*p->words));
    if (p->words == NULL)
        return no_memory(err);
    p->job.words = p->words;
    for (size_t i = 0; i < count; i++) {
        char name[VARIABLE_MAX];

        p->words[i].text = o->words.items[i + 1];
        p->job.word_count = i + 1;
        if (c->kind == JOB_RUN && i == c->suite_word)
            p->words[i].variable = JOB_SUITE;
        if (p->words[i].variable != NULL || strcmp(p->words[i].text, c->words->items[i]) == 0)
            continue;
        snprintf(name, sizeof(name), "PLIMSOLL_SECRET_%zu", p->job.variable_count + 1);
        if (!add_variable(p, strdup(name), describe(o, i)))
            return no_memory(err);
        p->words[i].variable = p->variables[p->job.variable_count - 1].name;
    }
    return 0;
}

static bool is_variable_name(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (*c != '_' && !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && !(*c >= '0' && *c <= '9' && c > name))
            return false;
    return name[0] != '\0';
}

/* --auth-bearer env:NAME */
static int take_named_variable(struct job_plan *p, const struct load_options *l, struct err *err)
{
    if (l == NULL || l->bearer == NULL || strncmp(l->bearer, "env:", 4) != 0)
        return 0;
    if (!is_variable_name(l->bearer + 4)) {
        err_set(err, ERR_USAGE, 0, "--auth-bearer: \"%s\" names no variable that a shell knows", l->bearer);
        return err_hint(err, "letters, digits and _: env:API_TOKEN");
    }
    return add_variable(p, strdup(l->bearer + 4), strdup("the token of --auth-bearer")) ? 0 : no_memory(err);
}

/* Credentials of the store: those that it can not do without, and what else is set here. */
static int take_store_variables(struct job_plan *p, const struct job_options *o, struct err *err)
{
    const unsigned needed = o->store != NULL ? object_store_needs(o->store) : 0;

    for (size_t i = 0; o->store != NULL && OBJECT_STORE_VARIABLES[i] != NULL; i++) {
        const char *name = OBJECT_STORE_VARIABLES[i];

        if ((i < needed || getenv(name) != NULL) &&
            !add_variable(p, strdup(name), strdup("what the store of the parts wants")))
            return no_memory(err);
    }
    return 0;
}

/* ---- figures ---- */

static uint64_t open_files_of(const struct load_options *l, uint64_t shares)
{
    uint64_t each;

    if (l == NULL || l->targets_file != NULL || l->urls.count == 0)
        return 0;
    each = l->grow > l->connections ? l->grow : l->connections;
    return (each * l->urls.count + shares - 1) / shares + SPARE_FILES;
}

static uint64_t time_limit_of(const struct job_command *c, uint64_t start_in_ns)
{
    return start_in_ns + (c->needed_ns > 0 ? c->needed_ns + c->spare_ns : UNKNOWN_LENGTH_NS) + SLACK_NS;
}

/* What each share would refuse, or the scheduler would cut short. */
static int check_times(const struct job_options *o, const struct job_command *c, struct err *err)
{
    const uint64_t needed = o->start_in_ns + c->needed_ns;
    char given[UNITS_TEXT_MAX], least[UNITS_TEXT_MAX];

    if (o->start_in_ns > SHARE_START_EARLY_NS && c->share->clock_check == NULL) {
        err_set(err, ERR_USAGE, 0, "--start-in %s: a share refuses a start more than 15 minutes ahead",
                units_format_duration(given, (double)o->start_in_ns));
        return err_hint(err,
                        "to its clock that looks like a fault; choose a shorter time, or put --clock-check HOST|chrony "
                        "into the command");
    }
    if (o->time_limit_ns > 0 && o->time_limit_ns < needed) {
        err_set(err, ERR_USAGE, 0, "--time-limit %s: the job takes at least %s until its end",
                units_format_duration(given, (double)o->time_limit_ns), units_format_duration(least, (double)needed));
        return err_hint(err, "the scheduler would end it in the middle; leave --time-limit out and it is chosen");
    }
    return 0;
}

static int note(struct job_plan *p, const char *option, const char *path, const char *what, struct err *err)
{
    struct buf text;
    bool good;

    buf_init(&text, 8192);
    buf_printf(&text, "%s %s: %s", option, path, what);
    good = buf_ok(&text) && strlist_add(&p->notes, buf_slice(&text));
    buf_release(&text);
    return good ? 0 : no_memory(err);
}

static int note_files(struct job_plan *p, const struct load_options *l, struct err *err)
{
    if (l == NULL)
        return 0;
    const struct {
        const char *option, *path;
    } rows[] = {
        { "--targets", l->targets_file },
        { "--upload-file", l->upload_file },
        { "--feed", l->feed },
        { "--body", l->body != NULL && l->body[0] == '@' ? l->body : NULL },
        { "--auth-bearer", l->bearer != NULL && l->bearer[0] == '@' ? l->bearer : NULL },
        { "--cacert", l->ca_file },
        { "--cert", l->cert_file },
        { "--key", l->key_file },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].path != NULL &&
            note(p, rows[i].option, rows[i].path, "every machine needs this file at this path", err) != 0)
            return -1;
    return 0;
}

/* Each share writes these; where they see one folder, over each other. */
static int note_outputs(struct job_plan *p, const struct load_options *l, struct err *err)
{
    if (l == NULL)
        return 0;
    const struct {
        const char *option, *path;
    } rows[] = { { "--csv", l->outputs.csv }, { "--hdr", l->outputs.hdr }, { "--log", l->outputs.log } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].path != NULL && strstr(rows[i].path, "{share}") == NULL &&
            note(p, rows[i].option, rows[i].path, "all shares write this file; put {share} into its name", err) != 0)
            return -1;
    return 0;
}

static void take_options(struct job *job, const struct job_options *o)
{
    job->engine = o->engine;
    job->name = o->name;
    job->program = o->program;
    job->shares = o->shares;
    job->per_machine = o->per_machine;
    job->cpus = o->cpus;
    job->memory_bytes = o->memory_bytes;
    job->start_in_ns = o->start_in_ns;
    job->parts = o->parts;
    job->store = o->store;
    job->merged = o->json;
    job->launcher = &o->launcher;
    job->hosts = o->hosts;
    job->hosts_file = o->hosts_file;
    job->image = o->image;
    job->name_space = o->name_space;
    job->claim = o->claim;
    job->claim_bytes = o->claim_bytes;
}

/* On a whole second, so that it reads well; the one before, so that it is no further ahead than was asked for. */
static void set_start(struct job_plan *p, uint64_t wall_ns)
{
    const uint64_t second = (wall_ns + p->job.start_in_ns) / NS_PER_S;
    char *dot;

    clock_format_rfc3339(p->start_at, second * NS_PER_S);
    dot = strchr(p->start_at, '.');
    if (dot != NULL)
        snprintf(dot, sizeof("Z"), "Z");
    p->job.start_at = p->start_at;
}

/* What --json and --suite-path have to do with the command. */
static int check_outputs(struct job_plan *p, const struct job_options *o, struct err *err)
{
    const struct job_command *c = &p->command;

    if (o->store != NULL && o->claim != NULL) {
        err_set(err, ERR_USAGE, 0, "--parts URL and --claim contradict each other");
        return err_hint(err, "the parts go to the store, or to the claim");
    }
    if (o->json != NULL && c->kind != JOB_LOAD) {
        err_set(err, ERR_USAGE, 0, "--json %s: %zu documents are merged, each with its parts", o->json,
                c->pieces.count);
        return err_hint(err, "leave it out: they go to the folder merged beside the parts (--parts DIR)");
    }
    if (c->kind != JOB_RUN && o->suite_path != NULL) {
        err_set(err, ERR_USAGE, 0, "--suite-path has no meaning without a suite");
        return err_hint(err, "it is for -- run SUITE.yaml");
    }
    if (c->kind != JOB_RUN || o->suite_path != NULL)
        return 0;
    if (c->suite.len > SUITE_MAX_BYTES) {
        err_set(err, ERR_USAGE, 0, "%s has %zu bytes: too large to bring along", o->words.items[1 + c->suite_word],
                c->suite.len);
        return err_hint(err, "put it where every machine sees it: --suite-path PATH");
    }
    return note(p, "run", o->words.items[1 + c->suite_word],
                "the file is brought along, what it names beside itself is not; with such: --suite-path PATH", err);
}

static void take_command(struct job_plan *p, const struct job_options *o, uint64_t wall_ns)
{
    const struct job_command *c = &p->command;

    p->job.kind = c->kind;
    p->job.pieces = &c->pieces;
    p->job.suite = buf_slice(&c->suite);
    p->job.suite_path = o->suite_path;
    p->job.open_files = o->open_files > 0 ? o->open_files : open_files_of(c->load, o->shares);
    p->job.time_limit_ns = o->time_limit_ns > 0 ? o->time_limit_ns : time_limit_of(c, o->start_in_ns);
    if (o->engine == JOB_KUBERNETES)
        set_start(p, wall_ns);
}

static int fill(struct job_plan *p, const struct job_options *o, uint64_t wall_ns, struct err *err)
{
    const struct load_options *l;

    if (o->words.count < 2) {
        err_set(err, ERR_USAGE, 0, "no command stands behind --");
        return err_hint(err, "plimsoll job %s -n 4 -- load URL", o->words.items[0]);
    }
    if (job_command_init(&p->command, (int)o->words.count - 1, o->words.items + 1, err) != 0)
        return -1;
    l = p->command.load;
    take_options(&p->job, o);
    take_command(p, o, wall_ns);
    if (check_size(l, o->shares, err) != 0 || check_times(o, &p->command, err) != 0 || check_outputs(p, o, err) != 0 ||
        take_words(p, o, &p->command, err) != 0 || take_named_variable(p, l, err) != 0 ||
        take_store_variables(p, o, err) != 0 || note_files(p, l, err) != 0 || note_outputs(p, l, err) != 0)
        return -1;
    p->job.variables = p->variables;
    return 0;
}

int job_plan_init(struct job_plan *p, const struct job_options *o, uint64_t wall_ns, struct err *err)
{
    *p = (struct job_plan){ 0 };
    if (fill(p, o, wall_ns, err) == 0)
        return 0;
    job_plan_release(p);
    return -1;
}

void job_plan_release(struct job_plan *p)
{
    for (size_t i = 0; i < p->job.variable_count; i++) {
        free(p->variables[i].name);
        free(p->variables[i].what);
    }
    free(p->variables);
    free(p->words);
    strlist_release(&p->notes);
    job_command_release(&p->command);
    *p = (struct job_plan){ 0 };
}

int job_plan_set_environment(const struct job_plan *p, struct err *err)
{
    for (size_t i = 0; i < p->job.word_count; i++)
        if (p->words[i].variable != NULL && strcmp(p->words[i].variable, JOB_SUITE) != 0 &&
            setenv(p->words[i].variable, p->words[i].text, 1) != 0)
            return err_set(err, ERR_SYSTEM, errno, "cannot set %s", p->words[i].variable);
    for (size_t i = 0; i < p->job.variable_count; i++)
        if (getenv(p->variables[i].name) == NULL) {
            err_set(err, ERR_CONFIG, 0, "the variable %s is not set", p->variables[i].name);
            return err_hint(err, "set it to %s, and export it", p->variables[i].what);
        }
    return 0;
}
