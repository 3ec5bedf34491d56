/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/redact.h"

#include <string.h>

#define STARS "***"

/* Where the text goes: as it is, or with unprintable bytes spelled out; or what is left out of it. */
struct sink {
    struct buf *out;       /* NULL: nowhere */
    struct strlist *found; /* the secrets; NULL: nobody asks */
    bool escape, failed;
    bool only_fields; /* and schemes: what is a secret whatever quotes stand around it */
    size_t done;      /* how much of the text being scrubbed has been written or left out */
};

static void put(struct sink *s, struct slice text)
{
    if (s->out == NULL)
        return;
    if (!s->escape) {
        buf_add_slice(s->out, text);
        return;
    }
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if ((c >= ' ' && c <= '~') || c == '\r' || c == '\n')
            buf_add_char(s->out, (char)c);
        else
            buf_printf(s->out, "\\x%02x", c);
    }
}

/* A secret, with or without its quotes. */
static void find(struct sink *s, struct slice secret)
{
    if (s->found == NULL)
        return;
    if (secret.len >= 2 && secret.ptr[0] == '"' && secret.ptr[secret.len - 1] == '"')
        secret = slice_from(secret.ptr + 1, secret.len - 2);
    s->failed = !strlist_add(s->found, secret) || s->failed;
}

/* Writes what is kept of the text up to `end`. */
static void put_until(struct sink *s, struct slice text, size_t end)
{
    put(s, slice_from(text.ptr + s->done, end - s->done));
    s->done = end;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Ends every word of text in which a URL may stand. */
static bool is_word_end(char c)
{
    return is_space(c) || c == '"' || c == '<' || c == '>';
}

static bool has_escape(struct slice text, size_t at, const char *digits)
{
    return text.len - at >= 3 && text.ptr[at] == '%' && lower(text.ptr[at + 1]) == digits[0] &&
           lower(text.ptr[at + 2]) == digits[1];
}

/* An escaped '?', '&', '#' or ';'. */
static bool has_separator(struct slice text, size_t at)
{
    return has_escape(text, at, "3f") || has_escape(text, at, "26") || has_escape(text, at, "23") ||
           has_escape(text, at, "3b");
}

/* A parameter's name may start here: behind a separator, plain or escaped (a URL inside a URL's query). */
static bool is_name_start(struct slice text, size_t at)
{
    if (at == 0 || is_space(text.ptr[at - 1]) || strchr("?&;#\"'{,([<>=:", text.ptr[at - 1]) != NULL)
        return true;
    return at >= 3 && has_separator(text, at - 3);
}

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           (c != '\0' && strchr("-_.~%+[]$", c) != NULL);
}

/* Skips the value that begins at `at`, up to the next parameter. A value whose '=' was escaped ends at an escaped '&'.
 */
static size_t value_end(struct slice text, size_t at, bool escaped)
{
    while (at < text.len && !is_word_end(text.ptr[at]) && text.ptr[at] != '&' && text.ptr[at] != '#') {
        if (escaped && (has_escape(text, at, "26") || has_escape(text, at, "23")))
            break;
        at++;
    }
    return at;
}

/* The value of a JSON member that begins at `at`. */
static size_t json_value_end(struct slice text, size_t at)
{
    if (at < text.len && text.ptr[at] == '"') {
        for (at++; at < text.len && text.ptr[at] != '"'; at++)
            if (text.ptr[at] == '\\')
                at++;
        return at < text.len ? at + 1 : text.len;
    }
    while (at < text.len && !is_space(text.ptr[at]) && strchr(",}]", text.ptr[at]) == NULL)
        at++;
    return at;
}

/* "name": value, with the name's opening quote just before `at`. Returns where the text goes on, or `at` when it is no
 * secret member. */
static size_t take_member(struct sink *s, struct slice text, size_t at, size_t name_end)
{
    size_t i = name_end;

    if (at == 0 || text.ptr[at - 1] != '"' || i >= text.len || text.ptr[i] != '"')
        return at;
    i++;
    while (i < text.len && is_space(text.ptr[i]))
        i++;
    if (i >= text.len || text.ptr[i] != ':')
        return at;
    i++;
    while (i < text.len && is_space(text.ptr[i]))
        i++;
    if (!redact_is_secret_name(slice_from(text.ptr + at, name_end - at)))
        return at;
    put_until(s, text, i);
    put(s, SLICE("\"" STARS "\""));
    const size_t end = json_value_end(text, i);
    find(s, slice_from(text.ptr + i, end - i));
    return end;
}

