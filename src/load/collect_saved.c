/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/collect.h"

#include <stdlib.h>

#include "base/file.h"
#include "http/redact.h"

/* The earliest reply not yet written, over all workers. */
static struct loader *earliest(const struct run *run, struct loader *workers, size_t *next)
{
    struct loader *best = NULL;

    for (uint32_t i = 0; i < run->worker_count; i++) {
        struct loader *w = &workers[i];

        if (next[i] < w->failures.saved_count &&
            (best == NULL || w->failures.saved[next[i]].at_ns < best->failures.saved[next[best->index]].at_ns))
            best = w;
    }
    return best;
}

/* What was asked and why it failed, beside the reply. */
static void describe_saved(struct buf *out, const struct run *run, const struct failures *f, size_t k,
                           const struct span *s)
{
    const struct saved_failure *saved = &f->saved[k];
    const struct failure_entry *e = &f->entries[saved->entry];
    const struct target *t = &run->targets[e->target];

    buf_printf(out, "%s: ", fail_kind_text(e->why.kind));
    failure_detail(&e->why, out);
    buf_printf(out, "\nat %.6f s of the window; %zu bytes of the reply%s\n", span_since(s, saved->at_ns), saved->len,
               saved->len == f->saved_slot ? ", cut there" : "");
    redact_url(out, slice_str(t->spec->url));
    buf_add_str(out, "\n\n");
    redact_head(out, buf_slice(&t->keep_request));
}

static void write_saved(struct result *r, const struct run *run, unsigned number, const char *ending,
                        const struct buf *text)
{
    struct err err = { 0 };
    struct buf path;

    buf_init(&path, 4096);
    buf_printf(&path, "%s/failure-%03u.%s", run->plan->save_failures_dir, number, ending);
    if (!buf_ok(&path) || !buf_ok(text) || file_write(path.data, buf_slice(text), &err) != 0)
        result_add_warning(r, "a failed reply could not be saved: %s", err.what);
    buf_release(&path);
}

static void save_one(struct result *r, const struct run *run, const struct failures *f, size_t k, unsigned number,
                     const struct span *s)
{
    struct slice raw = slice_from(f->saved_bytes + k * f->saved_slot, f->saved[k].len), body = { 0 };
    ptrdiff_t end = slice_find_slice(raw, SLICE("\r\n\r\n"));
    const struct strlist *secrets = &run->targets[f->entries[f->saved[k].entry].target].secrets;
    const struct slice request = failure_request_saved(f, &f->saved[k]);
    struct buf text;

    if (end >= 0) {
        body = slice_drop(raw, (size_t)end + 4);
        raw = slice_take(raw, (size_t)end + 4);
    }
    buf_init(&text, 5 * f->saved_slot + 4096); /* an unprintable byte of the head becomes four */
    redact_head(&text, raw);
    buf_add_slice(&text, body);
    failure_mask(&text, secrets, request);
    write_saved(r, run, number, "http", &text);
    buf_clear(&text);
    describe_saved(&text, run, f, k, s);
    failure_mask(&text, secrets, request);
    write_saved(r, run, number, "txt", &text);
    buf_release(&text);
}

void collect_save_failures(struct result *r, const struct run *run, struct loader *workers, const struct span *s)
{
    size_t *next;

    if (run->plan->save_failures_dir == NULL)
        return;
    next = calloc(run->worker_count, sizeof(*next));
    for (unsigned number = 1; next != NULL && number <= run->plan->save_failures_max; number++) {
        const struct loader *w = earliest(run, workers, next);

        if (w == NULL)
            break;
        save_one(r, run, &w->failures, next[w->index]++, number, s);
    }
    free(next);
}
