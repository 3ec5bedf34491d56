/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tree_make(struct tree *t)
{
    snprintf(t->root, sizeof(t->root), "/tmp/plimsoll-watch-XXXXXX");
    assert_non_null(mkdtemp(t->root));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

void tree_remove(struct tree *t)
{
    assert_int_equal(nftw(t->root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void tree_drop(const struct tree *t, const char *path)
{
    char full[PATH_MAX];

    snprintf(full, sizeof(full), "%s%s", t->root, path);
    assert_int_equal(nftw(full, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void tree_put(const struct tree *t, const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *file;

    snprintf(full, sizeof(full), "%s%s", t->root, path);
    make_folders(full);
    file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

void tree_link(const struct tree *t, const char *path, const char *to)
{
    char full[PATH_MAX];

    snprintf(full, sizeof(full), "%s%s", t->root, path);
    make_folders(full);
    assert_int_equal(symlink(to, full), 0);
}

void tree_put_process(const struct tree *t, unsigned pid, unsigned parent, unsigned start, unsigned user,
                      unsigned system, unsigned waited, unsigned threads, unsigned rss_pages)
{
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    snprintf(
        text, sizeof(text),
        "%u (a ) R (x) S %u 1 1 0 -1 4194304 96 0 0 0 %u %u %u 0 20 0 %u 0 %u 3133440 %u 18446744073709551615 1 2\n",
        pid, parent, user, system, waited, threads, start, rss_pages);
    tree_put(t, path, text);
}
