/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of copies, or of rounds with their averages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/csv_reader.h"
#include "rounds/import_parts.h"

/* What a column means. Any other is a label, which tells platforms apart. */
enum column {
    COLUMN_LABEL,
    COLUMN_CONCURRENCY,
    COLUMN_SERIES,
    COLUMN_ROUND,
    COLUMN_SAMPLE,
    COLUMN_AVERAGE,
    COLUMN_FAILED,
    COLUMN_COPY,
    COLUMN_OK,
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_EXIT,
    COLUMN_SIGNAL,
    COLUMN_USER,
    COLUMN_SYS,
    COLUMN_RSS,
    COLUMN_FAILURE,
    COLUMN_PHASE,
};
static const struct {
    const char *name;
    enum column column;
} NAMES[] = {
    { "concurrency", COLUMN_CONCURRENCY },
    { "at_once", COLUMN_CONCURRENCY },
    { "n", COLUMN_CONCURRENCY },
    { "series", COLUMN_SERIES },
    { "round", COLUMN_ROUND },
    { "sample", COLUMN_SAMPLE },
    { "average_s", COLUMN_AVERAGE },
    { "mean_s", COLUMN_AVERAGE },
    { "failed", COLUMN_FAILED },
    { "copy", COLUMN_COPY },
    { "ok", COLUMN_OK },
    { "start_s", COLUMN_START },
    { "duration_s", COLUMN_DURATION },
    { "seconds", COLUMN_DURATION },
    { "exit", COLUMN_EXIT },
    { "signal", COLUMN_SIGNAL },
    { "user_s", COLUMN_USER },
    { "sys_s", COLUMN_SYS },
    { "max_rss_bytes", COLUMN_RSS },
    { "failure", COLUMN_FAILURE },
};

struct table {
    struct rounds_import *im;
    const char *file;
    struct csv_reader reader;
    enum column columns[CSV_FIELDS_MAX];
    size_t phases[CSV_FIELDS_MAX]; /* of COLUMN_PHASE: its index */
    char *labels[CSV_FIELDS_MAX];  /* of COLUMN_LABEL: its name */
    size_t count;
};

/* A row, its texts still those of the reader. */
struct row {
    uint32_t series, concurrency, round, sample, failed;
    double average_s;
    bool is_copy;
    struct rounds_copy copy;
};

static struct slice first_line(struct slice text)
{
    return import_line(&text);
}

static enum column column_of(struct slice name)
{
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (slice_eq_nocase(slice_trim(name), slice_str(NAMES[i].name)))
            return NAMES[i].column;
    if (slice_starts(name, SLICE("phase ")) && slice_ends(name, SLICE("_s")) && name.len > 8)
        return COLUMN_PHASE;
    return COLUMN_LABEL;
}

bool import_is_csv(struct slice text)
{
    struct csv_reader reader;
    bool end, found = false;

    csv_reader_init(&reader, first_line(text));
    if (csv_reader_next(&reader, &end, NULL) == 0 && !end)
        for (size_t i = 0; i < reader.count; i++)
            found = found || column_of(reader.fields[i]) == COLUMN_CONCURRENCY;
    csv_reader_release(&reader);
    return found && slice_find(first_line(text), ',') >= 0;
}

static int complain(const struct table *t, struct err *err, const char *what, struct slice value)
{
    return err_set(err, ERR_CONFIG, 0, "%s:%u: %s \"%.*s\"", t->file, t->reader.line, what,
                   (int)slice_take(value, 60).len, value.ptr);
}

/* "phase upload_s" is a phase. */
static int add_phase(struct table *t, size_t i, struct err *err)
{
    const struct slice name = slice_drop(t->reader.fields[i], 6);
    char *copy = slice_dup(slice_take(name, name.len - 2));
    const int failed = copy == NULL ? import_no_memory(err) : import_phase(t->im, copy, NULL, &t->phases[i], err);

    free(copy);
    return failed;
}

static int read_header(struct table *t, struct err *err)
{
    bool end, has_time = false;

    if (csv_reader_next(&t->reader, &end, err) != 0)
        return err_prefix(err, "%s:%u", t->file, t->reader.line);
    t->count = t->reader.count;
    for (size_t i = 0; i < t->count; i++) {
        t->columns[i] = column_of(t->reader.fields[i]);
        has_time = has_time || t->columns[i] == COLUMN_DURATION || t->columns[i] == COLUMN_AVERAGE;
        if (t->columns[i] == COLUMN_PHASE && add_phase(t, i, err) != 0)
            return -1;
        if (t->columns[i] != COLUMN_LABEL)
            continue;
        t->labels[i] = slice_dup(slice_trim(t->reader.fields[i]));
        if (t->labels[i] == NULL)
            return import_no_memory(err);
    }
    if (has_time)
        return 0;
    err_set(err, ERR_CONFIG, 0, "%s:1: there is no column with times", t->file);
    return err_hint(err, "duration_s for a row per copy, or average_s for a row per round");
}

