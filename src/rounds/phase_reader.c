/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "rounds/phases_internal.h"
#include "rounds/stamp.h"

#define UNSEEN UINT64_MAX

struct seen {
    uint64_t begun_ns, ended_ns; /* UNSEEN: not yet */
};

struct phase_reader {
    const struct phases *phases;
    struct pattern_matcher *matcher;
    struct seen *seen;
    char *plain; /* LINE_MAX_BYTES of room for a line without escape sequences */
    bool any, failed;
};

int phase_reader_new(struct phase_reader **out, const struct phases *p, struct err *err)
{
    struct phase_reader *r = calloc(1, sizeof(*r));

    *out = NULL;
    if (r == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to follow phases");
    r->phases = p;
    r->seen = calloc(p->count, sizeof(*r->seen));
    if (r->seen == NULL || pattern_matcher_new(&r->matcher, err) != 0) {
        phase_reader_free(r);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to follow phases");
    }
    phase_reader_clear(r);
    *out = r;
    return 0;
}

void phase_reader_free(struct phase_reader *r)
{
    if (r == NULL)
        return;
    pattern_matcher_free(r->matcher);
    free(r->seen);
    free(r->plain);
    free(r);
}

void phase_reader_clear(struct phase_reader *r)
{
    for (size_t i = 0; i < r->phases->count; i++)
        r->seen[i] = (struct seen){ UNSEEN, UNSEEN };
    r->any = r->failed = false;
}

/* A line as it is searched: whole, and without the name before it (empty: it has none). */
struct searched {
    struct slice text, unnamed;
};

static bool found(const struct phase_reader *r, const struct pattern *p, const struct searched *s)
{
    if (p == NULL)
        return false;
    return pattern_find(p, r->matcher, s->text) == PATTERN_FOUND ||
           (s->unnamed.ptr != NULL && pattern_find(p, r->matcher, s->unnamed) == PATTERN_FOUND);
}

/* Phases without a last line end where a later one begins. */
static void end_open_ones(struct phase_reader *r, size_t before, uint64_t at_ns)
{
    for (size_t i = 0; i < before; i++)
        if (r->phases->rules[i].last == NULL && r->seen[i].begun_ns != UNSEEN && r->seen[i].ended_ns == UNSEEN)
            r->seen[i].ended_ns = at_ns;
}

/* Whether the line that ends the phase is waited for. */
static bool is_open(const struct phase_reader *r, size_t i)
{
    if (r->phases->rules[i].first != NULL)
        return r->seen[i].begun_ns != UNSEEN;
    return i == 0 || r->seen[i - 1].ended_ns != UNSEEN;
}

/* From the last phase to the first: a line that ends one does not also end the next, which begins there. */
static void search(struct phase_reader *r, const struct searched *s, uint64_t at_ns)
{
    for (size_t i = r->phases->count; i-- > 0;) {
        const struct phase_rule *rule = &r->phases->rules[i];
        struct seen *seen = &r->seen[i];

        if (seen->ended_ns != UNSEEN)
            continue;
        if (is_open(r, i)) {
            if (found(r, rule->last, s)) {
                seen->ended_ns = at_ns;
                r->any = true;
            }
        } else if (rule->first != NULL && found(r, rule->first, s)) {
            seen->begun_ns = at_ns;
            end_open_ones(r, i, at_ns);
            r->any = true;
        }
    }
    r->failed = r->failed || found(r, r->phases->failed, s);
}

/* Behind the word that text begins with; a NULL slice when there is no word, or nothing behind it but it. */
static struct slice without_name(struct slice text)
{
    const ptrdiff_t space = slice_find(text, ' ');

    if (space <= 0)
        return (struct slice){ NULL, 0 };
    return slice_drop(text, (size_t)space + 1);
}

/* Without ESC [ … letter, which colours and moves the cursor, and without ESC and one other. */
static struct slice without_escapes(struct phase_reader *r, struct slice line)
{
    size_t n = 0;

    if (line.len == 0 || memchr(line.ptr, 0x1b, line.len) == NULL)
        return line;
    if (r->plain == NULL)
        r->plain = malloc(LINE_MAX_BYTES);
    if (r->plain == NULL || line.len > LINE_MAX_BYTES)
        return line;
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != 0x1b) {
            r->plain[n++] = line.ptr[i];
        } else if (i + 1 < line.len && line.ptr[i + 1] == '[') {
            for (i += 2; i < line.len && ((unsigned char)line.ptr[i] < 0x40 || (unsigned char)line.ptr[i] > 0x7e);)
                i++;
        } else {
            i++;
        }
    }
    return slice_from(r->plain, n);
}

void phase_reader_take(struct phase_reader *r, struct slice line, uint64_t at_ns)
{
    struct slice rest = without_escapes(r, line);
    struct stamp stamp;
    bool named = false;

    if (stamp_read(&stamp, rest)) {
        rest = slice_drop(rest, stamp.bytes);
        named = true;
    }
    do {
        const struct slice part = slice_split(&rest, '\r');
        const struct searched s = { part, named ? without_name(part) : (struct slice){ NULL, 0 } };

        search(r, &s, at_ns);
        named = false;
    } while (rest.len > 0);
}

/* Where a phase without a first line begins: at the end of the nearest phase before it that was seen to end. */
static uint64_t begin_of(const struct phase_reader *r, size_t i, uint64_t start_ns)
{
    if (r->phases->rules[i].first != NULL || r->seen[i].ended_ns == UNSEEN)
        return r->seen[i].begun_ns;
    while (i-- > 0)
        if (r->seen[i].ended_ns != UNSEEN)
            return r->seen[i].ended_ns;
    return start_ns;
}

void phase_reader_end(const struct phase_reader *r, uint64_t start_ns, uint64_t end_ns, double *durations)
{
    for (size_t i = 0; i < r->phases->count; i++) {
        const uint64_t begun = begin_of(r, i, start_ns);
        const uint64_t ended = r->seen[i].ended_ns != UNSEEN ? r->seen[i].ended_ns : end_ns;

        durations[i] = begun == UNSEEN ? NAN : ended > begun ? (double)(ended - begun) / NS_PER_S : 0;
    }
}

bool phase_reader_saw_any(const struct phase_reader *r)
{
    return r->any;
}

bool phase_reader_saw_failed(const struct phase_reader *r)
{
    return r->failed;
}
