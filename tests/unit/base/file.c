/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include "alloc_fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

/* Every test runs in an empty folder of its own. */
static char folder[] = "/tmp/plimsoll-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    DIR *d = opendir(".");
    struct dirent *entry;

    (void)state;
    while (d != NULL && (entry = readdir(d)) != NULL)
        if (unlink(entry->d_name) < 0)
            rmdir(entry->d_name);
    if (d != NULL)
        closedir(d);
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static unsigned entries(void)
{
    DIR *d = opendir(".");
    unsigned n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static void expect_content(const char *path, const char *want)
{
    struct buf b;
    struct err err;

    buf_init(&b, 1 << 20);
    if (file_read(path, &b, &err) < 0)
        fail_msg("%s", err.what);
    buf_add_str(&b, ""); /* a data pointer even for an empty file */
    assert_string_equal(b.data, want);
    buf_release(&b);
}

static void put(const char *path, const char *text)
{
    struct err err;

    if (file_write(path, slice_str(text), &err) < 0)
        fail_msg("%s", err.what);
}

static void write_then_read(void **state)
{
    struct stat st;

    (void)state;
    const mode_t mask = umask(027);
    put("a", "one\n");
    umask(mask);
    expect_content("a", "one\n");
    assert_int_equal(stat("a", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640); /* a new file follows the umask */
    put("a", "");
    expect_content("a", "");
    put("./a", "two");
    expect_content("a", "two");
    assert_int_equal(entries(), 1);
}

static void an_old_file_keeps_its_mode_and_links(void **state)
{
    struct stat st;

    (void)state;
    put("real", "old");
    assert_int_equal(chmod("real", 0604), 0);
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(stat("real", &st), 0);
    const ino_t old_inode = st.st_ino;
    const int reader = open("real", O_RDONLY | O_CLOEXEC);
    put("link", "new");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode)); /* the link still is one */
    assert_int_equal(stat("real", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0604);
    assert_true(st.st_ino != old_inode); /* replaced, not overwritten: */
    char seen[8] = { 0 };
    assert_int_equal(read(reader, seen, sizeof(seen)), 3);
    assert_string_equal(seen, "old"); /* who had it open sees a whole old file */
    close(reader);
    expect_content("real", "new");
    assert_int_equal(symlink("not-there", "dangling"), 0);
    put("dangling", "made");
    expect_content("not-there", "made");
}

static void failures_leave_the_old_file(void **state)
{
    struct err err;

    (void)state;
    put("a", "old");
    assert_int_equal(chmod("a", 0444), 0);
    if (geteuid() != 0) { /* root may write anything */
        assert_int_equal(file_write("a", SLICE("new"), &err), -1);
        assert_int_equal(err.sys, EACCES);
    }
    expect_content("a", "old");
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(file_write("d", SLICE("x"), &err), -1);
    assert_int_equal(err.sys, EISDIR);
    assert_int_equal(file_write("no/such/file", SLICE("x"), &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_non_null(strstr(err.what, "no/such/file"));
    assert_true(strlen(err.hint) > 0);
    assert_int_equal(file_write("a/b", SLICE("x"), &err), -1);
    assert_int_equal(err.sys, ENOTDIR);
    assert_int_equal(file_write("", SLICE("x"), &err), -1);
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(entries(), 2);
}

/* RLIMIT_FSIZE stands for a full disk: the write fails half-way. */
static void a_full_disk_leaves_the_old_file_and_no_litter(void **state)
{
    static char big[20000];
    const struct rlimit small = { 10000, RLIM_INFINITY };
    struct rlimit before;
    struct err err;

    (void)state;
    put("a", "old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int rc = file_write("a", slice_from(big, sizeof(big)), &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, -1);
    assert_int_equal(err.sys, EFBIG);
    expect_content("a", "old");
    assert_int_equal(entries(), 1);
}

/* A writer is killed again and again: a reader only ever sees one of the two whole texts. */
static void a_killed_writer_leaves_a_whole_file(void **state)
{
    enum { SIZE = 300000 };
    static char text[2][SIZE + 1];

    (void)state;
    memset(text[0], 'a', SIZE);
    memset(text[1], 'b', SIZE);
    put("a", text[0]);
    for (int round = 0; round < 20; round++) {
        const pid_t child = fork();
        if (child == 0)
            for (int i = 0;; i++)
                if (file_write("a", slice_from(text[i % 2], SIZE), NULL) < 0)
                    _exit(1);
        usleep(1000 + 700 * (useconds_t)round);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct buf b;
        buf_init(&b, 2 * SIZE);
        assert_int_equal(file_read("a", &b, NULL), 0);
        assert_int_equal(b.len, SIZE);
        assert_true(memcmp(b.data, text[0], SIZE) == 0 || memcmp(b.data, text[1], SIZE) == 0);
        buf_release(&b);
    }
}

static void *drain(void *out)
{
    expect_content("fifo", "through the pipe");
    *(bool *)out = true;
    return NULL;
}

static void devices_and_pipes_are_written_directly(void **state)
{
    pthread_t reader;
    bool drained = false;
    struct stat st;
    struct err err;

    (void)state;
    put("/dev/null", "gone");
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(pthread_create(&reader, NULL, drain, &drained), 0);
    put("fifo", "through the pipe");
    pthread_join(reader, NULL);
    assert_true(drained);
    assert_int_equal(stat("fifo", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(file_write("/dev/full", SLICE("x"), &err), -1);
    assert_int_equal(err.sys, ENOSPC);
}

static void names_of_open_descriptors_write_into_them(void **state)
{
    char name[32];

    (void)state;
    const int fd = open("log", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof(name), "/dev/fd/%d", fd);
    put(name, "middle ");
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    put(name, "end");
    close(fd);
    expect_content("log", "before middle end");               /* neither truncated nor replaced */
    assert_int_equal(file_write(name, SLICE("x"), NULL), -1); /* closed by now */
}

/* Standard output is redirected in a child, where nothing else prints. */
static void dash_is_standard_output_in_order(void **state)
{
    int status;

    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("out", "w", stdout) == NULL)
            _exit(2);
        printf("first ");
        const bool failed = file_write("-", SLICE("second "), NULL) < 0 ||
                            file_write("/dev/stdout", SLICE("third"), NULL) < 0;
        _exit(failed);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_content("out", "first second third");
}

static void dash_is_standard_input(void **state)
{
    int fds[2];
    int status;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct buf b;
        buf_init(&b, 100);
        dup2(fds[0], STDIN_FILENO);
        close(fds[1]);
        /* non-blocking, as a terminal shared with another program may be */
        fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
        _exit(file_read("-", &b, NULL) == 0 && slice_eq(buf_slice(&b), SLICE("piece by piece")) ? 0 : 1);
    }
    close(fds[0]);
    assert_int_equal(write(fds[1], "piece ", 6), 6);
    usleep(20000);
    assert_int_equal(write(fds[1], "by piece", 8), 8);
    close(fds[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void reading_obeys_the_maximum(void **state)
{
    static const struct {
        const char *why;
        size_t size, max;
        bool ok;
    } CASES[] = {
        { "empty into nothing", 0, 0, true },   { "one byte into nothing", 1, 0, false },
        { "exactly full", 70000, 70000, true }, { "one byte too many", 70001, 70000, false },
        { "smaller", 10, 70000, true },
    };
    static char bytes[70001];
    struct err err;

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf b;
        assert_int_equal(file_write("a", slice_from(bytes, CASES[i].size), NULL), 0);
        buf_init(&b, CASES[i].max);
        const int rc = file_read("a", &b, &err);
        if ((rc == 0) != CASES[i].ok || b.len != (CASES[i].ok ? CASES[i].size : 0))
            fail_msg("%s", CASES[i].why);
        if (rc < 0)
            assert_int_equal(err.kind, ERR_LIMIT);
        buf_release(&b);
    }
}

static void reading_appends_and_fails_cleanly(void **state)
{
    static const struct {
        const char *why, *path;
        int sys;
    } CASES[] = {
        { "not there", "nothing", ENOENT },
        { "a folder", ".", EISDIR },
        { "below a file", "a/b", ENOTDIR },
    };
    struct buf b;
    struct err err;

    (void)state;
    put("a", " tail");
    buf_init(&b, 100);
    buf_add_str(&b, "head");
    assert_int_equal(file_read("a", &b, &err), 0);
    assert_string_equal(b.data, "head tail");
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        if (file_read(CASES[i].path, &b, &err) != -1 || err.kind != ERR_CONFIG || err.sys != CASES[i].sys ||
            strstr(err.what, CASES[i].path) == NULL)
            fail_msg("%s: %s", CASES[i].why, err.what);
        assert_string_equal(b.data, "head tail"); /* what it held before */
        assert_true(buf_ok(&b));
    }
    buf_release(&b);
    buf_init(&b, 100);
    alloc_fail_at(1);
    assert_int_equal(file_read("a", &b, &err), -1);
    assert_true(alloc_fail_end());
    assert_int_equal(err.sys, ENOMEM);
    assert_int_equal(file_read("a", &b, &err), -1); /* a failed buffer stays failed */
    buf_release(&b);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(write_then_read),
        IN_FOLDER(an_old_file_keeps_its_mode_and_links),
        IN_FOLDER(failures_leave_the_old_file),
        IN_FOLDER(a_full_disk_leaves_the_old_file_and_no_litter),
        IN_FOLDER(a_killed_writer_leaves_a_whole_file),
        IN_FOLDER(devices_and_pipes_are_written_directly),
        IN_FOLDER(names_of_open_descriptors_write_into_them),
        IN_FOLDER(dash_is_standard_output_in_order),
        IN_FOLDER(dash_is_standard_input),
        IN_FOLDER(reading_obeys_the_maximum),
        IN_FOLDER(reading_appends_and_fails_cleanly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
