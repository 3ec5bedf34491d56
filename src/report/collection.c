/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)
#define SIDE_LABEL "side="
enum { NAME_MAX_BYTES = 256 }; /* it stands in every row: what is longer is cut, and whole in the document */

void collection_begin(struct collection *c)
{
    c->words++;
}

/* "a" or "b" of an interleaved suite, else "". */
static struct slice side_of(const struct result *r)
{
    for (size_t i = 0; i < r->labels.count; i++) {
        const struct slice label = slice_str(r->labels.items[i]);

        if (r->run != NULL && slice_starts(label, SLICE(SIDE_LABEL)))
            return slice_drop(label, sizeof(SIDE_LABEL) - 1);
    }
    return SLICE("");
}

static void add_name(struct buf *out, const char *name)
{
    struct slice text = slice_str(name);

    if (text.len <= NAME_MAX_BYTES) {
        buf_add_slice(out, text);
        return;
    }
    text.len = NAME_MAX_BYTES;
    while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xc0) == 0x80) /* no character is halved */
        text.len--;
    buf_add_slice(out, text);
    buf_add_str(out, "...");
}

static char *name_of(const struct result *r, const char *name, const char *source, struct slice side)
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    add_name(&text, name != NULL ? name : r->name != NULL && r->name[0] != '\0' ? r->name : source);
    if (side.len > 0)
        buf_printf(&text, " %.*s", SLICE_FMT(side));
    return buf_detach(&text);
}

static struct collection_run *add_run(struct collection *c, char *name)
{
    struct collection_run *grown = name != NULL ? reallocarray(c->runs, c->count + 1, sizeof(*grown)) : NULL;

    if (grown == NULL) {
        free(name);
        return NULL;
    }
    c->runs = grown;
    grown[c->count] = (struct collection_run){ .name = name, .word = c->words };
    return side_set_name(&grown[c->count].side, name) ? &grown[c->count++] : NULL;
}

/* Of this word: the run of that side, new when there is none. */
static struct collection_run *run_for(struct collection *c, const struct result *r, const char *name,
                                      const char *source)
{
    const struct slice side = side_of(r);

    for (size_t i = 0; i < c->count; i++) {
        struct slice tail = slice_str(c->runs[i].name);

        if (c->runs[i].word != c->words)
            continue;
        if (side.len == 0 ||
            (slice_ends(tail, side) && tail.len > side.len && tail.ptr[tail.len - side.len - 1] == ' '))
            return &c->runs[i];
    }
    return add_run(c, name_of(r, name, source, side));
}

