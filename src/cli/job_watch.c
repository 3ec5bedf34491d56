/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/complain.h"

enum { LINE_MAX_BYTES = 1 << 16, SHOWN_SHARES = 8 };

int job_watch_init(struct job_watch *w, const struct job *job, enum progress_mode mode, const char *who,
                   struct err *err)
{
    *w = (struct job_watch){ .engine = job->engine, .who = who, .share_count = job->shares };
    progress_init(&w->progress, mode);
    w->shares = calloc(job->shares, sizeof(*w->shares));
    return w->shares != NULL ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "cannot watch the job");
}

void job_watch_release(struct job_watch *w)
{
    for (size_t i = 0; i < w->file_count; i++) {
        free(w->files[i].path);
        buf_release(&w->files[i].rest);
    }
    free(w->files);
    free(w->shares);
    *w = (struct job_watch){ 0 };
}

int job_watch_add(struct job_watch *w, const char *path, uint64_t share, struct err *err)
{
    struct job_watch_file *all = realloc(w->files, (w->file_count + 1) * sizeof(*all));
    char *copy = strdup(path);

    if (all != NULL)
        w->files = all;
    if (all == NULL || copy == NULL) {
        free(copy);
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot watch the job");
    }
    all[w->file_count] = (struct job_watch_file){ .path = copy, .share = share };
    buf_init(&all[w->file_count++].rest, LINE_MAX_BYTES);
    return 0;
}

static void show_share(struct job_watch *w, uint64_t share, struct slice object)
{
    struct buf line;

    if (w->progress.mode != PROGRESS_JSON)
        return;
    buf_init(&line, LINE_MAX_BYTES);
    buf_printf(&line, "{\"share\": %" PRIu64 ", %.*s", share, SLICE_FMT(slice_drop(object, 1)));
    progress_text(&w->progress, buf_slice(&line));
    buf_release(&line);
}

/* Load's own messages; its report, which some schedulers mix in, is not repeated for each share. */
static bool is_message(struct slice text)
{
    return slice_starts(text, SLICE("plimsoll")) || slice_starts(text, SLICE("  hint: "));
}

static void take_line(struct job_watch *w, struct slice line, uint64_t share)
{
    struct slice text = line;
    struct job_progress now;

    if (share == 0 && !job_line(w->engine, line, &share, &text))
        share = 0;
    if (share == 0 || share > w->share_count) {
        if (slice_trim(line).len > 0) {
            progress_end(&w->progress);
            fprintf(stderr, "%.*s\n", SLICE_FMT(line));
        }
        return;
    }
    if (job_progress_read(&now, text)) {
        w->shares[share - 1] = (struct job_watch_share){ now, true };
        show_share(w, share, text);
    } else if (is_message(text)) {
        progress_end(&w->progress);
        cli_note(w->who, "share %" PRIu64 ": %.*s", share, SLICE_FMT(text));
    }
}

static void take_bytes(struct job_watch *w, struct job_watch_file *f, struct slice bytes)
{
    while (bytes.len > 0) {
        const ptrdiff_t end = slice_find(bytes, '\n');

        buf_add_slice(&f->rest, slice_take(bytes, end >= 0 ? (size_t)end : bytes.len));
        if (end < 0)
            return;
        take_line(w, buf_slice(&f->rest), f->share);
        buf_clear(&f->rest);
        bytes = slice_drop(bytes, (size_t)end + 1);
    }
}

static void read_file(struct job_watch *w, struct job_watch_file *f)
{
    char bytes[8192];
    const int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return;
    while ((n = pread(fd, bytes, sizeof(bytes), (off_t)f->offset)) > 0) {
        f->offset += (uint64_t)n;
        take_bytes(w, f, slice_from(bytes, (size_t)n));
    }
    close(fd);
}

static void add_share(struct buf *line, uint64_t number, const struct job_watch_share *s)
{
    char rate[UNITS_TEXT_MAX];

    if (!s->seen)
        buf_printf(line, "  %" PRIu64 ": -", number);
    else
        buf_printf(line, "  %" PRIu64 ": %.0f s %s/s", number, s->now.elapsed_s,
                   units_format_number(rate, s->now.requests_per_s));
}

static void show_line(struct job_watch *w)
{
    char rate[UNITS_TEXT_MAX], failed_text[UNITS_TEXT_MAX];
    double per_s = 0;
    uint64_t seen = 0, failed = 0;
    struct buf line;

    for (uint64_t i = 0; i < w->share_count; i++) {
        seen += w->shares[i].seen;
        per_s += w->shares[i].now.requests_per_s;
        failed += w->shares[i].now.failed;
    }
    buf_init(&line, LINE_MAX_BYTES);
    buf_printf(&line, "%" PRIu64 " of %" PRIu64 " shares  %s requests/s  %s failed ", seen, w->share_count,
               units_format_number(rate, per_s), units_format_count(failed_text, failed));
    for (uint64_t i = 0; i < w->share_count && i < SHOWN_SHARES; i++)
        add_share(&line, i + 1, &w->shares[i]);
    progress_text(&w->progress, buf_slice(&line));
    buf_release(&line);
}

void job_watch_turn(struct job_watch *w)
{
    for (size_t i = 0; i < w->file_count; i++)
        read_file(w, &w->files[i]);
    if (w->progress.mode == PROGRESS_AUTO)
        show_line(w);
}

void job_watch_end(struct job_watch *w)
{
    for (size_t i = 0; i < w->file_count; i++)
        read_file(w, &w->files[i]);
    progress_end(&w->progress);
}
