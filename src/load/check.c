/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "http/request.h"

static int take_fields(struct check *c, const struct strlist *fields, struct err *err)
{
    for (size_t i = 0; fields != NULL && i < fields->count; i++) {
        const struct slice field = slice_str(fields->items[i]);
        const ptrdiff_t colon = slice_find(field, ':');
        struct slice *name = &c->fields[i].name, *value = &c->fields[i].value;

        if (i == LOAD_EXPECT_FIELDS)
            return err_set(err, ERR_USAGE, 0, "more than %d fields are expected", LOAD_EXPECT_FIELDS);
        *name = slice_trim(colon >= 0 ? slice_take(field, (size_t)colon) : field);
        *value = colon >= 0 ? slice_trim(slice_drop(field, (size_t)colon + 1)) : (struct slice){ 0 };
        if (name->len == 0)
            return err_set(err, ERR_USAGE, 0, "\"%s\" names no field", fields->items[i]);
        snprintf(c->field_notes[i], sizeof(c->field_notes[i]), "%.*s", SLICE_FMT(slice_take(*name, 80)));
        c->field_count++;
    }
    c->looks_at_fields = c->field_count > 0;
    return 0;
}

int check_prepare(struct check *c, const struct load_expect *spec, const uint8_t *statuses, struct err *err)
{
    *c = (struct check){ .spec = spec, .status = statuses };
    if (spec == NULL)
        return 0;
    if (spec->status != NULL)
        c->status = spec->status;
    snprintf(c->size_note, sizeof(c->size_note), "size is not %llu", (unsigned long long)spec->body_bytes);
    snprintf(c->sha_note, sizeof(c->sha_note), "SHA-256 is not ");
    for (size_t i = 0; spec->body_sha256 != NULL && i < LOAD_SHA256_BYTES; i++)
        snprintf(c->sha_note + strlen(c->sha_note), 3, "%02x", spec->body_sha256[i]);
    c->looks_at_body = spec->body_sha256 != NULL || spec->body_regex != NULL;
    if (spec->body_regex != NULL && pattern_new(&c->pattern, spec->body_regex, err) != 0)
        return -1;
    return take_fields(c, spec->fields, err);
}

void check_release(struct check *c)
{
    pattern_free(c->pattern);
    *c = (struct check){ 0 };
}

int check_states_new(struct check_state **out, size_t count, bool digests, bool bodies, struct err *err)
{
    void *memory;

    *out = NULL;
    if (pages_map(&memory, count * sizeof(**out), err) != 0)
        return -1;
    *out = memory;
    for (size_t i = 0; i < count; i++) {
        if (digests && digest_new(&(*out)[i].digest, err) != 0)
            return -1;
        if (!bodies)
            continue;
        if (pages_map(&memory, LOAD_REGEX_BODY_MAX, err) != 0)
            return -1;
        (*out)[i].body = memory;
    }
    return 0;
}

void check_states_free(struct check_state *states, size_t count)
{
    for (size_t i = 0; states != NULL && i < count; i++) {
        digest_free(states[i].digest);
        pages_unmap(states[i].body, LOAD_REGEX_BODY_MAX);
    }
    pages_unmap(states, count * sizeof(*states));
}

void check_begin(const struct check *c, struct check_state *s)
{
    s->fields_seen = s->fields_right = 0;
    s->body_len = 0;
    if (c->spec != NULL && c->spec->body_sha256 != NULL)
        digest_begin(s->digest);
}

void check_take_body(const struct check *c, struct check_state *s, struct slice bytes)
{
    const size_t room = LOAD_REGEX_BODY_MAX - s->body_len, n = bytes.len < room ? bytes.len : room;

    if (c->spec->body_sha256 != NULL)
        digest_add(s->digest, bytes);
    if (c->pattern == NULL || n == 0)
        return;
    memcpy(s->body + s->body_len, bytes.ptr, n);
    s->body_len += (uint32_t)n;
}

void check_take_field(const struct check *c, struct check_state *s, struct slice name, struct slice value)
{
    for (uint32_t i = 0; i < c->field_count; i++) {
        if (!slice_eq_nocase(c->fields[i].name, name))
            continue;
        s->fields_seen |= 1u << i;
        if (c->fields[i].value.ptr == NULL || slice_eq(c->fields[i].value, slice_trim(value)))
            s->fields_right |= 1u << i;
    }
}

static struct slice line_of(struct slice *rest)
{
    struct slice line = slice_split(rest, '\n');

    return slice_ends(line, SLICE("\r")) ? slice_take(line, line.len - 1) : line;
}

void check_take_head(const struct check *c, struct check_state *s, struct slice head)
{
    bool interim = false;

    while (head.len > 0) {
        struct slice value = line_of(&head), name;

        if (value.len == 0 && !interim)
            return;
        if (slice_starts(value, SLICE("HTTP/1."))) {
            interim = slice_starts(slice_drop(value, 8), SLICE(" 1"));
            s->fields_seen = s->fields_right = 0;
            continue;
        }
        name = slice_split(&value, ':');
        check_take_field(c, s, name, value);
    }
}

static bool refuse(struct failure *why, enum fail_kind kind, const char *note)
{
    *why = (struct failure){ .kind = kind, .note = note };
    return false;
}

static bool fields_are_ok(const struct check *c, const struct check_state *s, struct failure *why)
{
    for (uint32_t i = 0; i < c->field_count; i++)
        if ((s->fields_right & 1u << i) == 0)
            return refuse(why, FAIL_HEADER, c->field_notes[i]);
    return true;
}

static bool body_is_ok(const struct check *c, struct check_state *s, struct pattern_matcher *m, struct failure *why)
{
    uint8_t sum[DIGEST_BYTES];

    if (c->spec->body_sha256 != NULL) {
        digest_end(s->digest, sum);
        if (memcmp(sum, c->spec->body_sha256, sizeof(sum)) != 0)
            return refuse(why, FAIL_BODY, c->sha_note);
    }
    if (c->pattern == NULL)
        return true;
    switch (pattern_find(c->pattern, m, slice_from(s->body, s->body_len))) {
    case PATTERN_FOUND:
        return true;
    case PATTERN_ABSENT:
        return refuse(why, FAIL_BODY, "no match for the pattern");
    case PATTERN_GAVE_UP:
        break;
    }
    return refuse(why, FAIL_BODY, "the pattern needs too many steps");
}

bool check_is_ok(const struct check *c, struct check_state *s, struct pattern_matcher *m, uint16_t status,
                 uint64_t body_bytes, struct failure *why)
{
    if (!c->status[status]) {
        *why = (struct failure){ .kind = FAIL_STATUS, .status = status, .note = "" };
        return false;
    }
    if (c->spec == NULL)
        return true;
    if (!fields_are_ok(c, s, why))
        return false;
    if (c->spec->has_body_bytes && body_bytes != c->spec->body_bytes)
        return refuse(why, FAIL_BODY, c->size_note);
    return !c->looks_at_body || body_is_ok(c, s, m, why);
}
