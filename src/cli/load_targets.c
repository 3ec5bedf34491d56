/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_targets_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/load_checks.h"
#include "cli/load_form.h"
#include "cli/load_models.h"
#include "cli/load_targets_filter.h"
#include "cli/load_values.h"
#include "http/url.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)
#define TARGETS_MAX 100000u
#define CONNECTIONS_MAX 1000000u

int targets_no_memory(struct reader *r)
{
    return err_set(r->err, ERR_SYSTEM, ENOMEM, "out of memory");
}

const char *targets_text(struct reader *r, const char *field, struct doc_node *value)
{
    if (doc_kind(value) != DOC_TEXT) {
        doc_refuse(r->doc, value, r->err, "\"%s\" must be a text or a number", field);
        return NULL;
    }
    if (memchr(doc_text(value).ptr, '\0', doc_text(value).len) != NULL) {
        doc_refuse(r->doc, value, r->err, "\"%s\" holds a NUL", field);
        return NULL;
    }
    if (!strlist_add(&r->out->_texts, doc_text(value))) {
        targets_no_memory(r);
        return NULL;
    }
    return r->out->_texts.items[r->out->_texts.count - 1];
}

int targets_use(struct reader *r, const char *field, struct doc_node *value, option_parser *parse, void *into,
                const struct option_row *row)
{
    const char *text = targets_text(r, field, value);
    struct err inner = { 0 };

    if (text == NULL)
        return -1;
    if (parse(into, text, row, &inner) == 0)
        return 0;
    doc_refuse(r->doc, value, r->err, "\"%s\": %s", field, inner.what);
    return err_hint(r->err, "%s", inner.hint);
}

static int take_number(struct reader *r, const char *field, struct doc_node *value, uint64_t min, uint64_t max,
                       uint64_t *out)
{
    if (doc_kind(value) == DOC_TEXT && !doc_is_quoted(value) && slice_to_u64(doc_text(value), out) && *out >= min &&
        *out <= max)
        return 0;
    return doc_refuse(r->doc, value, r->err, "\"%s\" must be a whole number from %llu to %llu", field,
                      (unsigned long long)min, (unsigned long long)max);
}

static int take_url(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "url", .example = "http://127.0.0.1/" };

    if (targets_use(r, field, value, load_value_url, &r->extra->options.urls, &ROW) != 0)
        return -1;
    r->target->url = r->extra->options.urls.items[r->extra->options.urls.count - 1];
    return 0;
}

static int take_method(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "method", .example = "PUT" };

    return targets_use(r, field, value, load_value_method, &r->target->method, &ROW);
}

/* {Name: value}: each as the option of that parser takes it. */
static int take_pairs(struct reader *r, const char *field, struct doc_node *map, option_parser *parse,
                      struct strlist *into)
{
    static const struct option_row ROW = { .name = "header", .example = "'Accept: text/html'" };
    void *cursor = NULL;
    struct doc_node *key, *value;

    if (doc_kind(map) != DOC_MAP)
        return doc_refuse(r->doc, map, r->err, "\"%s\" must be a map of names and values", field);
    while ((value = doc_next_pair(map, &cursor, &key)) != NULL || key != NULL) {
        struct err inner = { 0 };
        char *line = NULL;
        int rc;

        if (doc_kind(key) != DOC_TEXT || doc_kind(value) > DOC_TEXT)
            return doc_refuse(r->doc, key, r->err, "\"%s\" must have texts as names and values", field);
        if (asprintf(&line, doc_kind(value) == DOC_EMPTY ? "%.*s:%.*s" : "%.*s: %.*s", SLICE_FMT(doc_text(key)),
                     value != NULL ? (int)doc_text(value).len : 0, value != NULL ? doc_text(value).ptr : "") < 0)
            return targets_no_memory(r);
        rc = parse(into, line, &ROW, &inner);
        free(line);
        if (rc != 0) {
            doc_refuse(r->doc, key, r->err, "\"%s\": %s", field, inner.what);
            return err_hint(r->err, "%s", inner.hint);
        }
    }
    return 0;
}

static int take_headers(struct reader *r, const char *field, struct doc_node *value)
{
    const struct strlist *common = r->target->fields;

    if (take_pairs(r, field, value, load_value_field, &r->extra->options.fields) != 0)
        return -1;
    for (size_t i = 0; common != NULL && common != &r->extra->options.fields && i < common->count; i++)
        if (!strlist_add(&r->extra->options.fields, slice_str(common->items[i])))
            return targets_no_memory(r);
    r->target->fields = &r->extra->options.fields;
    return 0;
}

