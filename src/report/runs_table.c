/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/runs_table.h"

#include <libsmartcols/libsmartcols.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/visible.h"
#include "report/fit.h"

enum { ID_LEAST = 8, TEXT_MAX_BYTES = 1 << 26 };

/* id, heading, share of the width, flags. */
#define COLUMNS(X)                                  \
    X(COLUMN_RUN, "RUN", 8, 0)                      \
    X(COLUMN_NAME, "NAME", 0.1, SCOLS_FL_TRUNC)     \
    X(COLUMN_KIND, "KIND", 4, 0)                    \
    X(COLUMN_STARTED, "STARTED (UTC)", 19, 0)       \
    X(COLUMN_LENGTH, "LENGTH", 6, SCOLS_FL_RIGHT)   \
    X(COLUMN_STATE, "STATE", 5, 0)                  \
    X(COLUMN_TAGS, "TAGS", 0.1, SCOLS_FL_TRUNC)     \
    X(COLUMN_LABELS, "LABELS", 0.2, SCOLS_FL_TRUNC) \
    X(COLUMN_NOTE, "NOTE", 0.1, SCOLS_FL_TRUNC)

enum column {
#define COLUMN_ENUM(id, heading, share, flags) id,
    COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMN_COUNT
};

static int by_id(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] != '\0' && a[n] == b[n])
        n++;
    return n;
}

/* Letters of an id that tell every run from all others. 0: no memory. */
static size_t id_letters(const struct listing *runs)
{
    const char **ids = calloc(runs->count + 1, sizeof(*ids));
    size_t letters = ID_LEAST;

    if (ids == NULL)
        return 0;
    for (size_t i = 0; i < runs->count; i++)
        ids[i] = runs->runs[i].id;
    qsort(ids, runs->count, sizeof(*ids), by_id);
    for (size_t i = 1; i < runs->count; i++) {
        const size_t same = common_prefix(ids[i - 1], ids[i]);

        if (same + 1 > letters && strcmp(ids[i - 1], ids[i]) != 0)
            letters = same + 1;
    }
    free(ids);
    return letters;
}

/* The library shows what would turn its line around as it is. */
static int set(struct libscols_line *line, enum column column, struct slice text)
{
    struct buf seen;
    int failed;

    buf_init(&seen, VISIBLE_TIMES * text.len + 1);
    buf_add_str(&seen, "");
    visible_add(&seen, text);
    failed = !buf_ok(&seen) || scols_line_set_data(line, column, seen.data) != 0;
    buf_release(&seen);
    return failed;
}

static void add_joined(struct buf *text, const struct listed_run *r, enum column column)
{
    buf_clear(text);
    buf_add_str(text, "");
    for (size_t i = 0; column == COLUMN_TAGS && i < r->tags.count; i++)
        buf_printf(text, "%s%s", i > 0 ? " " : "", r->tags.items[i]);
    for (size_t i = 0; column == COLUMN_LABELS && i < r->label_count; i++)
        buf_printf(text, "%s%s=%s", i > 0 ? " " : "", r->labels[2 * i], r->labels[2 * i + 1]);
}

/* "2026-03-01 12:34:56": the milliseconds are for the documents. */
static void add_start(struct buf *text, const char *started)
{
    const char *t = strchr(started, 'T');

    buf_clear(text);
    if (t != NULL)
        buf_printf(text, "%.*s %.8s", (int)(t - started), started, t + 1);
    else
        buf_add_str(text, started);
}

static void add_length(struct buf *text, double duration_s)
{
    char length[UNITS_TEXT_MAX];

    buf_clear(text);
    buf_add_str(text, duration_s > 0 ? units_format_duration(length, duration_s * 1e9) : "");
}

static int add_run(struct libscols_table *table, const struct listed_run *r, size_t letters, struct buf *text)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    int failed = line == NULL;

    if (failed)
        return -1;
    buf_clear(text);
    buf_printf(text, "%.*s", (int)letters, r->id);
    failed |= scols_line_set_data(line, COLUMN_RUN, text->data);
    failed |= set(line, COLUMN_NAME, slice_str(r->name));
    failed |= set(line, COLUMN_KIND, slice_str(r->kind));
    add_start(text, r->started);
    failed |= scols_line_set_data(line, COLUMN_STARTED, text->data);
    add_length(text, r->duration_s);
    failed |= scols_line_set_data(line, COLUMN_LENGTH, text->data);
    failed |= scols_line_set_data(line, COLUMN_STATE, r->interrupted ? "interrupted" : r->valid ? "ok" : "invalid");
    add_joined(text, r, COLUMN_TAGS);
    failed |= set(line, COLUMN_TAGS, buf_slice(text));
    add_joined(text, r, COLUMN_LABELS);
    failed |= set(line, COLUMN_LABELS, buf_slice(text));
    failed |= set(line, COLUMN_NOTE, slice_str(r->note));
    return failed != 0 || !buf_ok(text) ? -1 : 0;
}

static int add_columns(struct libscols_table *table)
{
#define COLUMN_ADD(id, heading, share, flags)                         \
    if (scols_table_new_column(table, heading, share, flags) == NULL) \
        return -1;
    COLUMNS(COLUMN_ADD)
#undef COLUMN_ADD
    return 0;
}

static int fill(struct libscols_table *table, const struct listing *runs)
{
    const size_t letters = id_letters(runs);
    struct buf text;
    int failed = letters == 0 || add_columns(table) != 0;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < runs->count && !failed; i++)
        failed = add_run(table, &runs->runs[i], letters, &text);
    buf_release(&text);
    return failed ? -1 : 0;
}

/* Without spaces at the ends of lines. */
static void add_lines(struct buf *out, const char *text)
{
    struct slice rest = slice_str(text);

    while (rest.len > 0) {
        struct slice line = slice_split(&rest, '\n');

        while (line.len > 0 && line.ptr[line.len - 1] == ' ')
            line.len--;
        buf_add_slice(out, line);
        buf_add_char(out, '\n');
    }
}

static int print(struct buf *out, const struct listing *runs, unsigned width)
{
    struct libscols_table *table = scols_new_table();
    char *text = NULL;
    int failed = table == NULL || fill(table, runs) != 0;

    if (!failed) {
        scols_table_set_termforce(table, width > 0 ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
        if (width > 0)
            scols_table_set_termwidth(table, width);
        failed = scols_print_table_to_string(table, &text) != 0 || text == NULL;
    }
    if (!failed)
        add_lines(out, text);
    free(text);
    scols_unref_table(table);
    return failed ? -1 : 0;
}

/* The library measures texts in the locale's characters: those of the program are UTF-8 whatever the environment. */
int report_runs_table(struct buf *out, const struct listing *runs, unsigned width, struct err *err)
{
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = utf8 != (locale_t)0 ? uselocale(utf8) : (locale_t)0;
    const int failed = print(out, runs, width);

    if (utf8 != (locale_t)0) {
        uselocale(before);
        freelocale(utf8);
    }
    return failed != 0 ? err_set(err, ERR_SYSTEM, 0, "out of memory") : 0;
}

void report_run_heading(struct buf *out, const struct result *r)
{
    buf_add_str(out, r->id);
    if (r->name != NULL && r->name[0] != '\0') {
        buf_add_str(out, ", ");
        fit_line(out, slice_str(r->name), strlen(r->name), FIT_HEAD);
    }
    buf_printf(out, ", %s", r->kind != NULL ? r->kind : "");
    if (r->started[0] != '\0') {
        buf_add_str(out, ", started ");
        fit_line(out, slice_str(r->started), sizeof(r->started), FIT_HEAD);
    }
    buf_add_char(out, '\n');
}
