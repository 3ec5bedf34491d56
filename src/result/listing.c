/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/listing.h"

#include <stdlib.h>
#include <string.h>

#include "result/json_out.h"

struct listed_run *listing_add(struct listing *l)
{
    struct listed_run *grown = l->runs;

    if ((l->count & (l->count - 1)) == 0) /* full at 0, 1, 2, 4, 8 ... */
        grown = reallocarray(l->runs, l->count > 0 ? 2 * l->count : 1, sizeof(*grown));
    if (grown == NULL)
        return NULL;
    l->runs = grown;
    grown[l->count] = (struct listed_run){ 0 };
    return &grown[l->count++];
}

bool listed_run_add_label(struct listed_run *r, const char *name, const char *value)
{
    char **grown = reallocarray(r->labels, 2 * (r->label_count + 1), sizeof(*grown));
    char *copies[2];

    if (grown == NULL)
        return false;
    r->labels = grown;
    copies[0] = strdup(name);
    copies[1] = strdup(value);
    if (copies[0] == NULL || copies[1] == NULL) {
        free(copies[0]);
        free(copies[1]);
        return false;
    }
    memcpy(&grown[2 * r->label_count], copies, sizeof(copies));
    r->label_count++;
    return true;
}

bool listing_has(const struct listing *l, int64_t number)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->runs[i].number == number)
            return true;
    return false;
}

void listing_release(struct listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        struct listed_run *r = &l->runs[i];

        for (size_t k = 0; k < 2 * r->label_count; k++)
            free(r->labels[k]);
        free(r->labels);
        free(r->name);
        free(r->kind);
        free(r->note);
        strlist_release(&r->tags);
    }
    free(l->runs);
    *l = (struct listing){ 0 };
}

static void write_run(struct json_out *o, const struct listed_run *r)
{
    json_out_open(o, NULL, '{');
    json_out_string(o, "id", r->id);
    json_out_string(o, "name", r->name);
    json_out_string(o, "kind", r->kind);
    json_out_string(o, "started", r->started[0] != '\0' ? r->started : NULL);
    json_out_double(o, "duration_s", r->duration_s);
    json_out_bool(o, "valid", r->valid);
    json_out_bool(o, "interrupted", r->interrupted);
    json_out_open(o, "labels", '{');
    for (size_t i = 0; i < r->label_count; i++)
        json_out_string(o, r->labels[2 * i], r->labels[2 * i + 1]);
    json_out_close(o, '}');
    json_out_open(o, "tags", '[');
    for (size_t i = 0; i < r->tags.count; i++)
        json_out_string(o, NULL, r->tags.items[i]);
    json_out_close(o, ']');
    json_out_string(o, "note", r->note);
    json_out_close(o, '}');
}

void listing_to_json(const struct listing *l, struct buf *out)
{
    struct json_out o = { .buf = out };

    json_out_open(&o, NULL, '[');
    for (size_t i = 0; i < l->count; i++)
        write_run(&o, &l->runs[i]);
    json_out_close(&o, ']');
    buf_add_char(out, '\n');
}
