/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <string.h>

#include "import/json.h"
#include "import/printed.h"

/* k6's summary, of --summary-export (figures directly in a metric) and of handleSummary() (figures in its "values").
 * Milliseconds. http_req_duration is sending, waiting and receiving: the service time; http_req_blocked is before it.
 * In http_req_failed "passes" counts the requests that did fail: the samples for which "failed" was true. */

static const char *const KEYS[] = { "metrics", "http_reqs", "http_req_duration" };
#define MS 1e-3

bool k6_looks_like(struct slice head)
{
    return json_has_keys(head, KEYS, sizeof(KEYS) / sizeof(KEYS[0]));
}

/* The figures of a metric, or NULL. */
static json_t *values_of(struct report *p, const json_t *metrics, const char *name)
{
    json_t *metric = json_object_at(p, metrics, name);
    json_t *values = json_object_at(p, metric, "values");

    return values != NULL ? values : metric;
}

/* {"avg": 1.2, "min": ..., "med": ..., "max": ..., "p(95)": ...} */
static void read_trend(struct report *p, const json_t *metrics, const char *name, const char *of)
{
    json_t *values = values_of(p, metrics, name);
    const char *key;
    json_t *value;

    json_time(p, values, "avg", MS, of, "mean");
    json_time(p, values, "min", MS, of, "min");
    json_time(p, values, "med", MS, of, "p50");
    json_time(p, values, "max", MS, of, "max");
    json_object_foreach(values, key, value)
    {
        const struct slice name_of = slice_str(key);
        double percentile;

        if (slice_starts(name_of, SLICE("p(")) && slice_ends(name_of, SLICE(")")) &&
            printed_double(slice_from(key + 2, name_of.len - 3), &percentile) && percentile >= 0 && percentile <= 100)
            json_percentile(p, values, key, MS, of, percentile);
    }
}

static void read_failed(struct report *p, const json_t *metrics, uint64_t requests)
{
    const json_t *failed = values_of(p, metrics, "http_req_failed");
    uint64_t yes, no;

    if (!json_count_at(p, failed, "passes", &yes) || !json_count_at(p, failed, "fails", &no))
        return;
    if (yes + no != requests)
        report_fail(p, "http_req_failed is not of as many requests as http_reqs");
    report_total(p, TOTAL_FAILED, yes);
    report_total(p, TOTAL_OK, no);
}

static void read_bytes(struct report *p, const json_t *metrics, const char *name, enum total part)
{
    uint64_t bytes;

    if (json_count_at(p, values_of(p, metrics, name), "count", &bytes))
        report_total(p, part, bytes);
}

static void read_metrics(struct report *p, const json_t *metrics)
{
    json_t *requests = values_of(p, metrics, "http_reqs"), *users = values_of(p, metrics, "vus_max");
    uint64_t count = 0, max;

    if (requests == NULL || !json_count_at(p, requests, "count", &count))
        report_fail(p, "\"http_reqs\" has no count");
    report_total(p, TOTAL_STARTED, count);
    report_rate(p, json_need_number(p, requests, "rate"));
    if (count > 0) {
        read_trend(p, metrics, "http_req_duration", "service_time");
        read_trend(p, metrics, "http_req_waiting", "wait");
        read_trend(p, metrics, "http_req_connecting", "connect");
        read_trend(p, metrics, "http_req_tls_handshaking", "tls");
        read_trend(p, metrics, "http_req_sending", "send");
        read_trend(p, metrics, "http_req_receiving", "receive");
        read_trend(p, metrics, "http_req_blocked", "blocked");
    }
    read_failed(p, metrics, count);
    read_bytes(p, metrics, "data_received", TOTAL_BYTES_RECEIVED);
    read_bytes(p, metrics, "data_sent", TOTAL_BYTES_SENT);
    if (json_count_at(p, users, "max", &max) || json_count_at(p, users, "value", &max))
        report_config_number(p, "connections", max);
}

int k6_read(struct source *s)
{
    json_t *document = json_parse(s);
    struct report p;
    double ms;

    if (document == NULL)
        return -1;
    report_begin(&p, s, "k6");
    read_metrics(&p, json_need_object(&p, document, "metrics"));
    if (json_number_at(&p, json_object_at(&p, document, "state"), "testRunDurationMs", &ms))
        report_duration(&p, ms / 1e3);
    json_decref(document);
    return report_end(&p, NULL);
}
