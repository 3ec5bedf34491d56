/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results_options.h"

#include <string.h>
#include <time.h>

#include "cli/option_values.h"
#include "base/units.h"
#include "base/suggest.h"
#include "cli/results.h"
#include "import/import.h"

#define FIELD(name) .offset = offsetof(struct results_options, name)
#define HELP_ROW                                                    \
    {                                                               \
        .name = "help", .short_name = 'h', .help = "show this help" \
    }

/* A word that may be empty: `note RUN ""` takes a note away. */
static int parse_word(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (option_check_printable(text, err) != 0)
        return -1;
    return strlist_add(field, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int parse_format(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct suggestion near;

    if (export_format_parse(field, slice_str(text)) == 0)
        return 0;
    suggest_init(&near, slice_str(text));
    for (unsigned i = 0; i < EXPORT_FORMAT_COUNT; i++)
        suggest_consider(&near, export_format_name((enum export_format)i));
    err_set(err, ERR_USAGE, 0, "\"%s\" is no form", text);
    return near.word != NULL ? err_hint(err, "did you mean %s?", near.word)
                             : err_hint(err, "json, csv and others; plimsoll results export --help lists them");
}

/* The beginning of "2026-03-01T12:34:56.789Z": a year at least, and every number whole. */
static bool is_form_of_date(const char *text)
{
    static const char FORM[] = "0000-00-00T00:00:00.000Z";
    const size_t length = strlen(text);
    bool ok = length >= 4 && length < sizeof(FORM);

    for (size_t i = 0; i < length && ok; i++)
        ok = FORM[i] == '0' ? text[i] >= '0' && text[i] <= '9'
                            : text[i] == FORM[i] || (FORM[i] == '.' && text[i] == 'Z' && text[i + 1] == '\0');
    return ok && text[length - 1] != '.' && (length > 19 || length == 4 || (length > 4 && (length - 4) % 3 == 0));
}

/* The number at this place, or `missing` where the text has ended. */
static int number_at(const char *text, size_t at, int missing)
{
    return strlen(text) < at + 2 ? missing : (text[at] - '0') * 10 + text[at + 1] - '0';
}

static bool is_day_of_calendar(const char *text)
{
    const int month = number_at(text, 5, 1) - 1, day = number_at(text, 8, 1);
    struct tm t = { .tm_year = number_at(text, 0, 0) * 100 + number_at(text, 2, 0) - 1900,
                    .tm_mon = month,
                    .tm_mday = day };

    return timegm(&t) != -1 && t.tm_mon == month && t.tm_mday == day;
}

static int parse_date(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (!is_form_of_date(text) || !is_day_of_calendar(text) || number_at(text, 11, 0) > 23 ||
        number_at(text, 14, 0) > 59 || number_at(text, 17, 0) > 59) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is no date", text);
        return err_hint(err, "for example 2026-03, 2026-03-01 or 2026-03-01T12:30, in UTC");
    }
    *(const char **)field = text;
    return 0;
}

static int parse_label(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (text[0] == '=') {
        err_set(err, ERR_USAGE, 0, "\"%s\" has no name before the =", text);
        return err_hint(err, "for example %s", row->example);
    }
    return option_list(field, text, row, err);
}

/* clang-format off */
static const struct option_row LIST[] = {
    { .name = "name", .argument = "PATTERN", .example = "'nightly-*'", .help = "runs of this name; * and ? as the shell has them",
      .parse = option_text, FIELD(name) },
    { .name = "kind", .argument = "KIND", .example = "load", .help = "runs of this kind: load, rounds, import",
      .parse = option_text, FIELD(kind) },
    { .name = "tag", .argument = "TAG", .example = "baseline", .help = "runs that carry this tag", .parse = option_text, FIELD(tag) },
    { .name = "label", .argument = "K[=V]", .example = "branch=main", .help = "runs with this label; given several times, with all of them",
      .parse = parse_label, FIELD(labels) },
    { .name = "since", .argument = "DATE", .example = "2026-03-01", .help = "started then or later (UTC)", .parse = parse_date, FIELD(since) },
    { .name = "until", .argument = "DATE", .example = "2026-03", .help = "started then or earlier; the whole day or month when it ends there",
      .parse = parse_date, FIELD(until) },
    { .name = "limit", .short_name = 'n', .argument = "N", .shown_default = "all", .example = "20", .help = "the newest N",
      .parse = option_count, FIELD(limit), .min = 1, .max = 1000000000 },
    { .name = "json", .help = "a JSON array instead of a table", .parse = option_flag, FIELD(json) },
    HELP_ROW, { 0 },
};
static const struct option_row SHOW[] = {
    { .name = "json", .help = "the document itself; an array of them when there are several", .parse = option_flag, FIELD(json) },
    HELP_ROW, { 0 },
};
static const struct option_row TAG[] = {
    { .name = "same-code", .help = "all runs under this tag were measured on unchanged code: compare learns from them how much sessions differ",
      .parse = option_flag, FIELD(same_code) },
    HELP_ROW, { 0 },
};
static const struct option_row PLAIN[] = { HELP_ROW, { 0 } };
static const struct option_row RM[] = {
    { .name = "yes", .short_name = 'y', .help = "do not ask", .parse = option_flag, FIELD(yes) },
    HELP_ROW, { 0 },
};
static const struct option_row MERGE[] = {
    { .name = "output", .short_name = 'o', .argument = "FILE", .example = "all.json", .help = "write the merged document there (- is standard output)",
      .parse = option_path, FIELD(output) },
    { .name = "no-store", .help = "do not keep the merged run in the store", .parse = option_flag, FIELD(no_store) },
    HELP_ROW, { 0 },
};
static const struct option_row GET[] = {
    { .name = "output", .short_name = 'o', .argument = "DIR", .shown_default = "here", .example = "parts", .help = "the folder that they go to; what is there already is not fetched",
      .parse = option_path, FIELD(output) },
    { .name = "wait", .argument = "TIME", .shown_default = "0s", .example = "10m", .help = "wait for those that are not there yet, as long as this",
      .parse = option_duration, FIELD(wait_ns), .min = 0, .max = UINT64_C(30) * 24 * 3600 * NS_PER_S },
    HELP_ROW, { 0 },
};
static const struct option_row EXPORT[] = {
    { .name = "format", .argument = "FORM", .shown_default = "json", .example = "csv", .help = "one of the forms below", .parse = parse_format, FIELD(format) },
    { .name = "push", .argument = "URL", .example = "http://localhost:9200", .help = "send them to this Elasticsearch or OpenSearch server, as the form elasticsearch",
      .parse = option_text, FIELD(push) },
    { .name = "index", .argument = "NAME", .example = "router-test-results", .help = "the index that they belong to",
      .parse = option_text, FIELD(index) },
    { .name = "insecure", .short_name = 'k', .help = "do not verify the server's certificate", .parse = option_flag, FIELD(insecure) },
    { .name = "output", .short_name = 'o', .argument = "FILE", .shown_default = "standard output", .example = "run.json", .help = "write there",
      .parse = option_path, FIELD(output) },
    HELP_ROW, { 0 },
};
static const struct option_row IMPORT[] = {
    { .name = "name", .argument = "NAME", .shown_default = "the file's", .example = "before", .help = "what to call the runs",
      .parse = option_text, FIELD(name) },
    { .name = "label", .argument = "K=V", .example = "branch=main", .help = "a label for each of the runs; may be repeated",
      .parse = parse_label, FIELD(labels) },
    { .name = "index", .argument = "NAME", .example = "router-test-results", .help = "with elasticsearch: the index to read",
      .parse = option_text, FIELD(index) },
    { .name = "uuid", .argument = "UUID", .example = "7112fc71-router-20220809", .help = "with elasticsearch: the run to read",
      .parse = option_text, FIELD(uuid) },
    { .name = "insecure", .short_name = 'k', .help = "with elasticsearch: do not verify the server's certificate",
      .parse = option_flag, FIELD(insecure) },
    { .name = "json", .help = "list what was stored as a JSON array", .parse = option_flag, FIELD(json) },
    HELP_ROW, { 0 },
};

/* A line of a table of forms. */
#define FORM_LINE(id, name, what) "  " name "\n                 " what "\n"

const struct results_command RESULTS_COMMANDS[] = {
    { "list", "[OPTION...]", "the stored runs, newest first", results_list, LIST, 0, SIZE_MAX,
      "Examples:\n  plimsoll results list -n 10\n  plimsoll results list --label branch=main --since 2026-03 --json\n" },
    { "show", "[OPTION...] RUN...", "the report of stored runs, or of files", results_show, SHOW, 1, 0,
      "Examples:\n  plimsoll results show nightly@latest\n  plimsoll results show 3f2a --json\n" },
    { "tag", "[OPTION...] RUN... NAME", "give runs a name of their own: a baseline, a session of unchanged code", results_tag, TAG, 2, 0,
      "Examples:\n  plimsoll results tag nightly@latest baseline\n  plimsoll results tag --same-code monday-1 monday-2 monday-3 monday\n" },
    { "untag", "RUN... NAME", "take a tag away", results_untag, PLAIN, 2, 0, NULL },
    { "note", "RUN TEXT", "write a note beside a run, in place of the one it has; \"\" takes it away", results_note, PLAIN, 2, 2, NULL },
    { "rm", "[OPTION...] RUN...", "remove runs; asks first", results_rm, RM, 1, 0, NULL },
    { "vacuum", "", "check the store and give back the space of removed runs", results_vacuum, PLAIN, 0, SIZE_MAX, NULL },
    { "merge", "[OPTION...] PART...", "the parts of one run, measured by several processes, as the run they are", results_merge, MERGE, 1, 0,
      "Examples:\n  plimsoll results merge share-*.json -o all.json\n  plimsoll results merge soak-1@latest soak-2@latest\n" },
    { "put", "URL FILE...", "files, each under its own name, to a store of objects: s3://BUCKET/PREFIX, or an http(s) URL that takes PUT", results_put, PLAIN, 2, 0,
      "Credentials come from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,\nAWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL; of http(s) PLIMSOLL_STORE_TOKEN (Bearer).\n\n"
      "Examples:\n  plimsoll results put s3://bench/run-7 part-1.json\n" },
    { "get", "[OPTION...] URL NAME...", "what was put there, by name; exit 3 names what is missing", results_get, GET, 2, 0,
      "Examples:\n  plimsoll results get --wait 10m -o parts s3://bench/run-7 part-1.json part-2.json\n" },
    { "export", "[OPTION...] [FORM] RUN...", "runs as files for other programs", results_export, EXPORT, 1, 0,
      "Forms:\n" EXPORT_FORMATS(FORM_LINE) "\n"
      "Examples:\n  plimsoll results export baseline -o baseline.json\n  plimsoll results export csv nightly@latest\n"
      "  plimsoll results export run.json --push http://localhost:9200 --index router-test-results\n" },
    { "import", "[OPTION...] [FORMAT] FILE...", "keep documents, or reports of other tools, as runs", results_import, IMPORT, 1, 0,
      "Formats:\n" IMPORT_FORMATS(FORM_LINE)
      "  elasticsearch URL --index NAME --uuid UUID\n                 documents of router benchmarks, from their server\n\n"
      "Examples:\n  plimsoll results import run.json\n  plimsoll results import ab before.txt --name before\n"
      "  plimsoll results import elasticsearch http://localhost:9200 --index router-test-results --uuid 7112fc71\n" },
    { 0 },
};

static const char SUMMARY[] =
    "Results that last: load keeps every run in the store, unless --no-store is given. The store is the file that "
    "PLIMSOLL_DB names, else plimsoll/results.db in XDG_DATA_HOME or ~/.local/share.";

static const char RUNS[] =
    "A RUN is called by\n"
    "  3f2a              the first letters of its id, as many as tell it from others\n"
    "  baseline          a tag, or a name (load --name): all its runs\n"
    "  nightly@latest    the newest run of a name or tag; nightly@-2 is the one before it\n"
    "  run.json          a file, where nothing is changed: show, merge, export, compare\n"
    "\n"
    "Exit status: 0 done; 2 wrong usage, no such run, an unreadable file; 3 the store\n"
    "failed. More: plimsoll results COMMAND --help, man plimsoll-results\n";
/* clang-format on */

static struct option_table table_of(const struct results_command *c, char name[64])
{
    snprintf(name, 64, "plimsoll results %s", c->name);
    return (struct option_table){
        .command = name,
        .usage = c->usage,
        .summary = c->summary,
        .rows = c->rows,
        .argument = c->words_max == SIZE_MAX ? NULL : parse_word,
        .argument_offset = offsetof(struct results_options, words),
        .epilogue = c->epilogue,
    };
}

void results_options_release(struct results_options *o)
{
    strlist_release(&o->words);
    strlist_release(&o->labels);
    memset(o, 0, sizeof(*o));
}

static int check_words(const struct results_options *o, const struct results_command *c, struct err *err)
{
    if (o->words.count < c->words_min) {
        err_set(err, ERR_USAGE, 0, o->words.count == 0 ? "what to %s is missing" : "%s needs more than one word",
                c->name);
        return err_hint(err, "plimsoll results %s %s", c->name, c->usage);
    }
    if (c->words_max != 0 && c->words_max != SIZE_MAX && o->words.count > c->words_max) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is one word too many", o->words.items[c->words_max]);
        return err_hint(err, "plimsoll results %s %s; quote a text with spaces", c->name, c->usage);
    }
    return 0;
}

