/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_inputs.h"

#include <errno.h>
#include <string.h>

#include "http/redact.h"
#include "rounds/program.h"
#include "rounds/words.h"

#define TEXT_MAX_BYTES (1u << 20)

enum { WORDS_COMMAND, WORDS_COMPARE, WORDS_SETUP, WORDS_CLEANUP };

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make ready for the rounds");
}

/* A script for the shell as it stands, else its words. */
static int add_line(struct strlist *out, const char *option, const char *line, bool shell, struct err *err)
{
    if (line == NULL)
        return 0;
    if (shell && line[0] != '\0')
        return strlist_add(out, slice_str(line)) ? 0 : no_memory(err);
    if (words_split(out, slice_str(line), err) != 0)
        return err_prefix(err, "%s", option);
    return 0;
}

/* What stands behind --: words, but a single one is a line, and for a shell all are one script. */
static int add_command(struct strlist *out, const struct rounds_options *o, struct err *err)
{
    struct buf script;
    bool ok = true;

    if (o->words.count == 1)
        return add_line(out, "the command", o->words.items[0], o->shell, err);
    if (!o->shell) {
        for (size_t i = 0; i < o->words.count && ok; i++)
            ok = strlist_add(out, slice_str(o->words.items[i]));
        return ok ? 0 : no_memory(err);
    }
    buf_init(&script, TEXT_MAX_BYTES);
    for (size_t i = 0; i < o->words.count; i++)
        buf_printf(&script, "%s%s", i > 0 ? " " : "", o->words.items[i]);
    ok = buf_ok(&script) && strlist_add(out, buf_slice(&script));
    buf_release(&script);
    return ok ? 0 : no_memory(err);
}

static struct rounds_command command_of(const struct strlist *words, const char *name)
{
    return (struct rounds_command){ (const char *const *)words->items, words->count, name };
}

static int find_shell(struct rounds_inputs *in, struct err *err)
{
    in->shell = program_find("bash");
    in->plan.pipefail = in->shell != NULL;
    if (in->shell == NULL)
        in->shell = program_find("sh");
    if (in->shell == NULL) {
        err_set(err, ERR_USAGE, 0, "--shell: there is no bash and no sh in PATH");
        return err_hint(err, "without --shell commands are run without one");
    }
    in->plan.shell = in->shell;
    return 0;
}

void rounds_command_line(struct buf *out, const struct rounds_command *command)
{
    const char *before = "";

    for (size_t i = 0; i < command->count; i++) {
        buf_add_str(out, i > 0 ? " " : "");
        redact_argument(out, slice_str(before), slice_str(command->words[i]));
        before = command->words[i];
    }
}

static bool add_series(struct rounds_result *r, const struct rounds_command *command)
{
    struct buf line;
    bool ok;

    buf_init(&line, TEXT_MAX_BYTES);
    rounds_command_line(&line, command);
    ok = buf_ok(&line) && rounds_result_add_series(r, command->name, line.data) != NULL;
    buf_release(&line);
    return ok;
}

static int make_result(struct rounds_inputs *in, struct err *err)
{
    struct rounds_plan *plan = &in->plan;

    if (result_new(&plan->result, err) != 0 || result_make_rounds(plan->result, err) != 0)
        return -1;
    for (size_t i = 0; i < plan->command_count; i++)
        if (!add_series(plan->result->rounds, &plan->commands[i]))
            return no_memory(err);
    return in->phases == NULL || phases_add_to(in->phases, plan->result->rounds) ? 0 : no_memory(err);
}

static void fill_plan(struct rounds_plan *plan, const struct rounds_options *o)
{
    plan->sizes = o->sizes;
    plan->size_count = o->size_count;
    plan->samples = (uint32_t)o->samples;
    plan->warmup = (uint32_t)o->warmup;
    plan->order = o->order;
    plan->pause_ns = o->pause_ns;
    plan->timeout_ns = o->timeout_ns;
    plan->hook_timeout_ns = o->setup_timeout_ns;
    plan->kill_after_ns = o->kill_after_ns;
    plan->rate_per_s = o->rate_per_s;
    plan->input = o->input;
    plan->cwd = o->cwd;
    plan->env = &o->env;
    plan->expect_exit = o->has_expect_exit ? o->expect_exit : NULL;
    plan->keep_going = o->keep_going;
    plan->ignore_setup = o->ignore_setup;
    plan->log_dir = o->log_dir;
}

static int fill_commands(struct rounds_inputs *in, const struct rounds_options *o, struct err *err)
{
    struct rounds_plan *plan = &in->plan;

    if (add_command(&in->words[WORDS_COMMAND], o, err) != 0 ||
        add_line(&in->words[WORDS_COMPARE], "--compare", o->compare, o->shell, err) != 0 ||
        add_line(&in->words[WORDS_SETUP], "--setup", o->setup, o->shell, err) != 0 ||
        add_line(&in->words[WORDS_CLEANUP], "--cleanup", o->cleanup, o->shell, err) != 0)
        return -1;
    plan->commands[0] = command_of(&in->words[WORDS_COMMAND], "A");
    plan->commands[1] = command_of(&in->words[WORDS_COMPARE], "B");
    plan->command_count = o->compare != NULL ? 2 : 1;
    plan->setup = command_of(&in->words[WORDS_SETUP], NULL);
    plan->cleanup = command_of(&in->words[WORDS_CLEANUP], NULL);
    return 0;
}

int rounds_inputs_make(struct rounds_inputs *in, const struct rounds_options *o, struct err *err)
{
    memset(in, 0, sizeof(*in));
    fill_plan(&in->plan, o);
    if (fill_commands(in, o, err) == 0 && (!o->shell || find_shell(in, err) == 0) &&
        (o->phases == NULL || phases_load(&in->phases, o->phases, err) == 0) && make_result(in, err) == 0)
        return 0;
    rounds_inputs_release(in);
    return -1;
}

void rounds_inputs_release(struct rounds_inputs *in)
{
    for (size_t i = 0; i < sizeof(in->words) / sizeof(in->words[0]); i++)
        strlist_release(&in->words[i]);
    phases_free(in->phases);
    result_free(in->plan.result);
    free(in->shell);
    memset(in, 0, sizeof(*in));
}
