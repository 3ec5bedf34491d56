/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

#define TEXT_MAX ((size_t)16 << 20)

/* What load and rounds fill in. */
static const char *const OTHERS[] = { "seq", "uuid", "connection", "i", "n", "round" };

bool names_set(struct names *p, const char *name, const char *value)
{
    struct name_value fresh = { .name = NULL, .value = strdup(value) };
    struct name_value *grown;

    if (fresh.value == NULL)
        return false;
    for (size_t k = 0; k < p->count; k++)
        if (strcmp(p->items[k].name, name) == 0) {
            free(p->items[k].value);
            p->items[k].value = fresh.value;
            return true;
        }
    fresh.name = strdup(name);
    grown = fresh.name != NULL ? realloc(p->items, (p->count + 1) * sizeof(*grown)) : NULL;
    if (grown == NULL) {
        free(fresh.name);
        free(fresh.value);
        return false;
    }
    p->items = grown;
    p->items[p->count++] = fresh;
    return true;
}

bool names_copy(struct names *out, const struct names *from)
{
    for (size_t k = 0; k < from->count; k++)
        if (!names_set(out, from->items[k].name, from->items[k].value))
            return false;
    return true;
}

void names_release(struct names *p)
{
    for (size_t k = 0; k < p->count; k++) {
        free(p->items[k].name);
        free(p->items[k].value);
    }
    free(p->items);
    *p = (struct names){ 0 };
}

const char *names_get(const struct names *p, struct slice name)
{
    for (size_t k = 0; k < p->count; k++)
        if (slice_eq(slice_str(p->items[k].name), name))
            return p->items[k].value;
    return NULL;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-' || c == ':';
}

/* The name of a place that begins at text (a "{"), or the empty slice. */
static struct slice name_at(const char *text)
{
    size_t n = 0;

    while (is_name_char(text[1 + n]))
        n++;
    return text[1 + n] == '}' ? slice_from(text + 1, n) : (struct slice){ 0 };
}

static bool is_anothers(struct slice name)
{
    if (slice_starts(name, SLICE("random:")))
        return true;
    for (size_t k = 0; k < sizeof(OTHERS) / sizeof(OTHERS[0]); k++)
        if (slice_eq(name, slice_str(OTHERS[k])))
            return true;
    return false;
}

static int unknown(const struct names *p, struct slice name, struct err *err)
{
    struct suggestion near;

    suggest_init(&near, name);
    for (size_t k = 0; k < p->count; k++)
        suggest_consider(&near, p->items[k].name);
    err_set(err, ERR_CONFIG, 0, "there is no parameter or dimension {%.*s}", SLICE_FMT(name));
    if (near.word != NULL)
        return err_hint(err, "did you mean {%s}? As text it is {{%.*s}}", near.word, SLICE_FMT(name));
    return err_hint(err, "as text it is {{%.*s}}", SLICE_FMT(name));
}

int names_fill(const struct names *p, const char *text, struct buf *out, struct err *err)
{
    for (const char *at = text; *at != '\0';) {
        const struct slice name = *at == '{' ? name_at(at) : (struct slice){ 0 };
        const struct slice doubled = at[0] == '{' && at[1] == '{' ? name_at(at + 1) : (struct slice){ 0 };
        const char *value = name.len > 0 ? names_get(p, name) : NULL;

        if (doubled.len > 0 && at[doubled.len + 3] == '}') {
            buf_add_slice(out, slice_from(at + 1, doubled.len + 2));
            at += doubled.len + 4;
        } else if (value != NULL) {
            buf_add_str(out, value);
            at += name.len + 2;
        } else if (name.len > 0 && !is_anothers(name)) {
            return unknown(p, name, err);
        } else {
            buf_add_char(out, *at++);
        }
    }
    return buf_ok(out) ? 0 : err_set(err, ERR_LIMIT, 0, "a text of the suite becomes longer than 16 MiB");
}

char *names_text(const struct names *p, const char *text, struct err *err)
{
    struct buf out;
    char *copy = NULL;

    buf_init(&out, TEXT_MAX);
    if (names_fill(p, text, &out, err) == 0) {
        copy = out.len > 0 ? buf_detach(&out) : strdup("");
        if (copy == NULL)
            err_set(err, ERR_SYSTEM, ENOMEM, "out of memory");
    }
    buf_release(&out);
    return copy;
}

void names_fill_values(struct names *p)
{
    for (size_t i = 0; i < 2 * p->count; i++) { /* twice: for one parameter in another */
        const size_t k = i % p->count;
        char *value = strchr(p->items[k].value, '{') != NULL ? names_text(p, p->items[k].value, NULL) : NULL;

        if (value == NULL) /* no such place: text */
            continue;
        free(p->items[k].value);
        p->items[k].value = value;
    }
}
