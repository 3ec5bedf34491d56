/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "http/redact.h"

/* argp's keys: the short letter, or for rows without one this plus their number. */
enum { KEY_LONG_ONLY = 256 };

/* What is known about one word of the line, for the stored command: an option's value begins at `keep`. */
struct word_mark {
    bool has_value;
    size_t keep;
    option_redactor *redact;
};

struct parsing {
    const struct option_table *table;
    void *config;
    struct word_mark *marks; /* one per word of argv */
    int judged;              /* words before this one are dealt with: an error is in the word itself */
    bool failed, help;
    struct err *err;
};

const char *options_label(char out[OPTION_LABEL_MAX], const struct option_row *row)
{
    if (row->short_name != 0)
        snprintf(out, OPTION_LABEL_MAX, "-%c/--%s", row->short_name, row->name);
    else
        snprintf(out, OPTION_LABEL_MAX, "--%s", row->name);
    return out;
}

static bool is_last(const struct option_row *row)
{
    return row->name == NULL && row->heading == NULL;
}

static size_t row_count(const struct option_table *t)
{
    size_t n = 0;

    while (!is_last(&t->rows[n]))
        n++;
    return n;
}

static int key_of(const struct option_table *t, size_t row)
{
    return t->rows[row].short_name != 0 ? t->rows[row].short_name : KEY_LONG_ONLY + (int)row;
}

static const struct option_row *row_of_key(const struct option_table *t, int key)
{
    for (size_t i = 0; !is_last(&t->rows[i]); i++)
        if (t->rows[i].name != NULL && key_of(t, i) == key)
            return &t->rows[i];
    return NULL;
}

static void mark_value(struct parsing *p, const struct argp_state *state, const char *value,
                       const struct option_row *row)
{
    const int index = state->next - 1;
    const char *word = state->argv[index];
    const bool joined = value > word && value <= word + strlen(word);

    p->marks[index] = (struct word_mark){ true, joined ? (size_t)(value - word) : 0, row->redact };
}

/* "-duration 5s" is read as "-d uration": say what was meant. */
static void hint_two_dashes(struct parsing *p, const char *word)
{
    if (word[0] != '-' || word[1] == '-' || word[1] == '\0' || word[2] == '\0')
        return;
    for (const struct option_row *row = p->table->rows; !is_last(row); row++)
        if (row->name != NULL && strcmp(row->name, word + 1) == 0)
            err_hint(p->err, "long options take two dashes: --%s", row->name);
}

static error_t take_option(struct parsing *p, const struct argp_state *state, const struct option_row *row, char *value)
{
    char label[OPTION_LABEL_MAX];

    if (value != NULL)
        mark_value(p, state, value, row);
    p->judged = state->next;
    if (row->parse == NULL) {
        p->help = true;
        return ECANCELED;
    }
    if (row->parse((char *)p->config + row->offset, value, row, p->err) == 0)
        return 0;
    p->failed = true;
    err_prefix(p->err, "%s", options_label(label, row));
    hint_two_dashes(p, state->argv[state->next - 1]);
    return EINVAL;
}

static error_t take_argument(struct parsing *p, const struct argp_state *state, const char *word)
{
    const struct option_table *t = p->table;

    p->judged = state->next;
    if (t->argument != NULL && t->argument((char *)p->config + t->argument_offset, word, NULL, p->err) == 0)
        return 0;
    p->failed = true;
    if (t->argument == NULL) {
        err_set(p->err, ERR_USAGE, 0, "\"%s\" is one word too many: only options are taken", word);
        err_hint(p->err, "%s --help lists them", t->command);
    }
    return EINVAL;
}

static void fail_unknown_long(struct parsing *p, struct slice name)
{
    struct suggestion s;

    suggest_init(&s, name);
    for (const struct option_row *row = p->table->rows; !is_last(row); row++)
        if (row->name != NULL)
            suggest_consider(&s, row->name);
    err_set(p->err, ERR_USAGE, 0, "unknown option \"--%.*s\"", SLICE_FMT(name));
    if (s.word != NULL)
        err_hint(p->err, "did you mean --%s? %s --help lists all options", s.word, p->table->command);
    else
        err_hint(p->err, "%s --help lists all options", p->table->command);
}

static void fail_missing_value(struct parsing *p, const struct option_row *row)
{
    char label[OPTION_LABEL_MAX];

    err_set(p->err, ERR_USAGE, 0, "%s needs a value: %s", options_label(label, row), row->argument);
    err_hint(p->err, "for example --%s %s", row->name, row->example);
}

