/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <string.h>

#include "argv.h"
#include "base/units.h"
#include "cli/option_values.h"

struct config {
    uint64_t count, time_ns;
    bool quick, loud;
    const char *text, *secret;
    struct strlist words, list;
};

static int take_word(void *field, const char *text, const struct option_row *row, struct err *err)
{
    assert_null(row);
    return option_list(field, text, row, err);
}

static const struct option_row ROWS[] = {
    { .heading = "Figures" },
    { .name = "count",
      .short_name = 'c',
      .argument = "N",
      .help = "how many",
      .shown_default = "1",
      .parse = option_count,
      .offset = offsetof(struct config, count),
      .min = 1,
      .max = 100,
      .example = "5" },
    { .name = "time",
      .argument = "TIME",
      .help = "how long",
      .parse = option_duration,
      .offset = offsetof(struct config, time_ns),
      .min = NS_PER_MS,
      .max = NS_PER_S,
      .example = "5ms" },
    { .heading = "Manner" },
    { .name = "quick",
      .short_name = 'q',
      .help = "be quick",
      .parse = option_flag,
      .offset = offsetof(struct config, quick) },
    { .name = "loud",
      .short_name = 'l',
      .help = "be loud",
      .parse = option_flag,
      .offset = offsetof(struct config, loud) },
    { .name = "text",
      .short_name = 't',
      .argument = "TEXT",
      .help = "a text",
      .parse = option_text,
      .offset = offsetof(struct config, text),
      .example = "abc" },
    { .name = "secret",
      .short_name = 's',
      .argument = "TEXT",
      .help = "a secret",
      .parse = option_text,
      .offset = offsetof(struct config, secret),
      .example = "abc",
      .redact = option_hide },
    { .name = "list",
      .argument = "TEXT",
      .help = "one more",
      .parse = option_list,
      .offset = offsetof(struct config, list),
      .example = "abc" },
    { .name = "help", .short_name = 'h', .help = "show this" },
    { 0 },
};

static const struct option_table TABLE = {
    .command = "test",
    .usage = "[OPTION...] WORD...",
    .summary = "A table for tests.",
    .rows = ROWS,
    .argument = take_word,
    .argument_offset = offsetof(struct config, words),
    .epilogue = "The end.\n",
};

struct parsed {
    struct config config;
    struct strlist argv, stored;
    struct err err;
    bool help;
    int status;
};

static struct parsed parse(const struct option_table *table, const char *line)
{
    struct parsed p = { .argv = argv_of(line) };

    p.status = options_parse(table, &p.config, (int)p.argv.count, p.argv.items, &p.help, &p.stored, &p.err);
    return p;
}

static void release(struct parsed *p)
{
    strlist_release(&p->config.words);
    strlist_release(&p->config.list);
    strlist_release(&p->argv);
    strlist_release(&p->stored);
}

static void test_values_arrive(void **state)
{
    struct parsed p = parse(&TABLE, "first|-c|7|--time=20ms|-ql|second|-tab c|--list|x|--list=y|--|--count");

    assert_int_equal(p.status, 0);
    assert_int_equal(p.config.count, 7);
    assert_int_equal(p.config.time_ns, 20 * NS_PER_MS);
    assert_true(p.config.quick && p.config.loud);
    assert_string_equal(p.config.text, "ab c");
    assert_int_equal(p.config.list.count, 2);
    assert_string_equal(p.config.list.items[1], "y");
    assert_int_equal(p.config.words.count, 3); /* in their order, the last one after "--" */
    assert_string_equal(p.config.words.items[0], "first");
    assert_string_equal(p.config.words.items[1], "second");
    assert_string_equal(p.config.words.items[2], "--count");
    release(&p);
}

static void test_the_last_one_counts(void **state)
{
    struct parsed p = parse(&TABLE, "-c|7|--count|9");

    assert_int_equal(p.status, 0);
    assert_int_equal(p.config.count, 9);
    release(&p);
}

