/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of others inside scripts and manifests: whatever they hold, they stay one word and are read back as they were.
 */
#ifndef PLIMSOLL_JOB_QUOTE_H
#define PLIMSOLL_JOB_QUOTE_H

#include "base/buf.h"
#include "base/err.h"

/* One word of a POSIX shell: as it is where nothing in it means anything to a shell, else in single quotes. Any bytes
 * but NUL. */
void quote_shell(struct buf *out, struct slice word);

/* A YAML string in double quotes, with escapes for all that is not printable ASCII, so that neither YAML 1.1 nor 1.2
 * reads a line break, a tag or a number into it. The text is UTF-8. */
void quote_yaml(struct buf *out, struct slice text);
/* A text of lines as the value of a key that stands `indent` blanks deep; begins behind "key:". A literal block where
 * all of it may stand in one, else as quote_yaml(). Ends with a line end. The text is UTF-8 and ends with one too. */
void quote_yaml_lines(struct buf *out, struct slice text, unsigned indent);

#endif