static int set_body(struct reader *r, const char *field, struct doc_node *value, const struct load_body *body)
{
    if (r->extra->options.body != NULL)
        return doc_refuse(r->doc, value, r->err, "\"%s\": the target has a body already", field);
    r->extra->options.body = field;
    r->target->body = *body;
    return 0;
}

static int take_body(struct reader *r, const char *field, struct doc_node *value)
{
    const char *text = doc_kind(value) == DOC_EMPTY ? "" : targets_text(r, field, value);

    if (text == NULL)
        return -1;
    return set_body(r, field, value, &(struct load_body){ .present = true, .bytes = slice_str(text) });
}

static int take_body_file(struct reader *r, const char *field, struct doc_node *value)
{
    const char *path = targets_text(r, field, value);
    struct stat st;

    if (path == NULL)
        return -1;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return doc_refuse(r->doc, value, r->err, "\"%s\": %s is no file that can be read", field, path);
    return set_body(r, field, value, &(struct load_body){ .present = true, .from_file = true, .path = path });
}

static int take_body_random(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = {
        .name = "body-random", .example = "20MB", .min = 1, .max = UINT64_C(1) << 50
    };
    uint64_t bytes = 0;

    if (targets_use(r, field, value, load_check_size, &bytes, &ROW) != 0)
        return -1;
    return set_body(r, field, value, &(struct load_body){ .present = true, .random_bytes = bytes });
}

static int take_form(struct reader *r, const char *field, struct doc_node *map)
{
    struct strlist *form = &r->extra->options.form;
    void *cursor = NULL;
    struct doc_node *key, *value;
    struct err inner = { 0 };

    if (doc_kind(map) != DOC_MAP)
        return doc_refuse(r->doc, map, r->err, "\"%s\" must be a map of names and values", field);
    while ((value = doc_next_pair(map, &cursor, &key)) != NULL || key != NULL) {
        char *line = NULL;
        bool ok;

        if (doc_kind(key) != DOC_TEXT || doc_kind(value) > DOC_TEXT)
            return doc_refuse(r->doc, key, r->err, "\"%s\" must have texts as names and values", field);
        if (asprintf(&line, "%.*s=%.*s", SLICE_FMT(doc_text(key)), value != NULL ? (int)doc_text(value).len : 0,
                     value != NULL ? doc_text(value).ptr : "") < 0)
            return targets_no_memory(r);
        ok = strlist_add(form, slice_str(line));
        free(line);
        if (!ok)
            return targets_no_memory(r);
    }
    if (load_form_make(&r->extra->parts, &r->out->_texts, form, &inner) != 0) {
        doc_refuse(r->doc, map, r->err, "\"%s\": %s", field, inner.what);
        return err_hint(r->err, "%s", inner.hint);
    }
    return set_body(r, field, map,
                    &(struct load_body){ .present = true, .parts = r->extra->parts, .part_count = form->count });
}

static int take_connections(struct reader *r, const char *field, struct doc_node *value)
{
    return take_number(r, field, value, 1, CONNECTIONS_MAX, &r->extra->options.connections);
}

static int take_weight(struct reader *r, const char *field, struct doc_node *value)
{
    return take_number(r, field, value, 1, 10000, &r->extra->weight);
}

static int take_requests_per_connection(struct reader *r, const char *field, struct doc_node *value)
{
    return take_number(r, field, value, 0, UINT32_MAX, &r->extra->manner.requests_per_connection);
}

static int take_requests(struct reader *r, const char *field, struct doc_node *value)
{
    return take_number(r, field, value, 1, UINT64_C(1) << 40, &r->extra->manner.requests_per_client);
}

static int take_think(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "think", .example = "1s..2s", .max = UINT64_C(3600) * NS_PER_S };
    struct load_options *o = &r->extra->options;

    if (targets_use(r, field, value, load_model_think, o, &ROW) != 0)
        return -1;
    r->extra->manner.think_min_ns = o->think_min_ns;
    r->extra->manner.think_max_ns = o->think_max_ns;
    return 0;
}

static int take_source(struct reader *r, const char *field, struct doc_node *value)
{
    const char *text = targets_text(r, field, value);

    if (text == NULL)
        return -1;
    if (addr_parse(&r->extra->source, slice_str(text), 0, NULL) != 0)
        return doc_refuse(r->doc, value, r->err, "\"%s\" must be an address, as 127.0.0.2 or ::1", field);
    r->extra->manner.source = &r->extra->source;
    return 0;
}

