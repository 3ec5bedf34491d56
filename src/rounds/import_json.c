/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hyperfine's export, and our own documents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/doc.h"
#include "rounds/import_parts.h"

static double number_of(struct doc_node *n)
{
    double value;

    return doc_kind(n) == DOC_TEXT && import_seconds(doc_text(n), &value) ? value : NAN;
}

/* The exit code: 0 when the document has none, -1 for what is none that Linux knows (null: the command was ended from
 * outside; those of other systems are negative, or large). */
static int exit_of(struct doc_node *exits, struct doc_node *exit)
{
    double code;

    if (doc_kind(exits) != DOC_LIST)
        return 0;
    code = number_of(exit);
    return isnan(code) || code > 255 ? -1 : (int)code;
}

/* hyperfine keeps the means of user and system time alone: every run gets them, so that their mean is right. */
static int add_run(struct rounds_import *im, uint32_t series, uint32_t sample, struct doc_node *of, double seconds,
                   int exit, struct err *err)
{
    struct rounds_round *round = rounds_result_add_round(im->r);

    if (round == NULL || !rounds_result_set_copies(im->r, round, 1))
        return import_no_memory(err);
    round->series = series;
    round->concurrency = 1;
    round->sample = sample;
    round->copies[0].start_s = 0;
    round->copies[0].duration_s = seconds;
    round->copies[0].user_s = number_of(doc_find(of, "user"));
    round->copies[0].sys_s = number_of(doc_find(of, "system"));
    round->copies[0].exit = exit;
    round->copies[0].ok = exit == 0;
    if (round->copies[0].ok)
        return 0;
    round->copies[0].failure = slice_dup(SLICE("not 0"));
    return round->copies[0].failure != NULL ? 0 : import_no_memory(err);
}

static int add_command(struct rounds_import *im, const struct doc *d, struct doc_node *of, struct err *err)
{
    struct doc_node *times = doc_find(of, "times"), *exits = doc_find(of, "exit_codes"), *time;
    char *command = slice_dup(doc_text(doc_find(of, "command")));
    void *cursor = NULL, *exit_cursor = NULL;
    uint32_t series = 0, sample = 0;
    int failed = command == NULL ? import_no_memory(err) : 0;

    if (failed == 0 && (doc_kind(times) != DOC_LIST || command[0] == '\0'))
        failed = doc_refuse(d, of, err,
                            "\"command\" and \"times\" were expected, as hyperfine --export-json writes them");
    if (failed == 0)
        failed = import_series(im, command, &series, err);
    while (failed == 0 && (time = doc_next(times, &cursor)) != NULL) {
        struct doc_node *exit = doc_kind(exits) == DOC_LIST ? doc_next(exits, &exit_cursor) : NULL;

        if (isnan(number_of(time)))
            failed = doc_refuse(d, time, err, "a number of seconds was expected");
        else
            failed = add_run(im, series, ++sample, of, number_of(time), exit_of(exits, exit), err);
    }
    free(command);
    return failed;
}

int import_hyperfine(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    struct doc *d = NULL;
    struct doc_node *list, *of;
    void *cursor = NULL;
    int failed = doc_parse(&d, in->name, in->text, err);

    if (failed != 0)
        return -1;
    list = doc_find(doc_root(d), "results");
    if (doc_kind(list) != DOC_LIST)
        failed = doc_refuse(d, doc_root(d), err, "neither a result of plimsoll rounds nor hyperfine's export");
    while (failed == 0 && (of = doc_next(list, &cursor)) != NULL)
        failed = add_command(im, d, of, err);
    doc_free(d);
    return failed;
}

/* Where each phase of the document stands in the result; new ones are added. The caller frees. */
static size_t *map_phases(struct rounds_import *im, const struct rounds_result *from, struct err *err)
{
    size_t *map = calloc(from->phase_count + 1, sizeof(*map));

    if (map == NULL)
        import_no_memory(err);
    for (size_t i = 0; map != NULL && i < from->phase_count; i++)
        if (import_phase(im, from->phases[i].name, from->phases[i].group, &map[i], err) != 0) {
            free(map);
            return NULL;
        }
    return map;
}

/* In the order of the result. */
static bool move_phases(struct rounds_round *round, const size_t *map, size_t from, size_t to)
{
    for (size_t i = 0; i < round->copy_count; i++) {
        struct rounds_copy *c = &round->copies[i];
        double *moved = calloc(to + 1, sizeof(*moved));

        if (moved == NULL)
            return false;
        for (size_t k = 0; k < to; k++)
            moved[k] = NAN;
        for (size_t k = 0; k < from && c->phases != NULL; k++)
            moved[map[k]] = c->phases[k];
        free(c->phases);
        c->phases = to > 0 ? moved : NULL;
        if (to == 0)
            free(moved);
    }
    return true;
}

/* The series' name, with what else is known of its run. */
static int add_series(struct rounds_import *im, const struct rounds_input *in, const struct result *from, size_t i,
                      uint32_t *index, struct err *err)
{
    struct buf name;
    char *stem = import_stem(in->name);
    const char *of = from->rounds->series[i].name;
    int failed;

    buf_init(&name, 4096);
    buf_add_str(&name, from->name != NULL && from->name[0] != '\0' ? from->name : stem != NULL ? stem : "");
    for (size_t k = 0; k < from->labels.count; k++)
        buf_printf(&name, " %s", from->labels.items[k]);
    if (from->rounds->series_count > 1 && of != NULL)
        buf_printf(&name, ": %s", of);
    free(stem);
    failed = buf_ok(&name) ? import_series(im, name.data, index, err) : import_no_memory(err);
    buf_release(&name);
    return failed;
}

static int take_rounds(struct rounds_import *im, const struct rounds_input *in, struct result *from, struct err *err)
{
    struct rounds_result *r = from->rounds;
    size_t *map = map_phases(im, r, err);
    int failed = map == NULL ? -1 : 0;

    for (size_t i = 0; i < r->round_count && failed == 0; i++) {
        struct rounds_round *round = rounds_result_add_round(im->r);
        uint32_t number, series;

        if (round == NULL || !move_phases(&r->rounds[i], map, r->phase_count, im->r->phase_count)) {
            failed = import_no_memory(err);
            break;
        }
        failed = add_series(im, in, from, r->rounds[i].series, &series, err);
        number = round->number;
        *round = r->rounds[i]; /* and what it owns */
        round->number = number;
        round->series = series;
        r->rounds[i] = (struct rounds_round){ 0 };
    }
    free(map);
    return failed;
}

int import_document(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    struct result *from = NULL;
    int failed = result_from_json(&from, in->text, err);

    if (failed != 0)
        failed = err_prefix(err, "%s", in->name);
    else if (from->rounds == NULL)
        failed = err_set(err, ERR_CONFIG, 0, "%s is a result of kind \"%s\", not of rounds", in->name, from->kind);
    else
        failed = take_rounds(im, in, from, err);
    if (failed != 0 && err != NULL && err->kind != ERR_SYSTEM)
        err->kind = ERR_CONFIG;
    result_free(from);
    return failed;
}
