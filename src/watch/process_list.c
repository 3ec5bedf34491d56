/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/process_list.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "watch/text.h"

/* Words of /proc/PID/stat behind the name, proc(5): the state is the first. */
enum { STATE, PARENT, UTIME = 11, STIME, CUTIME, CSTIME, THREADS = 17, START = 19, RSS = 21, STAT_WORDS };

bool process_stat_parse(struct process_stat *out, struct slice text)
{
    uint64_t values[STAT_WORDS] = { 0 };
    struct slice rest = text;
    size_t name_end = text.len;

    memset(out, 0, sizeof(*out));
    while (name_end > 0 && text.ptr[name_end - 1] != ')')
        name_end--;
    if (name_end == 0 || !slice_to_u64(slice_split(&rest, ' '), &out->pid))
        return false;
    rest = slice_trim(slice_drop(text, name_end));
    for (int i = 0; i < STAT_WORDS; i++) {
        const struct slice word = slice_split(&rest, ' ');

        if (word.len == 0)
            return false;
        if (i == STATE)
            out->is_zombie = word.ptr[0] == 'Z' || word.ptr[0] == 'X';
        else if (!slice_to_u64(word, &values[i]) && word.ptr[0] != '-')
            return false;
    }
    out->parent = values[PARENT];
    out->cpu_ticks = values[UTIME] + values[STIME];
    out->children_ticks = values[CUTIME] + values[CSTIME];
    out->threads = values[THREADS];
    out->start_ticks = values[START];
    out->rss_pages = values[RSS];
    return true;
}

bool process_stat_read(struct process_stat *out, const char *root, uint64_t pid, struct buf *scratch)
{
    return text_read(scratch, "%s/proc/%" PRIu64 "/stat", root, pid) && process_stat_parse(out, buf_slice(scratch)) &&
           out->pid == pid;
}

void process_ids_release(struct process_ids *l)
{
    free(l->items);
    *l = (struct process_ids){ 0 };
}

static bool contains(const struct process_ids *l, uint64_t pid)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i] == pid)
            return true;
    return false;
}

bool process_ids_add(struct process_ids *l, uint64_t pid)
{
    if (contains(l, pid))
        return true;
    if (l->count == l->_capacity) {
        const size_t capacity = l->_capacity > 0 ? 2 * l->_capacity : 16;
        uint64_t *grown = capacity <= PROCESS_IDS_MAX ? reallocarray(l->items, capacity, sizeof(*grown)) : NULL;

        if (grown == NULL)
            return false;
        l->items = grown;
        l->_capacity = capacity;
    }
    l->items[l->count++] = pid;
    return true;
}

/* The number that a directory's entry is; 0: it is none. */
static uint64_t entry_number(const struct dirent *e)
{
    uint64_t n;

    return slice_to_u64(slice_str(e->d_name), &n) ? n : 0;
}

/* Children of one thread, as "12 13 " says. */
static bool add_listed(struct process_ids *l, struct slice list)
{
    uint64_t child;
    bool ok = true;

    while (list.len > 0 && ok)
        if (slice_to_u64(slice_trim(slice_split(&list, ' ')), &child))
            ok = process_ids_add(l, child);
    return ok;
}

/* From /proc/PID/task/TID/children. The kernel has such files when it was built with CONFIG_PROC_CHILDREN. */
static bool add_children_of(struct process_ids *l, const char *root, uint64_t pid, struct buf *scratch, bool *has_lists)
{
    char path[PATH_MAX];
    struct dirent *e;
    bool ok = true;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/proc/%" PRIu64 "/task", root, pid);
    dir = opendir(path);
    while (dir != NULL && ok && (e = readdir(dir)) != NULL) {
        const uint64_t thread = entry_number(e);

        if (thread == 0 || !text_read(scratch, "%s/%" PRIu64 "/children", path, thread))
            continue;
        *has_lists = true;
        ok = add_listed(l, buf_slice(scratch));
    }
    if (dir != NULL)
        closedir(dir);
    return ok;
}

struct kinship {
    uint64_t pid, parent;
};

/* Every process with its parent; NULL: /proc can not be read, or memory ran out. */
static struct kinship *look_at_all(const char *root, size_t *count, struct buf *scratch)
{
    struct kinship *all = NULL, *grown;
    struct process_stat stat;
    char path[PATH_MAX];
    struct dirent *e;
    size_t capacity = 0;
    DIR *dir;

    *count = 0;
    snprintf(path, sizeof(path), "%s/proc", root);
    dir = opendir(path);
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        const uint64_t pid = entry_number(e);

        if (pid == 0 || !process_stat_read(&stat, root, pid, scratch))
            continue;
        if (*count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 256;
            grown = capacity <= PROCESS_IDS_MAX ? reallocarray(all, capacity, sizeof(*all)) : NULL;
            if (grown == NULL)
                break;
            all = grown;
        }
        all[(*count)++] = (struct kinship){ pid, stat.parent };
    }
    if (dir != NULL)
        closedir(dir);
    return all;
}

bool process_ids_add_descendants(struct process_ids *l, const char *root, struct buf *scratch)
{
    bool has_lists = false, ok = true;
    struct kinship *all;
    size_t count;

    for (size_t i = 0; i < l->count && ok; i++) /* those that are added have children too */
        ok = add_children_of(l, root, l->items[i], scratch, &has_lists);
    if (has_lists || !ok)
        return ok;
    all = look_at_all(root, &count, scratch);
    for (size_t i = 0; i < l->count && ok; i++)
        for (size_t k = 0; k < count && ok; k++)
            if (all[k].parent == l->items[i])
                ok = process_ids_add(l, all[k].pid);
    free(all);
    return ok;
}
