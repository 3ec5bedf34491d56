/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/send_file.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/http_date.h"

struct slice send_file_type(struct slice name)
{
    static const struct {
        struct slice ending, type;
    } TYPES[] = {
        { { ".html", 5 }, { "text/html; charset=utf-8", 24 } },
        { { ".css", 4 }, { "text/css; charset=utf-8", 23 } },
        { { ".js", 3 }, { "text/javascript; charset=utf-8", 30 } },
        { { ".json", 5 }, { "application/json", 16 } },
        { { ".txt", 4 }, { "text/plain; charset=utf-8", 25 } },
        { { ".csv", 4 }, { "text/csv; charset=utf-8", 23 } },
        { { ".svg", 4 }, { "image/svg+xml", 13 } },
        { { ".png", 4 }, { "image/png", 9 } },
        { { ".jpg", 4 }, { "image/jpeg", 10 } },
        { { ".jpeg", 5 }, { "image/jpeg", 10 } },
        { { ".gif", 4 }, { "image/gif", 9 } },
        { { ".webp", 5 }, { "image/webp", 10 } },
        { { ".ico", 4 }, { "image/x-icon", 12 } },
        { { ".pdf", 4 }, { "application/pdf", 15 } },
        { { ".wasm", 5 }, { "application/wasm", 16 } },
        { { ".zip", 4 }, { "application/zip", 15 } },
        { { ".gz", 3 }, { "application/gzip", 16 } },
        { { ".mp4", 4 }, { "video/mp4", 9 } },
        { { ".woff2", 6 }, { "font/woff2", 10 } },
    };

    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        if (name.len > TYPES[i].ending.len &&
            slice_eq_nocase(slice_drop(name, name.len - TYPES[i].ending.len), TYPES[i].ending)) {
            return TYPES[i].type;
        }
    }
    return TYPE_BYTES;
}

/* One range alone: several would need a multipart answer, and a server may ignore the field (RFC 9110 14.2). */
enum range_wanted send_file_range(struct slice value, uint64_t size, uint64_t *first, uint64_t *len)
{
    struct slice rest = slice_drop(value, 6);
    uint64_t last = size - 1;

    if (!slice_starts_nocase(value, SLICE("bytes=")) || slice_find(rest, ',') >= 0 || slice_find(rest, '-') < 0) {
        return RANGE_ALL;
    }
    struct slice from = slice_trim(slice_split(&rest, '-')), to = slice_trim(rest);
    if (from.len == 0) { /* the last n bytes */
        if (!slice_to_u64(to, len)) {
            return RANGE_ALL;
        }
        *len = *len < size ? *len : size;
        *first = size - *len;
        return *len > 0 ? RANGE_PART : RANGE_NONE;
    }
    if (!slice_to_u64(from, first) || (to.len > 0 && (!slice_to_u64(to, &last) || last < *first))) {
        return RANGE_ALL;
    }
    if (*first >= size) {
        return RANGE_NONE;
    }
    *len = (last < size - 1 ? last : size - 1) - *first + 1;
    return RANGE_PART;
}

bool send_file_tag_matches(struct slice list, struct slice tag)
{
    while (list.len > 0) {
        struct slice one = slice_trim(slice_split(&list, ','));
        if (slice_starts(one, SLICE("W/"))) {
            one = slice_drop(one, 2);
        }
        if (slice_eq(one, tag) || slice_eq(one, SLICE("*"))) {
            return true;
        }
    }
    return false;
}

static bool is_unchanged(const struct exchange *x, struct slice tag, time_t changed)
{
    struct slice tags = request_head_field(x->head, SLICE("If-None-Match"));
    struct slice since = request_head_field(x->head, SLICE("If-Modified-Since"));
    time_t then;

    if (tags.ptr != NULL) { /* it has precedence (RFC 9110 13.2.2) */
        return send_file_tag_matches(tags, tag);
    }
    return since.ptr != NULL && http_date_parse(since, &then) && changed <= then;
}

static enum range_wanted wanted_range(const struct exchange *x, struct slice tag, struct slice date, uint64_t size,
                                      uint64_t *first, uint64_t *len)
{
    struct slice range = request_head_field(x->head, SLICE("Range"));
    struct slice condition = request_head_field(x->head, SLICE("If-Range"));

    if (range.ptr == NULL || x->head->method != REQUEST_GET ||
        (condition.ptr != NULL && !slice_eq(condition, tag) && !slice_eq(condition, date))) {
        return RANGE_ALL;
    }
    enum range_wanted wanted = send_file_range(range, size, first, len);
    if (wanted == RANGE_ALL) {
        *first = 0;
        *len = size;
    }
    return wanted;
}

static void close_file(struct exchange *x)
{
    close((int)(intptr_t)x->state);
}

void send_file_answer(struct exchange *x, int fd, struct slice type)
{
    char tag_text[64], date_text[HTTP_DATE_MAX], range_text[80];
    struct stat st;

    x->state = (void *)(intptr_t)fd;
    x->on_end = close_file;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        exchange_fail(x, 404, "There is no such file.");
        return;
    }
    uint64_t size = (uint64_t)st.st_size, first = 0, len = size;
    int n = snprintf(tag_text, sizeof(tag_text), "\"%llx-%llx\"",
                     (unsigned long long)st.st_mtim.tv_sec * 1000000000ull + (unsigned long long)st.st_mtim.tv_nsec,
                     (unsigned long long)size);
    struct field fields[4] = { { SLICE("ETag"), { tag_text, (size_t)n } },
                               { SLICE("Last-Modified"), http_date_format(date_text, st.st_mtim.tv_sec) },
                               { SLICE("Accept-Ranges"), SLICE("bytes") } };
    struct answer a = {
        .status = 200, .body = BODY_FILE, .type = type, .fields = fields, .field_count = 3, .file = fd
    };
    enum range_wanted wanted = wanted_range(x, fields[0].value, fields[1].value, size, &first, &len);
    if (is_unchanged(x, fields[0].value, st.st_mtim.tv_sec)) {
        a.status = 304;
        a.body = BODY_NONE;
    } else if (wanted != RANGE_ALL) {
        n = wanted == RANGE_PART
                ? snprintf(range_text, sizeof(range_text), "bytes %llu-%llu/%llu", (unsigned long long)first,
                           (unsigned long long)(first + len - 1), (unsigned long long)size)
                : snprintf(range_text, sizeof(range_text), "bytes */%llu", (unsigned long long)size);
        fields[a.field_count++] = (struct field){ SLICE("Content-Range"), { range_text, (size_t)n } };
        a.status = wanted == RANGE_PART ? 206 : 416;
        a.body = wanted == RANGE_PART ? BODY_FILE : BODY_NONE;
    }
    a.length = a.body == BODY_FILE ? len : 0;
    a.file_offset = first;
    exchange_answer(x, &a);
}
