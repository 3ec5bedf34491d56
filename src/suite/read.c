/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/read_parts.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "result/slo.h"

#define SUITE_FILE_MAX ((size_t)16 << 20)
#define AT(type, field) offsetof(struct type, field)

static int no_memory(struct reader *r)
{
    return err_set(r->err, ERR_SYSTEM, ENOMEM, "out of memory");
}

static const struct key GATE_ITEMS[] = {
    { "metric", KEY_TEXT, AT(suite, gate_metric), NULL, "that decides a comparison", NULL, NULL },
    { "min_change", KEY_NUMBER, AT(suite, gate_min_change), NULL, "changes below it do not matter (3%)", NULL, NULL },
};
static const struct keys GATE = { "\"gate\"", GATE_ITEMS, sizeof(GATE_ITEMS) / sizeof(GATE_ITEMS[0]) };

static int take_gate(struct reader *r, struct doc_node *value, void *into)
{
    return keys_read(r, value, &GATE, into);
}

/* ---- the matrix ---- */

static int take_matrix(struct reader *r, struct doc_node *value, void *into)
{
    struct suite *s = into;
    void *cursor = NULL;
    struct doc_node *name, *values;
    int more;

    if (doc_kind(value) != DOC_MAP)
        return doc_refuse(r->doc, value, r->err, "\"matrix\" must be a map, a line \"dimension: [values]\" for each");
    while ((more = keys_next(r, value, &cursor, &name, &values)) > 0) {
        struct suite_dimension *grown = keys_grow(r, s->dimensions, &s->dimension_count, sizeof(*grown));
        struct suite_dimension *d;

        if (grown == NULL)
            return -1;
        s->dimensions = grown;
        d = &grown[s->dimension_count - 1];
        d->line = doc_line(name);
        d->name = slice_dup(doc_text(name));
        if (d->name == NULL)
            return no_memory(r);
        if (keys_texts(r, d->name, values, &d->values) != 0)
            return -1;
        if (d->values.count == 0)
            return doc_refuse(r->doc, name, r->err, "the dimension \"%s\" has no values", d->name);
    }
    return more;
}

struct pairs_list {
    struct suite_pairs *items;
    size_t count;
};

static int take_pairs(struct reader *r, struct doc_node *item, void *into)
{
    struct pairs_list *list = into;
    struct suite_pairs *grown = keys_grow(r, list->items, &list->count, sizeof(*grown));

    if (grown == NULL)
        return -1;
    list->items = grown;
    return keys_pairs(r, "include and exclude", item, &grown[list->count - 1]);
}

static int take_pairs_list(struct reader *r, struct doc_node *value, struct suite_pairs **items, size_t *count)
{
    struct pairs_list list = { *items, *count };
    const int rc = read_each(r, value, take_pairs, &list);

    *items = list.items;
    *count = list.count;
    return rc;
}

static int take_exclude(struct reader *r, struct doc_node *value, void *into)
{
    struct suite *s = into;

    return take_pairs_list(r, value, &s->exclude, &s->exclude_count);
}

static int take_include(struct reader *r, struct doc_node *value, void *into)
{
    struct suite *s = into;

    return take_pairs_list(r, value, &s->include, &s->include_count);
}

static int take_scales(struct reader *r, struct doc_node *value, void *into)
{
    struct suite *s = into;
    void *cursor = NULL;
    struct doc_node *name, *values;
    int more;

    if (doc_kind(value) != DOC_MAP)
        return doc_refuse(r->doc, value, r->err, "\"scales\" must be a map of maps of parameters");
    while ((more = keys_next(r, value, &cursor, &name, &values)) > 0) {
        struct suite_scale *grown = keys_grow(r, s->scales, &s->scale_count, sizeof(*grown));

        if (grown == NULL)
            return -1;
        s->scales = grown;
        grown[s->scale_count - 1].name = slice_dup(doc_text(name));
        if (grown[s->scale_count - 1].name == NULL)
            return no_memory(r);
        if (keys_pairs(r, "scales", values, &grown[s->scale_count - 1].values) != 0)
            return -1;
    }
    return more;
}

/* ---- what a sample is ---- */

