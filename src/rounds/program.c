/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD_MAX_BYTES (1u << 20)

static bool is_program(const char *path)
{
    struct stat st;

    if (access(path, X_OK) != 0 || stat(path, &st) != 0)
        return false;
    if (S_ISREG(st.st_mode))
        return true;
    errno = EACCES;
    return false;
}

static char *join(struct slice directory, const char *name)
{
    struct buf path;
    char *joined;

    buf_init(&path, WORD_MAX_BYTES);
    buf_add_slice(&path, directory.len > 0 ? directory : SLICE("."));
    buf_add_char(&path, '/');
    buf_add_str(&path, name);
    joined = buf_detach(&path);
    buf_release(&path);
    return joined;
}

char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    struct slice rest = slice_str(path != NULL ? path : "/bin:/usr/bin");
    int error = ENOENT;

    if (name[0] == '\0') {
        errno = ENOENT;
        return NULL;
    }
    if (strchr(name, '/') != NULL)
        return slice_dup(slice_str(name));
    do {
        char *tried = join(slice_split(&rest, ':'), name);

        if (tried == NULL)
            return NULL;
        if (is_program(tried))
            return tried;
        if (errno == EACCES)
            error = EACCES; /* there is one, but it may not be run: said unless another is found */
        free(tried);
    } while (rest.len > 0);
    errno = error;
    return NULL;
}

static bool add_filled(struct strlist *out, struct slice text, const struct places *places)
{
    struct buf filled;
    bool ok;

    if (!places_in(text))
        return strlist_add(out, text);
    buf_init(&filled, WORD_MAX_BYTES);
    places_fill(&filled, text, places);
    ok = buf_ok(&filled) && strlist_add(out, buf_slice(&filled));
    buf_release(&filled);
    return ok;
}

/* NULL stays NULL; false: no memory. */
static bool fill_text(char **out, const char *text, const struct places *places)
{
    struct strlist one = STRLIST_INIT;
    const bool ok = text == NULL || add_filled(&one, slice_str(text), places);

    *out = one.count > 0 ? strdup(one.items[0]) : NULL;
    strlist_release(&one);
    return ok && (text == NULL || *out != NULL);
}

static bool add_words(struct program *p, const struct rounds_plan *plan, const struct rounds_command *command,
                      const struct places *places)
{
    bool ok = true;

    if (plan->shell != NULL) {
        ok = strlist_add(&p->words, slice_str(plan->shell)) &&
             (!plan->pipefail || (strlist_add(&p->words, SLICE("-o")) && strlist_add(&p->words, SLICE("pipefail")))) &&
             strlist_add(&p->words, SLICE("-c"));
    }
    for (size_t i = 0; ok && i < command->count; i++)
        ok = add_filled(&p->words, slice_str(command->words[i]), places);
    return ok;
}

/* Up to and with the "=". */
static struct slice name_of(const char *entry)
{
    const char *equals = strchr(entry, '=');

    return equals != NULL ? slice_from(entry, (size_t)(equals - entry) + 1) : slice_str(entry);
}

static bool is_named(char *const *entries, size_t count, struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_starts(slice_str(entries[i]), name))
            return true;
    return false;
}

/* Ours but for names that were given, then what was given, the last one of each name. */
static bool add_environment(struct program *p, const struct strlist *env, const struct places *places)
{
    size_t ours = 0, used = 0;

    for (size_t i = 0; env != NULL && i < env->count; i++)
        if (!add_filled(&p->added, slice_str(env->items[i]), places))
            return false;
    while (environ != NULL && environ[ours] != NULL)
        ours++;
    p->envp = calloc(ours + p->added.count + 1, sizeof(*p->envp));
    if (p->envp == NULL)
        return false;
    for (size_t i = 0; i < ours; i++)
        if (!is_named(p->added.items, p->added.count, name_of(environ[i])))
            p->envp[used++] = environ[i];
    for (size_t i = 0; i < p->added.count; i++)
        if (!is_named(p->added.items + i + 1, p->added.count - i - 1, name_of(p->added.items[i])))
            p->envp[used++] = p->added.items[i];
    return true;
}

bool program_make(struct program *p, const struct rounds_plan *plan, const struct rounds_command *command,
                  const struct places *places)
{
    *p = (struct program){ 0 };
    if (!add_words(p, plan, command, places) || !add_environment(p, plan->env, places) ||
        !fill_text(&p->cwd, plan->cwd, places) || !fill_text(&p->input, plan->input, places)) {
        program_release(p);
        return false;
    }
    p->path = program_find(p->words.items[0]);
    p->error = p->path == NULL ? errno : 0;
    return true;
}

void program_release(struct program *p)
{
    free(p->path);
    free(p->envp);
    free(p->cwd);
    free(p->input);
    strlist_release(&p->words);
    strlist_release(&p->added);
    *p = (struct program){ 0 };
}
