/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/end_record.h"

#include "base/json_text.h"
#include "base/units.h"
#include "rounds/import_parts.h"

#define TEXT_BEGINS SLICE("#plimsoll ended after ")
#define TEXT_OK SLICE("ok: ")
#define TEXT_FAILED SLICE("failed: ")
#define SECONDS_UNIT SLICE(" s: ")

static void add_seconds(struct buf *out, uint64_t ns)
{
    buf_printf(out, "%u.%09u", (unsigned)(ns / NS_PER_S), (unsigned)(ns % NS_PER_S));
}

void end_record_add_json(struct buf *out, const struct end_record *e)
{
    buf_add_str(out, "{\"t\": ");
    add_seconds(out, e->duration_ns);
    buf_add_str(out, ", \"end\": ");
    json_add_string(out, e->words);
    buf_add_str(out, e->ok ? ", \"ok\": true" : ", \"ok\": false");
    if (e->exit >= 0)
        buf_printf(out, ", \"exit\": %d", e->exit);
    if (e->signal > 0)
        buf_printf(out, ", \"signal\": %d", e->signal);
    buf_add_str(out, e->timed_out ? ", \"timed_out\": true" : "");
    buf_add_str(out, e->stopped ? ", \"stopped\": true" : "");
    buf_add_str(out, e->exec_failed ? ", \"exec_failed\": true" : "");
    buf_add_str(out, "}\n");
}

void end_record_add_text(struct buf *out, const struct end_record *e)
{
    buf_add_slice(out, TEXT_BEGINS);
    add_seconds(out, e->duration_ns);
    buf_add_slice(out, SECONDS_UNIT);
    buf_add_slice(out, e->ok ? TEXT_OK : TEXT_FAILED);
    for (size_t i = 0; i < e->words.len; i++) /* one line, whatever the name of a program that is not there */
        buf_add_char(out, e->words.ptr[i] == '\n' ? ' ' : e->words.ptr[i]);
    buf_add_char(out, '\n');
}

static bool read_duration(struct end_record *e, struct slice text)
{
    double seconds;

    if (!import_seconds(text, &seconds))
        return false;
    e->duration_ns = (uint64_t)(seconds * NS_PER_S + 0.5);
    return true;
}

static bool is_true(struct doc_node *record, const char *key)
{
    struct doc_node *n = doc_find(record, key);

    return doc_kind(n) == DOC_TEXT && slice_eq(doc_text(n), SLICE("true"));
}

static int read_number(struct doc_node *record, const char *key, int none)
{
    struct doc_node *n = doc_find(record, key);
    uint64_t value;

    return doc_kind(n) == DOC_TEXT && slice_to_u64(doc_text(n), &value) && value <= 255 ? (int)value : none;
}

bool end_record_read_json(struct end_record *out, struct doc_node *record)
{
    struct doc_node *words = doc_find(record, "end"), *t = doc_find(record, "t");

    if (doc_kind(words) != DOC_TEXT || doc_find(record, "line") != NULL)
        return false;
    *out = (struct end_record){
        .ok = is_true(record, "ok"),
        .timed_out = is_true(record, "timed_out"),
        .stopped = is_true(record, "stopped"),
        .exec_failed = is_true(record, "exec_failed"),
        .exit = read_number(record, "exit", -1),
        .signal = read_number(record, "signal", 0),
        .words = doc_text(words),
    };
    return doc_kind(t) == DOC_TEXT && read_duration(out, doc_text(t));
}

/* The number behind the first word: "exit 3", "signal 9 (Killed)". */
static bool number_of(struct slice words, struct slice first, int *out)
{
    struct slice rest = slice_drop(words, first.len);
    uint64_t value;

    if (!slice_starts(words, first) || !slice_to_u64(slice_split(&rest, ' '), &value) || value > 255)
        return false;
    *out = (int)value;
    return true;
}

static void read_words(struct end_record *e)
{
    e->exit = -1;
    if (number_of(e->words, SLICE("exit "), &e->exit) || number_of(e->words, SLICE("signal "), &e->signal))
        return;
    e->timed_out = slice_starts(e->words, SLICE("timed out"));
    e->stopped = slice_eq(e->words, SLICE("stopped"));
    e->exec_failed = slice_starts(e->words, SLICE("cannot "));
}

bool end_record_read_text(struct end_record *out, struct slice line)
{
    struct slice rest = slice_drop(line, TEXT_BEGINS.len);
    const ptrdiff_t unit = slice_find_slice(rest, SECONDS_UNIT);

    *out = (struct end_record){ 0 };
    if (!slice_starts(line, TEXT_BEGINS) || unit < 0 || !read_duration(out, slice_take(rest, (size_t)unit)))
        return false;
    rest = slice_drop(rest, (size_t)unit + SECONDS_UNIT.len);
    out->ok = slice_starts(rest, TEXT_OK);
    if (!out->ok && !slice_starts(rest, TEXT_FAILED))
        return false;
    out->words = slice_drop(rest, out->ok ? TEXT_OK.len : TEXT_FAILED.len);
    read_words(out);
    return true;
}

bool end_record_take_last(struct end_record *out, struct slice *log)
{
    struct slice rest = *log;
    size_t start;

    while (slice_ends(rest, SLICE("\n")))
        rest = slice_take(rest, rest.len - 1);
    for (start = rest.len; start > 0 && rest.ptr[start - 1] != '\n'; start--)
        ;
    if (!end_record_read_text(out, slice_drop(rest, start)))
        return false;
    *log = slice_take(rest, start);
    return true;
}