/* What a suite gives by itself, or what would make a sample something else. */
static bool is_own_option(struct slice name)
{
    static const char *const OWN[] = { "json", "no-store", "progress", "dry-run", "help", NULL };

    for (const char *const *own = OWN; *own != NULL; own++)
        if (slice_eq(name, slice_str(*own)))
            return true;
    return false;
}

/* Each option of load or rounds is a pair; a list gives it several times. */
static int take_options(struct reader *r, struct doc_node *value, struct suite *s)
{
    void *cursor = NULL;
    struct doc_node *name, *option;
    int more;

    if (doc_kind(value) != DOC_MAP)
        return doc_refuse(r->doc, value, r->err, "the options of a sample must be a map, \"option: value\"");
    while ((more = keys_next(r, value, &cursor, &name, &option)) > 0) {
        struct strlist texts = STRLIST_INIT;
        int rc;

        if (is_own_option(doc_text(name)))
            return doc_refuse(r->doc, name, r->err, "\"%.*s\" is not for a suite to say", SLICE_FMT(doc_text(name)));
        rc = keys_texts(r, "an option", option, &texts);

        for (size_t k = 0; rc == 0 && k < texts.count; k++)
            if (!pairs_add(&s->options, doc_text(name), texts.items[k], doc_line(name)))
                rc = no_memory(r);
        strlist_release(&texts);
        if (rc != 0)
            return -1;
    }
    return more;
}

/* One doer alone. */
static int set_doer(struct reader *r, struct doc_node *value, struct suite *s, enum suite_doer doer)
{
    if (s->has_doer)
        return doc_refuse(r->doc, value, r->err, "a sample is one of load, rounds, checks and command");
    s->has_doer = true;
    s->doer = doer;
    return 0;
}

static int take_load(struct reader *r, struct doc_node *value, void *into)
{
    return set_doer(r, value, into, DOER_LOAD) != 0 ? -1 : take_options(r, value, into);
}

static int take_rounds(struct reader *r, struct doc_node *value, void *into)
{
    return set_doer(r, value, into, DOER_ROUNDS) != 0 ? -1 : take_options(r, value, into);
}

static int take_checks(struct reader *r, struct doc_node *value, void *into)
{
    return set_doer(r, value, into, DOER_CHECKS) != 0 ? -1 : read_each(r, value, read_check, into);
}

static int take_own_command(struct reader *r, struct doc_node *value, void *into)
{
    struct suite *s = into;

    if (set_doer(r, value, s, DOER_COMMAND) != 0)
        return -1;
    s->command = keys_text(r, "command", value);
    return s->command != NULL ? 0 : -1;
}

