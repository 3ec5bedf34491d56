/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/json.h"
#include "import/printed.h"
#include "result/router_names.h"

/* Documents that router benchmarks index, one for each sample of a cell:
 *
 *   {"test_type": "mix", "termination": "mix", "uuid": "...", "requests_per_second": 58529, "avg_latency": 477226,
 *    "latency_95pctl": ..., "latency_99pctl": ..., "host_network": "true", "sample": "2", "runtime": 30, "routes": 40,
 *    "conn_per_targetroute": 20, "keepalive": 10, "tls_reuse": false, "200": 1755889, "0": 17, "number_of_routers": 1,
 *    "cluster.name": "..."}
 *
 * Latencies in microseconds, of all replies; requests per second are 200s over the runtime. They come alone, in a list,
 * one behind the other, as the lines of a bulk request (the lines that only say what to do are passed over), or as what
 * a search answers (hits.hits[]._source). */

enum { TEXT_MAX = 64 };

/* Their names changed; ours is the newest. */
static const struct {
    const char *field, *dimension;
} DIMENSIONS[] = {
    { "test_type", "test_type" },
    { "routes", "routes" },
    { "conn_per_targetroute", "conn_per_targetroute" },
    { "threads_per_target", "conn_per_targetroute" },
    { "keepalive", "keepalive" },
    { "keepalive_requests", "keepalive" },
};

bool router_looks_like(struct slice head)
{
    return printed_contain(head, "\"requests_per_second\"") && printed_contain(head, "\"latency_95pctl\"") &&
           (printed_contain(head, "\"termination\"") || printed_contain(head, "\"test_type\""));
}

