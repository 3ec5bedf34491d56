/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/source.h"

#define HEAD_BYTES ((size_t)1 << 16)
#define TEXT_MAX_BYTES ((size_t)1 << 30)
enum { LIST_MAX_BYTES = 256, HEAD_OF_OURS_BYTES = 64 };

static const struct {
    const char *name, *what;
} FORMATS[IMPORT_FORMAT_COUNT] = {
#define IMPORT_ROW(id, name, what) [id] = { name, what },
    IMPORT_FORMATS(IMPORT_ROW)
#undef IMPORT_ROW
};

const char *import_format_name(enum import_format f)
{
    return FORMATS[f].name;
}

const char *import_format_what(enum import_format f)
{
    return FORMATS[f].what;
}

int import_format_parse(enum import_format *out, struct slice name)
{
    for (unsigned i = 0; i < IMPORT_FORMAT_COUNT; i++)
        if (slice_eq(name, slice_str(FORMATS[i].name))) {
            *out = (enum import_format)i;
            return 0;
        }
    return -1;
}

void imported_release(struct imported *in)
{
    for (size_t i = 0; i < in->count; i++)
        result_free(in->results[i]);
    free(in->results);
    *in = (struct imported){ 0 };
}

/* Documents of plimsoll that are no results. */
static const struct {
    const char *format, *what, *hint;
} OTHERS[] = {
    { "\"plimsoll-run\"", "the table of a suite's run",
      "its samples are the stored run of its \"id\": give that; or plimsoll run --html" },
    { "\"plimsoll-limit\"", "what plimsoll limit found",
      "it is no run that could be compared; plimsoll report makes a page of it" },
    { "\"plimsoll-doctor\"", "what plimsoll doctor found", "it is no run" },
};

static int of_no_format(const struct source *s)
{
    const struct slice head = slice_take(s->text, HEAD_OF_OURS_BYTES);

    for (size_t i = 0; head.len > 0 && head.ptr[0] == '{' && i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
        if (slice_find_slice(head, slice_str(OTHERS[i].format)) >= 0) {
            err_set(s->err, ERR_CONFIG, 0, "%s: %s, not a result", s->name, OTHERS[i].what);
            return err_hint(s->err, "%s", OTHERS[i].hint);
        }
    if (s->text.len == 0)
        return err_set(s->err, ERR_CONFIG, 0, "%s: empty, so of no known format", s->name);
    err_set(s->err, ERR_CONFIG, 0, "%s: of no known format", s->name);
    return err_hint(s->err, "say which with its name; plimsoll results import --help lists them");
}

/* A document that begins as plimsoll writes them is nothing else, whatever words it holds: no need to look for those of
 * all others. */
static bool is_ours(struct slice head)
{
    return slice_starts(head, SLICE("{")) && slice_find_slice(head, SLICE("\"plimsoll-result\"")) >= 0;
}

/* One format, or none: what fits two is not guessed. */
static int detect(const struct source *s, enum import_format *format)
{
    char names[LIST_MAX_BYTES] = "";
    size_t used = 0;
    unsigned found = 0;

    if (is_ours(slice_take(s->text, HEAD_OF_OURS_BYTES))) {
        *format = IMPORT_PLIMSOLL;
        return 0;
    }
    for (unsigned i = IMPORT_AUTO + 1; i < IMPORT_FORMAT_COUNT; i++) {
        if (!IMPORTERS[i].looks_like(s->text))
            continue;
        *format = (enum import_format)i;
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", found > 0 ? " or " : "",
                                     FORMATS[i].name);
        found++;
    }
    if (found == 1)
        return 0;
    if (found == 0)
        return of_no_format(s);
    err_set(s->err, ERR_CONFIG, 0, "%s: could be %s", s->name, names);
    return err_hint(s->err, "say which with its name");
}

/* All of it, behind the head. */
static int read_rest(struct source *s, struct buf *text)
{
    ptrdiff_t n = 0;

    if (s->_fd < 0)
        return 0;
    do {
        char *room = buf_reserve(text, HEAD_BYTES);

        if (room == NULL)
            return err_set(s->err, ERR_LIMIT, 0, "%s: larger than %zu bytes", s->name, TEXT_MAX_BYTES);
        n = source_more(s, room, HEAD_BYTES);
        if (n < 0)
            return -1;
        text->len += (size_t)n;
    } while (n > 0);
    s->text = buf_slice(text);
    return 0;
}

/* As much as there is, up to HEAD_BYTES: a pipe gives it in pieces. */
static int read_head(struct source *s, struct buf *text)
{
    char *room = buf_reserve(text, HEAD_BYTES);
    ptrdiff_t n = 0;

    if (room == NULL)
        return err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot read %s", s->name);
    do {
        n = source_more(s, room + text->len, HEAD_BYTES - text->len);
        if (n < 0)
            return -1;
        text->len += (size_t)n;
    } while (n > 0 && text->len < HEAD_BYTES);
    s->text = buf_slice(text);
    return 0;
}

static void drop_results(struct imported *in, size_t keep)
{
    while (in->count > keep)
        result_free(in->results[--in->count]);
}

static int read_source(struct source *s, struct buf *text, enum import_format format)
{
    const size_t before = s->out->count;

    if (format == IMPORT_AUTO && detect(s, &format) != 0)
        return -1;
    if (!IMPORTERS[format].streams && read_rest(s, text) != 0)
        return -1;
    s->out->format = format;
    if (IMPORTERS[format].read(s) == 0 && s->out->count > before)
        return 0;
    if (s->out->count == before && s->err != NULL && s->err->kind == ERR_NONE)
        err_set(s->err, ERR_CONFIG, 0, "%s: holds no results", s->name);
    drop_results(s->out, before);
    return -1;
}

int import_file(struct imported *out, const char *path, enum import_format format, const struct import_options *options,
                struct err *err)
{
    const bool standard = strcmp(path, "-") == 0;
    struct err own = { 0 };
    struct source s = { .name = standard ? "standard input" : path, .options = options, .out = out, .err = &own };
    struct buf text;
    int failed;

    s._fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s._fd < 0)
        return err_set(err, ERR_CONFIG, errno, "cannot open %s", path);
    fingerprint_init(&s.fingerprint);
    buf_init(&text, TEXT_MAX_BYTES + HEAD_BYTES);
    failed = read_head(&s, &text);
    if (failed == 0)
        failed = read_source(&s, &text, format);
    if (failed != 0 && err != NULL)
        *err = own;
    buf_release(&text);
    if (!standard)
        close(s._fd);
    return failed;
}

int import_text(struct imported *out, const char *name, struct slice text, enum import_format format,
                const struct import_options *options, struct err *err)
{
    struct err own = { 0 };
    struct source s = { .name = name, .text = text, ._fd = -1, .options = options, .out = out, .err = &own };
    struct buf none;
    int failed;

    fingerprint_init(&s.fingerprint);
    fingerprint_add(&s.fingerprint, text);
    buf_init(&none, TEXT_MAX_BYTES);
    failed = text.len <= TEXT_MAX_BYTES ? read_source(&s, &none, format)
                                        : err_set(&own, ERR_LIMIT, 0, "%s: too large", name);
    if (failed != 0 && err != NULL)
        *err = own;
    buf_release(&none);
    return failed;
}
