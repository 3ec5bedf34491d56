/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/sample.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "result/slo.h"
#include "suite/checks.h"
#include "suite/keys.h"
#include "suite/number.h"
#include "suite/process.h"

#define DOCUMENT_MAX ((size_t)1 << 30)
#define OUTPUT_MAX ((size_t)64 << 20)
#define SLACK_NS (60 * NS_PER_S) /* beyond a sample's own length */

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a sample");
}

static int add_word(struct strlist *out, const char *text, struct err *err)
{
    return strlist_add(out, slice_str(text)) ? 0 : no_memory(err);
}

/* "--name=value"; a flag alone, or nothing when it is false. */
static int add_option(struct strlist *out, const char *name, const char *value, struct err *err)
{
    struct buf word;
    int rc;

    if (strcmp(value, "false") == 0)
        return 0;
    buf_init(&word, (size_t)16 << 20);
    buf_printf(&word, strcmp(value, "true") == 0 ? "--%s" : "--%s=%s", name, value);
    rc = buf_ok(&word) ? add_word(out, word.data, err) : no_memory(err);
    buf_release(&word);
    return rc;
}

static bool is_operand(const struct suite *s, const char *name)
{
    return strcmp(name, s->doer == DOER_LOAD ? "url" : "command") == 0;
}

