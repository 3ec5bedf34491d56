/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "job/quote.h"

#define LINE_MAX 112
#define INDENT "    "
#define PAIR_MAX_BYTES ((size_t)1 << 20)

void job_word_raw(struct job_words *w, const char *text)
{
    const size_t len = strlen(text);

    if (w->column > sizeof(INDENT) && w->column + 1 + len > LINE_MAX) {
        buf_add_str(w->out, " \\\n" INDENT);
        w->column = sizeof(INDENT) - 1;
    } else if (w->column > 0) {
        buf_add_char(w->out, ' ');
        w->column++;
    }
    buf_add_str(w->out, text);
    w->column += len;
}

void job_word(struct job_words *w, const char *text)
{
    struct buf quoted;

    buf_init(&quoted, 4 * strlen(text) + 8);
    quote_shell(&quoted, slice_str(text));
    job_word_raw(w, quoted.data != NULL ? quoted.data : "''");
    buf_release(&quoted);
}

void job_word_pair(struct job_words *w, const char *option, const char *value)
{
    if (value == NULL)
        return;
    job_word_raw(w, option);
    job_word(w, value);
}

void job_word_variables(struct job_words *w, const struct job *job, const char *option)
{
    for (size_t i = 0; i < job->variable_count; i++)
        job_word_pair(w, option, job->variables[i].name);
}

void job_word_launcher(struct job_words *w, const struct job *job)
{
    for (size_t i = 0; i < job->launcher->count; i++)
        job_word(w, job->launcher->items[i]);
}

void job_words_end(struct job_words *w)
{
    buf_add_char(w->out, '\n');
    w->column = 0;
}

static void add_variables(struct buf *out, const struct job *job)
{
    if (job->variable_count == 0)
        return;
    buf_add_str(out, "# These come from the environment, so that no secret stands in this file.\n");
    for (size_t i = 0; i < job->variable_count; i++)
        buf_printf(out,
                   "if [ -z \"${%s:-}\" ]; then\n"
                   "    echo \"%s is not set: set it to %s, and export it\" >&2\n"
                   "    exit 2\n"
                   "fi\n"
                   "export %s\n",
                   job->variables[i].name, job->variables[i].name, job->variables[i].what, job->variables[i].name);
    buf_add_char(out, '\n');
}

static void add_start(struct buf *out, const struct job *job)
{
    buf_add_str(out, "# All shares begin at this moment; who comes late says by how much.\n");
    if (job->start_at != NULL) {
        buf_add_str(out, "start=");
        quote_shell(out, slice_str(job->start_at));
    } else {
        buf_printf(out, "start=$(date -u -d '+%" PRIu64 " seconds' +%%Y-%%m-%%dT%%H:%%M:%%SZ)",
                   (job->start_in_ns + NS_PER_S - 1) / NS_PER_S);
    }
    buf_add_str(out, "\n\n");
}

static bool has_line(struct slice text, struct slice line)
{
    while (text.len > 0)
        if (slice_eq(slice_split(&text, '\n'), line))
            return true;
    return false;
}

/* A line that the text does not have. */
static void add_mark(struct buf *out, struct slice text)
{
    char mark[32] = "PLIMSOLL_SUITE";

    for (unsigned n = 2; has_line(text, slice_str(mark)); n++)
        snprintf(mark, sizeof(mark), "PLIMSOLL_SUITE_%u", n);
    buf_add_str(out, mark);
}

void job_add_suite_text(struct buf *out, const struct job *job)
{
    buf_add_str(out, "<<'");
    add_mark(out, job->suite);
    buf_add_str(out, "'\n");
    buf_add_slice(out, job->suite);
    if (!slice_ends(job->suite, SLICE("\n")))
        buf_add_char(out, '\n');
    add_mark(out, job->suite);
    buf_add_char(out, '\n');
}

/* Where shares see one folder: the suite in it, and a folder of its own for each. */
static void add_folders(struct buf *out, const struct job *job)
{
    if (job->kind == JOB_LOAD || job->engine == JOB_SSH)
        return;
    buf_printf(out, "for n in $(seq %" PRIu64 "); do\n    mkdir \"$parts/share-$n\"\ndone\n", job->shares);
    if (job->kind == JOB_RUN && job->suite_path == NULL) {
        buf_add_str(out, JOB_SUITE "=$parts/suite.yaml\ncat >\"$" JOB_SUITE "\" ");
        job_add_suite_text(out, job);
    } else if (job->kind == JOB_RUN) {
        buf_add_str(out, JOB_SUITE "=");
        quote_shell(out, slice_str(job->suite_path));
        buf_add_char(out, '\n');
    }
    buf_add_char(out, '\n');
}

