/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/failures.h"

#include <string.h>

#include "base/pages.h"
#include "http/redact.h"
#include "http/secrets.h"

#define EXAMPLE_BODY_MAX 512u
#define REQUEST_MAX 4096u

static void *map(size_t bytes, struct err *err)
{
    void *p = NULL;

    return pages_map(&p, bytes, err) == 0 ? p : NULL;
}

static size_t request_bytes(const struct failures *f)
{
    return (f->capacity + f->saved_max) * f->request_slot;
}

int failures_init(struct failures *f, const struct failures_limits *limits, struct err *err)
{
    const size_t targets = limits->targets;

    *f = (struct failures){ .targets = targets,
                            .capacity = 64 + 4 * targets,
                            .saved_max = limits->saved_max,
                            .saved_slot = limits->saved_slot,
                            .request_slot = limits->request_slot < REQUEST_MAX ? limits->request_slot : REQUEST_MAX };
    f->entries = map(f->capacity * sizeof(*f->entries), err);
    f->first_of_target = map(targets * sizeof(*f->first_of_target), err);
    if (f->entries == NULL || f->first_of_target == NULL)
        return -1;
    for (size_t i = 0; i < targets; i++)
        f->first_of_target[i] = -1;
    if (f->request_slot > 0 && (f->requests = map(request_bytes(f), err)) == NULL)
        return -1;
    if (f->saved_max == 0)
        return 0;
    f->saved = map(f->saved_max * sizeof(*f->saved), err);
    f->saved_bytes = map(f->saved_max * f->saved_slot, err);
    return f->saved != NULL && f->saved_bytes != NULL ? 0 : -1;
}

void failures_release(struct failures *f)
{
    pages_unmap(f->entries, f->capacity * sizeof(*f->entries));
    pages_unmap(f->first_of_target, f->targets * sizeof(*f->first_of_target));
    pages_unmap(f->saved, f->saved_max * sizeof(*f->saved));
    pages_unmap(f->requests, request_bytes(f));
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

/* at: of the entry, or, behind all of them, of the saved reply. */
static char *request_at(const struct failures *f, size_t at)
{
    return f->request_slot > 0 ? f->requests + at * f->request_slot : NULL;
}

static struct failure_entry *add_entry(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns,
                                       const struct failure_seen *seen)
{
    struct failure_entry *e = &f->entries[f->count];

    e->why = *why;
    e->note[copy_part(e->note, sizeof(e->note) - 1, slice_str(why->note))] = '\0';
    e->why.note = e->note;
    e->target = target;
    e->next = f->first_of_target[target];
    f->first_of_target[target] = (int32_t)f->count++;
    e->first_ns = now_ns;
    e->example_is_reply = seen->reply.len + seen->reply_rest.len > 0;
    e->example_len = (uint32_t)copy_part(e->example, sizeof(e->example), seen->reply);
    e->example_len += (uint32_t)copy_part(e->example + e->example_len, sizeof(e->example) - e->example_len,
                                          seen->reply_rest);
    e->request_len = (uint32_t)copy_part(request_at(f, (size_t)(e - f->entries)), f->request_slot, seen->request);
    return e;
}

static struct failure_entry *find_entry(struct failures *f, uint32_t target, const struct failure *why)
{
    for (int32_t i = f->first_of_target[target]; i >= 0; i = f->entries[i].next)
        if (same_reason(&f->entries[i], why))
            return &f->entries[i];
    return NULL;
}

static void save_whole(struct failures *f, const struct failure_entry *e, uint64_t now_ns,
                       const struct failure_seen *seen)
{
    struct saved_failure *s;
    char *out;

    if (f->saved_count >= f->saved_max)
        return;
    s = &f->saved[f->saved_count];
    out = f->saved_bytes + f->saved_count * f->saved_slot;
    s->request_len = copy_part(request_at(f, f->capacity + f->saved_count), f->request_slot, seen->request);
    f->saved_count++;
    s->at_ns = now_ns;
    s->entry = (size_t)(e - f->entries);
    s->len = copy_part(out, f->saved_slot, seen->reply);
    s->len += copy_part(out + s->len, f->saved_slot - s->len, seen->reply_rest);
}

void failures_note(struct failures *f, uint32_t target, const struct failure *why, uint64_t now_ns,
                   const struct failure_seen *seen)
{
    struct failure_entry *e = find_entry(f, target, why);

    if (e == NULL) {
        /* When the table is full the kind alone is kept apart: the reasons of a kind then share their last entry. */
        if (f->count < f->capacity)
            e = add_entry(f, target, why, now_ns, seen);
        else
            for (size_t i = 0; i < f->count && e == NULL; i++)
                if (f->entries[i].why.kind == why->kind || i + 1 == f->count)
                    e = &f->entries[i];
    }
    e->count++;
    e->last_ns = now_ns;
    save_whole(f, e, now_ns, seen);
}

struct slice failure_request(const struct failures *f, const struct failure_entry *e)
{
    return slice_from(request_at(f, (size_t)(e - f->entries)), e->request_len);
}

struct slice failure_request_saved(const struct failures *f, const struct saved_failure *s)
{
    return slice_from(request_at(f, f->capacity + (size_t)(s - f->saved)), s->request_len);
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

void failure_mask(struct buf *text, const struct strlist *secrets, struct slice request)
{
    struct strlist own = STRLIST_INIT;

    if (!secrets_add_request(&own, request)) /* better nothing than a secret */
        buf_clear(text);
    secrets_mask(secrets, text, 0);
    secrets_mask(&own, text, 0);
    strlist_release(&own);
}

void failure_example(const struct failures *f, const struct failure_entry *e, const struct strlist *secrets,
                     struct buf *out)
{
    struct slice all = slice_from(e->example, e->example_len);
    ptrdiff_t end;

    if (!e->example_is_reply)
        return;
    end = slice_find_slice(all, SLICE("\r\n\r\n"));
    if (end >= 0)
        all = slice_take(all, (size_t)end + 4 + EXAMPLE_BODY_MAX);
    redact_head(out, all);
    failure_mask(out, secrets, failure_request(f, e));
}
