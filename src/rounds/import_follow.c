/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/import_follow.h"

#include <stdlib.h>

#include "base/units.h"
#include "doc/doc.h"
#include "rounds/import_parts.h"

void followed_release(struct followed *f)
{
    free(f->words);
    f->words = NULL;
    for (size_t i = 0; i < 2; i++)
        output_release(&f->streams[i]);
}

static void take_line(struct followed *f, struct phase_reader *reader, enum line_stream stream, struct slice line,
                      bool whole)
{
    output_remember(&f->streams[stream], line);
    if (whole)
        output_remember(&f->streams[stream], SLICE("\n"));
    if (reader != NULL)
        phase_reader_take(reader, line, f->end_ns);
}

static int keep_end(struct followed *f, const struct end_record *end, struct err *err)
{
    free(f->words);
    f->end = *end;
    f->words = slice_dup(end->words);
    f->end.words = slice_str(f->words);
    f->has_end = true;
    return f->words != NULL ? 0 : import_no_memory(err);
}

/* The reader gets a line with its stamp, which it knows how to leave out. */
static void follow_stamps(struct followed *f, struct slice text, struct phase_reader *reader)
{
    struct stamp_clock clock = { 0 };

    while (text.len > 0) {
        const struct slice line = import_line(&text);
        struct stamp s = { 0 };
        struct slice said = line;

        if (stamp_read(&s, line)) {
            if (!f->has_first)
                f->first = s;
            f->has_first = true;
            (void)stamp_clock_read(&clock, &s);
            said = slice_drop(line, s.bytes);
        }
        f->end_ns = clock.now_ns;
        f->time_failed = import_failure(said, &f->exit, &f->signal) || f->time_failed;
        output_remember(&f->streams[LINE_STDOUT], said);
        output_remember(&f->streams[LINE_STDOUT], SLICE("\n"));
        if (reader != NULL)
            phase_reader_take(reader, line, clock.now_ns);
    }
    f->steps_back = clock.steps_back;
    f->whole_seconds = clock.whole_seconds;
}

static enum line_stream stream_of(const struct doc *d)
{
    struct doc_node *stream = doc_find(doc_root(d), "stream");

    return doc_kind(stream) == DOC_TEXT && slice_eq(doc_text(stream), SLICE("stderr")) ? LINE_STDERR : LINE_STDOUT;
}

static int follow_json_line(struct followed *f, const char *name, struct slice line, struct phase_reader *reader,
                            struct err *err)
{
    struct doc *d = NULL;
    struct doc_node *t, *text;
    struct end_record end;
    double at_s;
    int failed = doc_parse(&d, name, line, err);

    if (failed != 0)
        return -1;
    if (end_record_read_json(&end, doc_root(d))) {
        failed = keep_end(f, &end, err);
        doc_free(d);
        return failed;
    }
    t = doc_find(doc_root(d), "t");
    text = doc_find(doc_root(d), "line");
    if (doc_kind(t) != DOC_TEXT || !import_seconds(doc_text(t), &at_s) ||
        (doc_kind(text) != DOC_TEXT && text != NULL)) {
        failed = err_set(err, ERR_CONFIG, 0, "%s: a line without \"t\" and \"line\": %.*s", name,
                         SLICE_FMT(slice_take(line, 60)));
    } else {
        const uint64_t at_ns = (uint64_t)(at_s * NS_PER_S);

        f->end_ns = at_ns > f->end_ns ? at_ns : f->end_ns;
        take_line(f, reader, stream_of(d), doc_text(text), doc_find(doc_root(d), "whole") == NULL);
    }
    doc_free(d);
    return failed;
}

static int follow_text(struct followed *f, struct slice text, struct phase_reader *reader, struct err *err)
{
    struct end_record end;
    const bool has_end = end_record_take_last(&end, &text);

    follow_stamps(f, text, reader);
    return has_end ? keep_end(f, &end, err) : 0;
}

int follow_log(struct followed *f, const struct rounds_input *in, struct phase_reader *reader, struct err *err)
{
    struct slice rest = in->text;

    *f = (struct followed){ 0 };
    for (size_t i = 0; i < 2; i++)
        output_init(&f->streams[i], -1, 0, (enum line_stream)i);
    if (reader != NULL)
        phase_reader_clear(reader);
    if (!import_is_json_lines(in->text))
        return follow_text(f, in->text, reader, err);
    while (rest.len > 0) {
        const struct slice line = import_line(&rest);

        if (line.len > 0 && follow_json_line(f, in->name, line, reader, err) != 0)
            return -1;
    }
    return 0;
}
