/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of others in scripts and manifests; what comes back from schedulers. */
#include "job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "doc/doc.h"
#include "job/quote.h"

#define TEXT_MAX ((size_t)1 << 20)

static const struct hostile {
    const char *why, *text;
} HOSTILE[] = {
    { "plain", "http://a.test:80/x,y" },
    { "empty", "" },
    { "blanks", " a  b " },
    { "single quote", "it's" },
    { "quotes of both kinds", "\"'\"'" },
    { "variables", "$HOME ${HOME} $1 $$" },
    { "commands", "$(id) `id`" },
    { "line break", "a\nb" },
    { "line breaks at the end, which $() would drop", "a\n\n" },
    { "a line that ends a document", "a\n---\nb: c\n" },
    { "blanks at the beginning of a line", "\n   a\n b" },
    { "tab", "a\tb" },
    { "carriage return, which YAML makes a line end", "a\r\nb" },
    { "backslashes", "\\n \\ \\\\" },
    { "a word that looks like an option", "-rf" },
    { "home", "~/x" },
    { "braces and stars", "{a,b} * ? [x]" },
    { "comment", "#x" },
    { "a percent sign", "100%" },
    { "letters", "h\xc3\xa9 \xe2\x82\xac" },
    { "a line end of YAML 1.1", "a\xc2\x85"
                                "b\xe2\x80\xa8"
                                "c" },
    { "beyond 16 bits", "\xf0\x9f\x9a\xa2" },
    { "control characters", "a\x01\x1b[31m\x7f" },
    { "words of YAML", "no: true, {x: [y]} &a *b !c" },
    { "history of a shell", "wow!" },
    { "redirections", "a>b<c|d&e;f" },
};
enum { HOSTILE_COUNT = sizeof(HOSTILE) / sizeof(HOSTILE[0]) };

/* What a shell makes of a line; up to its end of file. */
static void run_shell(const char *script, char *out, size_t room)
{
    char path[] = "/tmp/test-job-XXXXXX", command[64];
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    size_t n;

    assert_non_null(file);
    fputs(script, file);
    fclose(file);
    snprintf(command, sizeof(command), "sh %s", path);
    file = popen(command, "r");
    assert_non_null(file);
    n = fread(out, 1, room - 1, file);
    out[n] = '\0';
    assert_int_equal(pclose(file), 0);
    remove(path);
}

static void test_a_shell_reads_each_word_back(void **state)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        char got[1024];
        struct buf script;

        buf_init(&script, TEXT_MAX);
        buf_add_str(&script, "printf '%s|%s' ");
        quote_shell(&script, slice_str(HOSTILE[i].text));
        buf_add_str(&script, " end\n");
        run_shell(script.data, got, sizeof(got));
        if (strncmp(got, HOSTILE[i].text, strlen(HOSTILE[i].text)) != 0 ||
            strcmp(got + strlen(HOSTILE[i].text), "|end") != 0)
            fail_msg("%s: %s", HOSTILE[i].why, got);
        buf_release(&script);
    }
}

static void check_yaml(const struct hostile *h, const struct buf *text, const char *key, struct slice want)
{
    struct err err = { 0 };
    struct doc *doc;
    struct slice got;

    if (doc_parse(&doc, "test", buf_slice(text), &err) != 0)
        fail_msg("%s: %s in\n%s", h->why, err.what, text->data);
    got = doc_text(doc_find(doc_root(doc), key));
    if (!slice_eq(got, want))
        fail_msg("%s: %.*s", h->why, SLICE_FMT(got));
    assert_true(slice_eq(doc_text(doc_find(doc_root(doc), "after")), SLICE("z")));
    doc_free(doc);
}

static void test_yaml_reads_each_word_back(void **state)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        struct buf text, lines;

        buf_init(&text, TEXT_MAX);
        buf_init(&lines, TEXT_MAX);
        buf_add_str(&text, "word: ");
        quote_yaml(&text, slice_str(HOSTILE[i].text));
        buf_printf(&lines, "set -eu\nexec x %s\n", HOSTILE[i].text);
        buf_add_str(&text, "\nlines:");
        quote_yaml_lines(&text, buf_slice(&lines), 0);
        buf_add_str(&text, "after: z\n");
        check_yaml(&HOSTILE[i], &text, "word", slice_str(HOSTILE[i].text));
        check_yaml(&HOSTILE[i], &text, "lines", buf_slice(&lines));
        buf_release(&lines);
        buf_release(&text);
    }
}

