/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes back of limit and run: a summary that ends with an exit status, and documents. */
#include "cli/job_apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

static const struct slice STATUS = { "exit status: ", 13 };
#define SUMMARY_MAX_BYTES ((size_t)1 << 26)

/* The last line, which is not printed. */
static int tell(struct slice text, int *code, struct err *err)
{
    struct slice rest = text;
    uint64_t status = UINT64_MAX;

    while (rest.len > 0) {
        const struct slice line = slice_split(&rest, '\n');

        if (slice_starts(line, STATUS) && slice_to_u64(slice_drop(line, STATUS.len), &status))
            break;
        fwrite(line.ptr, 1, line.len, stdout);
        putchar('\n');
    }
    if (status > 255)
        return err_set(err, ERR_PEER, 0, "the merge was not carried through");
    *code = (int)status;
    return 0;
}

int job_pieces_report(const char *summary, int *code, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, SUMMARY_MAX_BYTES);
    rc = file_read(summary, &text, err);
    if (rc == 0)
        rc = tell(buf_slice(&text), code, err);
    buf_release(&text);
    return rc;
}

/* "==> round-1.json <==": a name of ours, with no folder in it. */
static bool is_head(struct slice line, char *name, size_t room)
{
    if (!slice_starts(line, SLICE("==> ")) || !slice_ends(line, SLICE(" <==")) || line.len - 8 >= room)
        return false;
    snprintf(name, room, "%.*s", (int)(line.len - 8), line.ptr + 4);
    return name[0] != '.' && strchr(name, '/') == NULL;
}

static int write_piece(const char *folder, const char *name, struct slice text, int *code, struct err *err)
{
    char path[PATH_MAX];

    if (strcmp(name, "summary.txt") == 0)
        return tell(text, code, err);
    if (snprintf(path, sizeof(path), "%s/merged/%s", folder, name) >= (int)sizeof(path))
        return err_set(err, ERR_SYSTEM, ENAMETOOLONG, "%s", folder);
    return file_write(path, text, err);
}

static int make_folders(const char *folder, struct err *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/merged", folder) >= (int)sizeof(path))
        return err_set(err, ERR_SYSTEM, ENAMETOOLONG, "%s", folder);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || (mkdir(path, 0777) != 0 && errno != EEXIST))
        return err_set(err, ERR_SYSTEM, errno, "cannot make %s", path);
    return 0;
}

int job_pieces_unpack(struct slice log, const char *folder, int *code, struct err *err)
{
    char name[96] = "", next[96];
    const char *begin = log.ptr, *end = log.ptr + log.len;

    *code = -1;
    if (make_folders(folder, err) != 0)
        return -1;
    while (log.len > 0) {
        const struct slice line = slice_split(&log, '\n');

        if (!is_head(line, next, sizeof(next)))
            continue;
        if (name[0] != '\0' && write_piece(folder, name, slice_from(begin, (size_t)(line.ptr - begin)), code, err) != 0)
            return -1;
        snprintf(name, sizeof(name), "%s", next);
        begin = line.ptr + line.len < end ? line.ptr + line.len + 1 : end;
    }
    if (name[0] != '\0' && write_piece(folder, name, slice_from(begin, (size_t)(end - begin)), code, err) != 0)
        return -1;
    return *code >= 0 ? 0 : err_set(err, ERR_PEER, 0, "the merging pod made no result");
}
