/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outputs.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/complain.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/hdr.h"

/* The documents of a run with thousands of targets stay far below this. */
#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)
/* Enough to fail where no block is free. */
enum { TRIAL_BYTES = 4096 };

/* One row per output that is written after the run. */
struct output {
    const char *option, *path;
    int (*render)(struct buf *out, const struct result *r, struct err *err);
};

static int render_csv(struct buf *out, const struct result *r, struct err *err)
{
    report_csv(out, r);
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int render_hdr(struct buf *out, const struct result *r, struct err *err)
{
    report_hdr(out, r->latency);
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int render_json(struct buf *out, const struct result *r, struct err *err)
{
    return result_to_json(r, out, err);
}

static int render_html(struct buf *out, const struct result *r, struct err *err)
{
    struct collection c = { 0 };
    int failed;

    collection_begin(&c);
    failed = collection_add(&c, r, (struct slice){ 0 }, NULL, "this run", err);
    if (failed == 0)
        failed = report_html(out, &c, &(struct html_options){ 0 }, err);
    collection_release(&c);
    return failed;
}

static bool is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

bool outputs_use_stdout(const struct load_outputs *o)
{
    return is_stdout(o->json) || is_stdout(o->csv) || is_stdout(o->hdr) || is_stdout(o->log) || is_stdout(o->html);
}

static int blame(const char *option, const char *path, int sys, const char *hint, struct err *err)
{
    err_set(err, ERR_CONFIG, sys, "%s: cannot write %s", option, path);
    return err_hint(err, "%s", hint);
}

/* Writes a block to a new file of that prefix and takes it away again. 0, or an errno. */
static int try_beside(const char *prefix)
{
    static const char BLOCK[TRIAL_BYTES];
    struct buf name;
    int fd, sys = 0;

    buf_init(&name, 1u << 16);
    buf_printf(&name, "%s.XXXXXX", prefix);
    if (!buf_ok(&name)) {
        buf_release(&name);
        return ENOMEM;
    }
    fd = mkstemp(name.data);
    if (fd < 0) {
        sys = errno;
    } else {
        if (write(fd, BLOCK, sizeof(BLOCK)) != (ssize_t)sizeof(BLOCK))
            sys = errno != 0 ? errno : ENOSPC;
        close(fd);
        unlink(name.data);
    }
    buf_release(&name);
    return sys;
}

static int check_file(const char *option, const char *path, struct err *err)
{
    struct stat st;
    int sys;

    if (path == NULL || is_stdout(path))
        return 0;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return blame(option, path, EISDIR, "name a file in it", err);
        if (access(path, W_OK) != 0)
            return blame(option, path, errno, "choose another file, or make this one writable", err);
        if (!S_ISREG(st.st_mode))
            return 0; /* a device or a pipe: what it takes is seen when it is written */
    }
    errno = 0;
    sys = try_beside(path);
    if (sys == 0)
        return 0;
    if (sys == ENOENT)
        return blame(option, path, sys, "make the directory first (mkdir -p)", err);
    return blame(option, path, sys,
                 sys == ENOSPC || sys == EDQUOT ? "free some space, or choose another place"
                                                : "choose a place that this user may write to",
                 err);
}

/* What a path names, though the file may not be there yet: its directory, and its name in it. */
static bool place_of(const char *path, struct stat *directory, const char **name)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : slice_dup(slice_from(path, (size_t)(slash - path)));
    const bool ok = parent != NULL && stat(parent, directory) == 0;

    free(parent);
    *name = slash != NULL ? slash + 1 : path;
    return ok;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    const char *name_a, *name_b;

    if (a == NULL || b == NULL || is_stdout(a) || is_stdout(b))
        return false; /* standard output twice is refused with the words of the command line */
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return place_of(a, &x, &name_a) && place_of(b, &y, &name_b) && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
           strcmp(name_a, name_b) == 0;
}

