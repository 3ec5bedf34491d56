/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY ((size_t)1 << 20)

bool lines_init(struct lines *l, struct source *s)
{
    *l = (struct lines){ .source = s, ._data = calloc(1, CAPACITY + LINES_AHEAD) };
    if (l->_data != NULL)
        return true;
    err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot read %s", s->name);
    return false;
}

void lines_release(struct lines *l)
{
    free(l->_data);
    l->_data = NULL;
}

/* Moves what is left to the front and adds to it: first the head, which the source has read already. */
static bool fill(struct lines *l)
{
    const size_t left = l->_len - l->_at, room = CAPACITY - left;
    struct slice *head = &l->source->text;
    ptrdiff_t n;

    if (room == 0) {
        err_set(l->source->err, ERR_CONFIG, 0, "%s:%llu: a line of more than %zu bytes", l->source->name,
                (unsigned long long)l->number + 1, CAPACITY);
        l->failed = true;
        return false;
    }
    memmove(l->_data, l->_data + l->_at, left);
    l->_at = 0;
    l->_len = left;
    if (head->len > 0) {
        n = (ptrdiff_t)(head->len < room ? head->len : room);
        memcpy(l->_data + left, head->ptr, (size_t)n);
        *head = slice_drop(*head, (size_t)n);
    } else {
        n = source_more(l->source, l->_data + left, room);
    }
    l->failed = n < 0;
    l->_ended = n == 0;
    l->_len += n > 0 ? (size_t)n : 0;
    return n > 0;
}

bool lines_next(struct lines *l, struct slice *line)
{
    char *end = NULL;

    while (!l->failed) {
        end = memchr(l->_data + l->_at, '\n', l->_len - l->_at);
        if (end != NULL || l->_ended || !fill(l))
            break;
    }
    if (l->failed || (end == NULL && l->_at == l->_len && l->_ended))
        return false;
    if (end == NULL) {
        if (!l->_ended)
            return lines_next(l, line);
        end = l->_data + l->_len;
        *end = '\n';
        l->unfinished = true;
    }
    *line = slice_from(l->_data + l->_at, (size_t)(end - (l->_data + l->_at)));
    l->_at = (size_t)(end - l->_data) + (l->unfinished ? 0 : 1);
    if (line->len > 0 && line->ptr[line->len - 1] == '\r')
        line->len--;
    l->number++;
    return true;
}