static void test_plain_scripts_stay_readable(void **state)
{
    struct buf out;

    buf_init(&out, TEXT_MAX);
    quote_yaml_lines(&out, SLICE("set -eu\n\n  exec x 'h\xc3\xa9'\n"), 2);
    assert_string_equal(out.data, " |\n    set -eu\n\n      exec x 'h\xc3\xa9'\n");
    buf_clear(&out);
    quote_yaml_lines(&out, SLICE("a\tb\n"), 2);
    assert_string_equal(out.data, " \"a\\U00000009b\\n\"\n");
    buf_release(&out);
}

/* ---- whole texts ---- */

static void render(struct buf *out, enum job_engine engine, const struct job_word *words, size_t count)
{
    static const struct strlist none = STRLIST_INIT;
    static char name[] = "PLIMSOLL_SECRET_1", what[] = "the value of -u";
    static const struct job_variable variable = { name, what };
    const struct job job = { .engine = engine,
                             .name = "soak",
                             .program = "plimsoll",
                             .shares = 4,
                             .per_machine = 1,
                             .open_files = 200,
                             .start_in_ns = 1500 * NS_PER_MS,
                             .start_at = engine == JOB_KUBERNETES ? "2026-03-01T12:00:30Z" : NULL,
                             .time_limit_ns = UINT64_C(90) * NS_PER_S,
                             .parts = "it's here",
                             .words = words,
                             .word_count = count,
                             .variables = &variable,
                             .variable_count = 1,
                             .launcher = &none,
                             .image = "plimsoll:1",
                             .claim_bytes = UINT64_C(1) << 30 };
    struct err err = { 0 };

    buf_init(out, TEXT_MAX);
    assert_int_equal(job_render(out, &job, &err), 0);
}

static void test_secrets_are_not_in_the_text(void **state)
{
    static const struct job_word WORDS[] = { { "load", NULL },
                                             { "-u", NULL },
                                             { "alice:swordfish", "PLIMSOLL_SECRET_1" } };

    for (int engine = 0; engine < JOB_ENGINES; engine++) {
        struct buf out;

        render(&out, (enum job_engine)engine, WORDS, 3);
        assert_null(strstr(out.data, "swordfish"));
        assert_non_null(strstr(out.data, "-u \"$PLIMSOLL_SECRET_1\""));
        assert_non_null(strstr(out.data, "--share auto"));
        buf_release(&out);
    }
}

/* The scripts are what a shell takes, whatever the words are. */
static void test_scripts_parse(void **state)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        const struct job_word words[] = { { "load", NULL }, { "-H", NULL }, { HOSTILE[i].text, NULL } };

        for (int engine = JOB_SLURM; engine < JOB_ENGINES; engine++) {
            char got[256];
            struct buf out, script;

            render(&out, (enum job_engine)engine, words, 3);
            buf_init(&script, TEXT_MAX);
            buf_printf(&script, "bash -n <<'END of the script' 2>&1\n%sEND of the script\n", out.data);
            run_shell(script.data, got, sizeof(got));
            if (got[0] != '\0')
                fail_msg("%s: %s", HOSTILE[i].why, got);
            buf_release(&script);
            buf_release(&out);
        }
    }
}

static void test_bytes_that_are_no_text(void **state)
{
    static const struct job_word words[] = { { "load", NULL }, { "a\xff", NULL } };
    static const struct strlist none = STRLIST_INIT;
    const struct job job = { .engine = JOB_KUBERNETES, .words = words, .word_count = 2, .launcher = &none };
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, TEXT_MAX);
    assert_int_equal(job_render(&out, &job, &err), -1);
    assert_int_equal(err.kind, ERR_USAGE);
    buf_release(&out);
}

