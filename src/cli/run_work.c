/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_work.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/outputs.h"
#include "cli/storing.h"

#define DOCUMENT_MAX_BYTES ((size_t)1 << 30)
enum { OWNER_MAX = 160, OPEN_FOLDERS = 16 };

/* ---- locks ---- */

static void read_owner(int fd, char out[OWNER_MAX])
{
    ssize_t n = pread(fd, out, OWNER_MAX - 1, 0);

    n = n > 0 ? n : 0;
    out[n] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static void write_owner(int fd, const char *run)
{
    char host[64] = "", text[OWNER_MAX];
    int n;

    gethostname(host, sizeof(host) - 1);
    n = snprintf(text, sizeof(text), "process %d on %s (run %.8s)\n", (int)getpid(), host, run);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n)
        return; /* the lock holds all the same; only its owner's name is lost */
}

/* The file may have been removed by its last owner between our opening and locking it. */
static bool is_still_there(int fd, const char *path)
{
    struct stat held, named;

    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

/* 0, or 1 when the file can not be made: then nothing is locked. */
static int take(struct run_lock *lock, const char *run, const char *what, struct err *err)
{
    for (;;) {
        const int fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        char owner[OWNER_MAX];

        if (fd < 0)
            return 1;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            read_owner(fd, owner);
            close(fd);
            err_set(err, ERR_CONFIG, 0, "%s is in use by %s", what, owner[0] != '\0' ? owner : "another process");
            return err_hint(err, "wait for its end, or end it");
        }
        if (is_still_there(fd, lock->path)) {
            write_owner(fd, run);
            lock->fd = fd;
            return 0;
        }
        close(fd);
    }
}

static void release(struct run_lock *lock)
{
    if (lock->fd < 0)
        return;
    unlink(lock->path);
    close(lock->fd);
    lock->fd = -1;
}

int run_work_lock_run(struct run_work *w, const char *run, struct err *err)
{
    struct buf path;
    char what[64];
    int rc = 0;

    buf_init(&path, PATH_MAX);
    if (storing_path(&path, NULL) == 0) {
        snprintf(w->of_run.path, sizeof(w->of_run.path), "%.*s.%.36s.lock", (int)path.len < 3900 ? (int)path.len : 3900,
                 path.data, run);
        snprintf(what, sizeof(what), "the run %.8s", run);
        rc = take(&w->of_run, run, what, err);
    }
    buf_release(&path);
    return rc < 0 ? -1 : 0;
}

/* ---- the folder ---- */

static int make_temporary(struct run_work *w, struct err *err)
{
    const char *temporary = getenv("TMPDIR");

    snprintf(w->dir, sizeof(w->dir), "%s/plimsoll-run-XXXXXX",
             temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    if (mkdtemp(w->dir) == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot make a folder for the run's files in %s", w->dir);
    w->is_ours = true;
    return 0;
}

static int open_given(struct run_work *w, const char *dir, const char *run, struct err *err)
{
    int rc;

    if (outputs_check_directory("--work-dir", dir, err) != 0)
        return -1;
    if (realpath(dir, w->dir) == NULL || strlen(w->dir) > PATH_MAX - 64)
        return err_set(err, ERR_CONFIG, errno, "--work-dir %s", dir);
    snprintf(w->of_dir.path, sizeof(w->of_dir.path), "%.*s/run.lock", PATH_MAX - 16, w->dir);
    rc = take(&w->of_dir, run, "the folder of --work-dir", err);
    return rc <= 0 ? rc : err_set(err, ERR_CONFIG, errno, "--work-dir %s cannot be written", dir);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    return remove(path), 0;
}

void run_work_remove(const char *path)
{
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int run_work_open(struct run_work *w, const char *dir, const char *run, struct err *err)
{
    if ((dir != NULL ? open_given(w, dir, run, err) : make_temporary(w, err)) != 0)
        return -1;
    snprintf(w->documents, sizeof(w->documents), "%.*s/documents", PATH_MAX - 16, w->dir);
    run_work_remove(w->documents); /* of an earlier run */
    if (mkdir(w->documents, 0755) != 0)
        return err_set(err, ERR_SYSTEM, errno, "cannot make %s", w->documents);
    return 0;
}

int run_work_keep(const struct run_work *w, size_t step, const struct result *r, struct err *err)
{
    char path[PATH_MAX];
    struct buf json;
    int rc;

    snprintf(path, sizeof(path), "%.*s/%05zu.json", PATH_MAX - 32, w->documents, step + 1);
    buf_init(&json, DOCUMENT_MAX_BYTES);
    rc = result_to_json(r, &json, err);
    if (rc == 0)
        rc = file_write(path, buf_slice(&json), err);
    buf_release(&json);
    return rc;
}

void run_work_close(struct run_work *w, bool keep)
{
    if (w->is_ours && !keep)
        run_work_remove(w->dir);
    release(&w->of_dir);
    release(&w->of_run);
}