static int take_sni(struct reader *r, const char *field, struct doc_node *value)
{
    r->target->sni = doc_kind(value) == DOC_EMPTY ? "" : targets_text(r, field, value);
    return r->target->sni != NULL ? 0 : -1;
}

static int take_user(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "user", .example = "alice:secret" };

    if (targets_use(r, field, value, load_value_user, &r->extra->options.user, &ROW) != 0)
        return -1;
    request_basic_authorization(&r->extra->authorization, slice_str(r->extra->options.user));
    r->target->authorization = r->extra->authorization.data;
    return buf_ok(&r->extra->authorization) ? 0 : targets_no_memory(r);
}

static int take_bearer(struct reader *r, const char *field, struct doc_node *value)
{
    const char *token = targets_text(r, field, value);

    if (token == NULL)
        return -1;
    for (const char *c = token; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            return doc_refuse(r->doc, value, r->err, "\"%s\" must be visible ASCII characters without spaces", field);
    buf_printf(&r->extra->authorization, "Bearer %s", token);
    r->target->authorization = r->extra->authorization.data;
    return buf_ok(&r->extra->authorization) ? 0 : targets_no_memory(r);
}

static int expect_status(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "expect-status", .example = "200,404" };

    r->extra->expect.status = r->extra->options.expect_status;
    return targets_use(r, field, value, load_value_expect_status, &r->extra->options, &ROW);
}

static int expect_size(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "expect-body-size", .example = "29B" };

    r->extra->expect.has_body_bytes = true;
    if (doc_kind(value) == DOC_TEXT && slice_to_u64(doc_text(value), &r->extra->expect.body_bytes))
        return 0; /* a number of bytes: no unit is needed where there is but one */
    return targets_use(r, field, value, load_check_size, &r->extra->expect.body_bytes, &ROW);
}

static int expect_sha256(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "expect-body-sha256" };

    r->extra->expect.body_sha256 = r->extra->options.expect_sha256;
    return targets_use(r, field, value, load_check_sha256, &r->extra->options, &ROW);
}

static int expect_body(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "expect-body", .example = "'ok'" };

    return targets_use(r, field, value, load_check_pattern, &r->extra->expect.body_regex, &ROW);
}

static int expect_headers(struct reader *r, const char *field, struct doc_node *value)
{
    r->extra->expect.fields = &r->extra->options.expect_fields;
    return take_pairs(r, field, value, load_check_field, &r->extra->options.expect_fields);
}

struct field_row {
    const char *name;
    take_field *take;
};

