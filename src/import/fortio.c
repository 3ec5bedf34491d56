/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include "import/json.h"

/* fortio load -json: seconds, but for ActualDuration, which is in nanoseconds. Its percentiles are interpolated within
 * the buckets of its histogram. Times are of all calls, failed ones included. */

static const char *const KEYS[] = { "ActualQPS", "ActualDuration", "DurationHistogram" };

bool fortio_looks_like(struct slice head)
{
    return json_has_keys(head, KEYS, sizeof(KEYS) / sizeof(KEYS[0]));
}

static void read_percentiles(struct report *p, const json_t *list)
{
    double last = -1, last_s = 0;

    for (size_t i = 0; i < json_array_size(list) && !p->failed; i++) {
        const json_t *one = json_array_get(list, i);
        const double percentile = json_need_number(p, one, "Percentile"), s = json_need_number(p, one, "Value");

        if (percentile <= last || percentile > 100 || s < last_s)
            report_fail(p, "the percentiles do not rise");
        last = percentile;
        last_s = s;
        report_percentile(p, "latency", percentile, s);
    }
}

static void read_durations(struct report *p, const json_t *h, uint64_t *count)
{
    if (!json_count_at(p, h, "Count", count))
        report_fail(p, "\"Count\" is missing");
    if (*count == 0)
        return;
    json_time(p, h, "Avg", 1, "latency", "mean");
    json_time(p, h, "StdDev", 1, "latency", "stddev");
    json_time(p, h, "Min", 1, "latency", "min");
    json_time(p, h, "Max", 1, "latency", "max");
    read_percentiles(p, json_list_at(p, h, "Percentiles"));
}

static void read_codes(struct report *p, json_t *codes, uint64_t count)
{
    uint64_t all = 0, ok = 0, none = 0;

    if (codes == NULL)
        return;
    if (json_count_at(p, codes, "-1", &none)) { /* a socket error */
        report_seen(p, none, "no status");
        json_object_del(codes, "-1");
    }
    json_statuses(p, codes, &all, &ok);
    if (!p->failed && all + none != count)
        report_fail(p, "%llu calls, but %llu codes", (unsigned long long)count, (unsigned long long)(all + none));
    report_total(p, TOTAL_OK, ok);
    report_total(p, TOTAL_FAILED, all + none - ok);
}

static void read_config(struct report *p, const json_t *document)
{
    uint64_t number;
    double rate;
    struct slice text = json_text_at(p, document, "RequestedQPS");

    if (text.len > 0)
        report_config_text(p, "rate_asked", text);
    if (json_count_at(p, document, "NumThreads", &number))
        report_config_number(p, "connections", number);
    text = json_text_at(p, document, "Version");
    if (text.len > 0)
        report_config_text(p, "tool_version", text);
    if (json_count_at(p, document, "SocketCount", &number))
        report_total(p, TOTAL_CONNECTIONS_OPENED, number);
    report_target(p, slice_from(NULL, 0), json_text_at(p, document, "URL"));
    if (json_number_at(p, document, "ActualQPS", &rate))
        report_rate(p, rate);
}

int fortio_read(struct source *s)
{
    json_t *document = json_parse(s);
    uint64_t count = 0;
    struct report p;

    if (document == NULL)
        return -1;
    report_begin(&p, s, "fortio");
    read_config(&p, document);
    report_started(&p, json_text_at(&p, document, "StartTime"));
    report_duration(&p, json_need_number(&p, document, "ActualDuration") / 1e9);
    read_durations(&p, json_need_object(&p, document, "DurationHistogram"), &count);
    report_total(&p, TOTAL_STARTED, count);
    read_codes(&p, json_object_at(&p, document, "RetCodes"), count);
    json_decref(document);
    return report_end(&p, NULL);
}
