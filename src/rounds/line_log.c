/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/line_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/units.h"

/* Written out from here on; a line and its escapes fit behind it. */
#define WRITE_BYTES (32u * 1024u)
#define BUFFER_MAX_BYTES (WRITE_BYTES + 7 * LINE_MAX_BYTES)
#define PATH_MAX_BYTES 4096u

void line_stamp_init(struct line_stamp *s)
{
    *s = (struct line_stamp){ .wall_ns = clock_wall_ns(), .monotonic_ns = clock_now_ns(), .second = -1 };
}

/* ts(1)'s default. */
static const char *stamp_text(struct line_stamp *s, uint64_t monotonic_ns)
{
    const time_t second = (time_t)((s->wall_ns + monotonic_ns - s->monotonic_ns) / NS_PER_S);
    struct tm local;

    if (second == s->second)
        return s->text;
    s->second = second;
    if (localtime_r(&second, &local) == NULL || strftime(s->text, sizeof(s->text), "%b %d %H:%M:%S ", &local) == 0)
        s->text[0] = '\0';
    return s->text;
}

static int open_file(const char *directory, const char *name, const char *ending, struct err *err)
{
    struct buf path;
    int fd = -1;

    buf_init(&path, PATH_MAX_BYTES);
    buf_printf(&path, "%s/%s%s", directory, name, ending);
    if (!buf_ok(&path))
        err_set(err, ERR_SYSTEM, ENAMETOOLONG, "cannot keep the output in %s", directory);
    else if ((fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
        err_set(err, ERR_SYSTEM, errno, "cannot keep the output in %s", path.data);
    buf_release(&path);
    return fd;
}

int line_log_open(struct line_log *l, struct line_stamp *stamp, const char *directory, const char *name,
                  struct err *err)
{
    *l = (struct line_log){ .stamp = stamp, .text_fd = -1, .json_fd = -1, .open_stream = -1 };
    buf_init(&l->text, BUFFER_MAX_BYTES);
    buf_init(&l->json, BUFFER_MAX_BYTES);
    l->text_fd = open_file(directory, name, ".log", err);
    if (l->text_fd >= 0)
        l->json_fd = open_file(directory, name, ".jsonl", err);
    if (l->json_fd >= 0)
        return 0;
    line_log_close(l);
    return -1;
}

static void write_out(struct line_log *l, int fd, struct buf *b)
{
    struct slice rest = buf_slice(b);

    if (!buf_ok(b) && l->error == 0)
        l->error = ENOMEM;
    while (rest.len > 0 && l->error == 0) {
        const ssize_t n = write(fd, rest.ptr, rest.len);

        if (n >= 0)
            rest = slice_drop(rest, (size_t)n);
        else if (errno != EINTR)
            l->error = errno;
    }
    buf_clear(b);
}

/* Pieces of one line stand behind each other, unless the other stream comes between. */
static void add_text(struct line_log *l, const struct line *line)
{
    if (l->open_stream != (int)line->stream) {
        if (l->open_stream >= 0)
            buf_add_char(&l->text, '\n');
        buf_add_str(&l->text, stamp_text(l->stamp, line->time_ns));
    }
    buf_add_slice(&l->text, line->bytes);
    if (line->whole)
        buf_add_char(&l->text, '\n');
    l->open_stream = line->whole ? -1 : (int)line->stream;
}

/* "12.345678901", without printf: once for each line that is printed. */
static void add_seconds(struct buf *out, uint64_t ns)
{
    char digits[32];
    size_t at = sizeof(digits);

    for (unsigned i = 0; i < 9 || ns > 0 || digits[at] == '.'; i++) {
        digits[--at] = (char)('0' + ns % 10);
        ns /= 10;
        if (i == 8)
            digits[--at] = '.';
    }
    buf_append(out, digits + at, sizeof(digits) - at);
}

static void add_json(struct line_log *l, const struct line *line)
{
    buf_add_str(&l->json, "{\"t\": ");
    add_seconds(&l->json, line->time_ns > l->start_ns ? line->time_ns - l->start_ns : 0);
    buf_add_str(&l->json, line->stream == LINE_STDOUT ? ", \"stream\": \"stdout\", \"line\": "
                                                      : ", \"stream\": \"stderr\", \"line\": ");
    json_add_string(&l->json, line->bytes);
    buf_add_str(&l->json, line->whole ? "}\n" : ", \"whole\": false}\n");
}

void line_log_add(struct line_log *l, const struct line *line)
{
    if (l->error != 0)
        return;
    add_text(l, line);
    add_json(l, line);
    if (l->text.len >= WRITE_BYTES)
        write_out(l, l->text_fd, &l->text);
    if (l->json.len >= WRITE_BYTES)
        write_out(l, l->json_fd, &l->json);
}

static void end_line(struct line_log *l)
{
    if (l->open_stream >= 0)
        buf_add_char(&l->text, '\n');
    l->open_stream = -1;
}

void line_log_end(struct line_log *l, const struct end_record *end)
{
    end_line(l);
    end_record_add_text(&l->text, end);
    end_record_add_json(&l->json, end);
}

static void close_one(struct line_log *l, int fd, struct buf *b)
{
    if (fd >= 0)
        write_out(l, fd, b);
    if (fd >= 0 && close(fd) != 0 && l->error == 0)
        l->error = errno;
    buf_release(b);
}

int line_log_close(struct line_log *l)
{
    end_line(l);
    close_one(l, l->text_fd, &l->text);
    close_one(l, l->json_fd, &l->json);
    l->text_fd = l->json_fd = -1;
    return l->error;
}