int results_options_parse(struct results_options *o, const struct results_command *command, int argc, char **argv,
                          bool *help, struct err *err)
{
    char name[64];
    const struct option_table table = table_of(command, name);

    if (options_parse(&table, o, argc, argv, help, NULL, err) != 0)
        return -1;
    return *help ? 0 : check_words(o, command, err);
}

void results_command_help(const struct results_command *command, struct buf *out)
{
    char name[64];
    const struct option_table table = table_of(command, name);

    options_help(&table, out);
}

enum { ROWS_MAX = 64 };

/* The commands, and on top of the first one's rows, which follow. */
static void add_commands(struct buf *text)
{
    buf_add_str(text, "Commands:\n");
    for (const struct results_command *c = RESULTS_COMMANDS; c->name != NULL; c++)
        buf_printf(text, "  %-8s %s\n", c->name, c->summary);
    buf_printf(text, "\n%s", RESULTS_COMMANDS[0].name);
}

/* The rows of all commands, each under its name. */
void results_help(struct buf *out)
{
    struct option_row rows[ROWS_MAX + 1] = { { 0 } };
    const struct option_table table = { .command = "plimsoll results",
                                        .usage = "COMMAND [OPTION...]",
                                        .summary = SUMMARY,
                                        .rows = rows,
                                        .epilogue = RUNS };
    struct buf text;
    size_t n = 0;

    buf_init(&text, 1u << 16);
    add_commands(&text);
    for (const struct results_command *c = RESULTS_COMMANDS; c->name != NULL; c++) {
        if (c->rows != PLAIN && n < ROWS_MAX) {
            rows[n] = (struct option_row){ .heading = n == 0 ? text.data : c->name };
            n++;
        }
        for (const struct option_row *row = c->rows; row->name != NULL && n < ROWS_MAX; row++)
            if (row->parse != NULL)
                rows[n++] = *row;
    }
    options_help(&table, out);
    buf_release(&text);
}
