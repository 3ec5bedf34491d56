/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The secrets that a request carries, known word by word: redact.h finds secrets by their names, but a server may send
 * them back under any (an echo of the request in an error page, a debugging header).
 *
 * Known are the values of secret fields (redact.h), whole and without their scheme; of Basic credentials the base64
 * text, what it stands for, and the password; of cookies each value; the values of secret parameters in the request
 * line;
 * of a body the values of secret parameters and JSON members. Words below SECRET_MIN_BYTES are left alone: masking them
 * would make holes in prose. */
#ifndef PLIMSOLL_HTTP_SECRETS_H
#define PLIMSOLL_HTTP_SECRETS_H

#include "base/buf.h"
#include "base/strlist.h"

#define SECRET_MIN_BYTES 4u
#define SECRET_COOKIE_MIN_BYTES 8u /* of one cookie: shorter values are words, as theme=dark */

/* Adds those of a request's head as it is sent. False when out of memory. */
bool secrets_add_head(struct strlist *secrets, struct slice head);
/* Adds the value, if the name says that it is a secret. */
bool secrets_add_named(struct strlist *secrets, struct slice name, struct slice value);
/* Adds those of any text: a body, a command. */
bool secrets_add_text(struct strlist *secrets, struct slice text);
/* A whole request: its head, then its body. */
bool secrets_add_request(struct strlist *secrets, struct slice request);
/* What redact_argument() takes out of the words of a command, and of the words within them. */
bool secrets_add_command(struct strlist *secrets, const char *const *words, size_t count);
/* Replaces them in the text, from `from` on, by ***; also the beginning of one at the text's end, which was cut. */
void secrets_mask(const struct strlist *secrets, struct buf *text, size_t from);

#endif
