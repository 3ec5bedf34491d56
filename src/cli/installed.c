/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/installed.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/strlist.h"
#include "base/suggest.h"

#ifndef PLIMSOLL_DATA_DIR
#define PLIMSOLL_DATA_DIR "/usr/share/plimsoll"
#endif

static const char ENDING[] = ".yaml";
enum { PLACES = 3, HINT_MAX_BYTES = 160 };

static bool is_file(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

/* The k-th DIR; "" when it is not known. */
static void place(size_t k, char out[PATH_MAX])
{
    static const char *const BESIDE[] = { "../share/plimsoll", ".." };
    char program[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    snprintf(out, PATH_MAX, "%s", PLIMSOLL_DATA_DIR);
    if (k == PLACES - 1)
        return;
    out[0] = '\0';
    if (len <= 0)
        return;
    program[len] = '\0';
    slash = strrchr(program, '/');
    if (slash == NULL || (size_t)(slash - program) + 32 > PATH_MAX)
        return;
    snprintf(out, PATH_MAX, "%.*s/%s", (int)(slash - program), program, BESIDE[k]);
}

/* "../share" in messages is nothing to show: the path becomes the real one. */
static bool find(const char *name, const char *ending, char out[PATH_MAX])
{
    char dir[PATH_MAX], path[2 * PATH_MAX];

    for (size_t k = 0; k < PLACES; k++) {
        place(k, dir);
        snprintf(path, sizeof(path), "%s/suites/%s%s", dir, name, ending);
        if (dir[0] != '\0' && is_file(path) && realpath(path, out) != NULL)
            return true;
    }
    return false;
}

void installed_suites(struct strlist *names)
{
    char dir[PATH_MAX], path[PATH_MAX + 16];

    for (size_t k = 0; k < PLACES && names->count == 0; k++) {
        struct dirent **entries = NULL;
        int count;

        place(k, dir);
        snprintf(path, sizeof(path), "%s/suites", dir);
        count = dir[0] != '\0' ? scandir(path, &entries, NULL, alphasort) : 0;
        for (int i = 0; i < count; i++) {
            const struct slice name = slice_str(entries[i]->d_name);

            if (slice_ends(name, slice_str(ENDING)))
                (void)strlist_add(names, slice_from(name.ptr, name.len - strlen(ENDING)));
            free(entries[i]);
        }
        free(entries);
    }
}

static int not_found(const char *given, const char *name, struct err *err)
{
    struct strlist names = { 0 };
    struct suggestion nearest;
    struct buf all;

    installed_suites(&names);
    suggest_init(&nearest, slice_ends(slice_str(name), slice_str(ENDING))
                               ? slice_from(name, strlen(name) - strlen(ENDING))
                               : slice_str(name));
    buf_init(&all, HINT_MAX_BYTES);
    for (size_t k = 0; k < names.count; k++) {
        suggest_consider(&nearest, names.items[k]);
        buf_printf(&all, "%s%s", k > 0 ? ", " : "", names.items[k]);
    }
    err_set(err, ERR_CONFIG, ENOENT, "cannot open %s", given);
    if (nearest.word != NULL)
        err_hint(err, "did you mean %s? It comes with plimsoll", nearest.word);
    else if (names.count > 0 && buf_ok(&all))
        err_hint(err, "these come with plimsoll: %s", all.data);
    else
        err_hint(err, "give the path of a suite; plimsoll run --schema shows what it may hold");
    buf_release(&all);
    strlist_release(&names);
    return -1;
}

int installed_suite(char out[PATH_MAX], const char *given, struct err *err)
{
    static const char FOLDER[] = "suites/";
    const bool has_folder = strncmp(given, FOLDER, strlen(FOLDER)) == 0;
    const char *name = has_folder ? given + strlen(FOLDER) : given;

    if (strcmp(given, "-") == 0 || is_file(given) || strchr(name, '/') != NULL || strlen(given) >= PATH_MAX) {
        snprintf(out, PATH_MAX, "%s", given);
        return 0;
    }
    if (find(name, "", out) || find(name, ENDING, out))
        return 0;
    snprintf(out, PATH_MAX, "%s", given); /* a folder is complained of as one */
    return access(given, F_OK) == 0 ? 0 : not_found(given, name, err);
}
