/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/multipart.h"

#include <string.h>

enum step {
    STEP_PREAMBLE,  /* before the first boundary; to AFTER */
    STEP_CONTENT,   /* of a part, until a boundary; to AFTER */
    STEP_AFTER,     /* behind a boundary: CR to AFTER_LF, '-' to LAST_DASH */
    STEP_AFTER_LF,  /* LF; to HEAD */
    STEP_LAST_DASH, /* '-'; to DONE */
    STEP_HEAD,      /* lines of a part's head, until an empty one; to CONTENT */
    STEP_DONE,
    STEP_BAD,
};

/* ---- Parameters of fields: name=token or name="quoted" ---- */

static bool is_boundary_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("'()+_,-./:=? ", c) != NULL);
}

/* The next ";name=value" of a field. out has room for the value without escapes; false at the end, or when it is
 * malformed. */
static bool next_parameter(struct slice *rest, struct slice *name, char *out, size_t size, struct slice *value)
{
    size_t len = 0;

    *rest = slice_trim(*rest);
    if (rest->len == 0 || rest->ptr[0] != ';') {
        return false;
    }
    *rest = slice_trim(slice_drop(*rest, 1));
    ptrdiff_t equals = slice_find(*rest, '=');
    if (equals <= 0) {
        return false;
    }
    *name = slice_trim(slice_take(*rest, (size_t)equals));
    *rest = slice_drop(*rest, (size_t)equals + 1);
    bool quoted = rest->len > 0 && rest->ptr[0] == '"';
    size_t i = quoted ? 1 : 0;
    for (; i < rest->len && rest->ptr[i] != (quoted ? '"' : ';'); i++) {
        /* Browsers write \" for a quote but leave single backslashes of Windows paths alone. */
        if (quoted && rest->ptr[i] == '\\' && i + 1 < rest->len &&
            (rest->ptr[i + 1] == '"' || rest->ptr[i + 1] == '\\')) {
            i++;
        }
        if (len == size) {
            return false;
        }
        out[len++] = rest->ptr[i];
    }
    if (quoted && i++ == rest->len) {
        return false; /* no closing quote */
    }
    *rest = slice_drop(*rest, i);
    *value = quoted ? slice_from(out, len) : slice_trim(slice_from(out, len));
    return true;
}

bool multipart_boundary(struct slice content_type, struct slice *boundary)
{
    static const struct slice TYPE = { "multipart/form-data", 19 };
    char copy[MULTIPART_BOUNDARY_MAX];
    struct slice rest = slice_drop(content_type, TYPE.len), name, value;

    if (!slice_starts_nocase(content_type, TYPE)) {
        return false;
    }
    for (;;) {
        struct slice before = rest;
        if (!next_parameter(&rest, &name, copy, sizeof(copy), &value)) {
            return false;
        }
        if (!slice_eq_nocase(name, SLICE("boundary"))) {
            continue;
        }
        for (size_t i = 0; i < value.len; i++) {
            if (!is_boundary_char(value.ptr[i])) {
                return false;
            }
        }
        /* A boundary has no escapes, so it stands in the field as it is. */
        ptrdiff_t at = slice_find_slice(before, value);
        *boundary = at >= 0 ? slice_from(before.ptr + at, value.len) : (struct slice){ 0 };
        return at >= 0 && value.len > 0 && value.ptr[value.len - 1] != ' ';
    }
}

/* ---- A part's head ---- */

struct part_head {
    char name_text[MULTIPART_HEAD_MAX], filename_text[MULTIPART_HEAD_MAX], spare[MULTIPART_HEAD_MAX];
    struct slice name, filename, type;
    bool found;
};

static bool take_disposition(struct part_head *p, struct slice value)
{
    struct slice rest = slice_drop(value, 9), name, text;

    if (!slice_starts_nocase(value, SLICE("form-data"))) {
        return false;
    }
    while (slice_trim(rest).len > 0) {
        char *out = p->name.ptr == NULL ? p->name_text : p->filename.ptr == NULL ? p->filename_text : p->spare;
        if (!next_parameter(&rest, &name, out, MULTIPART_HEAD_MAX, &text)) {
            return false;
        }
        if (slice_eq_nocase(name, SLICE("name")) && out == p->name_text) {
            p->name = text;
        } else if (slice_eq_nocase(name, SLICE("filename")) && p->filename.ptr == NULL) {
            memmove(p->filename_text, text.ptr, text.len);
            p->filename = slice_from(p->filename_text, text.len);
        }
    }
    p->found = p->name.ptr != NULL;
    return p->found;
}

static bool take_line(struct part_head *p, struct slice line)
{
    ptrdiff_t colon = slice_find(line, ':');

    if (colon <= 0 || line.ptr[0] == ' ' || line.ptr[0] == '\t') {
        return false;
    }
    struct slice name = slice_take(line, (size_t)colon), value = slice_trim(slice_drop(line, (size_t)colon + 1));
    if (slice_eq_nocase(name, SLICE("Content-Disposition"))) {
        return !p->found && take_disposition(p, value);
    }
    if (slice_eq_nocase(name, SLICE("Content-Type"))) {
        p->type = value;
    }
    return true;
}

