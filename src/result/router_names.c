/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/router_names.h"

const struct router_name ROUTER_NAMES[] = {
    { "requests_per_second", "requests_per_s", false },
    { "avg_latency", "latency_mean", true },
    { "latency_95pctl", "latency_p95", true },
    { "latency_99pctl", "latency_p99", true },
};
const size_t ROUTER_NAME_COUNT = sizeof(ROUTER_NAMES) / sizeof(ROUTER_NAMES[0]);

const struct router_name *router_name_of_field(struct slice field)
{
    for (size_t i = 0; i < ROUTER_NAME_COUNT; i++)
        if (slice_eq(field, slice_str(ROUTER_NAMES[i].field)))
            return &ROUTER_NAMES[i];
    return NULL;
}

struct slice router_name_without_avg(struct slice text)
{
    if (slice_starts(text, SLICE("avg(")) && slice_ends(text, SLICE(")")))
        return slice_take(slice_drop(text, 4), text.len - 5);
    return text;
}
