/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <stdlib.h>

#include "import/json.h"
#include "import/printed.h"

/* oha --output-format json (-j): seconds. Its times are of requests that had a reply, of whatever status; those that
 * the deadline ended are errors of its own and count as unfinished here. */

static const char *const KEYS[] = { "successRate", "requestsPerSec", "slowest", "fastest" };
static const char DEADLINE[] = "aborted due to deadline";

bool oha_looks_like(struct slice head)
{
    return json_has_keys(head, KEYS, sizeof(KEYS) / sizeof(KEYS[0]));
}

static void read_summary(struct report *p, const json_t *summary)
{
    uint64_t bytes;
    double rate;

    report_duration(p, json_need_number(p, summary, "total"));
    json_time(p, summary, "average", 1, "latency", "mean");
    json_time(p, summary, "fastest", 1, "latency", "min");
    json_time(p, summary, "slowest", 1, "latency", "max");
    if (json_number_at(p, summary, "requestsPerSec", &rate))
        report_rate(p, rate);
    if (json_count_at(p, summary, "totalData", &bytes))
        report_total(p, TOTAL_BODY_BYTES_RECEIVED, bytes);
}

/* {"p50": 0.001, "p99.9": 0.02} */
static void read_percentiles(struct report *p, json_t *percentiles, const char *of)
{
    const char *key;
    json_t *value;
    double last = -1, last_s = 0;

    json_object_foreach(percentiles, key, value)
    {
        double percentile, s;

        if (key[0] != 'p' || !printed_double(slice_str(key + 1), &percentile) || percentile < 0 || percentile > 100)
            report_fail(p, "\"%.40s\" is not a percentile", key);
        if (p->failed || !json_number_at(p, percentiles, key, &s))
            continue;
        if (percentile > last && s < last_s)
            report_fail(p, "the percentiles do not rise");
        last = percentile;
        last_s = s;
        report_percentile(p, of, percentile, s);
    }
}

static void read_details(struct report *p, const json_t *details)
{
    static const struct {
        const char *key, *of;
    } PARTS[] = { { "DNSDialup", "connect" }, { "DNSLookup", "dns" }, { "firstByte", "first_byte" } };

    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++) {
        const json_t *part = json_object_at(p, details, PARTS[i].key);

        json_time(p, part, "average", 1, PARTS[i].of, "mean");
        json_time(p, part, "fastest", 1, PARTS[i].of, "min");
        json_time(p, part, "slowest", 1, PARTS[i].of, "max");
    }
}

static void read_errors(struct report *p, json_t *errors, uint64_t *failed, uint64_t *unfinished)
{
    const char *key;
    json_t *value;

    json_object_foreach(errors, key, value)
    {
        uint64_t count = 0;

        if (!json_count_at(p, errors, key, &count))
            report_fail(p, "an error's count is missing");
        if (slice_eq(slice_str(key), slice_str(DEADLINE))) {
            *unfinished += count;
        } else {
            *failed += count;
            report_seen(p, count, "error: %.200s", key);
        }
    }
}

static void read_counts(struct report *p, const json_t *document)
{
    uint64_t replies = 0, ok = 0, errors = 0, unfinished = 0;
    json_t *statuses = json_need_object(p, document, "statusCodeDistribution");

    json_statuses(p, statuses, &replies, &ok);
    read_errors(p, json_object_at(p, document, "errorDistribution"), &errors, &unfinished);
    report_total(p, TOTAL_STARTED, replies + errors + unfinished);
    report_total(p, TOTAL_OK, ok);
    report_total(p, TOTAL_FAILED, replies - ok + errors);
    report_total(p, TOTAL_UNFINISHED, unfinished);
}

int oha_read(struct source *s)
{
    json_t *document = json_parse(s);
    struct report p;

    if (document == NULL)
        return -1;
    report_begin(&p, s, "oha");
    read_summary(&p, json_need_object(&p, document, "summary"));
    read_percentiles(&p, json_object_at(&p, document, "latencyPercentiles"), "latency");
    read_details(&p, json_object_at(&p, document, "details"));
    read_counts(&p, document);
    json_decref(document);
    return report_end(&p, NULL);
}
