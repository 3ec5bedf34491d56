/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/health.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define CPU_FULL 0.95
#define LAG_LIMIT_NS UINT64_C(10000000)
#define STANDSTILL_NS UINT64_C(250000000)

/* The number after `key` in the line of a /proc/net file that begins with `line`. */
static uint64_t number_after(const char *path, const char *line, const char *key)
{
    char text[1024];
    uint64_t value = 0;
    FILE *f = fopen(path, "re");

    if (f == NULL)
        return 0;
    while (fgets(text, sizeof(text), f) != NULL) {
        const char *at;

        if (strncmp(text, line, strlen(line)) != 0)
            continue;
        at = strstr(text, key);
        if (at != NULL)
            value = strtoull(at + strlen(key), NULL, 10);
        break;
    }
    fclose(f);
    return value;
}

/* /proc/net/snmp: a line of names, then a line of numbers. */
static uint64_t snmp_retransmits(void)
{
    char names[1024], numbers[1024];
    uint64_t value = 0;
    FILE *f = fopen("/proc/net/snmp", "re");

    if (f == NULL)
        return 0;
    while (fgets(names, sizeof(names), f) != NULL && fgets(numbers, sizeof(numbers), f) != NULL) {
        char *name_rest = NULL, *number_rest = NULL;
        const char *name, *number;

        if (strncmp(names, "Tcp:", 4) != 0)
            continue;
        name = strtok_r(names, " \n", &name_rest);
        number = strtok_r(numbers, " \n", &number_rest);
        while (name != NULL && number != NULL && strcmp(name, "RetransSegs") != 0) {
            name = strtok_r(NULL, " \n", &name_rest);
            number = strtok_r(NULL, " \n", &number_rest);
        }
        if (name != NULL && number != NULL)
            value = strtoull(number, NULL, 10);
        break;
    }
    fclose(f);
    return value;
}

void net_counters_read(struct net_counters *out)
{
    out->time_wait = number_after("/proc/net/sockstat", "TCP:", " tw ");
    out->retransmits = snmp_retransmits();
}

unsigned health_cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

static void add_reason(struct generator_health *h, const char *text)
{
    h->limited = true;
    (void)strlist_add(&h->reasons, slice_str(text));
}

void health_judge(struct generator_health *h, unsigned cpus)
{
    char text[160];
    double sum = 0;
    bool one_full = false;

    for (size_t i = 0; i < h->workers; i++) {
        sum += h->cpu_per_worker[i];
        if (h->cpu_per_worker[i] < CPU_FULL)
            continue;
        one_full = true;
        snprintf(text, sizeof(text), "client CPU was full: worker %zu used %.0f %% of a core", i,
                 100 * h->cpu_per_worker[i]);
        add_reason(h, text);
    }
    if (!one_full && sum >= CPU_FULL * cpus) {
        snprintf(text, sizeof(text),
                 "client CPU was full: %zu worker%s used %.0f %% of the %u core%s this process may use", h->workers,
                 units_plural(h->workers), 100 * sum / cpus, cpus, cpus == 1 ? "" : "s");
        add_reason(h, text);
    }
    if (hist_max_ns(h->loop_lag) > STANDSTILL_NS) {
        snprintf(text, sizeof(text), "the client stood still for up to %.2f s: what it measured then is its own",
                 (double)hist_max_ns(h->loop_lag) / 1e9);
        add_reason(h, text);
    }
    if (hist_count(h->send_lateness) >= 20 && hist_value_at(h->send_lateness, 99) > LAG_LIMIT_NS) {
        snprintf(text, sizeof(text),
                 "requests left late although connections were free: lateness p99 %.1f ms (limit %.0f ms)",
                 (double)hist_value_at(h->send_lateness, 99) / 1e6, (double)LAG_LIMIT_NS / 1e6);
        add_reason(h, text);
    }
    if (hist_count(h->loop_lag) >= 20 && hist_value_at(h->loop_lag, 99) > LAG_LIMIT_NS) {
        snprintf(text, sizeof(text), "the client's event loop was late: lag p99 %.1f ms (limit %.0f ms)",
                 (double)hist_value_at(h->loop_lag, 99) / 1e6, (double)LAG_LIMIT_NS / 1e6);
        add_reason(h, text);
    }
}