static const struct key SUITE_ITEMS[] = {
    { "name", KEY_TEXT, AT(suite, name), NULL, "of the runs it makes", NULL, NULL },
    { "about", KEY_TEXT, AT(suite, about), NULL, "what it answers, shown by --dry-run", NULL, NULL },
    { "parameters", KEY_PAIRS, AT(suite, parameters), NULL, "name: value; another value with -s NAME=VALUE", NULL,
      NULL },
    { "scales", KEY_OWN, 0, NULL, "sets of parameters, picked with -s scale=NAME", take_scales, NULL },
    { "matrix", KEY_OWN, 0, NULL, "dimension: [values]; every combination is a cell", take_matrix, NULL },
    { "exclude", KEY_OWN, 0, NULL, "cells left out: those that have all of a map's values", take_exclude, NULL },
    { "include", KEY_OWN, 0, NULL, "cells besides", take_include, NULL },
    { "samples", KEY_TEXT, AT(suite, samples), NULL, "of each cell (1)", NULL, NULL },
    { "quiet", KEY_TEXT, AT(suite, quiet), NULL, "pause between samples (0s)", NULL, NULL },
    { "warmup", KEY_TEXT, AT(suite, warmup), NULL, "of every load, in no figure (0s)", NULL, NULL },
    { "runtime", KEY_TEXT, AT(suite, runtime), NULL, "how long a load lasts (10s)", NULL, NULL },
    { "requests", KEY_TEXT, AT(suite, requests), NULL, "of a load, in place of runtime", NULL, NULL },
    { "order", KEY_WORD, AT(suite, order), "interleaved|shuffled|as-written", "of the samples (interleaved)", NULL,
      NULL },
    { "timeout", KEY_DURATION, AT(suite, timeout_ns), NULL, "of a sample; its own length and a minute unless said",
      NULL, NULL },
    { "retries", KEY_COUNT, AT(suite, retries), NULL, "an invalid sample is made again so often (0)", NULL, NULL },
    { "load", KEY_OWN, 0, NULL, "a sample is a run of plimsoll load: its options, and url", take_load, NULL },
    { "rounds", KEY_OWN, 0, NULL, "a sample is a run of plimsoll rounds: its options, and command", take_rounds, NULL },
    { "checks", KEY_OWN, 0, NULL, "a sample is what these requests answer", take_checks, &KEYS_OF_CHECK },
    { "command", KEY_OWN, 0, NULL, "a sample is a run of this program, given to the shell", take_own_command, NULL },
    { "metrics", KEY_OWN, 0, NULL, "what is taken from the command's output", read_metrics, &KEYS_OF_METRIC },
    { "setup", KEY_OWN, 0, NULL, "commands before the first sample", read_setup, &KEYS_OF_COMMAND },
    { "teardown", KEY_OWN, 0, NULL, "commands after the last, whatever happened", read_teardown, &KEYS_OF_COMMAND },
    { "before_each", KEY_OWN, 0, NULL, "commands before every sample", read_before_each, &KEYS_OF_COMMAND },
    { "after_each", KEY_OWN, 0, NULL, "commands after every sample", read_after_each, &KEYS_OF_COMMAND },
    { "verify_each", KEY_OWN, 0, NULL, "commands after every sample; one that fails makes the sample invalid",
      read_verify_each, &KEYS_OF_COMMAND },
    { "summary", KEY_OWN, 0, NULL, "commands in the end whose output is shown; {documents} is a folder of all samples",
      read_summary, &KEYS_OF_COMMAND },
    { "services", KEY_OWN, 0, NULL, "programs that run beside, started first and stopped in the end", read_services,
      &KEYS_OF_SERVICE },
    { "verify", KEY_OWN, 0, NULL, "requests whose answers are checked before any load", read_verify, &KEYS_OF_VERIFY },
    { "budget", KEY_OWN, 0, NULL, "connections that a cell needs against what the routers carry", read_budget,
      &KEYS_OF_BUDGET },
    { "routes", KEY_OWN, 0, NULL, "target lists of the routes of a cluster", read_routes, &KEYS_OF_ROUTES },
    { "facts", KEY_OWN, 0, NULL, "name: command whose first line tells something about the target", read_facts,
      &KEYS_OF_COMMAND },
    { "watch", KEY_PAIRS, AT(suite, watch), NULL, "name: what of the target is watched, as in plimsoll load --watch",
      NULL, NULL },
    { "slo", KEY_TEXTS, AT(suite, slo), NULL, "promises that every sample must keep", NULL, NULL },
    { "invalid_when", KEY_TEXTS, AT(suite, invalid_when), NULL,
      "client_limited, rate_missed, or a clause as in slo that makes a sample invalid when it is true", NULL, NULL },
    { "gate", KEY_OWN, 0, NULL, "what a comparison is decided by", take_gate, &GATE },
    { "baseline", KEY_TEXT, AT(suite, baseline), NULL, "tag or name of the run to compare with in the end", NULL,
      NULL },
    { "tolerance", KEY_TEXT, AT(suite, tolerance), NULL,
      "file of rules for the comparison with the baseline, as of plimsoll compare --tolerance", NULL, NULL },
    { "against", KEY_PAIRS, AT(suite, against), NULL,
      "parameters of a second side, measured turn by turn with the first", NULL, NULL },
};
static const struct keys SUITE = { "a suite", SUITE_ITEMS, sizeof(SUITE_ITEMS) / sizeof(SUITE_ITEMS[0]) };

/* ---- the whole ---- */

static const struct suite_scale *find_scale(const struct suite *s, const char *name)
{
    for (size_t k = 0; k < s->scale_count; k++)
        if (strcmp(s->scales[k].name, name) == 0)
            return &s->scales[k];
    return NULL;
}

