/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results merge */
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/outputs.h"
#include "cli/results_inputs.h"
#include "cli/storing.h"
#include "report/runs_table.h"
#include "result/merge.h"

#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)

static int add_part(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    (void)json;
    return merge_add(arg, r, source, err);
}

static int merge_words(const struct results_options *o, struct result **out, struct err *err)
{
    struct results_inputs in = { 0 };
    struct merge m = { 0 };
    int failed = 0;

    for (size_t i = 0; i < o->words.count && failed == 0; i++)
        failed = results_word_visit(&in, o->words.items[i], add_part, &m, err);
    if (failed == 0 && m.sum->part_count < 2) {
        failed = err_set(err, ERR_USAGE, 0, "%s is one part alone", o->words.items[0]);
        err_hint(err, "give the parts of a run: plimsoll results merge part-1.json part-2.json");
    }
    if (failed == 0)
        failed = merge_finish(&m, out, err);
    merge_release(&m);
    results_inputs_release(&in);
    return failed;
}

static int write_document(const struct result *r, const char *path, struct err *err)
{
    struct buf json;
    int failed;

    buf_init(&json, DOCUMENT_MAX_BYTES);
    failed = result_to_json(r, &json, err);
    if (failed == 0)
        failed = file_write(path, buf_slice(&json), err);
    buf_release(&json);
    return failed;
}

/* The report; with the document on standard output it goes to standard error. */
static int publish(const struct result *r, const struct results_options *o, struct err *err)
{
    FILE *to = o->output != NULL && strcmp(o->output, "-") == 0 ? stderr : stdout;
    struct buf heading;
    int sys;

    buf_init(&heading, 1u << 16);
    report_run_heading(&heading, r);
    fwrite(heading.data, 1, heading.len, to);
    buf_release(&heading);
    sys = outputs_print(to, r);
    if (sys != 0)
        return err_set(err, ERR_SYSTEM, sys, "cannot write the report");
    return o->output != NULL ? write_document(r, o->output, err) : 0;
}

int results_merge(const struct results_options *o)
{
    struct result *r = NULL;
    struct err err = { 0 };
    int code = 0;

    if (merge_words(o, &r, &err) != 0 || publish(r, o, &err) != 0)
        code = cli_complain(RESULTS_WHO, &err);
    else
        code = result_exit_code(r);
    if (code != 2 && r != NULL && !o->no_store)
        storing_keep(r, o->output != NULL && strcmp(o->output, "-") != 0 ? o->output : NULL, RESULTS_WHO);
    result_free(r);
    return code;
}
