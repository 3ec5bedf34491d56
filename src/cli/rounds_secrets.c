/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_secrets.h"

#include <errno.h>
#include <stdlib.h>

#include "http/redact.h"
#include "http/secrets.h"

#define MASKED_MAX_BYTES (UINT64_C(1) << 30)

static bool add_command(struct strlist *secrets, const struct rounds_command *command)
{
    return secrets_add_command(secrets, command->words, command->count);
}

static bool collect(struct strlist *secrets, const struct rounds_plan *plan)
{
    bool ok = add_command(secrets, &plan->setup) && add_command(secrets, &plan->cleanup);

    for (size_t i = 0; i < plan->command_count && ok; i++)
        ok = add_command(secrets, &plan->commands[i]);
    for (size_t i = 0; plan->env != NULL && i < plan->env->count && ok; i++) {
        struct slice value = slice_str(plan->env->items[i]);
        const struct slice name = slice_split(&value, '=');

        ok = secrets_add_named(secrets, name, value);
    }
    return ok;
}

static bool mask_text(char **text, const struct strlist *secrets)
{
    struct buf line;
    char *masked;

    if (*text == NULL)
        return true;
    buf_init(&line, MASKED_MAX_BYTES);
    buf_add_str(&line, *text);
    secrets_mask(secrets, &line, 0);
    masked = buf_ok(&line) ? slice_dup(buf_slice(&line)) : NULL;
    buf_release(&line);
    if (masked == NULL)
        return false;
    free(*text);
    *text = masked;
    return true;
}

static bool mask_list(struct strlist *lines, const struct strlist *secrets)
{
    bool ok = true;

    for (size_t i = 0; i < lines->count && ok; i++)
        ok = mask_text(&lines->items[i], secrets);
    return ok;
}

/* What the copies printed: also secrets that came from elsewhere, known by their names. */
static bool mask_said(struct strlist *lines, const struct strlist *secrets)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct buf line;
        char *masked;

        buf_init(&line, MASKED_MAX_BYTES);
        redact_output(&line, slice_str(lines->items[i]));
        masked = buf_ok(&line) ? slice_dup(buf_slice(&line)) : NULL;
        buf_release(&line);
        if (masked == NULL)
            return false;
        free(lines->items[i]);
        lines->items[i] = masked;
    }
    return secrets->count == 0 || mask_list(lines, secrets);
}

static bool mask_round(struct rounds_round *round, const struct strlist *secrets)
{
    bool ok = true;

    for (size_t k = 0; k < round->copy_count && ok; k++)
        ok = mask_said(&round->copies[k].last_lines, secrets);
    for (size_t k = 0; k < round->hook_failure_count && ok; k++)
        ok = mask_said(&round->hook_failures[k].last_lines, secrets);
    return ok;
}

static bool mask_all(struct result *r, const struct strlist *secrets)
{
    bool ok = mask_list(&r->reasons, secrets) && mask_list(&r->warnings, secrets) && mask_list(&r->command, secrets);

    for (size_t i = 0; i < r->config_count && ok; i++)
        ok = mask_text(&r->config[i].json, secrets);
    for (size_t i = 0; i < r->rounds->series_count && ok; i++)
        ok = mask_text(&r->rounds->series[i].command, secrets);
    for (size_t i = 0; i < r->rounds->round_count && ok; i++)
        ok = mask_round(&r->rounds->rounds[i], secrets);
    return ok;
}

int rounds_mask(struct result *r, const struct rounds_plan *plan, struct err *err)
{
    struct strlist secrets = STRLIST_INIT;
    const bool ok = collect(&secrets, plan) && mask_all(r, &secrets);

    strlist_release(&secrets);
    return ok ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the report");
}
