/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/failures.h"

#include <string.h>

#include "base/pages.h"
#include "http/redact.h"
#include "http/secrets.h"

#define EXAMPLE_BODY_MAX 512u

static void *map(size_t bytes, struct err *err)
{
    void *p = NULL;

    return pages_map(&p, bytes, err) == 0 ? p : NULL;
}

int failures_init(struct failures *f, size_t targets, size_t saved_max, size_t saved_slot, struct err *err)
{
    *f = (struct failures){
        .targets = targets, .capacity = 64 + 4 * targets, .saved_max = saved_max, .saved_slot = saved_slot
    };
    f->entries = map(f->capacity * sizeof(*f->entries), err);
    f->first_of_target = map(targets * sizeof(*f->first_of_target), err);
    if (f->entries == NULL || f->first_of_target == NULL)
        return -1;
    for (size_t i = 0; i < targets; i++)
        f->first_of_target[i] = -1;
    if (saved_max == 0)
        return 0;
    f->saved = map(saved_max * sizeof(*f->saved), err);
    f->saved_bytes = map(saved_max * saved_slot, err);
    return f->saved != NULL && f->saved_bytes != NULL ? 0 : -1;
}

void failures_release(struct failures *f)
{
    pages_unmap(f->entries, f->capacity * sizeof(*f->entries));
    pages_unmap(f->first_of_target, f->targets * sizeof(*f->first_of_target));
    pages_unmap(f->saved, f->saved_max * sizeof(*f->saved));
    pages_unmap(f->saved_bytes, f->saved_max * f->saved_slot);
    *f = (struct failures){ 0 };
}

static bool same_reason(const struct failure_entry *e, const struct failure *why)
{
    return e->why.kind == why->kind && e->why.status == why->status && e->why.sys == why->sys &&
           strncmp(e->note, why->note, sizeof(e->note) - 1) == 0;
}

static size_t copy_part(char *out, size_t room, struct slice from)
{
    const size_t n = from.len < room ? from.len : room;

    if (n > 0)
        memcpy(out, from.ptr, n);
    return n;
}

static struct failure_entry *add_entry(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns,
                                       struct slice reply, struct slice rest)
{
    struct failure_entry *e = &f->entries[f->count];

    e->why = *why;
    e->note[copy_part(e->note, sizeof(e->note) - 1, slice_str(why->note))] = '\0';
    e->why.note = e->note;
    e->target = target;
    e->next = f->first_of_target[target];
    f->first_of_target[target] = (int32_t)f->count++;
    e->first_ns = now_ns;
    e->example_is_reply = reply.len + rest.len > 0;
    e->example_len = (uint32_t)copy_part(e->example, sizeof(e->example), reply);
    e->example_len += (uint32_t)copy_part(e->example + e->example_len, sizeof(e->example) - e->example_len, rest);
    return e;
}

static struct failure_entry *find_entry(struct failures *f, uint32_t target, const struct failure *why)
{
    for (int32_t i = f->first_of_target[target]; i >= 0; i = f->entries[i].next)
        if (same_reason(&f->entries[i], why))
            return &f->entries[i];
    return NULL;
}

static void save_whole(struct failures *f, const struct failure_entry *e, uint64_t now_ns, struct slice reply,
                       struct slice rest)
{
    struct saved_failure *s;
    char *out;

    if (f->saved_count >= f->saved_max)
        return;
    s = &f->saved[f->saved_count];
    out = f->saved_bytes + f->saved_count * f->saved_slot;
    f->saved_count++;
    s->at_ns = now_ns;
    s->entry = (size_t)(e - f->entries);
    s->len = copy_part(out, f->saved_slot, reply);
    s->len += copy_part(out + s->len, f->saved_slot - s->len, rest);
}

void failures_note(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns, struct slice reply,
                   struct slice reply_rest)
{
    struct failure_entry *e = find_entry(f, target, why);

    if (e == NULL) {
        /* When the table is full the kind alone is kept apart: the reasons of a kind then share their last entry. */
        if (f->count < f->capacity)
            e = add_entry(f, target, why, now_ns, reply, reply_rest);
        else
            for (size_t i = 0; i < f->count && e == NULL; i++)
                if (f->entries[i].why.kind == why->kind || i + 1 == f->count)
                    e = &f->entries[i];
    }
    e->count++;
    e->last_ns = now_ns;
    save_whole(f, e, now_ns, reply, reply_rest);
}

void failure_detail(const struct failure *why, struct buf *out)
{
    if (why->status != 0)
        buf_printf(out, "status %d", why->status);
    if (why->sys != 0)
        buf_printf(out, "%s%s", out->len > 0 ? ": " : "", strerror(why->sys));
    if (why->note != NULL && why->note[0] != '\0')
        buf_printf(out, "%s%s", out->len > 0 ? ": " : "", why->note);
}

void failure_example(const struct failure_entry *e, const struct strlist *secrets, struct buf *out)
{
    struct slice all = slice_from(e->example, e->example_len);
    ptrdiff_t end;

    if (!e->example_is_reply)
        return;
    end = slice_find_slice(all, SLICE("\r\n\r\n"));
    if (end >= 0)
        all = slice_take(all, (size_t)end + 4 + EXAMPLE_BODY_MAX);
    redact_head(out, all);
    secrets_mask(secrets, out, 0);
}