/* A long option that getopt refused: unknown, ambiguous, or with a value too many or too few. */
static void fail_long(struct parsing *p, const char *word)
{
    struct slice rest = slice_str(word + 2);
    const bool has_value = slice_find(rest, '=') >= 0;
    const struct slice name = slice_split(&rest, '=');
    const struct option_row *found = NULL, *second = NULL;

    for (const struct option_row *row = p->table->rows; !is_last(row); row++) {
        if (row->name == NULL || !slice_starts(slice_str(row->name), name))
            continue;
        if (found == NULL || slice_eq(slice_str(row->name), name)) {
            second = found;
            found = row;
        } else {
            second = row;
        }
    }
    if (found == NULL) {
        fail_unknown_long(p, name);
    } else if (second != NULL && !slice_eq(slice_str(found->name), name)) {
        err_set(p->err, ERR_USAGE, 0, "\"--%.*s\" may mean more than one option", SLICE_FMT(name));
        err_hint(p->err, "write --%s or --%s in full", found->name, second->name);
    } else if (found->argument == NULL && has_value) {
        err_set(p->err, ERR_USAGE, 0, "--%s takes no value, \"%.*s\" was given", found->name, SLICE_FMT(rest));
        err_hint(p->err, "write --%s alone", found->name);
    } else {
        fail_missing_value(p, found);
    }
}

static void fail_short(struct parsing *p, const char *word)
{
    for (const char *c = word + 1; *c != '\0'; c++) {
        const struct option_row *row = row_of_key(p->table, *c);

        if (row == NULL && *c == '=' && c > word + 1) {
            err_set(p->err, ERR_USAGE, 0, "-%c takes no value, \"%s\" was given", c[-1], c + 1);
            err_hint(p->err, "write -%c alone", c[-1]);
            return;
        }
        if (row == NULL) {
            err_set(p->err, ERR_USAGE, 0, "unknown option \"-%c\"", *c); /* the rest may be a password */
            err_hint(p->err, "%s --help lists all options", p->table->command);
            return;
        }
        if (row->argument != NULL) {
            fail_missing_value(p, row);
            return;
        }
    }
    err_set(p->err, ERR_USAGE, 0, "\"%s\" is not understood", word);
    err_hint(p->err, "%s --help lists all options", p->table->command);
}

static error_t take_key(int key, char *value, struct argp_state *state)
{
    struct parsing *p = state->input;
    const struct option_row *row = row_of_key(p->table, key);

    if (row != NULL)
        return take_option(p, state, row, value);
    if (key == ARGP_KEY_ARG)
        return take_argument(p, state, value);
    if (key == ARGP_KEY_ERROR && !p->failed && !p->help) {
        const char *word = state->argv[p->judged < state->argc ? p->judged : state->argc - 1];

        p->failed = true;
        if (word[0] == '-' && word[1] == '-')
            fail_long(p, word);
        else
            fail_short(p, word);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static bool add_word(struct strlist *words, const char *word, const struct word_mark *mark)
{
    struct buf text;
    bool ok;

    buf_init(&text, 1u << 20);
    buf_append(&text, word, mark->keep);
    if (mark->redact != NULL)
        mark->redact(&text, slice_str(word + mark->keep));
    else
        redact_url(&text, slice_str(word + mark->keep));
    ok = buf_ok(&text) && strlist_add(words, buf_slice(&text));
    buf_release(&text);
    return ok;
}

static int add_words(struct strlist *words, int argc, char **argv, const struct word_mark *marks, struct err *err)
{
    for (int i = 0; i < argc; i++)
        if (!add_word(words, argv[i], &marks[i]))
            return err_set(err, ERR_SYSTEM, 0, "cannot store the command line: out of memory");
    return 0;
}

static struct argp_option *argp_rows(const struct option_table *t)
{
    const size_t n = row_count(t);
    struct argp_option *rows = calloc(n + 1, sizeof(*rows));
    size_t used = 0;

    for (size_t i = 0; rows != NULL && i < n; i++)
        if (t->rows[i].name != NULL)
            rows[used++] = (struct argp_option){
                .name = t->rows[i].name, .key = key_of(t, i), .arg = t->rows[i].argument, .doc = t->rows[i].help
            };
    return rows;
}

int options_parse(const struct option_table *t, void *config, int argc, char **argv, bool *help, struct strlist *words,
                  struct err *err)
{
    struct argp_option *rows = argp_rows(t);
    struct word_mark *marks = calloc((size_t)argc + 1, sizeof(*marks));
    const struct argp argp = { .options = rows, .parser = take_key };
    struct parsing p = { .table = t, .config = config, .marks = marks, .judged = 1, .err = err };
    int status = -1;

    *help = false;
    if (rows == NULL || marks == NULL) {
        err_set(err, ERR_SYSTEM, 0, "out of memory");
        goto out;
    }
    if (argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT | ARGP_IN_ORDER, NULL, &p) != 0) {
        *help = p.help;
        status = p.help ? 0 : -1;
        if (!p.help && !p.failed)
            err_set(err, ERR_USAGE, 0, "the command line is not understood");
        goto out;
    }
    status = words != NULL ? add_words(words, argc, argv, marks, err) : 0;
out:
    free(marks);
    free(rows);
    return status;
}
