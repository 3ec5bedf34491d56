/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_config.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "http/redact.h"

#define TEXT_MAX_BYTES (1u << 20)

/* Most of the words are another program's: its ways to take passwords are known, as far as they are common. */
static bool add_command(struct result *r, const struct strlist *words)
{
    bool ok = strlist_add(&r->command, SLICE("plimsoll"));
    const char *before = "";

    for (size_t i = 0; i < words->count && ok; i++) {
        struct buf word;

        buf_init(&word, TEXT_MAX_BYTES);
        redact_argument(&word, slice_str(before), slice_str(words->items[i]));
        ok = buf_ok(&word) && strlist_add(&r->command, buf_slice(&word));
        buf_release(&word);
        before = words->items[i];
    }
    return ok;
}

static bool add_seconds(struct result *r, const char *name, uint64_t ns)
{
    return result_add_config(r, name, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

static bool add_bool(struct result *r, const char *name, bool value)
{
    return result_add_config(r, name, value ? "true" : "false");
}

static bool add_line(struct result *r, const char *name, const struct rounds_command *command)
{
    struct buf line;
    bool ok;

    buf_init(&line, TEXT_MAX_BYTES);
    rounds_command_line(&line, command);
    ok = buf_ok(&line) && result_add_config_string(r, name, command->count > 0 ? line.data : NULL);
    buf_release(&line);
    return ok;
}

static bool add_sizes(struct result *r, const struct rounds_options *o)
{
    struct buf list;
    bool ok;

    buf_init(&list, TEXT_MAX_BYTES);
    for (size_t i = 0; i < o->size_count; i++)
        buf_printf(&list, "%s%u", i > 0 ? ", " : "", (unsigned)o->sizes[i]);
    ok = buf_ok(&list) && result_add_config(r, "sizes", "[%s]", list.data);
    buf_release(&list);
    return ok;
}

static bool add_expected(struct result *r, const struct rounds_options *o)
{
    struct buf list;
    bool ok;

    buf_init(&list, TEXT_MAX_BYTES);
    for (unsigned i = 0; i < ROUNDS_EXITS; i++)
        if (o->has_expect_exit ? o->expect_exit[i] != 0 : i == 0)
            buf_printf(&list, "%s%u", list.len > 0 ? ", " : "", i);
    ok = buf_ok(&list) && result_add_config(r, "expect_exit", "[%s]", list.data);
    buf_release(&list);
    return ok;
}

static bool add_environment(struct result *r, const struct strlist *env)
{
    struct buf names;
    bool ok;

    buf_init(&names, TEXT_MAX_BYTES);
    for (size_t i = 0; i < env->count; i++) {
        struct slice rest = slice_str(env->items[i]);

        buf_add_str(&names, i > 0 ? "," : "");
        buf_add_slice(&names, slice_split(&rest, '='));
    }
    ok = buf_ok(&names) && result_add_config_string(r, "env", env->count > 0 ? names.data : NULL);
    buf_release(&names);
    return ok;
}

static bool add_config(struct result *r, const struct rounds_options *o, const struct rounds_inputs *in)
{
    return add_sizes(r, o) && result_add_config(r, "samples", "%" PRIu64, o->samples) &&
           result_add_config(r, "warmup_rounds", "%" PRIu64, o->warmup) &&
           result_add_config_string(r, "order", o->order == ROUNDS_AS_WRITTEN ? "as-written" : "interleaved") &&
           add_seconds(r, "pause_s", o->pause_ns) &&
           (o->rate_per_s > 0 ? result_add_config(r, "rate_per_s", "%.9g", o->rate_per_s)
                              : result_add_config(r, "rate_per_s", "null")) &&
           add_line(r, "command", &in->plan.commands[0]) && add_line(r, "compare", &in->plan.commands[1]) &&
           add_line(r, "setup", &in->plan.setup) && add_line(r, "cleanup", &in->plan.cleanup) &&
           result_add_config_string(r, "shell", in->shell) && add_bool(r, "pipefail", in->plan.pipefail) &&
           result_add_config_string(r, "input", o->input) && result_add_config_string(r, "cwd", o->cwd) &&
           add_environment(r, &o->env) && add_expected(r, o) &&
           (o->timeout_ns > 0 ? add_seconds(r, "timeout_s", o->timeout_ns)
                              : result_add_config(r, "timeout_s", "null")) &&
           result_add_config_string(r, "phases", in->phases != NULL ? phases_title(in->phases) : NULL);
}

bool rounds_config_add(struct result *r, const struct rounds_options *o, const struct rounds_inputs *in)
{
    bool ok = add_command(r, &o->command);

    for (size_t i = 0; i < o->labels.count; i++)
        ok = strlist_add(&r->labels, slice_str(o->labels.items[i])) && ok;
    if (o->name != NULL) {
        free(r->name);
        r->name = redact_url_dup(o->name);
        ok = r->name != NULL && ok;
    }
    return add_config(r, o, in) && ok;
}