/* The fields of a map by their rows; what is in no row is refused with the names that are. */
static int take_map(struct reader *r, struct doc_node *map, const struct field_row *rows, const char *what)
{
    void *cursor = NULL;
    struct doc_node *key, *value;
    char names[320] = "";

    for (const struct field_row *row = rows; row->name != NULL; row++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", row == rows ? "" : " ", row->name);
    if (doc_kind(map) != DOC_MAP)
        return doc_refuse(r->doc, map, r->err, "%s must be a map with: %s", what, names);
    while ((value = doc_next_pair(map, &cursor, &key)) != NULL || key != NULL) {
        const struct field_row *row = rows;

        if (doc_kind(key) != DOC_TEXT)
            return doc_refuse(r->doc, key, r->err, "%s has a name that is no text", what);
        while (row->name != NULL && !slice_eq(doc_text(key), slice_str(row->name)))
            row++;
        if (row->name == NULL)
            return doc_refuse(r->doc, key, r->err, "%s has no field \"%.*s\"; it may have: %s", what,
                              SLICE_FMT(slice_take(doc_text(key), 60)), names);
        if (value == NULL) {
            return doc_refuse(r->doc, key, r->err, "\"%s\" has no value", row->name);
        }
        if (row->take(r, row->name, value) != 0)
            return -1;
    }
    return 0;
}

static int take_expect(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct field_row ROWS[] = { { "status", expect_status },      { "body_size", expect_size },
                                             { "body_sha256", expect_sha256 }, { "body", expect_body },
                                             { "headers", expect_headers },    { 0 } };

    r->target->expect = &r->extra->expect;
    return take_map(r, value, ROWS, field);
}

static const struct field_row TARGET_ROWS[] = {
    { "url", take_url },
    { "method", take_method },
    { "headers", take_headers },
    { "body", take_body },
    { "body_file", take_body_file },
    { "body_random", take_body_random },
    { "form", take_form },
    { "connections", take_connections },
    { "weight", take_weight },
    { "requests_per_connection", take_requests_per_connection },
    { "requests", take_requests },
    { "think", take_think },
    { "source", take_source },
    { "sni", take_sni },
    { "insecure", target_tls_insecure },
    { "cacert", target_tls_cacert },
    { "cert", target_tls_cert },
    { "key", target_tls_key },
    { "alpn", target_tls_alpn },
    { "user", take_user },
    { "bearer", take_bearer },
    { "expect", take_expect },
    { 0 },
};

static int take_target(struct reader *r, struct doc_node *node, const struct load_target *base, bool has_method)
{
    struct target_extra *x = r->extra;
    const struct load_options *o = r->command;

    *r->target = *base;
    r->target->method = NULL;
    x->manner = (struct load_manner){ .requests_per_connection = o->requests_per_connection,
                                      .close = o->close,
                                      .tls_resume = o->tls_resume,
                                      .think_min_ns = o->think_min_ns,
                                      .think_max_ns = o->think_max_ns };
    if (base->expect != NULL)
        x->expect = *base->expect;
    buf_init(&x->authorization, 1 << 16);
    x->weight = 1;
    if (doc_kind(node) == DOC_TEXT ? take_url(r, "url", node) : take_map(r, node, TARGET_ROWS, "a target"))
        return -1;
    if (r->target->url == NULL)
        return doc_refuse(r->doc, node, r->err, "a target without \"url\"");
    if (target_tls_check(r) != 0)
        return -1;
    if (r->target->method == NULL)
        r->target->method = has_method || !r->target->body.present ? base->method : "POST";
    x->manner.connections = (uint32_t)(x->options.connections > 0 ? x->options.connections
                                                                  : o->connections * x->weight);
    r->target->manner = &x->manner;
    return 0;
}

static int read_list(struct reader *r, struct doc_node *list, const struct load_target *base,
                     const struct targets_filter *filter)
{
    struct load_targets *t = r->out;
    void *cursor = NULL;
    struct doc_node *node;
    size_t count = 0;

    if (doc_kind(list) != DOC_LIST)
        return doc_refuse(r->doc, list, r->err, "the file must hold a list of targets, alone or under \"targets\"");
    while (doc_next(list, &cursor) != NULL)
        count++;
    if (count == 0 || count > TARGETS_MAX)
        return doc_refuse(r->doc, list, r->err, "%zu targets; from 1 to %u are possible", count, TARGETS_MAX);
    t->targets = calloc(count, sizeof(*t->targets));
    t->_extras = calloc(count, sizeof(*t->_extras));
    if (t->targets == NULL || t->_extras == NULL)
        return targets_no_memory(r);
    cursor = NULL;
    while ((node = doc_next(list, &cursor)) != NULL) {
        if (!targets_filter_takes(filter, node))
            continue;
        r->target = &t->targets[t->count];
        r->extra = &t->_extras[t->count++];
        if (take_target(r, node, base, r->command->method != NULL) != 0)
            return -1;
    }
    if (t->count > 0)
        return 0;
    return doc_refuse(r->doc, list, r->err, "--targets-filter %s takes none of the %zu targets",
                      r->command->targets_filter, count);
}

int load_targets_read(struct load_targets *t, const char *path, const struct load_target *base,
                      const struct tls_client_config *tls, const struct load_options *o, struct err *err)
{
    struct reader r = { .out = t, .command = o, .tls = tls, .err = err };
    struct targets_filter *filter;
    struct doc_node *root, *list;
    int rc;

    *t = (struct load_targets){ 0 };
    buf_init(&t->_text, FILE_MAX_BYTES);
    if (file_read(path, &t->_text, err) != 0) {
        if (err != NULL)
            err->kind = ERR_CONFIG;
        return err_prefix(err, "--targets");
    }
    if (doc_parse(&t->_doc, path, buf_slice(&t->_text), err) != 0)
        return -1;
    r.doc = t->_doc;
    root = doc_root(t->_doc);
    list = doc_find(root, "targets");
    if (targets_filter_new(&filter, o->targets_filter, err) != 0)
        return -1;
    rc = read_list(&r, list != NULL ? list : root, base, filter);
    targets_filter_free(filter);
    return rc;
}

void load_targets_release(struct load_targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        load_options_release(&t->_extras[i].options);
        buf_release(&t->_extras[i].authorization);
        free(t->_extras[i].parts);
    }
    free(t->targets);
    free(t->_extras);
    doc_free(t->_doc);
    buf_release(&t->_text);
    strlist_release(&t->_texts);
    *t = (struct load_targets){ 0 };
}