static void test_a_secret_of_the_cluster(void **state)
{
    static char name[] = "TOKEN", what[] = "the token";
    const struct job_variable variable = { name, what };
    const struct job job = {
        .engine = JOB_KUBERNETES, .name = "soak", .variables = &variable, .variable_count = 1, .name_space = "tests"
    };
    const char *const values[] = { "a: \"b\"\n$c" };
    struct err err = { 0 };
    struct doc *doc;
    struct buf out;

    buf_init(&out, TEXT_MAX);
    assert_int_equal(job_render_secret(&out, &job, values, &err), 0);
    assert_int_equal(doc_parse(&doc, "secret", buf_slice(&out), &err), 0);
    assert_true(slice_eq(doc_text(doc_find(doc_find(doc_root(doc), "stringData"), "TOKEN")), slice_str(values[0])));
    assert_true(slice_eq(doc_text(doc_find(doc_find(doc_root(doc), "metadata"), "name")), SLICE("soak-secrets")));
    doc_free(doc);
    buf_release(&out);
}

/* ---- what comes back ---- */

static const struct line_case {
    const char *why;
    enum job_engine engine;
    const char *line;
    uint64_t share; /* 0: none */
    const char *text;
} LINES[] = {
    { "srun counts from 0", JOB_SLURM, "0: {\"a\"}", 1, "{\"a\"}" },
    { "padded to the last one's width", JOB_SLURM, " 7: x: y", 8, "x: y" },
    { "of the script", JOB_SLURM, "srun: error: x", 0, "" },
    { "standard error of a rank", JOB_MPI, "[1,3]<stderr>:x", 4, "x" },
    { "its standard output", JOB_MPI, "[1,12]<stdout>: x", 13, " x" },
    { "of mpirun itself", JOB_MPI, "[vm:12] *** Process received signal", 0, "" },
    { "cut short", JOB_MPI, "[1,", 0, "" },
    { "of a pod", JOB_KUBERNETES, "[pod/plimsoll-2-x7k2p/share] x", 3, "x" },
    { "the job's name has numbers", JOB_KUBERNETES, "[pod/run-7-10-abcde/share] x", 11, "x" },
    { "no index", JOB_KUBERNETES, "[pod/plimsoll-merge-abcde/merge] x", 0, "" },
    { "no dash at all", JOB_KUBERNETES, "[pod/x/share] x", 0, "" },
    { "nothing", JOB_KUBERNETES, "[pod/", 0, "" },
    { "files say whose a line is", JOB_SSH, "share 1\tx", 0, "" },
};

static void test_lines_of_shares(void **state)
{
    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        const struct line_case *c = &LINES[i];
        struct slice text;
        uint64_t share = 0;
        const bool is_one = job_line(c->engine, slice_str(c->line), &share, &text);

        if (is_one != (c->share > 0) || (is_one && (share != c->share || !slice_eq(text, slice_str(c->text)))))
            fail_msg("%s: %d, share %llu", c->why, is_one, (unsigned long long)share);
    }
}

static void test_progress_of_a_share(void **state)
{
    static const char GOOD[] =
        "{\"elapsed_s\": 2.500, \"stage\": \"load\", \"done\": 1200, \"requests_per_s\": 480.250, "
        "\"p50\": 0.001000000, \"p99\": 0.002000000, \"failed\": 3, \"in_flight\": 4}";
    static const char *const BAD[] = { "",
                                       "{",
                                       "{}",
                                       "{\"elapsed_s\": x, \"stage\": \"load\"}",
                                       "plimsoll load: x",
                                       "{\"stage\": \"load\", \"elapsed_s\": -1, \"done\": 1}" };
    struct job_progress p;

    assert_true(job_progress_read(&p, slice_str(GOOD)));
    assert_true(p.elapsed_s == 2.5 && p.requests_per_s == 480.25 && p.done == 1200 && p.failed == 3);
    assert_string_equal(p.stage, "load");
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        assert_false(job_progress_read(&p, slice_str(BAD[i])));
    for (size_t n = 0; n + 1 < sizeof(GOOD) - 1; n++) { /* whatever is cut off */
        char *part = malloc(n + 1);

        assert_non_null(part);
        memcpy(part, GOOD, n);
        (void)job_progress_read(&p, slice_from(part, n));
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_shell_reads_each_word_back),
        cmocka_unit_test(test_yaml_reads_each_word_back),
        cmocka_unit_test(test_plain_scripts_stay_readable),
        cmocka_unit_test(test_secrets_are_not_in_the_text),
        cmocka_unit_test(test_scripts_parse),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_a_secret_of_the_cluster),
        cmocka_unit_test(test_lines_of_shares),
        cmocka_unit_test(test_progress_of_a_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
