/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 20u
#define UUID_LEN 36u
#define RANDOM_MAX 4096u

/* --- reading places ---------------------------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ' ';
}

/* "{name}", "{+name}", "{random:8}" at the beginning of text; its length, 0: there is none. */
static size_t place_at(struct slice text, struct slice *name, struct slice *argument, bool *raw)
{
    size_t at = 1;

    if (text.len < 3 || text.ptr[0] != '{')
        return 0;
    *raw = text.ptr[1] == '+';
    at += *raw;
    *name = slice_drop(text, at);
    while (at < text.len && is_name_char(text.ptr[at]))
        at++;
    name->len = at - 1 - *raw;
    *argument = slice_from(text.ptr + at, 0);
    if (at < text.len && text.ptr[at] == ':') {
        *argument = slice_drop(text, ++at);
        while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
            at++;
        argument->len = (size_t)(text.ptr + at - argument->ptr);
        if (argument->len == 0)
            return 0;
    }
    return name->len > 0 && at < text.len && text.ptr[at] == '}' ? at + 1 : 0;
}

/* What a place stands for; false: it is text. */
static bool resolve(struct template_part *p, struct slice name, struct slice argument, const struct feed *feed)
{
    uint64_t n = 0;
    const int column = feed != NULL && argument.len == 0 ? feed_column(feed, name) : -1;

    if (column >= 0) {
        p->kind = TEMPLATE_COLUMN;
        p->number = (size_t)column;
    } else if (slice_eq(name, SLICE("random")) && slice_to_u64(argument, &n) && n > 0 && n <= RANDOM_MAX) {
        p->kind = TEMPLATE_RANDOM;
        p->number = (size_t)n;
    } else if (argument.len > 0) {
        return false;
    } else if (slice_eq(name, SLICE("seq"))) {
        p->kind = TEMPLATE_SEQ;
    } else if (slice_eq(name, SLICE("uuid"))) {
        p->kind = TEMPLATE_UUID;
    } else if (slice_eq(name, SLICE("connection"))) {
        p->kind = TEMPLATE_CONNECTION;
    } else {
        return false;
    }
    return true;
}

bool template_has_places(struct slice text, const struct feed *feed)
{
    struct slice name, argument;
    struct template_part part;
    bool raw;

    for (; text.len > 0; text = slice_drop(text, 1))
        if (place_at(text, &name, &argument, &raw) > 0 && (feed != NULL || resolve(&part, name, argument, feed)))
            return true;
    return false;
}

/* --- making ------------------------------------------------------------------------------------------------------ */

static size_t longest_of(const struct template_part *p, const struct feed *feed)
{
    size_t longest = 0;

    switch (p->kind) {
    case TEMPLATE_TEXT:
        return p->text.len;
    case TEMPLATE_UUID:
        return UUID_LEN;
    case TEMPLATE_RANDOM:
        return p->number;
    case TEMPLATE_SEQ:
    case TEMPLATE_CONNECTION:
    case TEMPLATE_LENGTH:
        return DIGITS_MAX;
    case TEMPLATE_COOKIES:
        return COOKIES_BYTES + sizeof("Cookie: \r\n");
    case TEMPLATE_COLUMN:
        break;
    }
    for (size_t row = 0; row < feed->rows; row++)
        if (feed_value(feed, row, p->number).len > longest)
            longest = feed_value(feed, row, p->number).len;
    return p->encoded ? 3 * longest : longest;
}

