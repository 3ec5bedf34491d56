/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(const char *text, const char *why, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "--form: \"%.100s\" %s", text, why);
    return err_hint(err, "write NAME=VALUE, or NAME=@FILE, also NAME=@FILE;type=image/png;filename=a.png");
}

static const char *keep(struct strlist *texts, struct slice s)
{
    return strlist_add(texts, s) ? texts->items[texts->count - 1] : NULL;
}

/* A line break or control character in a type would begin a field of its own. */
static bool is_plain(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
            return false;
    return s.len > 0;
}

static int check_file(const char *path, struct err *err)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        err_set(err, ERR_CONFIG, errno, "--form: cannot read %s", path);
        return err_hint(err, "name a file that this user may read");
    }
    if (S_ISREG(st.st_mode))
        return 0;
    err_set(err, ERR_CONFIG, 0, "--form: %s is not a regular file", path);
    return err_hint(err, "its size must be known: write what it gives into a file first");
}

static int take_file(struct load_part *part, struct strlist *texts, const char *text, struct slice rest,
                     struct err *err)
{
    const struct slice path = slice_split(&rest, ';');

    if (path.len == 0)
        return refuse(text, "names no file", err);
    part->path = keep(texts, path);
    while (rest.len > 0) {
        const struct slice word = slice_trim(slice_split(&rest, ';'));

        if (slice_starts(word, SLICE("type=")) && is_plain(slice_drop(word, 5)))
            part->content_type = keep(texts, slice_drop(word, 5));
        else if (slice_starts(word, SLICE("filename=")) && is_plain(slice_drop(word, 9)))
            part->file_name = keep(texts, slice_drop(word, 9));
        else
            return refuse(text, "has more than type= and filename= after its file", err);
    }
    return part->path != NULL ? check_file(part->path, err) : err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
}

int load_form_make(struct load_part **out, struct strlist *texts, const struct strlist *given, struct err *err)
{
    *out = calloc(given->count + 1, sizeof(**out));
    if (*out == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
    for (size_t i = 0; i < given->count; i++) {
        struct load_part *part = &(*out)[i];
        struct slice rest = slice_str(given->items[i]);
        const bool has_value = slice_find(rest, '=') > 0;

        part->name = keep(texts, slice_split(&rest, '='));
        if (!has_value)
            return refuse(given->items[i], "is not NAME=VALUE", err);
        part->value = rest;
        if (slice_starts(rest, SLICE("@")) && take_file(part, texts, given->items[i], slice_drop(rest, 1), err) != 0)
            return -1;
    }
    return 0;
}
