/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of importers share. Every function fails the test by itself. */
#ifndef PLIMSOLL_TESTS_IMPORTS_H
#define PLIMSOLL_TESTS_IMPORTS_H

#include "import/import.h"

/* The one result of a text or of a file below tests/data, found by its content and by its format's name alike. The
 * caller ends it with imported_release(). */
const struct result *import_one(struct imported *in, const char *text, enum import_format format);
const struct result *import_one_file(struct imported *in, const char *file, enum import_format format);
/* Refused with a sentence that holds what. */
void import_refused(const char *why, const char *text, enum import_format format, const char *what);
/* The text without what follows the n-th line. */
char *first_lines(const char *text, unsigned n);

void has_metric(const struct result *r, const char *name, double value, const char *unit);
void has_no_metric(const struct result *r, const char *name);
void has_total(const struct result *r, enum total part, uint64_t value);
void has_no_total(const struct result *r, enum total part);
void has_seen(const struct result *r, const char *what, uint64_t count);
/* json: as in the document. */
void has_config(const struct result *r, const char *name, const char *json);
/* It is the same after writing it as a document and reading it back, absent members included. */
void survives(const struct result *r);

#endif