static int add_part(struct template *t, const struct template_part *part, const struct feed *feed, struct err *err)
{
    struct template_part *grown;

    if (part->kind == TEMPLATE_TEXT && part->text.len == 0)
        return 0;
    grown = realloc(t->parts, (t->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a request");
    t->parts = grown;
    grown[t->count++] = *part;
    t->max_bytes += longest_of(part, feed);
    return 0;
}

static int refuse_column(const struct feed *feed, const char *path, struct slice name, struct err *err)
{
    char names[160] = "";

    for (size_t i = 0; i < feed->columns && strlen(names) < 120; i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.*s", i > 0 ? ", " : "",
                 SLICE_FMT(slice_take(feed->names[i], 30)));
    err_set(err, ERR_CONFIG, 0, "{%.*s}: the feed %s has no such column", SLICE_FMT(slice_take(name, 60)), path);
    return err_hint(err, "its columns: %s; besides them: seq, uuid, random:8, connection", names);
}

/* A line break in a head would begin a field of its own. */
static int check_values(const struct template_part *p, const struct feed *feed, const char *path, struct err *err)
{
    for (size_t row = 0; row < feed->rows; row++) {
        const struct slice value = feed_value(feed, row, p->number);

        for (size_t i = 0; i < value.len; i++)
            if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
                return err_set(err, ERR_CONFIG, 0,
                               "%s:%u: a value of \"%.*s\" holds a control character: not in a head", path,
                               feed_line(feed, row), SLICE_FMT(slice_take(feed->names[p->number], 60)));
    }
    return 0;
}

enum where { IN_TARGET, IN_FIELDS, IN_BODY };

static int cut(struct template *t, struct slice text, enum where where, const struct feed *feed, const char *path,
               struct err *err)
{
    size_t from = 0;

    for (size_t at = 0; at < text.len;) {
        struct template_part part = { .encoded = false };
        struct slice name, argument;
        bool raw;
        const size_t len = place_at(slice_drop(text, at), &name, &argument, &raw);

        if (len == 0 || !resolve(&part, name, argument, feed)) {
            if (len > 0 && feed != NULL && argument.len == 0)
                return refuse_column(feed, path, name, err);
            at++;
            continue;
        }
        part.encoded = where == IN_TARGET && !raw && part.kind == TEMPLATE_COLUMN;
        if (part.kind == TEMPLATE_COLUMN && where != IN_BODY && !part.encoded &&
            check_values(&part, feed, path, err) != 0)
            return -1;
        if (add_part(t, &(struct template_part){ .text = slice_from(text.ptr + from, at - from) }, feed, err) != 0 ||
            add_part(t, &part, feed, err) != 0)
            return -1;
        at += len;
        from = at;
    }
    return add_part(t, &(struct template_part){ .text = slice_drop(text, from) }, feed, err);
}

/* The fields up to the empty line, with the length and the cookies as places. */
static int cut_fields(struct template *t, struct slice fields, const struct template_source *from, struct err *err)
{
    static const struct slice LENGTH = { "\r\nContent-Length: ", 18 };
    const ptrdiff_t length = from->has_body ? slice_find_slice(fields, LENGTH) : -1;

    if (length >= 0) {
        const size_t digits = (size_t)length + LENGTH.len;

        if (cut(t, slice_take(fields, digits), IN_FIELDS, from->feed, from->feed_path, err) != 0 ||
            add_part(t, &(struct template_part){ .kind = TEMPLATE_LENGTH }, from->feed, err) != 0)
            return -1;
        fields = slice_drop(fields, digits);
        fields = slice_drop(fields, (size_t)slice_find(fields, '\r'));
    }
    if (cut(t, slice_take(fields, fields.len - 2), IN_FIELDS, from->feed, from->feed_path, err) != 0)
        return -1;
    if (from->cookies && add_part(t, &(struct template_part){ .kind = TEMPLATE_COOKIES }, from->feed, err) != 0)
        return -1;
    return add_part(t, &(struct template_part){ .text = SLICE("\r\n") }, from->feed, err);
}

int template_make(struct template *t, const struct template_source *from, struct err *err)
{
    const size_t line = (size_t)slice_find(from->head, '\r');

    *t = (struct template){ 0 };
    if (cut(t, slice_take(from->head, line), IN_TARGET, from->feed, from->feed_path, err) != 0 ||
        cut_fields(t, slice_drop(from->head, line), from, err) != 0)
        return -1;
    t->head_parts = t->count;
    return from->has_body ? cut(t, from->body, IN_BODY, from->feed, from->feed_path, err) : 0;
}

void template_release(struct template *t)
{
    free(t->parts);
    *t = (struct template){ 0 };
}

/* --- rendering: the measured path -------------------------------------------------------------------------------- */

static char *put(char *out, struct slice s)
{
    if (s.len > 0)
        memcpy(out, s.ptr, s.len);
    return out + s.len;
}

static char *put_number(char *out, uint64_t n)
{
    char digits[DIGITS_MAX];
    size_t at = sizeof(digits);

    do
        digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    return put(out, slice_from(digits + at, sizeof(digits) - at));
}

static char *put_encoded(char *out, struct slice s)
{
    static const char HEX[] = "0123456789ABCDEF";

    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];

        if ((c != ' ' && is_name_char((char)c)) || c == '~' || c == '/') {
            *out++ = (char)c;
            continue;
        }
        *out++ = '%';
        *out++ = HEX[c >> 4];
        *out++ = HEX[c & 15];
    }
    return out;
}