/* A scalar as a text: 500 and "500" are the same. Empty when it is none. */
static struct slice scalar(char out[TEXT_MAX], const json_t *value)
{
    if (json_is_string(value))
        return slice_str(json_string_value(value));
    if (json_is_integer(value))
        snprintf(out, TEXT_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(out, TEXT_MAX, "%.15g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(out, TEXT_MAX, "%s", json_is_true(value) ? "true" : "false");
    else
        return slice_from(NULL, 0);
    return slice_str(out);
}

static bool read_dimension(struct report *p, const char *key, const json_t *value)
{
    char text[TEXT_MAX];

    for (size_t i = 0; i < sizeof(DIMENSIONS) / sizeof(DIMENSIONS[0]); i++)
        if (strcmp(key, DIMENSIONS[i].field) == 0) {
            report_dimension(p, DIMENSIONS[i].dimension, scalar(text, value));
            return true;
        }
    return false;
}

static bool read_figure(struct report *p, const json_t *document, const char *key)
{
    const struct router_name *name = router_name_of_field(slice_str(key));
    double value;

    if (name == NULL)
        return false;
    if (!json_number_at(p, document, key, &value))
        return true;
    if (name->in_us && value < 0)
        report_fail(p, "%s can not be %g", key, value);
    if (name->in_us)
        report_metric(p, name->metric, value / 1e6, "s", false);
    else
        report_rate(p, value);
    return true;
}

/* "2" or 2 */
static void read_sample(struct report *p, const json_t *value)
{
    char text[TEXT_MAX];
    uint64_t sample;

    if (!slice_to_u64(scalar(text, value), &sample) || sample > UINT32_MAX) {
        report_fail(p, "\"sample\" must be a number");
        return;
    }
    if (p->failed)
        return;
    p->r->has_sample = true;
    p->r->sample = (uint32_t)sample;
}

static void read_run(struct report *p, const json_t *value)
{
    if (!json_is_string(value) || json_string_length(value) > 256)
        report_fail(p, "\"uuid\" must be a string");
    if (p->failed)
        return;
    p->r->run = strdup(json_string_value(value));
    if (p->r->run == NULL)
        report_no_memory(p);
}

static void read_name(struct report *p, const json_t *value)
{
    if (p->failed || p->r->name != NULL || json_string_length(value) > 1024)
        return;
    p->r->name = strdup(json_string_value(value));
    if (p->r->name == NULL)
        report_no_memory(p);
}

static void read_time(struct report *p, const json_t *value)
{
    if (json_is_string(value) && json_string_length(value) < sizeof(p->r->started))
        report_started(p, slice_str(json_string_value(value)));
}

static bool is_status(const char *key)
{
    uint64_t status;

    return slice_to_u64(slice_str(key), &status) && status < STATUS_MAX;
}

/* "labels.branch", as we write them. */
static bool read_label(struct report *p, const char *key, const json_t *value)
{
    const struct slice prefix = SLICE("labels.");
    struct buf label;

    if (!slice_starts(slice_str(key), prefix) || !json_is_string(value))
        return false;
    buf_init(&label, 1u << 16);
    buf_printf(&label, "%s=%s", key + prefix.len, json_string_value(value));
    if (!p->failed && (!buf_ok(&label) || !strlist_add(&p->r->labels, buf_slice(&label))))
        report_no_memory(p);
    buf_release(&label);
    return true;
}

/* What is no figure says how it was measured: a difference is told by comparisons. */
static void read_setting(struct report *p, const char *prefix, const char *key, json_t *value)
{
    char name[128], text[TEXT_MAX];
    const char *inner;
    json_t *member;

    snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key);
    if (json_is_object(value) && prefix[0] == '\0') {
        json_object_foreach(value, inner, member) read_setting(p, name, inner, member);
        return;
    }
    if (scalar(text, value).len > 0)
        report_config_text(p, name, scalar(text, value));
}

static void read_member(struct report *p, json_t *document, const char *key, json_t *value, json_t *statuses)
{
    double runtime;

    if (read_dimension(p, key, value) || read_figure(p, document, key) || read_label(p, key, value))
        return;
    if (strcmp(key, "uuid") == 0)
        read_run(p, value);
    else if (strcmp(key, "name") == 0 && json_is_string(value))
        read_name(p, value);
    else if (strcmp(key, "sample") == 0)
        read_sample(p, value);
    else if (strcmp(key, "timestamp") == 0 || strcmp(key, "@timestamp") == 0)
        read_time(p, value);
    else if (strcmp(key, "runtime") == 0 && json_number_at(p, document, key, &runtime))
        report_duration(p, runtime);
    else if (is_status(key))
        json_object_set(statuses, key, value);
    else
        read_setting(p, "", key, value);
}

static void read_counts(struct report *p, json_t *statuses)
{
    uint64_t all = 0, ok = 0;

    if (json_object_size(statuses) == 0)
        return;
    json_statuses(p, statuses, &all, &ok);
    report_total(p, TOTAL_STARTED, all);
    report_total(p, TOTAL_OK, ok);
    report_total(p, TOTAL_FAILED, all - ok);
}

static void set_name(struct report *p)
{
    if (p->failed || p->r->run == NULL || p->r->name != NULL)
        return;
    p->r->name = strdup(p->r->run);
    if (p->r->name == NULL)
        report_no_memory(p);
}

static int read_one(struct source *s, json_t *document, unsigned line)
{
    json_t *statuses = json_object(), *value;
    const char *key;
    struct report p;

    report_begin(&p, s, NULL);
    p.line = line;
    if (!json_is_object(document) || !json_is_number(json_object_get(document, "requests_per_second")))
        report_fail(&p, "a document without \"requests_per_second\"");
    json_object_foreach(document, key, value)
    {
        if (!p.failed)
            read_member(&p, document, key, value, statuses);
    }
    if (!p.failed)
        read_counts(&p, statuses);
    set_name(&p);
    json_decref(statuses);
    return report_end(&p, NULL);
}

static int read_list(struct source *s, const json_t *list, const char *member, unsigned line)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);

        if (read_one(s, member != NULL ? json_object_get(one, member) : one, line) != 0)
            return -1;
    }
    return 0;
}

/* {"index": {...}}, as bulk requests have before each document. */
static bool is_action(const json_t *document)
{
    static const char *const ACTIONS[] = { "index", "create" };

    for (size_t i = 0; i < sizeof(ACTIONS) / sizeof(ACTIONS[0]); i++)
        if (json_object_size(document) == 1 && json_is_object(json_object_get(document, ACTIONS[i])))
            return true;
    return false;
}

int router_read_document(struct source *s, json_t *document, unsigned line)
{
    const json_t *hits = json_object_get(json_object_get(document, "hits"), "hits");

    if (json_is_array(document))
        return read_list(s, document, NULL, line);
    if (json_is_array(hits))
        return read_list(s, hits, "_source", line);
    return is_action(document) ? 0 : read_one(s, document, line);
}

static struct slice skip_blank(struct slice text, unsigned *line)
{
    while (text.len > 0 && (text.ptr[0] == '\n' || text.ptr[0] == ' ' || text.ptr[0] == '\r' || text.ptr[0] == '\t')) {
        *line += text.ptr[0] == '\n';
        text = slice_drop(text, 1);
    }
    return text;
}

int router_read(struct source *s)
{
    unsigned line = 1;
    struct slice rest = skip_blank(s->text, &line);

    while (rest.len > 0) {
        const unsigned begin = line;
        json_t *document = json_parse_next(s, &rest, &line);
        const int failed = document == NULL ? -1 : router_read_document(s, document, begin);

        json_decref(document);
        if (failed != 0)
            return -1;
        rest = skip_blank(rest, &line);
    }
    return 0;
}