static const char *value_set(const struct strlist *sets, const char *name)
{
    const size_t n = strlen(name);

    for (size_t k = sets != NULL ? sets->count : 0; k-- > 0;)
        if (strncmp(sets->items[k], name, n) == 0 && sets->items[k][n] == '=')
            return sets->items[k] + n + 1;
    return NULL;
}

static int apply_scale(struct reader *r, const struct strlist *sets)
{
    struct suite *s = r->suite;
    const char *name = value_set(sets, "scale");
    const struct suite_scale *scale;

    if (s->scale_count == 0)
        return 0;
    if (name == NULL)
        name = pairs_get(&s->parameters, "scale");
    if (name == NULL)
        return 0;
    scale = find_scale(s, name);
    if (scale == NULL) {
        char all[160] = "";

        for (size_t k = 0; k < s->scale_count; k++)
            snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", k > 0 ? ", " : "", s->scales[k].name);
        err_set(r->err, ERR_CONFIG, 0, "%s: there is no scale \"%s\"", s->file, name);
        return err_hint(r->err, "there is %s", all);
    }
    for (size_t k = 0; k < scale->values.count; k++)
        if (!pairs_set(&s->parameters, slice_str(scale->values.items[k].name), scale->values.items[k].value))
            return no_memory(r);
    return pairs_set(&s->parameters, SLICE("scale"), name) ? 0 : no_memory(r);
}

static int apply_sets(struct reader *r, const struct strlist *sets)
{
    struct suite *s = r->suite;

    for (size_t k = 0; k < (sets != NULL ? sets->count : 0); k++) {
        struct slice rest = slice_str(sets->items[k]);
        const struct slice name = slice_split(&rest, '=');

        if (name.len == slice_str(sets->items[k]).len || name.len == 0) {
            err_set(r->err, ERR_USAGE, 0, "-s %s: a parameter is NAME=VALUE", sets->items[k]);
            return err_hint(r->err, "for example -s target=https://example.com");
        }
        if (slice_eq(name, SLICE("scale")) && s->scale_count > 0)
            continue;
        if (!pairs_has(&s->parameters, name))
            return suite_unknown_parameter(s, name, r->err);
        if (!pairs_set(&s->parameters, name, sets->items[k] + name.len + 1))
            return no_memory(r);
    }
    return 0;
}

/* warmup, runtime and requests are the load's options of other names. */
static int add_lengths(struct reader *r)
{
    struct suite *s = r->suite;
    const struct {
        const char *name, *option, *value;
    } lengths[] = { { "warmup", "warmup", s->warmup },
                    { "runtime", "duration", s->runtime },
                    { "requests", "requests", s->requests } };

    for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
        const unsigned line = suite_line(s, lengths[k].name);

        if (lengths[k].value == NULL)
            continue;
        if (s->doer != DOER_LOAD)
            return err_set(r->err, ERR_CONFIG, 0, "%s:%u: \"%s\" goes with \"load\" alone", s->file, line,
                           lengths[k].name);
        if (pairs_has(&s->options, slice_str(lengths[k].option)))
            return err_set(r->err, ERR_CONFIG, 0, "%s:%u: \"%s\" and \"%s\" of the load say the same", s->file, line,
                           lengths[k].name, lengths[k].option);
        if (!pairs_add(&s->options, slice_str(lengths[k].option), lengths[k].value, line))
            return no_memory(r);
    }
    return 0;
}

/* A rule that nobody understands would never hold: the samples that it is to sort out would count. */
static int check_rules(struct reader *r)
{
    for (size_t k = 0; k < r->suite->invalid_when.count; k++) {
        const char *rule = r->suite->invalid_when.items[k];
        struct slo slo = { 0 };
        const bool is_word = strcmp(rule, "client_limited") == 0 || strcmp(rule, "rate_missed") == 0;
        const bool is_one = is_word || (slo_parse(&slo, slice_str(rule), NULL) == 0 && slo.count == 1);

        slo_release(&slo);
        if (!is_one) {
            err_set(r->err, ERR_CONFIG, 0, "%s:%u: invalid_when: \"%s\" is no rule", r->suite->file,
                    suite_line(r->suite, "invalid_when"), rule);
            return err_hint(r->err, "client_limited, rate_missed, or one clause such as p99>1s or errors>1%%");
        }
    }
    return 0;
}