static int to_count(const struct table *t, struct slice text, uint32_t *out, struct err *err)
{
    uint64_t value;

    if (slice_trim(text).len == 0)
        return 0;
    if (!slice_to_u64(slice_trim(text), &value) || value > IMPORT_SIZE_MAX)
        return complain(t, err, "a whole number was expected, not", text);
    *out = (uint32_t)value;
    return 0;
}

static int to_seconds(const struct table *t, struct slice text, double *out, struct err *err)
{
    if (slice_trim(text).len == 0 || import_seconds(text, out))
        return 0;
    return complain(t, err, "a number was expected, not", text);
}

/* A duration; GNU time's words for a failure are one. */
static int to_duration(const struct table *t, struct slice text, struct rounds_copy *c, struct err *err)
{
    if (import_failure(text, &c->exit, &c->signal)) {
        c->ok = false;
        return 0;
    }
    return to_seconds(t, text, &c->duration_s, err);
}

static int to_ok(const struct table *t, struct slice text, bool *out, struct err *err)
{
    const struct slice s = slice_trim(text);

    if (slice_eq(s, SLICE("1")) || slice_eq_nocase(s, SLICE("true")))
        *out = true;
    else if (slice_eq(s, SLICE("0")) || slice_eq_nocase(s, SLICE("false")))
        *out = false;
    else if (s.len > 0)
        return complain(t, err, "1 or 0 was expected, not", text);
    return 0;
}

static int to_status(const struct table *t, struct slice text, int *out, struct err *err)
{
    uint32_t value = UINT32_MAX;

    if (to_count(t, text, &value, err) != 0)
        return -1;
    if (value != UINT32_MAX)
        *out = (int)value;
    return 0;
}

static int read_cell(struct table *t, size_t i, struct row *row, double *phases, struct err *err)
{
    const struct slice text = t->reader.fields[i];
    struct rounds_copy *c = &row->copy;

    switch (t->columns[i]) {
    case COLUMN_CONCURRENCY:
        return to_count(t, text, &row->concurrency, err);
    case COLUMN_ROUND:
        return to_count(t, text, &row->round, err);
    case COLUMN_SAMPLE:
        return to_count(t, text, &row->sample, err);
    case COLUMN_AVERAGE:
        return to_seconds(t, text, &row->average_s, err);
    case COLUMN_FAILED:
        return to_count(t, text, &row->failed, err);
    case COLUMN_COPY:
        return to_count(t, text, &c->index, err);
    case COLUMN_OK:
        return to_ok(t, text, &c->ok, err);
    case COLUMN_START:
        return to_seconds(t, text, &c->start_s, err);
    case COLUMN_DURATION:
        row->is_copy = row->is_copy || slice_trim(text).len > 0;
        return to_duration(t, text, c, err);
    case COLUMN_EXIT:
        return to_status(t, text, &c->exit, err);
    case COLUMN_SIGNAL:
        return to_status(t, text, &c->signal, err);
    case COLUMN_USER:
        return to_seconds(t, text, &c->user_s, err);
    case COLUMN_SYS:
        return to_seconds(t, text, &c->sys_s, err);
    case COLUMN_RSS:
        return to_seconds(t, text, &c->max_rss_bytes, err);
    case COLUMN_PHASE:
        return to_seconds(t, text, &phases[t->phases[i]], err);
    case COLUMN_FAILURE:
        c->failure = text.len > 0 ? slice_dup(text) : NULL;
        return text.len > 0 && c->failure == NULL ? import_no_memory(err) : 0;
    case COLUMN_LABEL:
    case COLUMN_SERIES:
        break;
    }
    return 0;
}

/* "api_cores=2 cells=4", or the series' own name. */
static int find_series(struct table *t, struct row *row, struct err *err)
{
    struct buf name;
    int failed;

    buf_init(&name, 4096);
    for (size_t i = 0; i < t->count; i++) {
        if (t->columns[i] == COLUMN_SERIES)
            buf_printf(&name, "%s%.*s", name.len > 0 ? " " : "", SLICE_FMT(t->reader.fields[i]));
        else if (t->columns[i] == COLUMN_LABEL)
            buf_printf(&name, "%s%s=%.*s", name.len > 0 ? " " : "", t->labels[i], SLICE_FMT(t->reader.fields[i]));
    }
    if (!buf_ok(&name)) {
        failed = complain(t, err, "labels that are too long:", t->reader.fields[0]);
    } else if (name.len > 0) {
        failed = import_series(t->im, name.data, &row->series, err);
    } else {
        char *stem = import_stem(t->file);

        failed = stem == NULL ? import_no_memory(err) : import_series(t->im, stem, &row->series, err);
        free(stem);
    }
    buf_release(&name);
    return failed;
}

