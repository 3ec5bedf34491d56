/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "imports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, JSON_MAX_BYTES = 1 << 24 };

const struct result *import_one(struct imported *in, const char *text, enum import_format format)
{
    struct imported found = { 0 };
    struct err err = { 0 };

    *in = (struct imported){ 0 };
    if (import_text(in, "reports/one.txt", slice_str(text), format, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(in->count, 1);
    assert_string_equal(in->results[0]->name, "one");
    assert_string_equal(in->results[0]->kind, "import");
    if (import_text(&found, "reports/one.txt", slice_str(text), IMPORT_AUTO, NULL, &err) != 0)
        fail_msg("not found by itself: %s", err.what);
    assert_int_equal(found.format, format);
    assert_string_equal(found.results[0]->id, in->results[0]->id);
    imported_release(&found);
    survives(in->results[0]);
    return in->results[0];
}

const struct result *import_one_file(struct imported *in, const char *file, enum import_format format)
{
    struct err err = { 0 };
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/%s", DATA_DIR, file);
    *in = (struct imported){ 0 };
    if (import_file(in, path, IMPORT_AUTO, NULL, &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(in->format, format);
    assert_int_equal(in->count, 1);
    survives(in->results[0]);
    return in->results[0];
}

void import_refused(const char *why, const char *text, enum import_format format, const char *what)
{
    struct imported in = { 0 };
    struct err err = { 0 };

    if (import_text(&in, "one.txt", slice_str(text), format, NULL, &err) == 0)
        fail_msg("%s: was taken", why);
    if (strstr(err.what, what) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", why, err.what, what);
    assert_int_equal(in.count, 0);
    assert_int_equal(err.kind, ERR_CONFIG);
    imported_release(&in);
}

char *first_lines(const char *text, unsigned n)
{
    const char *end = text;

    for (unsigned i = 0; i < n && *end != '\0'; i++) {
        const char *next = strchr(end, '\n');

        end = next != NULL ? next + 1 : end + strlen(end);
    }
    return slice_dup(slice_from(text, (size_t)(end - text)));
}

void has_metric(const struct result *r, const char *name, double value, const char *unit)
{
    const struct named_figure *m = result_metric(r, name);

    if (m == NULL)
        fail_msg("%s is not there", name);
    if (fabs(m->value - value) > 1e-12 * fabs(value))
        fail_msg("%s is %.17g, not %.17g", name, m->value, value);
    assert_string_equal(m->unit, unit);
}

void has_no_metric(const struct result *r, const char *name)
{
    if (result_metric(r, name) != NULL)
        fail_msg("%s is there", name);
}

static uint64_t total_of(const struct totals *t, enum total part)
{
    const uint64_t values[TOTALS] = {
        [TOTAL_STARTED] = t->started,
        [TOTAL_SENT] = t->sent,
        [TOTAL_OK] = t->ok,
        [TOTAL_FAILED] = t->failed,
        [TOTAL_UNFINISHED] = t->unfinished,
        [TOTAL_BYTES_SENT] = t->bytes_sent,
        [TOTAL_BYTES_RECEIVED] = t->bytes_received,
        [TOTAL_BODY_BYTES_RECEIVED] = t->body_bytes_received,
        [TOTAL_CONNECTIONS_OPENED] = t->connections_opened,
    };

    return values[part];
}

void has_total(const struct result *r, enum total part, uint64_t value)
{
    assert_true(totals_has(&r->totals, part));
    assert_int_equal(total_of(&r->totals, part), value);
}

void has_no_total(const struct result *r, enum total part)
{
    assert_false(totals_has(&r->totals, part));
    assert_int_equal(total_of(&r->totals, part), 0);
}

void has_seen(const struct result *r, const char *what, uint64_t count)
{
    for (size_t i = 0; i < r->seen_count; i++)
        if (strcmp(r->seen[i].what, what) == 0) {
            assert_int_equal(r->seen[i].count, count);
            return;
        }
    if (count > 0)
        fail_msg("%s was not seen", what);
}

void has_config(const struct result *r, const char *name, const char *json)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0) {
            assert_string_equal(r->config[i].json, json);
            return;
        }
    fail_msg("config has no %s", name);
}

static void to_json(const struct result *r, struct buf *out)
{
    struct err err = { 0 };

    buf_init(out, JSON_MAX_BYTES);
    if (result_to_json(r, out, &err) != 0)
        fail_msg("%s", err.what);
}

void survives(const struct result *r)
{
    struct err err = { 0 };
    struct result *back = NULL;
    struct buf first, second;

    to_json(r, &first);
    if (result_from_json(&back, buf_slice(&first), &err) != 0)
        fail_msg("%s", err.what);
    to_json(back, &second);
    assert_string_equal(first.data, second.data);
    assert_int_equal(back->totals.absent, r->totals.absent);
    result_free(back);
    buf_release(&first);
    buf_release(&second);
}