void job_add_preparation(struct buf *out, const struct job *job)
{
    buf_add_str(out, "set -eu\n# Interrupted, the shares end, and what they have is merged.\ntrap : INT TERM\n\n");
    add_variables(out, job);
    buf_printf(out, "# Each share writes its part%s here%s.\nparts=", job->kind == JOB_LOAD ? "" : "s",
               job->engine == JOB_SSH ? "" : ": a folder that all machines see");
    quote_shell(out, slice_str(job->parts));
    buf_add_str(out, "\nmkdir -p \"$parts\"\n"
                     "for old in \"$parts\"/part-*.json \"$parts\"/share-*; do\n"
                     "    if [ -e \"$old\" ]; then\n"
                     "        echo \"$parts has parts of another run: $old\" >&2\n"
                     "        exit 2\n"
                     "    fi\n"
                     "done\n\n");
    add_folders(out, job);
    add_start(out, job);
}

static void add_word(struct buf *out, const struct job_word *word)
{
    if (word->variable != NULL)
        buf_printf(out, "\"$%s\"", word->variable);
    else
        quote_shell(out, slice_str(word->text));
}

/* A word, and the next one when it may be its value: they stay on one line. How many were taken beside the first. */
static size_t add_pair(struct job_words *w, const struct job *job, size_t i)
{
    const bool two = job->words[i].text[0] == '-' && i + 1 < job->word_count && job->words[i + 1].text[0] != '-';
    struct buf text;

    buf_init(&text, PAIR_MAX_BYTES);
    add_word(&text, &job->words[i]);
    if (two) {
        buf_add_char(&text, ' ');
        add_word(&text, &job->words[i + 1]);
    }
    if (buf_ok(&text))
        job_word_raw(w, text.data);
    else
        buf_reserve(w->out, SIZE_MAX); /* fails, and is told of when all is written */
    buf_release(&text);
    return two ? 1 : 0;
}

/* Where it leaves what it measured: in one file, in a file for each round, in a folder of samples. */
static void add_output(struct job_words *w, const struct job *job, const char *part, const char *folder)
{
    char text[160];

    switch (job->kind) {
    case JOB_LOAD:
        job_word_raw(w, "--json");
        job_word_raw(w, part);
        job_word_raw(w, "--no-store --progress json");
        break;
    case JOB_LIMIT:
        snprintf(text, sizeof(text), "--json \"%s/round-{round}.json\"", folder);
        job_word_raw(w, text);
        job_word_raw(w, "--progress none");
        break;
    case JOB_RUN:
        snprintf(text, sizeof(text), "--work-dir \"%s\"", folder);
        job_word_raw(w, text);
        job_word_raw(w, "--no-store --progress none");
        break;
    }
}

/* `limit --of` means something else: where the scheduler does not say how many there are, its share is written out. */
static void add_which(struct job_words *w, const struct job *job, bool tells_count)
{
    const char *rank = job->engine == JOB_KUBERNETES ? "$((JOB_COMPLETION_INDEX + 1))" : "$PARALLEL_SEQ";
    char text[64];

    if (!tells_count) {
        job_word_raw(w, "--share auto");
        return;
    }
    if (job->kind == JOB_LIMIT)
        snprintf(text, sizeof(text), "--share \"%s/%" PRIu64 "\"", rank, job->shares);
    else
        snprintf(text, sizeof(text), "--share auto --of %" PRIu64, job->shares);
    job_word_raw(w, text);
}

void job_add_share(struct job_words *w, const struct job *job, const char *start, const char *part, const char *folder,
                   bool tells_count)
{
    job_word(w, job->program);
    job_word(w, job->words[0].text);
    add_which(w, job, tells_count);
    job_word_raw(w, "--start-at");
    job_word_raw(w, start);
    add_output(w, job, part, folder);
    for (size_t i = 1; i < job->word_count; i++)
        i += add_pair(w, job, i);
}

void job_add_open_files(struct buf *out, const struct job *job, const char *indent)
{
    if (job->open_files == 0)
        return;
    buf_printf(out,
               "%s# Open files: load takes what it is allowed; only root can allow itself more.\n"
               "%slimit=$(ulimit -H -n)\n"
               "%s[ \"$limit\" = unlimited ] || [ \"$limit\" -ge %" PRIu64 " ] || ulimit -n %" PRIu64 " ||\n"
               "%s    echo \"$limit open files are allowed here, the share needs %" PRIu64 "\" >&2\n",
               indent, indent, indent, job->open_files, job->open_files, indent, job->open_files);
}

void job_add_merge(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    if (job->kind != JOB_LOAD) {
        buf_add_char(out, '\n');
        job_add_pieces(out, job, true);
        buf_add_str(out, "sed '$d' \"$parts/summary.txt\"\nexit $code\n");
        return;
    }
    buf_add_str(out, "\n# Exact: counts and histograms are added. What is missing, late or invalid is said, and "
                     "decides the exit code.\n");
    job_word(&w, job->program);
    job_word_raw(&w, "results merge --output");
    if (job->merged != NULL)
        job_word(&w, job->merged);
    else
        job_word_raw(&w, "\"$parts/merged.json\"");
    job_word_raw(&w, "\"$parts\"/part-*.json");
    job_words_end(&w);
}
