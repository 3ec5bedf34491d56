/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as tools print them: lines, words, numbers and times with their units. Private to import/. Nothing allocates;
 * slices point into the text. */
#ifndef PLIMSOLL_IMPORT_PRINTED_H
#define PLIMSOLL_IMPORT_PRINTED_H

#include "base/slice.h"

/* Cuts the next line off, without its end ("\n" or "\r\n"). False at the end of the text. */
bool printed_line(struct slice *rest, struct slice *line);
/* Cuts the next word off (spaces and tabs part them); empty at the end. */
struct slice printed_word(struct slice *rest);
/* All words of the line at most max; how many. */
size_t printed_split(struct slice line, struct slice *out, size_t max);
/* "Key: value" with any white space: the value, trimmed, when the line's key is that one. */
bool printed_value(struct slice line, const char *key, struct slice *value);
bool printed_contain(struct slice text, const char *what);
/* Whether a line of the text begins with it, white space before it aside. */
bool printed_line_begins(struct slice text, const char *what);

/* A whole decimal number: "12", "-0.5", "1e3"; never inf, nan, hex. */
bool printed_double(struct slice word, double *out);
/* The same times 10 to the power of ten: "0.209" with -3 is the double nearest to 0.000209. */
bool printed_scaled(struct slice word, int ten, double *out);
bool printed_u64(struct slice word, uint64_t *out); /* "1,234" too */
/* "1.52ms", "10us", "2.00s", "1.2m", "1m2s" as wrk, h2load and hey print them. */
bool printed_seconds(struct slice word, double *out);
/* "1.50MB", "12.3KB", "5.6K", "7GB", "12B": of 1024; "1.2k" and "M" without B are the same. */
bool printed_bytes(struct slice word, double *out);

#endif