/* name=value. Returns where the text goes on, or `at` when it is no secret parameter. */
static size_t take_parameter(struct sink *s, struct slice text, size_t at)
{
    size_t end = at;

    while (end < text.len && is_name_char(text.ptr[end]) && !has_escape(text, end, "3d") &&
           !has_escape(text, end, "2f") && !has_separator(text, end))
        end++;
    if (end == at || end == text.len)
        return at;
    const bool escaped = has_escape(text, end, "3d");
    if (!escaped && text.ptr[end] != '=')
        return take_member(s, text, at, end);
    if (!redact_is_secret_name(slice_from(text.ptr + at, end - at)))
        return at;
    const size_t value = end + (escaped ? 3 : 1);
    put_until(s, text, value);
    put(s, SLICE(STARS));
    /* A quoted value: name="value". */
    end = value < text.len && text.ptr[value] == '"' ? json_value_end(text, value) : value_end(text, value, escaped);
    find(s, slice_from(text.ptr + value, end - value));
    return end;
}

/* Behind the last '@' in [at, end), or `at` when there is none. */
static size_t behind_last_at(struct slice text, size_t at, size_t end, bool escaped)
{
    for (size_t i = end; i > at; i--) {
        if (text.ptr[i - 1] == '@')
            return i;
        if (escaped && has_escape(text, i - 1, "40"))
            return i + 2;
    }
    return at;
}

/* Whether an authority without '@' goes on with a port, or nothing: else what follows its first colon was the start of
 * a password with a raw '/', '?' or '#' in it ("user:pa/ss@host"), which breaks the URL but is still a password. */
static bool ends_as_host(struct slice authority)
{
    if (authority.len > 0 && authority.ptr[0] == '[')
        return true;
    const ptrdiff_t colon = slice_find(authority, ':');
    for (size_t i = colon < 0 ? authority.len : (size_t)colon + 1; i < authority.len; i++)
        if (authority.ptr[i] < '0' || authority.ptr[i] > '9')
            return false;
    return true;
}

/* Where a userinfo that begins at `at` ends (behind its '@'), or `at` when there is none. The last '@' counts. */
static size_t userinfo_end(struct slice text, size_t at, bool escaped)
{
    size_t word = at, authority = at;

    while (word < text.len && !is_space(text.ptr[word]))
        word++;
    while (authority < word && strchr("/?#", text.ptr[authority]) == NULL &&
           !(escaped && has_escape(text, authority, "2f")))
        authority++;
    const size_t end = behind_last_at(text, at, authority, escaped);
    if (end > at || ends_as_host(slice_from(text.ptr + at, authority - at)))
        return end;
    return behind_last_at(text, authority, word, escaped) > authority ? behind_last_at(text, authority, word, escaped)
                                                                      : at;
}

/* "user:pass@" */
static void find_password(struct sink *s, struct slice userinfo)
{
    const ptrdiff_t colon = slice_find(userinfo, ':');

    if (colon >= 0 && slice_ends(userinfo, SLICE("@")))
        find(s, slice_from(userinfo.ptr + colon + 1, userinfo.len - (size_t)colon - 2));
}

/* "//user:pass@" of a URL, plain or escaped. */
static size_t take_userinfo(struct sink *s, struct slice text, size_t at)
{
    const bool escaped = has_escape(text, at, "2f") && text.len - at >= 6 && has_escape(text, at + 3, "2f");
    const bool plain = text.len - at >= 2 && text.ptr[at] == '/' && text.ptr[at + 1] == '/';

    if (!escaped && !plain)
        return at;
    const size_t start = at + (escaped ? 6 : 2);
    const size_t end = userinfo_end(text, start, escaped);
    if (end == start)
        return at;
    put_until(s, text, start);
    put(s, SLICE(STARS "@"));
    find_password(s, slice_from(text.ptr + start, end - start));
    return end;
}

static bool is_token68_char(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           (c != '\0' && strchr("-._~+/=", c) != NULL);
}

/* "Bearer abc…", "Basic abc…" wherever they stand. Short words behind them are prose ("Basic realm=…", "Bearer
 * tokens"). */
static size_t take_scheme(struct sink *s, struct slice text, size_t at)
{
    const struct slice rest = slice_drop(text, at);
    const size_t skip = slice_starts_nocase(rest, SLICE("Bearer "))  ? 7
                        : slice_starts_nocase(rest, SLICE("Basic ")) ? 6
                                                                     : 0;
    size_t end = at + skip;

    if (skip == 0)
        return at;
    while (end < text.len && is_token68_char(text.ptr[end]))
        end++;
    if (end - at - skip < 8 || (end < text.len && text.ptr[end - 1] == '=' && text.ptr[end] == '"'))
        return at;
    put_until(s, text, at + skip);
    put(s, SLICE(STARS));
    find(s, slice_from(text.ptr + at + skip, end - at - skip));
    return end;
}

/* Whether what stands behind "name:" in any text is a secret up to the line's end, as in a head; of other names only a
 * word is, and only behind a blank: "token: abc", no prose ("key: not found") and no "host:port". */
