/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/parts.h"

#include <stdio.h>

/* What the rounds say together: all at the level are kept, and the one above is broken. */
static void add_answer(struct buf *out, const struct job *job)
{
    const size_t count = job->pieces->count;
    const char *last = job->pieces->items[count - 1];

    buf_printf(out,
               "    if [ -n \"$unknown\" ]; then\n"
               "        echo \"Not confirmed: nothing is known of$unknown\"\n"
               "        return 3\n"
               "    elif [ \"$broken\" = ' %s' ]; then\n"
               "        echo 'Confirmed: the level keeps the promise in %zu round%s, and 10 %% above it is broken'\n"
               "    elif [ -z \"$broken\" ]; then\n"
               "        echo 'Not confirmed: 10 %% above the level the promise is kept too; the limit lies higher'\n"
               "        return 4\n"
               "    else\n"
               "        echo \"Not confirmed: the level breaks the promise; broken in$broken\"\n"
               "        return 1\n"
               "    fi\n",
               last, count - 1, count == 2 ? "" : "s");
}

static void add_worst(struct buf *out)
{
    buf_add_str(out, "    [ -z \"$unknown\" ] || return 3\n"
                     "    [ -z \"$broken\" ] || return 1\n");
}

static void add_loop(struct buf *out, const struct job *job)
{
    struct job_words w = { out, 0 };

    buf_add_str(out, "    ");
    job_word_raw(&w, "for name in");
    for (size_t i = 0; i < job->pieces->count; i++)
        job_word(&w, job->pieces->items[i]);
    buf_add_str(out, "; do\n        code=0\n        ");
    w.column = 0;
    job_word(&w, job->program);
    job_word_raw(&w, "results merge");
}

void job_add_pieces(struct buf *out, const struct job *job, bool stores)
{
    buf_printf(out,
               "# Each %s is merged by itself, exactly: counts and histograms are added. What is missing, late or\n"
               "# invalid is said, and decides the exit code.\n"
               "mkdir -p \"$parts/merged\"\n"
               "judge() {\n"
               "    unknown= broken=\n",
               job->kind == JOB_LIMIT ? "round" : "sample");
    add_loop(out, job);
    buf_printf(out,
               "%s --output \"$parts/merged/$name.json\" \"$parts\"/share-*/\"$name.json\" \\\n"
               "            >\"$parts/merged/$name.txt\" 2>&1 || code=$?\n"
               "        case $code in\n"
               "        0) echo \"$name: ok\" ;;\n"
               "        1) echo \"$name: a promise is broken\" && broken=\"$broken $name\" ;;\n"
               "        *) echo \"$name: invalid, or not whole\" && cat \"$parts/merged/$name.txt\" && "
               "unknown=\"$unknown $name\" ;;\n"
               "        esac\n"
               "    done\n",
               stores ? "" : " --no-store");
    if (job->kind == JOB_LIMIT)
        add_answer(out, job);
    else
        add_worst(out);
    buf_add_str(out, "}\n"
                     "if judge >\"$parts/summary.txt\"; then code=0; else code=$?; fi\n"
                     "echo \"exit status: $code\" >>\"$parts/summary.txt\"\n");
}