/* Options, or operands, filled in. */
static int add_pairs(const struct sampler *x, struct strlist *out, bool operands, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;

    for (size_t k = 0; k < s->options.count; k++) {
        const struct suite_pair *pair = &s->options.items[k];
        char *value;
        int rc;

        if (is_operand(s, pair->name) != operands)
            continue;
        value = names_text(x->names, pair->value, err);
        if (value == NULL)
            return err_prefix(err, "%s:%u: %s", s->file, pair->line, pair->name);
        rc = operands ? add_word(out, value, err) : add_option(out, pair->name, value, err);
        free(value);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int add_watches(const struct sampler *x, struct strlist *out, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;

    for (size_t k = 0; k < s->watch.count; k++) {
        char *what = names_text(x->names, s->watch.items[k].value, err);
        struct buf pair;
        int rc;

        if (what == NULL)
            return err_prefix(err, "%s:%u: watch", s->file, s->watch.items[k].line);
        buf_init(&pair, (size_t)1 << 20);
        buf_printf(&pair, "%s=%s", s->watch.items[k].name, what);
        rc = buf_ok(&pair) ? add_option(out, "watch", pair.data, err) : no_memory(err);
        buf_release(&pair);
        free(what);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int add_promises(const struct sampler *x, struct strlist *out, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;

    for (size_t k = 0; k < s->slo.count; k++) {
        char *clause = names_text(x->names, s->slo.items[k], err);
        const int rc = clause != NULL ? add_option(out, "slo", clause, err) : -1;

        free(clause);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Its share of the sample, and the moment at which all begin it. */
static int add_share(const struct sampler *x, struct strlist *out, struct err *err)
{
    const struct runner_share *s = &x->runner->share;
    char moment[CLOCK_RFC3339_MAX];

    if (s->share == NULL)
        return 0;
    clock_format_rfc3339(moment, runner_moment_ns(x->runner, (size_t)(x->step - x->runner->plan->steps)));
    if (add_option(out, "share", s->share, err) != 0 || add_option(out, "start-at", moment, err) != 0)
        return -1;
    return s->clock_check != NULL ? add_option(out, "clock-check", s->clock_check, err) : 0;
}

int sample_words(const struct sampler *x, struct strlist *out, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;
    const bool is_load = s->doer == DOER_LOAD;

    if (add_word(out, x->runner->program, err) != 0 || add_word(out, is_load ? "load" : "rounds", err) != 0 ||
        add_option(out, "json", x->json_path, err) != 0 || add_word(out, "--no-store", err) != 0 ||
        add_option(out, "name", s->name, err) != 0 || add_word(out, "--progress=json", err) != 0 ||
        add_pairs(x, out, false, err) != 0 || add_promises(x, out, err) != 0 ||
        (is_load && (add_watches(x, out, err) != 0 || add_share(x, out, err) != 0)) || add_word(out, "--", err) != 0)
        return -1;
    return add_pairs(x, out, true, err);
}

static int set_cell(const struct sampler *x, struct result *r, struct err *err)
{
    const struct plan *p = x->runner->plan;
    const struct plan_cell *cell = &p->cells[x->step->cell];

    free(r->run);
    r->run = strdup(x->runner->run);
    r->has_sample = true;
    r->sample = x->step->sample + 1;
    if (r->run == NULL)
        return no_memory(err);
    for (size_t d = 0; d < p->suite->dimension_count; d++)
        if (!result_set_dimension(r, p->suite->dimensions[d].name, cell->values[d]))
            return no_memory(err);
    return 0;
}

/* What could not be written down is not to be read there. */
static bool is_disk_full(const char *path)
{
    char folder[PATH_MAX];
    struct statvfs fs;

    snprintf(folder, sizeof(folder), "%s", path);
    *strrchr(folder, '/') = '\0';
    return statvfs(folder, &fs) == 0 && (fs.f_bavail == 0 || fs.f_favail == 0);
}

static void describe_end(const struct process_outcome *end, const struct sampler *x, char note[SAMPLE_NOTE_MAX])
{
    char tail[300], after[UNITS_TEXT_MAX];

    process_tail(x->log_path, 0, tail, sizeof(tail));
    if (tail[0] == '\0' && is_disk_full(x->log_path))
        snprintf(tail, sizeof(tail), "no space left on the disk of --work-dir");
    if (end->end == PROCESS_TIMED_OUT)
        snprintf(note, SAMPLE_NOTE_MAX, "stopped after %s, its time-out",
                 units_format_duration(after, (double)end->elapsed_ns));
    else if (end->end == PROCESS_STOPPED)
        snprintf(note, SAMPLE_NOTE_MAX, "interrupted");
    else if (end->signal != 0)
        snprintf(note, SAMPLE_NOTE_MAX, "ended by signal %d%s%s", end->signal, tail[0] != '\0' ? ": " : "", tail);
    else
        snprintf(note, SAMPLE_NOTE_MAX, "ended with status %d%s%s", end->status, tail[0] != '\0' ? ": " : "", tail);
}

/* For the moment at which all shares begin. */
static uint64_t wait_of(const struct sampler *x)
{
    const struct runner *r = x->runner;
    const uint64_t now = clock_wall_ns();
    const uint64_t at = r->share.share != NULL ? runner_moment_ns(r, (size_t)(x->step - r->plan->steps)) : 0;

    return at > now ? at - now : 0;
}

/* A sample's own length and a minute, unless the suite says. */
static uint64_t timeout_of(const struct sampler *x)
{
    const struct plan *p = x->runner->plan;

    if (p->suite->timeout_ns > 0)
        return p->suite->timeout_ns + wait_of(x);
    return p->cells[x->step->cell].length_ns > 0 ? p->cells[x->step->cell].length_ns + SLACK_NS + wait_of(x) : 0;
}

static int run_words(const struct sampler *x, const char *const *words, const char *out_path,
                     struct process_outcome *end, struct err *err)
{
    const struct process_job job = {
        .name = "a sample", .words = words, .out_path = out_path, .log_path = x->log_path, .watches_lines = true
    };
    struct process p;

    if (process_start(&p, &job, err) != 0)
        return -1;
    process_wait(&p, timeout_of(x), x->runner->stop, 1, x->on_line, x->arg, end);
    return 0;
}

static int read_document(const struct sampler *x, struct result **out, const struct process_outcome *end,
                         char note[SAMPLE_NOTE_MAX], struct err *err)
{
    struct buf json;
    int rc = 0;

    *out = NULL;
    buf_init(&json, DOCUMENT_MAX);
    if (access(x->json_path, F_OK) != 0)
        describe_end(end, x, note);
    else if (file_read(x->json_path, &json, err) != 0)
        rc = -1;
    else
        rc = result_from_json(out, buf_slice(&json), err);
    buf_release(&json);
    if (rc != 0)
        return err_prefix(err, "the document of a sample");
    return *out != NULL ? set_cell(x, *out, err) : 0;
}

static int make_by_words(const struct sampler *x, struct result **out, char note[SAMPLE_NOTE_MAX], struct err *err)
{
    struct strlist words = STRLIST_INIT;
    struct process_outcome end;
    int rc = sample_words(x, &words, err);

    unlink(x->json_path);
    unlink(x->log_path); /* of an earlier try, or run */
    if (rc == 0)
        rc = run_words(x, (const char *const *)words.items, NULL, &end, err);
    strlist_release(&words);
    if (rc != 0)
        return -1;
    if (end.end == PROCESS_STOPPED || end.end == PROCESS_TIMED_OUT) { /* half a sample is none */
        describe_end(&end, x, note);
        return 0;
    }
    return read_document(x, out, &end, note, err);
}

/* ---- a command ---- */

static int take_metric(struct result *r, const struct suite_metric *m, struct slice output, double elapsed_s,
                       struct err *err)
{
    double value = elapsed_s;
    bool absent = false;
    int rc = 0;

    if (m->json != NULL)
        rc = number_in_json(output, m->json, &value, &absent, err);
    else if (m->regex != NULL)
        rc = number_in_text(output, m->regex, &value, &absent, err);
    if (rc == 0 && absent)
        return result_add_warning(r, "no figure \"%s\" in the output", m->name) ? 0 : no_memory(err);
    if (rc != 0)
        return result_add_reason(r, "the figure \"%s\": %s", m->name, err != NULL ? err->what : "") ? 0
                                                                                                    : no_memory(err);
    return result_set_metric(r, m->name, value,
                             m->unit != NULL                       ? m->unit
                             : m->json == NULL && m->regex == NULL ? "s"
                                                                   : "1",
                             m->higher_is_better)
               ? 0
               : no_memory(err);
}

/* A document for figures that did not come from plimsoll's own load. */
static int new_document(const struct sampler *x, struct result **out, struct err *err)
{
    const struct suite *s = x->runner->plan->suite;
    struct result *r;

    if (result_new(&r, err) != 0)
        return -1;
    free(r->kind);
    free(r->name);
    r->kind = strdup("suite-sample");
    r->name = strdup(s->name);
    r->totals.absent = TOTALS_ABSENT_ALL;
    r->valid = true;
    *out = r;
    return r->kind != NULL && r->name != NULL ? set_cell(x, r, err) : no_memory(err);
}

static int take_metrics(const struct sampler *x, struct result *r, const char *out_path, double elapsed_s,
                        struct err *err)
{
    const struct suite *s = x->runner->plan->suite;
    struct buf output;
    int rc;

    buf_init(&output, OUTPUT_MAX);
    rc = file_read(out_path, &output, err);
    for (size_t k = 0; rc == 0 && k < s->metric_count; k++)
        rc = take_metric(r, &s->metrics[k], buf_slice(&output), elapsed_s, err);
    if (rc == 0 && s->metric_count == 0 && !result_set_metric(r, "duration", elapsed_s, "s", false))
        rc = no_memory(err);
    buf_release(&output);
    return rc;
}

static int make_by_command(const struct sampler *x, struct result **out, char note[SAMPLE_NOTE_MAX], struct err *err)
{
    const struct suite *s = x->runner->plan->suite;
    char *text = names_text(x->names, s->command, err);
    const char *words[4];
    struct process_outcome end;
    int rc;

    if (text == NULL)
        return err_prefix(err, "%s: command", s->file);
    unlink(x->json_path);
    unlink(x->log_path);
    process_shell_words(words, text);
    rc = run_words(x, words, x->json_path, &end, err); /* its output stands where a document would */
    free(text);
    if (rc != 0)
        return -1;
    if (end.end != PROCESS_ENDED) {
        describe_end(&end, x, note);
        return 0;
    }
    if (new_document(x, out, err) != 0)
        return -1;
    (*out)->duration_s = (double)end.elapsed_ns / 1e9;
    if (end.status != 0) {
        describe_end(&end, x, note);
        if (!result_add_reason(*out, "the command %s", note))
            return no_memory(err);
    }
    rc = take_metrics(x, *out, x->json_path, (double)end.elapsed_ns / 1e9, err);
    if (rc == 0 && (*out)->metric_count == 0 && (*out)->reasons.count == 0 &&
        !result_add_reason(*out, "the output had no figure"))
        rc = no_memory(err);
    (*out)->valid = (*out)->reasons.count == 0;
    return rc;
}

static int make_by_checks(const struct sampler *x, struct result **out, struct err *err)
{
    if (new_document(x, out, err) != 0)
        return -1;
    return checks_run(x, *out, err);
}

int sample_make(const struct sampler *x, struct result **out, char note[SAMPLE_NOTE_MAX], struct err *err)
{
    int rc = -1;

    *out = NULL;
    note[0] = '\0';
    switch (x->runner->plan->suite->doer) {
    case DOER_LOAD:
    case DOER_ROUNDS:
        rc = make_by_words(x, out, note, err);
        break;
    case DOER_CHECKS:
        rc = make_by_checks(x, out, err);
        break;
    case DOER_COMMAND:
        rc = make_by_command(x, out, note, err);
        break;
    }
    if (rc != 0) {
        result_free(*out);
        *out = NULL;
    }
    return rc;
}

/* ---- rules ---- */

/* A clause of invalid_when holds; what can not be told of this sample does not. */
static bool clause_holds(const struct result *r, const char *text)
{
    struct slo slo;
    struct slo_outcome outcome = { 0 };
    bool holds = false;

    if (slo_parse(&slo, slice_str(text), NULL) == 0 && slo.count == 1) {
        slo_evaluate(&slo, r, &outcome);
        holds = outcome.known && outcome.kept;
    }
    slo_release(&slo);
    return holds;
}

bool sample_is_valid(const struct suite *s, const struct result *r, char note[SAMPLE_NOTE_MAX])
{
    if (!r->valid) {
        snprintf(note, SAMPLE_NOTE_MAX, "%s", r->reasons.count > 0 ? r->reasons.items[0] : "the run is invalid");
        return false;
    }
    if (result_missed_rate(r)) {
        snprintf(note, SAMPLE_NOTE_MAX, "rate not met: %.1f of %.1f/s", r->generator.rate_achieved,
                 r->generator.rate_asked);
        return false;
    }
    for (size_t k = 0; k < s->invalid_when.count; k++) {
        const char *rule = s->invalid_when.items[k];

        if (strcmp(rule, "client_limited") == 0 ? r->generator.limited
                                                : strcmp(rule, "rate_missed") != 0 && clause_holds(r, rule)) {
            snprintf(note, SAMPLE_NOTE_MAX, "the suite's rule \"%s\"", rule);
            return false;
        }
    }
    return true;
}
