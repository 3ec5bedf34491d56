/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <math.h>

#include "import/json.h"

/* vegeta report -type=json: nanoseconds. Its latency begins when the request was due; `throughput` counts successes
 * over the attack and the wait for its last reply, `rate` what was sent. Success is a status of 200 ... 399. */

static const char *const KEYS[] = { "latencies", "bytes_in", "bytes_out", "earliest", "throughput" };
#define NS 1e-9

bool vegeta_looks_like(struct slice head)
{
    return json_has_keys(head, KEYS, sizeof(KEYS) / sizeof(KEYS[0]));
}

static void read_latencies(struct report *p, const json_t *latencies)
{
    static const struct {
        const char *key;
        double percentile;
    } PERCENTILES[] = { { "50th", 50 }, { "90th", 90 }, { "95th", 95 }, { "99th", 99 } };
    double last = 0, value;

    json_time(p, latencies, "mean", NS, "latency", "mean");
    json_time(p, latencies, "min", NS, "latency", "min");
    json_time(p, latencies, "max", NS, "latency", "max");
    for (size_t i = 0; i < sizeof(PERCENTILES) / sizeof(PERCENTILES[0]); i++) {
        json_percentile(p, latencies, PERCENTILES[i].key, NS, "latency", PERCENTILES[i].percentile);
        if (!json_number_at(p, latencies, PERCENTILES[i].key, &value))
            continue;
        if (value < last)
            report_fail(p, "the percentiles do not rise");
        last = value;
    }
}

static void read_bytes(struct report *p, const json_t *document, const char *key, enum total part)
{
    uint64_t bytes;

    if (json_count_at(p, json_object_at(p, document, key), "total", &bytes))
        report_total(p, part, bytes);
}

static void read_counts(struct report *p, const json_t *document)
{
    const uint64_t requests = (uint64_t)json_need_number(p, document, "requests");
    const double success = json_need_number(p, document, "success");
    uint64_t all = 0, ok = 0;
    json_t *errors = json_list_at(p, document, "errors");

    json_statuses(p, json_need_object(p, document, "status_codes"), &all, &ok);
    if (!p->failed && all != requests)
        report_fail(p, "%llu requests, but %llu statuses", (unsigned long long)requests, (unsigned long long)all);
    if (!p->failed && fabs(success * (double)requests - (double)ok) > 0.5 + 1e-6 * (double)requests)
        report_fail(p, "the success of %g is not that of the statuses", success);
    report_total(p, TOTAL_STARTED, requests);
    report_total(p, TOTAL_OK, ok);
    report_total(p, TOTAL_FAILED, all - ok);
    /* Texts without counts: each was seen at least once. */
    for (size_t i = 0; i < json_array_size(errors) && i < 64; i++) {
        const char *text = json_string_value(json_array_get(errors, i));

        if (text != NULL)
            report_seen(p, 1, "error: %.200s", text);
    }
}

int vegeta_read(struct source *s)
{
    json_t *document = json_parse(s);
    struct report p;
    double rate;

    if (document == NULL)
        return -1;
    report_begin(&p, s, "vegeta");
    read_latencies(&p, json_need_object(&p, document, "latencies"));
    read_bytes(&p, document, "bytes_in", TOTAL_BODY_BYTES_RECEIVED);
    read_bytes(&p, document, "bytes_out", TOTAL_BYTES_SENT);
    report_started(&p, json_text_at(&p, document, "earliest"));
    report_duration(&p, json_need_number(&p, document, "duration") / 1e9);
    report_rate(&p, json_need_number(&p, document, "throughput"));
    if (json_number_at(&p, document, "rate", &rate))
        report_config_double(&p, "rate_achieved_per_s", rate);
    read_counts(&p, document);
    json_decref(document);
    return report_end(&p, NULL);
}
