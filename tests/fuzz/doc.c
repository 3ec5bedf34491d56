/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents in YAML or JSON: whatever the bytes, a mistake is told with a sentence, and every node of what was taken
 * can be visited and has its line. */
#include "doc/doc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses memory where it refuses some texts: a program that reads a few files and ends does not mind. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

enum { NODES_MAX = 100000 };

struct walk {
    unsigned lines; /* of the text */
    size_t nodes;
};

static void visit(struct walk *w, struct doc_node *n)
{
    void *cursor = NULL;
    struct doc_node *key, *value;

    if (++w->nodes > NODES_MAX)
        return;
    if (n != NULL && (doc_line(n) < 1 || doc_line(n) > w->lines + 1))
        abort();
    switch (doc_kind(n)) {
    case DOC_EMPTY:
        return;
    case DOC_TEXT:
        (void)doc_is_quoted(n);
        if (doc_text(n).ptr == NULL)
            abort();
        return;
    case DOC_LIST:
        while ((value = doc_next(n, &cursor)) != NULL)
            visit(w, value);
        return;
    case DOC_MAP:
        while ((value = doc_next_pair(n, &cursor, &key)) != NULL || key != NULL) {
            visit(w, key);
            visit(w, value);
        }
        return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = slice_from((const char *)data, size);
    struct walk w = { .lines = 1 };
    struct err err = { 0 };
    struct doc *d;

    for (size_t i = 0; i < size; i++)
        w.lines += data[i] == '\n' || data[i] == '\r';
    if (doc_parse(&d, "text", text, &err) != 0) {
        if (err.kind != ERR_CONFIG || err.what[0] == '\0' || d != NULL)
            abort();
        return 0;
    }
    visit(&w, doc_root(d));
    (void)doc_find(doc_root(d), "targets");
    doc_free(d);
    return 0;
}