static char *put_random(char *out, struct rng *rng, size_t len)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789";

    for (size_t i = 0; i < len; i++)
        *out++ = LETTERS[rng_below(rng, sizeof(LETTERS) - 1)];
    return out;
}

/* Version 4, variant 10 (RFC 9562). */
static char *put_uuid(char *out, struct rng *rng)
{
    static const char HEX[] = "0123456789abcdef";
    uint64_t bits[2] = { (rng_next(rng) & ~UINT64_C(0xf000)) | 0x4000,
                         (rng_next(rng) & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62 };

    for (unsigned i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            *out++ = '-';
        *out++ = HEX[bits[i / 16] >> (60 - 4 * (i % 16)) & 15];
    }
    return out;
}

static char *put_part(char *out, const struct template_part *p, const struct template_values *v, size_t row,
                      struct rng *rng)
{
    switch (p->kind) {
    case TEMPLATE_TEXT:
        return put(out, p->text);
    case TEMPLATE_COLUMN:
        return p->encoded ? put_encoded(out, feed_value(v->feed, row, p->number))
                          : put(out, feed_value(v->feed, row, p->number));
    case TEMPLATE_SEQ:
        return put_number(out, v->seq + 1);
    case TEMPLATE_UUID:
        return put_uuid(out, rng);
    case TEMPLATE_RANDOM:
        return put_random(out, rng, p->number);
    case TEMPLATE_CONNECTION:
        return put_number(out, v->connection + 1);
    case TEMPLATE_COOKIES:
        return v->cookies.len > 0 ? put(put(put(out, SLICE("Cookie: ")), v->cookies), SLICE("\r\n")) : out;
    case TEMPLATE_LENGTH:
        return out; /* known when the body is */
    }
    return out;
}

size_t template_render(const struct template *t, const struct template_values *v, char *out, size_t *head_len)
{
    char *at = out, *length_at = NULL, *head_end = out;
    char digits[DIGITS_MAX];
    struct rng rng;
    size_t row = 0, n;

    rng_init(&rng, rng_derive(v->seed, v->seq));
    if (v->feed != NULL)
        row = v->random_row ? (size_t)rng_below(&rng, v->feed->rows) : (size_t)(v->row % v->feed->rows);
    for (size_t i = 0; i < t->count; i++) {
        if (i == t->head_parts)
            head_end = at;
        if (t->parts[i].kind == TEMPLATE_LENGTH)
            length_at = at;
        at = put_part(at, &t->parts[i], v, row, &rng);
    }
    if (t->head_parts == t->count)
        head_end = at;
    if (length_at != NULL) {
        n = (size_t)(put_number(digits, (uint64_t)(at - head_end)) - digits);
        memmove(length_at + n, length_at, (size_t)(at - length_at));
        memcpy(length_at, digits, n);
        at += n;
        head_end += n;
    }
    *head_len = (size_t)(head_end - out);
    return (size_t)(at - out);
}
