/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a suite, one table per kind of map. The table reads the file, is printed by --schema, and is what a
 * mistyped key is compared with: there is no second list. */
#ifndef PLIMSOLL_SUITE_KEYS_H
#define PLIMSOLL_SUITE_KEYS_H

#include "base/buf.h"
#include "doc/doc.h"
#include "suite/suite.h"

enum key_kind {
    KEY_TEXT,     /* char *: a text or a number */
    KEY_DURATION, /* uint64_t ns: "90s" */
    KEY_COUNT,    /* uint32_t */
    KEY_NUMBER,   /* double, above 0; a percentage where it is written as one */
    KEY_FLAG,     /* bool */
    KEY_WORD,     /* int, its place among `words` */
    KEY_TEXTS,    /* struct strlist: a text or a list of them */
    KEY_PAIRS,    /* struct suite_pairs: a map of texts; a list is joined by commas */
    KEY_OWN,      /* take() */
};

struct reader {
    const struct doc *doc;
    struct suite *suite;
    struct err *err;
};

struct key {
    const char *name;
    enum key_kind kind;
    size_t at;         /* offset of what it fills */
    const char *words; /* of KEY_WORD: "a|b|c" */
    const char *about;
    int (*take)(struct reader *r, struct doc_node *value, void *into); /* into: the whole, not the field */
    const struct keys *inner;                                          /* KEY_OWN: the keys of its map(s) */
};
struct keys {
    const char *what; /* "a service" */
    const struct key *items;
    size_t count;
};

/* Reads a map into *into, every key by its table. */
MUST_CHECK int keys_read(struct reader *r, struct doc_node *map, const struct keys *keys, void *into);
/* The next pair of a map, as doc_next_pair(). 1; 0: there is none; -1: the name is no text, or nothing stands after it.
 */
MUST_CHECK int keys_next(struct reader *r, struct doc_node *map, void **cursor, struct doc_node **name,
                         struct doc_node **value);
MUST_CHECK int keys_refuse_nul(struct reader *r, const char *what, struct doc_node *text);
/* A scalar as a text of its own, which the caller frees; NULL: the error is set. what: the key, for messages. */
char *keys_text(struct reader *r, const char *what, struct doc_node *value);
MUST_CHECK int keys_pairs(struct reader *r, const char *what, struct doc_node *map, struct suite_pairs *out);
MUST_CHECK int keys_texts(struct reader *r, const char *what, struct doc_node *value, struct strlist *out);
/* Appends one zeroed element to a growing array; NULL: no memory, the error is set. */
void *keys_grow(struct reader *r, void *items, size_t *count, size_t size);

bool pairs_add(struct suite_pairs *p, struct slice name, const char *value, unsigned line); /* false: no memory */
const char *pairs_get(const struct suite_pairs *p, const char *name);                       /* NULL: none */
bool pairs_has(const struct suite_pairs *p, struct slice name);
bool pairs_set(struct suite_pairs *p, struct slice name, const char *value);
void pairs_release(struct suite_pairs *p);

/* The whole schema in words, for `plimsoll run --schema`. */
void suite_schema(struct buf *out);

#endif
