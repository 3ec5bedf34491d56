/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/secrets.h"

#include <string.h>

#include "http/redact.h"

#define STARS "***"
#define DECODED_MAX_BYTES (64u * 1024u)

static bool add(struct strlist *secrets, struct slice text, size_t min)
{
    return text.len < min || strlist_contains(secrets, text) || strlist_add(secrets, text);
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Up to the padding; what follows is no matter here. */
static void base64_decode(struct buf *out, struct slice text)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (size_t i = 0; i < text.len && base64_value(text.ptr[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)base64_value(text.ptr[i]);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        buf_add_char(out, (char)(bits >> count & 0xff));
    }
}

static bool add_basic(struct strlist *secrets, struct slice text)
{
    struct buf plain;
    ptrdiff_t colon;
    bool ok;

    buf_init(&plain, DECODED_MAX_BYTES);
    base64_decode(&plain, text);
    colon = slice_find(buf_slice(&plain), ':');
    ok = buf_ok(&plain) && add(secrets, buf_slice(&plain), SECRET_MIN_BYTES) &&
         (colon < 0 || add(secrets, slice_drop(buf_slice(&plain), (size_t)colon + 1), SECRET_MIN_BYTES));
    buf_release(&plain);
    return ok;
}

static bool add_cookies(struct strlist *secrets, struct slice value)
{
    while (value.len > 0) {
        const struct slice one = slice_trim(slice_split(&value, ';'));
        const ptrdiff_t equals = slice_find(one, '=');

        if (equals >= 0 && !add(secrets, slice_drop(one, (size_t)equals + 1), SECRET_COOKIE_MIN_BYTES))
            return false;
    }
    return true;
}

/* "Bearer abc": whole, and without its scheme. */
static bool add_credentials(struct strlist *secrets, struct slice value)
{
    struct slice rest = value, word;

    if (!add(secrets, value, SECRET_MIN_BYTES))
        return false;
    word = slice_split(&rest, ' ');
    rest = slice_trim(rest);
    if (slice_find(word, '=') >= 0) /* cookies */
        return true;
    if (!add(secrets, rest, SECRET_MIN_BYTES))
        return false;
    return !slice_eq_nocase(word, SLICE("basic")) || add_basic(secrets, rest);
}

static bool add_field(struct strlist *secrets, struct slice line)
{
    struct slice value = line, name = slice_trim(slice_split(&value, ':'));

    value = slice_trim(value);
    if (!redact_is_secret_field(name))
        return true;
    if (slice_eq_nocase(name, SLICE("cookie")))
        return add(secrets, value, SECRET_MIN_BYTES) && add_cookies(secrets, value);
    return add_credentials(secrets, value);
}

static bool add_parameters(struct strlist *secrets, struct slice line)
{
    const ptrdiff_t mark = slice_find(line, '?');
    struct slice query;

    if (mark < 0)
        return true;
    line = slice_drop(line, (size_t)mark + 1);
    query = slice_split(&line, ' ');
    while (query.len > 0) {
        struct slice value = slice_split(&query, '&'), name = slice_split(&value, '=');

        if (!secrets_add_named(secrets, name, value))
            return false;
    }
    return true;
}

static struct slice next_line(struct slice *rest)
{
    const struct slice line = slice_split(rest, '\n');

    return slice_ends(line, SLICE("\r")) ? slice_take(line, line.len - 1) : line;
}

bool secrets_add_head(struct strlist *secrets, struct slice head)
{
    bool ok = add_parameters(secrets, next_line(&head));

    while (ok && head.len > 0) {
        const struct slice line = next_line(&head);

        if (line.len == 0)
            break;
        ok = add_field(secrets, line);
    }
    return ok;
}

bool secrets_add_named(struct strlist *secrets, struct slice name, struct slice value)
{
    return !redact_is_secret_name(name) || add(secrets, value, SECRET_MIN_BYTES);
}

static bool add_found(struct strlist *secrets, struct slice text, bool only_fields)
{
    struct strlist found = STRLIST_INIT;
    bool ok = redact_find(&found, text, only_fields);

    for (size_t i = 0; i < found.count && ok; i++)
        ok = add_credentials(secrets, slice_str(found.items[i]));
    strlist_release(&found);
    return ok;
}

bool secrets_add_text(struct strlist *secrets, struct slice text)
{
    return add_found(secrets, text, false);
}

bool secrets_add_request(struct strlist *secrets, struct slice request)
{
    const ptrdiff_t end = slice_find_slice(request, SLICE("\r\n\r\n"));
    const size_t head = end >= 0 ? (size_t)end + 4 : request.len;

    return secrets_add_head(secrets, slice_take(request, head)) && secrets_add_text(secrets, slice_drop(request, head));
}

/* What the shown word has in place of stars: without what both begin and end with. */
static bool add_hidden(struct strlist *secrets, struct slice word, struct slice shown)
{
    size_t head = 0, tail = 0;
    struct slice hidden;
    ptrdiff_t colon;

    while (head < word.len && head < shown.len && word.ptr[head] == shown.ptr[head])
        head++;
    while (tail < word.len - head && tail < shown.len - head &&
           word.ptr[word.len - 1 - tail] == shown.ptr[shown.len - 1 - tail])
        tail++;
    hidden = slice_take(slice_drop(word, head), word.len - head - tail);
    colon = slice_find(hidden, ':'); /* user:password */
    return add(secrets, hidden, SECRET_MIN_BYTES) &&
           (colon < 0 || add(secrets, slice_drop(hidden, (size_t)colon + 1), SECRET_MIN_BYTES));
}

static bool add_word(struct strlist *secrets, struct slice before, struct slice word)
{
    struct buf shown;
    bool ok;

    buf_init(&shown, 4 * word.len + 64);
    redact_argument(&shown, before, word);
    ok = buf_ok(&shown) && add_hidden(secrets, word, buf_slice(&shown));
    buf_release(&shown);
    return ok;
}

static bool is_blank_or_quote(char c)
{
    return c != '\0' && strchr(" \t\n'\"", c) != NULL;
}

static struct slice next_word(struct slice *rest)
{
    size_t len = 0;

    while (rest->len > 0 && is_blank_or_quote(rest->ptr[0]))
        *rest = slice_drop(*rest, 1);
    while (len < rest->len && !is_blank_or_quote(rest->ptr[len]) && strchr(";|&", rest->ptr[len]) == NULL)
        len++;
    const struct slice word = slice_take(*rest, len);
    *rest = slice_drop(*rest, len < rest->len ? len + 1 : len);
    return word;
}

bool secrets_add_command(struct strlist *secrets, const char *const *words, size_t count)
{
    struct slice before = { 0 };
    bool ok = true;

    for (size_t i = 0; i < count && ok; i++) {
        struct slice rest = slice_str(words[i]);

        ok = add_found(secrets, rest, true);
        if (ok && slice_find(rest, ' ') < 0)
            ok = add_word(secrets, before, rest);
        for (struct slice inner = before; slice_find(slice_str(words[i]), ' ') >= 0 && rest.len > 0 && ok;) {
            const struct slice word = next_word(&rest);

            ok = add_word(secrets, inner, word);
            inner = word;
        }
        before = slice_str(words[i]);
    }
    return ok;
}

/* How much of the text's beginning is a secret: the longest one counts; at the end of the text also a part of one. */
static size_t secret_at(const struct strlist *secrets, struct slice text)
{
    size_t longest = 0;

    for (size_t i = 0; i < secrets->count; i++) {
        const struct slice secret = slice_str(secrets->items[i]);
        const size_t n = secret.len < text.len ? secret.len : text.len;

        if (n > longest && n >= SECRET_MIN_BYTES && memcmp(text.ptr, secret.ptr, n) == 0)
            longest = n;
    }
    return longest;
}

void secrets_mask(const struct strlist *secrets, struct buf *text, size_t from)
{
    size_t to = from;

    if (!buf_ok(text) || secrets->count == 0)
        return;
    while (from < text->len) {
        const size_t n = secret_at(secrets, slice_drop(buf_slice(text), from));

        if (n == 0) {
            text->data[to++] = text->data[from++];
            continue;
        }
        memcpy(text->data + to, STARS, strlen(STARS)); /* no longer than what it replaces */
        to += strlen(STARS);
        from += n;
    }
    text->len = to;
    if (text->data != NULL)
        text->data[to] = '\0';
}
