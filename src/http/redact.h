/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets never leave: what every document, log, report, error example and stored command line goes through.
 *
 * *** replaces: values of Authorization, Proxy-Authorization, Cookie, Set-Cookie, X-Api-Key, X-Auth-Token and other
 * fields whose name ends in -token, -key, -secret, -password; userinfo of URLs; values of query parameters such as
 * X-Amz-Signature, X-Amz-Credential, X-Amz-Security-Token, Signature, sig, token, access_token, key, api_key, secret,
 * password (any case, also *_token, *-key ...); in any text also "Authorization: …", "X-Api-Key: …" up to a quote or
 * the line's end, and the word behind "password: ", "token: ". */
#ifndef PLIMSOLL_HTTP_REDACT_H
#define PLIMSOLL_HTTP_REDACT_H

#include "base/buf.h"
#include "base/strlist.h"

/* Whether the value of a parameter, or of a header field, of that name is a secret. */
bool redact_is_secret_name(struct slice name);
bool redact_is_secret_field(struct slice name);
/* The URL, or any text that holds URLs, without its secrets. */
void redact_url(struct buf *out, struct slice url);
/* Of any text only values behind names of fields, and behind "Bearer " and "Basic ". */
void redact_fields(struct buf *out, struct slice text);
/* The secrets that redact_url(), or redact_fields(), would replace, each as it stands there. False when out of memory.
 */
bool redact_find(struct strlist *found, struct slice text, bool only_fields);
/* The same as a new string, which the caller frees; NULL when out of memory. */
char *redact_url_dup(const char *url);
/* Whether a text whose grammar we do not know (a body, a command) may hold a secret beside those in its URLs: it speaks
 * of passwords, tokens and the like, or has curl's -u. Then better none of it is kept. */
bool redact_is_suspect(struct slice text);
/* One "Name: value" line (with or without line break at its end). */
void redact_field_line(struct buf *out, struct slice line);
/* A whole head (start line and fields, raw bytes): every line through the two above. Bytes that are not printable
 * come out as \xNN, line breaks as they are. */
void redact_head(struct buf *out, struct slice head);
/* One word of a command line after `before` (the previous word, empty at first): knows -u, --user, --auth-bearer,
 * -H/--header, -C, -A, -P, options whose name says that they are secret (--password), their =forms, and URLs. The
 * program's own option words are kept. */
void redact_argument(struct buf *out, struct slice before, struct slice word);
/* A command as a shell reads it, or a single word: each of its words as above; one that holds a secret loses its
 * quotes. Secrets in what the words mean to each other beyond that (here-documents, eval) are not found. */
void redact_command(struct buf *out, struct slice text);
/* What a program printed, line by line: programs like to repeat their arguments, and the heads that they got. */
void redact_output(struct buf *out, struct slice text);

#endif
