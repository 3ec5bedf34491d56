/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 4096 };

ptrdiff_t source_more(struct source *s, char *out, size_t max)
{
    ssize_t n = 0;

    if (s->_fd < 0)
        return 0;
    do
        n = read(s->_fd, out, max);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_set(s->err, ERR_CONFIG, errno, "cannot read %s", s->name);
    fingerprint_add(&s->fingerprint, slice_from(out, (size_t)n));
    return n;
}

struct result *source_new_result(struct source *s, const char *tool)
{
    struct result *r = NULL;
    char *kind = NULL;

    if (result_new(&r, s->err) != 0)
        return NULL;
    kind = strdup("import");
    if (kind == NULL || (tool != NULL && !result_add_config_string(r, "tool", tool))) {
        free(kind);
        result_free(r);
        err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot import %s", s->name);
        return NULL;
    }
    free(r->kind);
    r->kind = kind;
    r->id[0] = '\0';
    r->started[0] = '\0';
    memset(&r->host, 0, sizeof(r->host));
    r->totals.absent = TOTALS_ABSENT_ALL;
    return r;
}

/* "results/ab-500.txt" is "ab-500". */
static struct slice plain_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const struct slice base = slice_str(slash != NULL && slash[1] != '\0' ? slash + 1 : path);
    size_t dot = base.len;

    while (dot > 0 && base.ptr[dot - 1] != '.')
        dot--;
    return dot > 1 ? slice_take(base, dot - 1) : base;
}

static bool set_name(struct source *s, struct result *r, const char *suffix)
{
    const char *given = s->options != NULL ? s->options->name : NULL;
    const struct slice base = given != NULL ? slice_str(given) : plain_name(s->name);
    struct buf name;

    if (r->name != NULL && given == NULL)
        return true;
    free(r->name);
    buf_init(&name, NAME_MAX_BYTES);
    buf_add_slice(&name, base);
    if (suffix != NULL)
        buf_add_str(&name, suffix);
    r->name = buf_detach(&name);
    buf_release(&name);
    return r->name != NULL;
}

static bool add_labels(const struct source *s, struct result *r)
{
    const struct strlist *labels = s->options != NULL ? s->options->labels : NULL;

    for (size_t i = 0; labels != NULL && i < labels->count; i++)
        if (!strlist_add(&r->labels, slice_str(labels->items[i])))
            return false;
    return true;
}

static void set_id(const struct source *s, struct result *r)
{
    struct fingerprint f = s->fingerprint;
    char number[32];

    if (r->id[0] != '\0')
        return;
    snprintf(number, sizeof(number), "#%zu", s->out->count);
    fingerprint_add(&f, slice_str(number));
    fingerprint_uuid(&f, r->id);
}

static bool append(struct imported *out, struct result *r)
{
    struct result **grown = out->results;

    if ((out->count & (out->count - 1)) == 0) /* a power of two: full */
        grown = reallocarray(out->results, out->count > 0 ? 2 * out->count : 1, sizeof(*grown));
    if (grown == NULL)
        return false;
    out->results = grown;
    grown[out->count++] = r;
    return true;
}

int source_give(struct source *s, struct result *r, const char *suffix)
{
    set_id(s, r);
    if (set_name(s, r, suffix) && add_labels(s, r) && append(s->out, r))
        return 0;
    result_free(r);
    return err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot import %s", s->name);
}

int source_each(struct source *s, source_read_one *read)
{
    struct slice rest = s->text;
    unsigned line = 0;

    while (rest.len > 0)
        if (read(s, &rest, &line) != 0)
            return -1;
    return 0;
}