/* What a suite needs and what may not stand together. */
static int check_whole(struct reader *r)
{
    struct suite *s = r->suite;

    if (!s->has_doer) {
        err_set(r->err, ERR_CONFIG, 0, "%s: the suite does not say what a sample is", s->file);
        return err_hint(r->err, "add one of load, rounds, checks and command");
    }
    if (s->metric_count > 0 && s->doer != DOER_COMMAND)
        return err_set(r->err, ERR_CONFIG, 0, "%s: \"metrics\" goes with \"command\" alone", s->file);
    for (size_t k = 0; k < s->against.count; k++)
        if (!pairs_has(&s->parameters, slice_str(s->against.items[k].name)))
            return suite_unknown_parameter(s, slice_str(s->against.items[k].name), r->err);
    return check_rules(r) != 0 ? -1 : add_lengths(r);
}

static int name_file(struct reader *r, const char *path)
{
    struct suite *s = r->suite;
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    char *given;

    s->file = strdup(path);
    given = slash != NULL ? slice_dup(slice_from(path, slash > path ? (size_t)(slash - path) : 1)) : strdup(".");
    s->dir = given != NULL ? realpath(given, NULL) : NULL; /* commands run there */
    if (s->dir == NULL) {
        s->dir = given;
        given = NULL;
    }
    free(given);
    s->name = slice_dup(slice_from(base, dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base)));
    return s->file != NULL && s->dir != NULL && s->name != NULL ? 0 : no_memory(r);
}

static int keep_lines(struct reader *r, struct doc_node *root)
{
    void *cursor = NULL;
    struct doc_node *name, *value;
    int more;

    while ((more = keys_next(r, root, &cursor, &name, &value)) > 0)
        if (!pairs_add(&r->suite->keys, doc_text(name), "", doc_line(name)))
            return no_memory(r);
    return more;
}

static int read_text(struct reader *r, const struct strlist *sets, struct slice text)
{
    struct doc *doc;
    int rc;

    if (doc_parse(&doc, r->suite->file, text, r->err) != 0)
        return -1;
    r->doc = doc;
    doc_show_columns(doc);
    rc = keys_read(r, doc_root(doc), &SUITE, r->suite) != 0 || keep_lines(r, doc_root(doc)) != 0 ? -1 : 0;
    doc_free(doc);
    if (rc != 0 || apply_scale(r, sets) != 0 || apply_sets(r, sets) != 0)
        return -1;
    return check_whole(r);
}

int suite_read(struct suite **out, const char *path, const struct strlist *sets, struct err *err)
{
    struct reader r = { .suite = calloc(1, sizeof(*r.suite)), .err = err };
    struct buf text;
    int rc = -1;

    *out = NULL;
    if (r.suite == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
    r.suite->budget.imbalance = 1.25;
    buf_init(&text, SUITE_FILE_MAX);
    if (name_file(&r, path) == 0 && file_read(path, &text, err) == 0)
        rc = read_text(&r, sets, buf_slice(&text));
    buf_release(&text);
    if (rc == 0)
        *out = r.suite;
    else
        suite_free(r.suite);
    return rc;
}

static void schema_of(struct buf *out, const struct keys *keys, unsigned depth)
{
    static const char *const KINDS[] = { "text", "duration", "count", "number", "true|false", "", "list", "map", "" };

    for (size_t k = 0; k < keys->count; k++) {
        const struct key *key = &keys->items[k];

        buf_printf(out, "%*s%-*s %-12s %s\n", (int)(2 * depth), "", (int)(18 - 2 * depth), key->name,
                   key->kind == KEY_WORD ? key->words
                   : key->inner != NULL  ? "map, list"
                                         : KINDS[key->kind],
                   key->about);
        if (key->inner != NULL && depth < 3)
            schema_of(out, key->inner, depth + 1);
    }
}

void suite_schema(struct buf *out)
{
    schema_of(out, &SUITE, 0);
}
