/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/outcome.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"

#define SENTENCE_MAX_BYTES 4096u

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* From one moment to a later one. */
static double between(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / NS_PER_S : 0;
}

static void say_unstarted(struct buf *out, const struct batch_process *p)
{
    if (p->stage == SPAWN_CWD)
        buf_printf(out, "cannot enter %s: %s", p->program.cwd, strerror(p->error));
    else if (p->stage == SPAWN_PREPARE && p->program.input != NULL && !p->started)
        buf_printf(out, "cannot read %s: %s", p->program.input, strerror(p->error));
    else
        buf_printf(out, "cannot run %s: %s", p->program.words.items[0], strerror(p->error));
}

static void say_end(struct buf *out, const struct batch_process *p, const struct outcome_rules *rules)
{
    char text[UNITS_TEXT_MAX];

    if (p->error != 0)
        say_unstarted(out, p);
    else if (p->stopped || !p->started)
        buf_add_str(out, "stopped");
    else if (p->timed_out)
        buf_printf(out, "timed out after %s", units_format_duration(text, (double)rules->timeout_ns));
    else if (WIFSIGNALED(p->status))
        buf_printf(out, "signal %d (%s)", WTERMSIG(p->status), strsignal(WTERMSIG(p->status)));
    else
        buf_printf(out, "exit %d", WEXITSTATUS(p->status));
}

static bool is_expected(const struct batch_process *p, const struct outcome_rules *rules)
{
    if (!p->started || p->error != 0 || p->stopped || p->timed_out || !WIFEXITED(p->status))
        return false;
    return rules->expect_exit != NULL ? rules->expect_exit[WEXITSTATUS(p->status)] != 0 : WEXITSTATUS(p->status) == 0;
}

static char *words_of(const struct batch_process *p, const struct outcome_rules *rules)
{
    struct buf text;
    char *words;

    buf_init(&text, SENTENCE_MAX_BYTES);
    say_end(&text, p, rules);
    words = buf_detach(&text);
    buf_release(&text);
    return words;
}

bool outcome_judge(const struct batch_process *p, const struct outcome_rules *rules, char **failure)
{
    const bool ok = is_expected(p, rules);

    *failure = ok ? NULL : words_of(p, rules);
    return ok;
}

bool outcome_last_lines(const struct batch_process *p, struct strlist *out)
{
    return output_last_lines(&p->streams[LINE_STDOUT], out, OUTCOME_LAST_LINES) &&
           output_last_lines(&p->streams[LINE_STDERR], out, OUTCOME_LAST_LINES);
}

/* A child begins as a copy of its parent: a peak up to our own may be ours, and is not known then. */
static bool is_ours(const struct rusage *usage)
{
    struct rusage own;

    return getrusage(RUSAGE_SELF, &own) != 0 || usage->ru_maxrss <= own.ru_maxrss;
}

static void fill_usage(struct rounds_copy *c, const struct batch_process *p)
{

    c->user_s = seconds(p->usage.ru_utime);
    c->sys_s = seconds(p->usage.ru_stime);
    c->max_rss_bytes = is_ours(&p->usage) ? NAN : (double)p->usage.ru_maxrss * 1024;
}

static void fill_end(struct rounds_copy *c, const struct batch_process *p)
{
    c->exit = WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -1;
    c->signal = WIFSIGNALED(p->status) ? WTERMSIG(p->status) : 0;
}

void outcome_end(struct end_record *out, char **words, const struct batch_process *p, const struct outcome_rules *rules)
{
    const bool ran = p->started && p->error == 0;

    *words = words_of(p, rules);
    *out = (struct end_record){
        .duration_ns = ran && p->exit_ns > p->exec_ns ? p->exit_ns - p->exec_ns : 0,
        .ok = is_expected(p, rules),
        .timed_out = p->timed_out,
        .stopped = p->stopped,
        .exec_failed = p->error != 0,
        .exit = ran && WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -1,
        .signal = ran && WIFSIGNALED(p->status) ? WTERMSIG(p->status) : 0,
        .words = slice_str(*words),
    };
}

bool outcome_fill(struct rounds_copy *c, const struct batch_process *p, const struct outcome_rules *rules,
                  uint64_t release_ns)
{
    c->ok = outcome_judge(p, rules, &c->failure);
    c->unfinished = p->stopped;
    c->timed_out = p->timed_out;
    c->exec_failed = p->error != 0;
    c->output_bytes = p->streams[LINE_STDOUT].bytes + p->streams[LINE_STDERR].bytes;
    if (p->started && p->error == 0) {
        c->start_s = between(release_ns, p->exec_ns);
        c->duration_s = between(p->exec_ns, p->exit_ns);
        fill_usage(c, p);
        fill_end(c, p);
    }
    return c->ok || (c->failure != NULL && outcome_last_lines(p, &c->last_lines));
}