static int read_row(struct table *t, struct row *row, double *phases, struct err *err)
{
    *row = (struct row){ .average_s = NAN, .copy = { .ok = true, .exit = -1 } };
    row->copy.start_s = row->copy.duration_s = row->copy.user_s = row->copy.sys_s = row->copy.max_rss_bytes = NAN;
    for (size_t i = 0; i < t->im->r->phase_count; i++)
        phases[i] = NAN;
    if (t->reader.count != t->count) {
        err_set(err, ERR_CONFIG, 0, "%s:%u: %zu fields, the header has %zu", t->file, t->reader.line, t->reader.count,
                t->count);
        return -1;
    }
    for (size_t i = 0; i < t->count; i++)
        if (read_cell(t, i, row, phases, err) != 0)
            return -1;
    row->is_copy = row->is_copy || row->copy.index > 0;
    if (row->concurrency == 0)
        return complain(t, err, "\"concurrency\" must be 1 or more, in the row of", t->reader.fields[0]);
    if (row->failed > row->concurrency)
        return complain(t, err, "more failed than ran at once, in the row of", t->reader.fields[0]);
    return find_series(t, row, err);
}

static int add_average(struct table *t, const struct row *row, struct err *err)
{
    struct rounds_round *round = rounds_result_add_round(t->im->r);
    const uint32_t ok = row->concurrency - row->failed;

    if (round == NULL)
        return import_no_memory(err);
    round->series = row->series;
    round->concurrency = row->concurrency;
    round->sample = row->sample > 0 ? row->sample : 1;
    round->mean_s = row->average_s;
    round->failed = row->failed;
    round->ok = ok;
    if (ok > 0)
        round->mean_discounted_s = row->average_s * row->concurrency / ok;
    if (row->failed > 0 && ok > 0)
        result_add_warning(
            t->im->result,
            "%s, %u at once: the average of %.6g s counts %u failure%s; as 0 s, which is what GNU time's "
            "words give, and then it is really %.6g s",
            t->im->r->series[row->series].name, row->concurrency, row->average_s, row->failed,
            row->failed == 1 ? "" : "s", round->mean_discounted_s);
    return 0;
}

/* The round that the copy belongs to: the one in hand, while it is the same and not full. */
static struct rounds_round *round_of(struct table *t, const struct row *row, uint32_t *number, struct err *err)
{
    struct rounds_result *r = t->im->r;
    struct rounds_round *last = r->round_count > 0 ? &r->rounds[r->round_count - 1] : NULL;

    if (last != NULL && last->copy_count > 0 && last->series == row->series && last->concurrency == row->concurrency &&
        *number == row->round && (row->sample == 0 || last->sample == row->sample) &&
        last->copy_count < last->concurrency)
        return last;
    last = rounds_result_add_round(r);
    if (last == NULL) {
        import_no_memory(err);
        return NULL;
    }
    last->series = row->series;
    last->concurrency = row->concurrency;
    last->sample = row->sample > 0 ? row->sample : 1;
    *number = row->round;
    return last;
}

/* One more copy, whose texts go over to it. */
static int add_copy(struct table *t, struct row *row, uint32_t *number, const double *phases, struct err *err)
{
    struct rounds_round *round = round_of(t, row, number, err);
    struct rounds_copy *grown;
    const size_t phase_count = t->im->r->phase_count;

    if (round == NULL)
        return -1;
    grown = reallocarray(round->copies, round->copy_count + 1, sizeof(*grown));
    if (grown == NULL)
        return import_no_memory(err);
    round->copies = grown;
    if (row->copy.index == 0)
        row->copy.index = (uint32_t)round->copy_count + 1;
    row->copy.ok = row->copy.ok && row->copy.exit <= 0 && row->copy.signal == 0;
    if (phase_count > 0) {
        row->copy.phases = calloc(phase_count, sizeof(*phases));
        if (row->copy.phases == NULL)
            return import_no_memory(err);
        memcpy(row->copy.phases, phases, phase_count * sizeof(*phases));
    }
    grown[round->copy_count++] = row->copy;
    row->copy.failure = NULL;
    return 0;
}

static int read_rows(struct table *t, double *phases, struct err *err)
{
    uint32_t number = 0;

    for (;;) {
        struct row row = { 0 };
        bool end;
        int failed;

        if (csv_reader_next(&t->reader, &end, err) != 0)
            return err_prefix(err, "%s:%u", t->file, t->reader.line);
        if (end)
            return 0;
        failed = read_row(t, &row, phases, err);
        if (failed == 0)
            failed = row.is_copy ? add_copy(t, &row, &number, phases, err) : add_average(t, &row, err);
        free(row.copy.failure);
        if (failed != 0)
            return -1;
    }
}

int import_csv(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    struct table *t = calloc(1, sizeof(*t));
    double *phases = NULL;
    int failed;

    if (t == NULL)
        return import_no_memory(err);
    t->im = im;
    t->file = in->name;
    csv_reader_init(&t->reader, in->text);
    failed = read_header(t, err);
    if (failed == 0) {
        phases = calloc(im->r->phase_count + 1, sizeof(*phases));
        failed = phases == NULL ? import_no_memory(err) : read_rows(t, phases, err);
    }
    free(phases);
    for (size_t i = 0; i < t->count; i++)
        free(t->labels[i]);
    csv_reader_release(&t->reader);
    free(t);
    return failed;
}