static int keep_json(struct collected *d, const struct result *r, struct slice json, struct err *err)
{
    struct buf text;

    buf_init(&text, DOCUMENT_MAX_BYTES);
    if (json.len > 0)
        buf_add_slice(&text, json);
    else if (result_to_json(r, &text, err) != 0) {
        buf_release(&text);
        return -1;
    }
    d->json_bytes = text.len;
    d->json = buf_detach(&text);
    return d->json != NULL ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static int add_document(struct collection_run *run, const struct result *r, struct slice json, const char *source,
                        struct err *err)
{
    struct collected *grown = reallocarray(run->documents, run->count + 1, sizeof(*grown));
    struct collected *d;

    if (grown == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    run->documents = grown;
    d = &grown[run->count];
    *d = (struct collected){ .source = strdup(source), .rounds = r->rounds != NULL };
    run->count++;
    if (d->source == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return keep_json(d, r, json, err);
}

int collection_add(struct collection *c, const struct result *r, struct slice json, const char *name,
                   const char *source, struct err *err)
{
    struct collection_run *run = run_for(c, r, name, source);
    size_t before, *grown;

    if (run == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    before = run->side.count;
    if (add_document(run, r, json, source, err) != 0)
        return -1;
    if (!side_add_result(&run->side, r, source))
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    grown = reallocarray(run->document_of, run->side.count + 1, sizeof(*grown));
    if (grown == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    run->document_of = grown;
    for (size_t i = before; i < run->side.count; i++)
        grown[i] = run->count - 1;
    return 0;
}

static char *limit_name(const struct limit_report *r, const char *name, const char *source)
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    add_name(&text, name != NULL ? name : r->url != NULL && r->url[0] != '\0' ? r->url : source);
    return buf_detach(&text);
}

int collection_add_limit(struct collection *c, struct slice json, const char *name, const char *source, struct err *err)
{
    struct collection_limit *grown = reallocarray(c->limits, c->limit_count + 1, sizeof(*grown)), *added;

    if (grown == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    c->limits = grown;
    added = &grown[c->limit_count];
    *added = (struct collection_limit){ .json_bytes = json.len };
    if (limit_report_from_json(&added->report, json, err) != 0)
        return err_prefix(err, "%s", source);
    c->limit_count++;
    added->name = limit_name(added->report, name, source);
    added->source = strdup(source);
    added->json = slice_dup(json);
    return added->name != NULL && added->source != NULL && added->json != NULL
               ? 0
               : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

int collection_read(const struct collected *d, struct result **out, struct err *err)
{
    if (result_from_json(out, slice_from(d->json, d->json_bytes), err) != 0)
        return err_prefix(err, "%s", d->source);
    return 0;
}

static bool limit_has_twin(const struct collection *c, size_t i)
{
    for (size_t k = 0; k < c->limit_count; k++)
        if (k != i && strcmp(c->limits[i].name, c->limits[k].name) == 0)
            return true;
    return false;
}

/* Of one target each is called after its file, too. */
static bool tell_limits_apart(struct collection *c)
{
    bool *twins = calloc(c->limit_count + 1, sizeof(*twins));
    bool ok = twins != NULL;

    for (size_t i = 0; i < c->limit_count && ok; i++)
        twins[i] = limit_has_twin(c, i);
    for (size_t i = 0; i < c->limit_count && ok; i++) {
        struct collection_limit *l = &c->limits[i];
        char *name = l->name;

        if (!twins[i])
            continue;
        ok = asprintf(&l->name, "%s (%zu: %s)", name, i + 1, l->source) > 0;
        l->name = ok ? l->name : NULL;
        free(name);
    }
    free(twins);
    return ok;
}

static bool has_twin(const struct collection *c, size_t i)
{
    for (size_t k = 0; k < c->count; k++)
        if (k != i && strcmp(c->runs[i].name, c->runs[k].name) == 0)
            return true;
    return false;
}

static bool rename_run(struct collection_run *run, size_t number)
{
    struct buf text;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    buf_printf(&text, "%s (%zu: %s)", run->name, number, run->count > 0 ? run->documents[0].source : "");
    free(run->name);
    run->name = buf_detach(&text);
    return run->name != NULL && side_set_name(&run->side, run->name);
}

bool collection_tell_apart(struct collection *c)
{
    bool *twins = calloc(c->count + 1, sizeof(*twins));
    bool ok = twins != NULL;

    for (size_t i = 0; i < c->count && ok; i++)
        twins[i] = has_twin(c, i);
    for (size_t i = 0; i < c->count && ok; i++)
        if (twins[i])
            ok = rename_run(&c->runs[i], i + 1);
    free(twins);
    return ok && tell_limits_apart(c);
}

void collection_release(struct collection *c)
{
    for (size_t i = 0; i < c->count; i++) {
        struct collection_run *run = &c->runs[i];

        for (size_t k = 0; k < run->count; k++) {
            free(run->documents[k].source);
            free(run->documents[k].json);
        }
        free(run->documents);
        free(run->document_of);
        free(run->name);
        side_release(&run->side);
    }
    for (size_t i = 0; i < c->limit_count; i++) {
        struct collection_limit *l = &c->limits[i];

        free(l->name);
        free(l->source);
        free(l->json);
        limit_report_free(l->report);
    }
    free(c->limits);
    free(c->runs);
    *c = (struct collection){ 0 };
}
