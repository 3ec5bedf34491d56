/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_import_files.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

#define FILE_MAX_BYTES (UINT64_C(1) << 30)
#define PATH_MAX_BYTES 4096u

static int no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the files");
}

static bool make_room(struct import_files *f)
{
    void *inputs = reallocarray(f->inputs, f->count + 1, sizeof(*f->inputs));
    void *texts = reallocarray(f->texts, f->count + 1, sizeof(*f->texts));
    void *names = reallocarray(f->names, f->count + 1, sizeof(*f->names));

    f->inputs = inputs != NULL ? inputs : f->inputs;
    f->texts = texts != NULL ? texts : f->texts;
    f->names = names != NULL ? names : f->names;
    return inputs != NULL && texts != NULL && names != NULL;
}

static int add_file(struct import_files *f, const char *path, uint32_t concurrency, uint32_t group, struct err *err)
{
    char *name = slice_dup(slice_str(path));
    struct buf *text;

    if (name == NULL || !make_room(f)) {
        free(name);
        return no_memory(err);
    }
    text = &f->texts[f->count];
    buf_init(text, FILE_MAX_BYTES);
    f->names[f->count] = name;
    f->inputs[f->count++] = (struct rounds_input){ .name = name, .concurrency = concurrency, .group = group };
    return file_read(path, text, err);
}

/* The characters that a pattern gives a meaning to lose it. */
static void add_quoted(struct buf *out, const char *path)
{
    for (const char *c = path; *c != '\0'; c++) {
        if (strchr("*?[]\\", *c) != NULL)
            buf_add_char(out, '\\');
        buf_add_char(out, *c);
    }
}

/* 0 when there are none. */
static size_t find(glob_t *found, const char *directory, const char *pattern)
{
    struct buf path;

    *found = (glob_t){ 0 };
    buf_init(&path, PATH_MAX_BYTES);
    add_quoted(&path, directory);
    buf_printf(&path, "/%s", pattern);
    if (!buf_ok(&path) || glob(path.data, 0, NULL, found) != 0)
        found->gl_pathc = 0;
    buf_release(&path);
    return found->gl_pathc;
}

/* Of a copy whose turn never came: the run was stopped before. */
static bool is_empty(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

/* The copies of a round: JSON lines, which have exact times, else logs. */
static int add_copies(struct import_files *f, const char *directory, uint32_t concurrency, bool *any, struct err *err)
{
    static const char *const PATTERNS[] = { "copy-*.jsonl", "copy-*.log", "*.log" };
    const uint32_t group = ++f->groups;
    glob_t found;
    int failed = 0;

    for (size_t i = 0; i < sizeof(PATTERNS) / sizeof(PATTERNS[0]) && !*any; i++) {
        *any = find(&found, directory, PATTERNS[i]) > 0;
        for (size_t k = 0; k < found.gl_pathc && failed == 0; k++)
            if (!is_empty(found.gl_pathv[k]))
                failed = add_file(f, found.gl_pathv[k], concurrency, group, err);
        globfree(&found);
    }
    return failed;
}

static int add_directory(struct import_files *f, const char *path, uint32_t concurrency, struct err *err)
{
    glob_t rounds;
    bool any = false;
    int failed = add_copies(f, path, concurrency, &any, err);

    (void)find(&rounds, path, "round-*");
    for (size_t i = 0; i < rounds.gl_pathc && failed == 0; i++) {
        bool of_round = false;

        failed = add_copies(f, rounds.gl_pathv[i], concurrency, &of_round, err);
        any = any || of_round;
    }
    globfree(&rounds);
    if (failed != 0 || any)
        return failed;
    err_set(err, ERR_CONFIG, 0, "%s holds no logs", path);
    return err_hint(err, "a directory that plimsoll rounds --log-dir made, or one with files *.log");
}

/* Takes "32=" off the word. */
static const char *take_size(const char *word, uint32_t *concurrency)
{
    const char *equals = strchr(word, '=');
    uint64_t value;

    *concurrency = 0;
    if (equals == NULL || equals[1] == '\0' || !slice_to_u64(slice_from(word, (size_t)(equals - word)), &value) ||
        value == 0 || value > UINT32_MAX)
        return word;
    *concurrency = (uint32_t)value;
    return equals + 1;
}

int import_files_read(struct import_files *out, const struct strlist *words, struct err *err)
{
    *out = (struct import_files){ 0 };
    for (size_t i = 0; i < words->count; i++) {
        uint32_t concurrency;
        const char *path = take_size(words->items[i], &concurrency);
        struct stat info;
        const bool is_directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);

        if ((is_directory ? add_directory(out, path, concurrency, err) : add_file(out, path, concurrency, 0, err)) != 0)
            return -1;
    }
    for (size_t i = 0; i < out->count; i++)
        out->inputs[i].text = buf_slice(&out->texts[i]);
    return 0;
}

void import_files_release(struct import_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        buf_release(&f->texts[i]);
        free(f->names[i]);
    }
    free(f->inputs);
    free(f->texts);
    free(f->names);
    *f = (struct import_files){ 0 };
}
