/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_values.h"

#include <ctype.h>

#include "cli/load_options.h"
#include "cli/option_values.h"
#include "http/redact.h"
#include "http/request.h"
#include "http/url.h"
#include "load/watched.h"

static int add_text(struct strlist *list, const char *text, struct err *err)
{
    return strlist_add(list, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* "localhost:3000/x": only the scheme is missing. Not when there may be a password in it. */
static bool would_be_url(const char *text)
{
    struct buf whole;
    struct url url;
    bool ok;

    if (strstr(text, "://") != NULL || text[0] == '-' || strpbrk(text, "@?") != NULL)
        return false;
    buf_init(&whole, 1u << 16);
    buf_printf(&whole, "http://%s", text);
    ok = buf_ok(&whole) && url_parse(&url, buf_slice(&whole), NULL) == 0;
    buf_release(&whole);
    return ok;
}

int load_value_url(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct url url;

    if (strstr(text, "://") == NULL && strchr(text, '@') != NULL) {
        err_set(err, ERR_USAGE, 0, "no scheme in URL \"***%s\"", strrchr(text, '@'));
        return err_hint(err, "write http://HOST/PATH or https://HOST/PATH");
    }
    if (url_parse(&url, slice_str(text), err) == 0)
        return add_text(field, text, err);
    if (would_be_url(text))
        err_hint(err, "did you mean http://%s ?", text);
    else if (err != NULL && err->hint[0] == '\0')
        err_hint(err, "write http://HOST/PATH or https://HOST/PATH; a blank in it is %%20");
    return -1;
}

int load_value_method(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char MARKS[] = "!#$%&'*+-.^_`|~";

    for (const char *p = text; *p != '\0' || p == text; p++) {
        if (*p != '\0' && (unsigned char)*p < 0x80 && (isalnum((unsigned char)*p) || strchr(MARKS, *p) != NULL))
            continue;
        err_set(err, ERR_USAGE, 0, "\"%s\" is not a method", text);
        return err_hint(err, "letters, digits and %s without spaces, for example -X PUT", MARKS);
    }
    *(const char **)field = text;
    return 0;
}

int load_value_field(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (request_check_field(slice_str(text), err) != 0)
        return -1;
    return add_text(field, text, err);
}

/* Like option_check_printable(), but without quoting a secret. */
static int check_secret(const char *text, const char *what, struct err *err)
{
    for (const char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p >= 0x20 && *p != 0x7f)
            continue;
        err_set(err, ERR_USAGE, 0, "the %s (not shown) holds the control character \\x%02x", what,
                (unsigned)(unsigned char)*p);
        return err_hint(err, "leave out line breaks and control characters");
    }
    return 0;
}

int load_value_user(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (strchr(text, ':') == NULL) {
        err_set(err, ERR_USAGE, 0, "the value (not shown) has no colon");
        return err_hint(err, "write NAME:PASSWORD, or NAME: for an empty password");
    }
    if (check_secret(text, "value", err) != 0)
        return -1;
    *(const char **)field = text;
    return 0;
}

int load_value_bearer(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (text[0] == '\0' || strcmp(text, "@") == 0 || strcmp(text, "env:") == 0) {
        err_set(err, ERR_USAGE, 0, "\"%s\" names no token", text);
        return err_hint(err, "write the token itself, @FILE to read it from a file, or env:NAME for a variable");
    }
    if (check_secret(text, "token", err) != 0)
        return -1;
    *(const char **)field = text;
    return 0;
}

int load_value_seed(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;

    if (option_u64(&o->seed, text, row, err) != 0)
        return -1;
    o->has_seed = true;
    return 0;
}

int load_value_progress(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char *const NAMES[] = { [PROGRESS_AUTO] = "auto", [PROGRESS_NONE] = "none", [PROGRESS_JSON] = "json" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(text, NAMES[i]) == 0) {
            *(enum progress_mode *)field = (enum progress_mode)i;
            return 0;
        }
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no kind of progress", text);
    return err_hint(err, "write auto, none or json");
}

int load_value_feed_order(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char *const NAMES[] = {
        [LOAD_FEED_SEQUENTIAL] = "sequential", [LOAD_FEED_RANDOM] = "random", [LOAD_FEED_ONCE] = "once"
    };
    struct load_options *o = field;

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(text, NAMES[i]) != 0)
            continue;
        o->feed_order = (enum load_feed_order)i;
        o->has_feed_order = true;
        return 0;
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no order of a feed", text);
    return err_hint(err, "write sequential, random or once");
}

static bool has_key(const struct strlist *labels, struct slice key)
{
    for (size_t i = 0; i < labels->count; i++) {
        struct slice rest = slice_str(labels->items[i]);

        if (slice_eq(slice_split(&rest, '='), key))
            return true;
    }
    return false;
}

/* A URL may stand in the value, with a password in it. */
static int add_label(struct strlist *list, struct slice key, struct slice value, struct err *err)
{
    struct buf text;
    bool ok;

    buf_init(&text, 1u << 20);
    buf_add_slice(&text, key);
    buf_add_char(&text, '=');
    redact_url(&text, value);
    ok = buf_ok(&text) && strlist_add(list, buf_slice(&text));
    buf_release(&text);
    return ok ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

int load_value_label(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct slice rest = slice_str(text);
    const bool has_value = slice_find(rest, '=') > 0;
    const struct slice key = slice_split(&rest, '=');

    if (!has_value) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is not KEY=VALUE", text);
        return err_hint(err, "for example --label commit=4f2a91c");
    }
    if (option_check_printable(text, err) != 0)
        return -1;
    if (has_key(field, key)) {
        err_set(err, ERR_USAGE, 0, "the key \"%.*s\" was given before", SLICE_FMT(key));
        return err_hint(err, "a label has one value: drop one of the two");
    }
    return add_label(field, key, rest, err);
}

int load_value_watch(void *field, const char *text, const struct option_row *row, struct err *err)
{
    const struct strlist *before = field;
    struct slice name, other;

    (void)row;
    if (option_check_printable(text, err) != 0 || watcher_check_spec(slice_str(text), &name, err) != 0)
        return -1;
    for (size_t i = 0; i < before->count; i++) {
        if (watcher_check_spec(slice_str(before->items[i]), &other, err) != 0 || !slice_eq(name, other))
            continue;
        err_set(err, ERR_USAGE, 0, "the name \"%.*s\" was given before", SLICE_FMT(name));
        return err_hint(err, "give each part that is watched its own name");
    }
    return add_text(field, text, err);
}

void load_redact_field(struct buf *out, struct slice value)
{
    redact_field_line(out, value);
}

void load_redact_user(struct buf *out, struct slice value)
{
    option_hide(out, value);
}

void load_redact_bearer(struct buf *out, struct slice value)
{
    if (slice_starts(value, SLICE("@")) || slice_starts(value, SLICE("env:")))
        buf_add_slice(out, value);
    else
        option_hide(out, value);
}

void load_redact_form(struct buf *out, struct slice value)
{
    const struct slice name = slice_split(&value, '=');

    buf_add_slice(out, name);
    buf_add_char(out, '=');
    if (slice_starts(value, SLICE("@")))
        buf_add_slice(out, value);
    else
        option_hide(out, value);
}

void load_redact_body(struct buf *out, struct slice value)
{
    if (!slice_starts(value, SLICE("@")) && redact_is_suspect(value))
        option_hide(out, value);
    else
        redact_url(out, value);
}

void load_redact_watch(struct buf *out, struct slice value)
{
    const struct slice name = slice_split(&value, '=');

    buf_add_slice(out, name);
    buf_add_char(out, '=');
    load_redact_spec(out, value);
}