static enum step bad(struct multipart *m, const char *reason)
{
    m->_reason = reason;
    return STEP_BAD;
}

static enum step begin_part(struct multipart *m)
{
    struct part_head p = { .found = false };
    struct slice rest = slice_from(m->_head, m->_head_len - 2);

    if (++m->_parts > MULTIPART_PARTS_MAX) {
        return bad(m, "There are too many parts.");
    }
    while (rest.len > 0) {
        struct slice line = slice_split(&rest, '\n');
        if (line.len == 0 || line.ptr[line.len - 1] != '\r' || memchr(line.ptr, '\0', line.len) != NULL ||
            !take_line(&p, slice_take(line, line.len - 1))) {
            return bad(m, "The head of a part is malformed.");
        }
    }
    if (!p.found) {
        return bad(m, "A part has no Content-Disposition with a name.");
    }
    m->_events->on_part(m->_arg, p.name, p.filename, p.type);
    m->_matched = 0;
    return STEP_CONTENT;
}

static enum step step_head(struct multipart *m, char c)
{
    if (m->_head_len == MULTIPART_HEAD_MAX) {
        return bad(m, "The head of a part is too large.");
    }
    m->_head[m->_head_len++] = c;
    bool empty_line = c == '\n' && (m->_head_len == 2 ||
                                    (m->_head_len >= 4 && memcmp(m->_head + m->_head_len - 4, "\r\n\r\n", 4) == 0));
    if (!empty_line) {
        return STEP_HEAD;
    }
    return m->_head[m->_head_len - 2] == '\r' ? begin_part(m) : bad(m, "The head of a part is malformed.");
}

/* ---- Content ---- */

static void give(struct multipart *m, const char *bytes, size_t len)
{
    if (len > 0 && m->_step == STEP_CONTENT) {
        m->_events->on_content(m->_arg, slice_from(bytes, len));
    }
}

/* Looks for the delimiter. Its CR is its only one: when a match breaks off, nothing that began inside of it can match
 * either, except at the byte in hand. Returns how many bytes were used. */
static size_t scan(struct multipart *m, const char *bytes, size_t len)
{
    size_t i = 0, plain = 0; /* bytes[plain, i) are content not given yet */

    while (i < len && m->_matched < m->_delimiter_len) {
        if (m->_matched == 0) {
            const char *cr = memchr(bytes + i, '\r', len - i);
            i = cr != NULL ? (size_t)(cr - bytes) : len;
            give(m, bytes + plain, i - plain);
            if (i < len) {
                m->_matched = 1;
                i++;
            }
            plain = i;
        } else if (bytes[i] == m->_delimiter[m->_matched]) {
            m->_matched++;
            plain = ++i;
        } else {
            give(m, m->_delimiter, m->_matched);
            m->_matched = 0;
        }
    }
    return i;
}

static enum step step_byte(struct multipart *m, char c)
{
    switch ((enum step)m->_step) {
    case STEP_AFTER:
        return c == '\r'  ? STEP_AFTER_LF
               : c == '-' ? STEP_LAST_DASH
                          : bad(m, "A boundary is followed by something else than a line break.");
    case STEP_AFTER_LF:
        m->_head_len = 0;
        return c == '\n' ? STEP_HEAD : bad(m, "A boundary is followed by something else than a line break.");
    case STEP_LAST_DASH:
        return c == '-' ? STEP_DONE : bad(m, "A boundary is followed by something else than a line break.");
    case STEP_HEAD:
        return step_head(m, c);
    case STEP_PREAMBLE:
    case STEP_CONTENT:
    case STEP_DONE:
    case STEP_BAD:
        break;
    }
    return (enum step)m->_step;
}

void multipart_begin(struct multipart *m, struct slice boundary, const struct multipart_events *events, void *arg)
{
    m->_events = events;
    m->_arg = arg;
    m->_reason = "";
    m->_head_len = m->_parts = 0;
    m->_step = STEP_PREAMBLE;
    m->_matched = 2; /* the first boundary needs no line break before it */
    memcpy(m->_delimiter, "\r\n--", 4);
    memcpy(m->_delimiter + 4, boundary.ptr, boundary.len);
    m->_delimiter_len = (uint8_t)(4 + boundary.len);
}

enum multipart_state multipart_feed(struct multipart *m, struct slice bytes)
{
    for (size_t i = 0; i < bytes.len && m->_step != STEP_BAD && m->_step != STEP_DONE;) {
        if (m->_step != STEP_PREAMBLE && m->_step != STEP_CONTENT) {
            m->_step = (uint8_t)step_byte(m, bytes.ptr[i++]);
            continue;
        }
        i += scan(m, bytes.ptr + i, bytes.len - i);
        if (m->_matched == m->_delimiter_len) {
            if (m->_step == STEP_CONTENT) {
                m->_events->on_part_end(m->_arg);
            }
            m->_step = STEP_AFTER;
        }
    }
    return m->_step == STEP_BAD ? MULTIPART_BAD : m->_step == STEP_DONE ? MULTIPART_DONE : MULTIPART_MORE;
}

const char *multipart_reason(const struct multipart *m)
{
    return m->_reason;
}
