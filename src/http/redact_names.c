/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/redact.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 128

static int hex_value(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const at = c != '\0' ? strchr(digits, (char)tolower((unsigned char)c)) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* Lower case and without percent-escapes, so that no spelling of a name gets past the list. Truncates: only the end is
 * compared with endings, so the start is what is dropped. */
static struct slice normalize(char out[NAME_MAX_BYTES], struct slice name)
{
    size_t len = 0;

    if (name.len > NAME_MAX_BYTES)
        name = slice_drop(name, name.len - NAME_MAX_BYTES);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '%' && name.len - i > 2 && hex_value(name.ptr[i + 1]) >= 0 && hex_value(name.ptr[i + 2]) >= 0) {
            c = (char)(hex_value(name.ptr[i + 1]) * 16 + hex_value(name.ptr[i + 2]));
            i += 2;
        }
        out[len++] = (char)tolower((unsigned char)c);
    }
    return slice_from(out, len);
}

static bool is_one_of(struct slice name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (slice_eq(name, slice_str(*list)))
            return true;
    return false;
}

static bool ends_with_one_of(struct slice name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (slice_ends(name, slice_str(*list)))
            return true;
    return false;
}

bool redact_is_secret_name(struct slice name)
{
    static const char *const WHOLE[] = { "sig", "key", "pass", "pwd", "auth", "jwt", "sid", NULL };
    static const char *const ENDS[] = {
        "token",       "secret",        "password",         "passwd",    "passphrase", "signature",
        "credential",  "credentials",   "apikey",           "accesskey", "secretkey",  "privatekey",
        "accesskeyid", "authorization", "session_id",       "sessionid", "-key",       "_key",
        ".key",        "-auth",         "client_assertion", "_sig",      "-sig",       NULL
    };
    char text[NAME_MAX_BYTES];
    const struct slice normal = normalize(text, name);

    return is_one_of(normal, WHOLE) || ends_with_one_of(normal, ENDS);
}

bool redact_is_secret_field(struct slice name)
{
    static const char *const WHOLE[] = { "cookie", "set-cookie", "cookie2", "set-cookie2", NULL };
    char text[NAME_MAX_BYTES];
    const struct slice normal = normalize(text, name);

    return is_one_of(normal, WHOLE) || slice_find_slice(normal, SLICE("authorization")) >= 0 ||
           redact_is_secret_name(name);
}

bool redact_is_suspect(struct slice text)
{
    static const char *const WORDS[] = { "password",  "passwd", "pwd",  "secret", "token",  "key", "credential",
                                         "signature", "cookie", "auth", "sig=",   "--user", " -u" };

    for (; text.len > 0; text = slice_drop(text, 1))
        for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
            if (slice_starts_nocase(text, slice_str(WORDS[i])))
                return true;
    return false;
}