static bool is_field_name(struct slice name)
{
    return redact_is_secret_field(name) &&
           (slice_find(name, '-') >= 0 || slice_starts_nocase(name, SLICE("authorization")) ||
            slice_starts_nocase(name, SLICE("cookie")));
}

static bool is_word_name(struct slice name)
{
    return name.len > 4 && redact_is_secret_name(name) && slice_find(name, '.') < 0;
}

static size_t field_value_end(struct slice text, size_t at, bool whole)
{
    while (at < text.len && strchr("\r\n\"'`", text.ptr[at]) == NULL && (whole || !is_space(text.ptr[at])))
        at++;
    return at;
}

/* "Name: value" of a head, wherever it stands: in a log, within a command. */
static size_t take_field(struct sink *s, struct slice text, size_t at)
{
    size_t colon = at, value;
    struct slice name;

    while (colon < text.len && is_name_char(text.ptr[colon]))
        colon++;
    if (colon == at || colon == text.len || text.ptr[colon] != ':')
        return at;
    name = slice_from(text.ptr + at, colon - at);
    for (value = colon + 1; value < text.len && (text.ptr[value] == ' ' || text.ptr[value] == '\t');)
        value++;
    if (!is_field_name(name) && !(value > colon + 1 && is_word_name(name)))
        return at;
    const size_t end = field_value_end(text, value, is_field_name(name));
    if (end == value)
        return at;
    put_until(s, text, value);
    put(s, SLICE(STARS));
    find(s, slice_from(text.ptr + value, end - value));
    return end;
}

static size_t take_secret(struct sink *s, struct slice text, size_t at)
{
    size_t next = s->only_fields ? at : take_userinfo(s, text, at);

    if (next > at || !is_name_start(text, at))
        return next;
    next = take_field(s, text, at);
    if (next == at)
        next = take_scheme(s, text, at);
    return next == at && !s->only_fields ? take_parameter(s, text, at) : next;
}

static void scrub(struct sink *s, struct slice text)
{
    size_t at = 0;

    s->done = 0;
    while (at < text.len) {
        const size_t next = take_secret(s, text, at);
        if (next > at)
            s->done = next;
        at = next > at ? next : at + 1;
    }
    put_until(s, text, text.len);
}

void redact_url(struct buf *out, struct slice url)
{
    struct sink s = { .out = out };

    scrub(&s, url);
}

void redact_fields(struct buf *out, struct slice text)
{
    struct sink s = { .out = out, .only_fields = true };

    scrub(&s, text);
}

bool redact_find(struct strlist *found, struct slice text, bool only_fields)
{
    struct sink s = { .found = found, .only_fields = only_fields };

    scrub(&s, text);
    return !s.failed;
}

char *redact_url_dup(const char *url)
{
    const struct slice all = slice_str(url);
    struct buf out;
    char *copy;

    buf_init(&out, 4 * all.len + 64);
    redact_url(&out, all);
    copy = buf_ok(&out) ? slice_dup(buf_slice(&out)) : NULL;
    buf_release(&out);
    return copy;
}

static struct slice line_break_of(struct slice line)
{
    size_t len = line.len;

    while (len > 0 && (line.ptr[len - 1] == '\r' || line.ptr[len - 1] == '\n'))
        len--;
    return slice_drop(line, len);
}

/* Returns whether the field was a secret one, for the lines folded below it. */
static bool scrub_field(struct sink *s, struct slice line)
{
    const struct slice end = line_break_of(line);
    const struct slice content = slice_take(line, line.len - end.len);
    const ptrdiff_t colon = slice_find(content, ':');
    const bool secret = colon > 0 && redact_is_secret_field(slice_trim(slice_take(content, (size_t)colon)));

    if (secret) {
        put(s, slice_take(content, (size_t)colon));
        put(s, SLICE(": " STARS));
    } else {
        scrub(s, content);
    }
    put(s, end);
    return secret;
}

void redact_field_line(struct buf *out, struct slice line)
{
    struct sink s = { .out = out };

    scrub_field(&s, line);
}

/* A line with its line break; a bare CR ends one too, or a field could hide behind it. */
static struct slice next_line(struct slice *rest)
{
    size_t len = 0;

    while (len < rest->len && rest->ptr[len] != '\r' && rest->ptr[len] != '\n')
        len++;
    while (len < rest->len && (rest->ptr[len] == '\r' || rest->ptr[len] == '\n')) {
        len++;
        if (rest->ptr[len - 1] == '\n')
            break;
    }
    const struct slice line = slice_take(*rest, len);
    *rest = slice_drop(*rest, len);
    return line;
}

void redact_head(struct buf *out, struct slice head)
{
    struct sink s = { .out = out, .escape = true };
    bool secret = false;

    while (head.len > 0) {
        const struct slice line = next_line(&head);
        if (secret && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
            put(&s, SLICE(" " STARS));
            put(&s, line_break_of(line));
        } else {
            secret = scrub_field(&s, line);
        }
    }
}