static void test_words_are_stored_without_secrets(void **state)
{
    static const struct {
        const char *why, *line, *want;
    } CASES[] = {
        { "separate", "--secret|hush|x", "test|--secret|***|x" },
        { "joined to the long name", "--secret=hush", "test|--secret=***" },
        { "joined to a long name cut short", "--sec=hush", "test|--sec=***" },
        { "separate from a long name cut short", "--sec|hush", "test|--sec|***" },
        { "separate from the letter", "-s|hush", "test|-s|***" },
        { "joined to the letter", "-shush", "test|-s***" },
        { "at the end of letters", "-qlshush", "test|-qls***" },
        { "the same text elsewhere is a plain word", "-s|hush|-t|hush", "test|-s|***|-t|hush" },
        { "users in URLs", "http://joe:hush@h/", "test|http://***@h/" },
        { "users in URLs of options", "--text=http://joe:hush@h/", "test|--text=http://***@h/" },
        { "signed URLs", "http://h/?token=hush&n=1", "test|http://h/?token=***&n=1" },
        { "after the end of options", "--|http://joe:hush@h/", "test|--|http://***@h/" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(&TABLE, CASES[i].line);
        struct buf got;

        buf_init(&got, 4096);
        for (size_t j = 0; j < p.stored.count; j++)
            buf_printf(&got, "%s%s", j > 0 ? "|" : "", p.stored.items[j]);
        if (p.status != 0 || strcmp(got.data, CASES[i].want) != 0)
            fail_msg("%s: %s", CASES[i].why, got.data);
        buf_release(&got);
        release(&p);
    }
}

static void test_help_ends_the_judging(void **state)
{
    struct parsed p = parse(&TABLE, "--count|3|-h|--count|0|--nonsense");

    assert_int_equal(p.status, 0);
    assert_true(p.help);
    release(&p);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *why, *line, *what, *hint;
    } CASES[] = {
        { "unknown long option", "--nonsense", "\"--nonsense\"", "--help" },
        { "near a known one", "--cuont|3", "\"--cuont\"", "did you mean --count?" },
        { "what follows = may be secret", "--secrets=hush", "unknown option \"--secrets\"", "--secret?" },
        { "unknown letter", "-z", "\"-z\"", "--help" },
        { "unknown letter behind a known one", "-qz", "\"-z\"", "--help" },
        { "unknown letter after another option", "--quick|-qz|x", "\"-z\"", "--help" },
        { "unknown letter before others", "-zq|x", "\"-z\"", "--help" },
        { "two meanings", "--l|x", "\"--l\"", "--loud or --list" },
        { "value missing at the end", "--count", "-c/--count needs a value: N", "--count 5" },
        { "value missing behind a letter", "-qc", "-c/--count needs a value: N", "--count 5" },
        { "a flag with a value", "--quick=yes", "\"yes\"", "--quick alone" },
        { "a flag's letter with a value", "-q=yes", "\"yes\"", "-q alone" },
        { "below the range", "-c|0", "\"0\" is too small", "1" },
        { "above the range", "-c|101", "\"101\" is too large", "100" },
        { "no number", "-c|x", "\"x\"", "1000" },
        { "negative", "-c|-1", "\"-1\"", "1000" },
        { "a duration without unit", "--time|5", "\"5\"", "5ms" },
        { "a duration below the range", "--time|1us", "\"1us\" is too small", "1.00 ms" },
        { "a duration above the range", "--time|2s", "\"2s\" is too large", "1.00 s" },
        { "one dash for a long name", "-count|3", "-c/--count", "--count" },
        { "empty text", "--text|", "\"\" is empty", "--text abc" },
        { "a line break in a text", "--text|a\nb", "\"a\" is followed by the control character \\x0a", "line breaks" },
        { "an empty word", "x|", "\"\" is empty", "variable" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(&TABLE, CASES[i].line);

        if (p.status != -1 || p.err.kind != ERR_USAGE || strstr(p.err.what, CASES[i].what) == NULL ||
            strstr(p.err.hint, CASES[i].hint) == NULL || strstr(p.err.what, "hush") != NULL)
            fail_msg("%s: %d %s / %s", CASES[i].why, p.status, p.err.what, p.err.hint);
        release(&p);
    }
}

static void test_words_are_refused_without_a_place_for_them(void **state)
{
    struct option_table table = TABLE;
    struct parsed p;

    table.argument = NULL;
    p = parse(&table, "-q|stray");
    assert_int_equal(p.status, -1);
    assert_non_null(strstr(p.err.what, "\"stray\""));
    release(&p);
}

static void test_an_error_may_be_unwanted(void **state)
{
    struct strlist argv = argv_of("--count|0");
    struct config config = { 0 };
    bool help;

    assert_int_equal(options_parse(&TABLE, &config, (int)argv.count, argv.items, &help, NULL, NULL), -1);
    strlist_release(&argv);
}

static void test_help_text(void **state)
{
    struct buf text;

    buf_init(&text, 1 << 16);
    options_help(&TABLE, &text);
    assert_string_equal(text.data, "usage: test [OPTION...] WORD...\n"
                                   "\n"
                                   "A table for tests.\n"
                                   "\n"
                                   "Figures:\n"
                                   "  -c, --count N             how many (default: 1)\n"
                                   "      --time TIME           how long\n"
                                   "\n"
                                   "Manner:\n"
                                   "  -q, --quick               be quick\n"
                                   "  -l, --loud                be loud\n"
                                   "  -t, --text TEXT           a text\n"
                                   "  -s, --secret TEXT         a secret\n"
                                   "      --list TEXT           one more\n"
                                   "  -h, --help                show this\n"
                                   "\n"
                                   "The end.\n");
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_arrive),
        cmocka_unit_test(test_the_last_one_counts),
        cmocka_unit_test(test_words_are_stored_without_secrets),
        cmocka_unit_test(test_help_ends_the_judging),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_words_are_refused_without_a_place_for_them),
        cmocka_unit_test(test_an_error_may_be_unwanted),
        cmocka_unit_test(test_help_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
