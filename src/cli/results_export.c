/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll results export */
#include "cli/results.h"

#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/results_inputs.h"
#include "cli/results_server.h"

#define TEXT_MAX_BYTES (UINT64_C(1) << 31)

static int gather(void *arg, const struct result *r, struct slice json, const char *source, struct err *err)
{
    return export_add(arg, r, json, source, err);
}

/* words from `first` on, as one text. */
static int make_text(struct buf *out, const struct results_options *o, size_t first, enum export_format format,
                     struct err *err)
{
    struct results_inputs in = { 0 };
    struct exporting e;
    int failed = 0;

    export_begin(&e, format);
    for (size_t i = first; i < o->words.count && failed == 0; i++)
        failed = results_word_visit(&in, o->words.items[i], gather, &e, err);
    if (failed == 0)
        failed = export_end(&e, out, err);
    export_release(&e);
    results_inputs_release(&in);
    return failed;
}

static int write_text(const struct results_options *o, size_t first, enum export_format format, const char *path)
{
    struct err err = { 0 };
    struct buf text;
    int failed;

    buf_init(&text, TEXT_MAX_BYTES);
    failed = make_text(&text, o, first, format, &err);
    if (failed == 0)
        failed = file_write(path, buf_slice(&text), &err);
    buf_release(&text);
    if (failed == 0)
        return 0;
    return strcmp(path, "-") == 0 ? cli_complain_of_output(RESULTS_WHO, &err) : cli_complain(RESULTS_WHO, &err);
}

int results_write(const struct results_options *o, enum export_format format, const char *path)
{
    return write_text(o, 0, format, path);
}

/* What was taken, and what was refused and why. */
static int tell(const struct elasticsearch_pushed *done)
{
    struct err err = { 0 };

    if (done->refused == 0) {
        cli_note(RESULTS_WHO, "the server took %zu document%s", done->taken, units_plural(done->taken));
        return 0;
    }
    err_set(&err, ERR_PEER, 0, "the server refused %zu of %zu documents, the first with %s", done->refused,
            done->refused + done->taken, done->first_refusal);
    return cli_complain(RESULTS_WHO, &err);
}

static int push(const struct results_options *o, size_t first)
{
    struct elasticsearch_pushed done = { 0 };
    struct results_server server = { 0 };
    struct err err = { 0 };
    struct buf text;
    int failed = results_server_set(&server, o->push, o, &err);

    buf_init(&text, TEXT_MAX_BYTES);
    if (failed == 0)
        failed = make_text(&text, o, first, EXPORT_ELASTICSEARCH, &err);
    if (failed == 0)
        failed = elasticsearch_push(&done, &server.server, buf_slice(&text), &err);
    if (failed != 0 && done.taken + done.refused > 0)
        cli_note(RESULTS_WHO, "before that the server took %zu document%s and refused %zu", done.taken,
                 units_plural(done.taken), done.refused);
    buf_release(&text);
    results_server_release(&server);
    return failed == 0 ? tell(&done) : cli_complain(RESULTS_WHO, &err);
}

int results_export(const struct results_options *o)
{
    enum export_format format = o->format;
    const size_t first = o->words.count > 1 && export_format_parse(&format, slice_str(o->words.items[0])) == 0;

    if (o->push != NULL)
        return push(o, first);
    return write_text(o, first, format, o->output != NULL ? o->output : "-");
}
