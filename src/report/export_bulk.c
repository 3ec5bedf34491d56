/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/json_text.h"
#include "report/export_forms.h"
#include "result/router_names.h"

/* Two lines for each result: what to do, and the document as router benchmarks index it. Dimensions that they have are
 * taken from the cell, else from what a load run says of itself; others keep their names. */

static void add_key(struct buf *out, const char *key)
{
    if (out->data[out->len - 1] != '{')
        buf_add_char(out, ',');
    json_add_string(out, slice_str(key));
    buf_add_char(out, ':');
}

static void add_text(struct buf *out, const char *key, const char *value)
{
    add_key(out, key);
    json_add_string(out, slice_str(value));
}

static void add_number(struct buf *out, const char *key, double value)
{
    char text[JSON_OUT_DOUBLE_MAX];

    if (!isfinite(value))
        return;
    add_key(out, key);
    buf_add_str(out, json_format_double(text, value));
}

static void add_count(struct buf *out, const char *key, uint64_t value)
{
    add_key(out, key);
    buf_printf(out, "%" PRIu64, value);
}

/* A number where it is one: index mappings have them as such. */
static void add_value(struct buf *out, const char *key, const char *value)
{
    uint64_t number;

    if (slice_to_u64(slice_str(value), &number) && (value[0] != '0' || value[1] == '\0'))
        add_count(out, key, number);
    else
        add_text(out, key, value);
}

static const char *config_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0 && strcmp(r->config[i].json, "null") != 0)
            return r->config[i].json;
    return NULL;
}

/* A JSON text of config, its quotes taken off where they are around a number or a truth value. */
static void add_config(struct buf *out, const char *key, const char *json)
{
    const struct slice text = slice_str(json);
    const struct slice inner = text.len >= 2 && json[0] == '"' ? slice_from(json + 1, text.len - 2) : text;
    uint64_t number;

    add_key(out, key);
    if (slice_to_u64(inner, &number) || slice_eq(inner, SLICE("true")) || slice_eq(inner, SLICE("false")))
        buf_add_slice(out, inner);
    else
        buf_add_slice(out, text);
}

static void add_dimensions(struct buf *out, const struct result *r)
{
    static const struct {
        const char *dimension, *config;
    } OURS[] = { { "conn_per_targetroute", "connections" }, { "keepalive", "requests_per_connection" } };

    for (size_t i = 0; i < r->cell_count; i++)
        add_value(out, r->cell[i].name, r->cell[i].value);
    for (size_t i = 0; i < sizeof(OURS) / sizeof(OURS[0]); i++)
        if (result_dimension(r, OURS[i].dimension) == NULL && config_of(r, OURS[i].config) != NULL)
            add_config(out, OURS[i].dimension, config_of(r, OURS[i].config));
    if (result_dimension(r, "routes") == NULL && r->target_count > 0)
        add_count(out, "routes", r->target_count);
}

static void add_settings(struct buf *out, const struct result *r)
{
    static const char *const NAMES[] = { "termination", "tls_reuse", "host_network", "number_of_routers", "ramp_up" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (config_of(r, NAMES[i]) != NULL)
            add_config(out, NAMES[i], config_of(r, NAMES[i]));
    if (config_of(r, "termination") == NULL && result_dimension(r, "test_type") != NULL)
        add_text(out, "termination", result_dimension(r, "test_type"));
    for (size_t i = 0; i < r->config_count; i++)
        if (strncmp(r->config[i].name, "cluster.", 8) == 0) {
            add_key(out, r->config[i].name);
            buf_add_str(out, r->config[i].json);
        }
}

/* To a thousandth of a microsecond, which is what we measure in. */
static void add_figures(struct buf *out, const struct result *r)
{
    for (size_t i = 0; i < ROUTER_NAME_COUNT; i++) {
        const double value = export_figure(r, ROUTER_NAMES[i].metric);

        add_number(out, ROUTER_NAMES[i].field, ROUTER_NAMES[i].in_us ? round(value * 1e9) / 1e3 : value);
    }
    for (size_t i = 0; i < r->metric_count; i++)
        if (strncmp(r->metrics[i].name, "latency_", 8) != 0)
            add_number(out, r->metrics[i].name, r->metrics[i].value);
}

static uint64_t without_status(const struct result *r)
{
    uint64_t count = 0;

    for (size_t i = 0; i < r->seen_count; i++)
        if (strcmp(r->seen[i].what, "no status") == 0)
            return r->seen[i].count;
    for (unsigned i = 0; i < STATUS_MAX; i++)
        count += r->status[i];
    if (count == 0 || result_is_import(r))
        return 0;
    return r->totals.ok + r->totals.failed > count ? r->totals.ok + r->totals.failed - count : 0;
}

static void add_statuses(struct buf *out, const struct result *r)
{
    const uint64_t none = without_status(r);
    char key[8];

    for (unsigned i = 1; i < STATUS_MAX; i++) {
        snprintf(key, sizeof(key), "%u", i);
        if (r->status[i] > 0)
            add_count(out, key, r->status[i]);
    }
    if (none > 0)
        add_count(out, "0", none);
}

/* Labels as the team gave them, unless the document has that name already. */
static void add_labels(struct buf *out, const struct result *r)
{
    for (size_t i = 0; i < r->labels.count; i++) {
        struct slice value = slice_str(r->labels.items[i]);
        const struct slice name = slice_split(&value, '=');

        buf_add_str(out, ",\"labels.");
        for (size_t k = 0; k < name.len; k++)
            buf_add_char(out, name.ptr[k] == '"' || name.ptr[k] == '\\' || (unsigned char)name.ptr[k] < 0x20
                                  ? '_'
                                  : name.ptr[k]);
        buf_add_str(out, "\":");
        json_add_string(out, value);
    }
}

void export_bulk_add(struct exporting *e, const struct result *r)
{
    struct buf *out = &e->text;

    buf_add_str(out, "{\"index\":{\"_id\":"); /* sent again, it is the same document */
    json_add_string(out, slice_str(r->id));
    buf_add_str(out, "}}\n{");
    if (!buf_ok(out))
        return;
    add_dimensions(out, r);
    add_settings(out, r);
    add_figures(out, r);
    if (r->has_sample)
        add_count(out, "sample", r->sample);
    if (r->duration_s > 0)
        add_number(out, "runtime", r->duration_s);
    add_text(out, "uuid", r->run != NULL ? r->run : r->id);
    if (r->name != NULL && r->name[0] != '\0')
        add_text(out, "name", r->name);
    if (r->started[0] != '\0')
        add_text(out, "timestamp", r->started);
    add_statuses(out, r);
    add_labels(out, r);
    buf_add_str(out, "}\n");
}