/* "a.json" and "./a.json", or a link: one would be written over the other. */
static int check_apart(const struct load_outputs *o, struct err *err)
{
    const struct {
        const char *option, *path;
    } all[] = {
        { "--json", o->json }, { "--csv", o->csv }, { "--hdr", o->hdr }, { "--log", o->log }, { "--html", o->html }
    };
    const size_t n = sizeof(all) / sizeof(all[0]);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (!is_same_file(all[i].path, all[j].path))
                continue;
            err_set(err, ERR_CONFIG, 0, "%s %s and %s %s are one file", all[i].option, all[i].path, all[j].option,
                    all[j].path);
            return err_hint(err, "give each its own file");
        }
    }
    return 0;
}

int outputs_check(const struct load_outputs *o, struct err *err)
{
    if (check_apart(o, err) != 0 || check_file("--json", o->json, err) != 0 || check_file("--csv", o->csv, err) != 0 ||
        check_file("--hdr", o->hdr, err) != 0 || check_file("--log", o->log, err) != 0 ||
        check_file("--html", o->html, err) != 0)
        return -1;
    return 0;
}

int outputs_check_directory(const char *option, const char *path, struct err *err)
{
    struct buf prefix;
    struct stat st;
    int sys;

    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return blame(option, path, errno, "name a directory that this user may write to", err);
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return blame(option, path, ENOTDIR, "name a directory", err);
    buf_init(&prefix, 1u << 16);
    buf_printf(&prefix, "%s/.plimsoll", path);
    errno = 0;
    sys = buf_ok(&prefix) ? try_beside(prefix.data) : ENOMEM;
    buf_release(&prefix);
    return sys == 0 ? 0 : blame(option, path, sys, "name a directory that this user may write to", err);
}

static bool write_output(const struct output *output, const struct result *r, const char *who)
{
    struct err err = { 0 };
    struct buf text;
    int status;

    buf_init(&text, DOCUMENT_MAX_BYTES);
    status = output->render(&text, r, &err);
    if (status == 0)
        status = file_write(output->path, buf_slice(&text), &err);
    buf_release(&text);
    if (status == 0)
        return true;
    err_prefix(&err, "%s", output->option);
    cli_complain(who, &err);
    return false;
}

bool outputs_write(const struct load_outputs *o, const struct result *r, const char *who)
{
    const struct output all[] = {
        { "--json", o->json, render_json },
        { "--csv", o->csv, render_csv },
        { "--hdr", o->hdr, render_hdr },
        { "--html", o->html, render_html },
    };
    bool ok = true;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].path != NULL && !write_output(&all[i], r, who))
            ok = false;
    return ok;
}

static struct report_text_options text_options(FILE *to)
{
    struct report_text_options options = { 0 };
    const char *term = getenv("TERM");
    struct winsize size = { 0 };

    if (isatty(fileno(to)) != 1)
        return options;
    /* https://no-color.org: present and not empty. */
    options.colours = (getenv("NO_COLOR") == NULL || getenv("NO_COLOR")[0] == '\0') && term != NULL &&
                      strcmp(term, "dumb") != 0;
    if (ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        options.width = size.ws_col;
    return options;
}

static int print_as(FILE *to, const struct result *r, const struct report_form *form)
{
    struct report_text_options options = text_options(to);
    struct buf text;
    int sys = 0;

    options.verbose = form->verbose;
    buf_init(&text, DOCUMENT_MAX_BYTES);
    form->render(&text, r, &options);
    errno = 0;
    if (!buf_ok(&text))
        sys = ENOMEM;
    else if (fwrite(text.data, 1, text.len, to) != text.len || fflush(to) != 0)
        sys = errno != 0 ? errno : EIO;
    buf_release(&text);
    return sys;
}

int outputs_print(FILE *to, const struct result *r)
{
    return print_as(to, r, &(const struct report_form){ .render = report_text });
}

bool outputs_report_as(const struct load_outputs *o, const struct result *r, const struct report_form *form,
                       const char *who)
{
    int sys;

    if (outputs_use_stdout(o))
        return print_as(stderr, r, form) == 0;
    sys = print_as(stdout, r, form);
    if (sys == 0)
        return true;
    cli_note(who, "cannot write the report to standard output: %s; it follows here", strerror(sys));
    clearerr(stdout);
    (void)!print_as(stderr, r, form);
    return false;
}

bool outputs_report(const struct load_outputs *o, const struct result *r, const char *who)
{
    return outputs_report_as(o, r, &(const struct report_form){ .render = report_text }, who);
}
