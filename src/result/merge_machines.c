/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that are of a whole machine, of parts of which several may have run on one. */
#include <stdlib.h>
#include <string.h>

#include "result/merge_parts.h"

/* Two parts whose hosts agree in all that is known of them ran on one machine. */
static int compare_hosts(const struct host_info *a, const struct host_info *b)
{
    int order = strcmp(a->hostname, b->hostname);

    if (order == 0)
        order = strcmp(a->kernel, b->kernel);
    if (order == 0)
        order = strcmp(a->cpu, b->cpu);
    if (order == 0)
        order = (a->cpus > b->cpus) - (a->cpus < b->cpus);
    return order != 0 ? order : (a->memory_bytes > b->memory_bytes) - (a->memory_bytes < b->memory_bytes);
}

static int by_host(const void *a, const void *b)
{
    return compare_hosts(&(*(const struct result_part *const *)a)->host,
                         &(*(const struct result_part *const *)b)->host);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* All saw the same machine at about the same time, so the largest figure is the machine's; but the ports that a part
 * has open are its own, and those in TIME_WAIT everybody's. */
static struct machine_figures one_machine(const struct result_part *const *parts, size_t n)
{
    struct machine_figures m = { 0 };
    uint64_t open = 0;

    for (size_t i = 0; i < n; i++) {
        const struct machine_figures *p = &parts[i]->machine;

        open += p->ports_used > p->time_wait_end ? p->ports_used - p->time_wait_end : 0;
        m.ports_used = larger(m.ports_used, p->ports_used);
        m.ports_available = larger(m.ports_available, p->ports_available);
        m.time_wait_start = larger(m.time_wait_start, p->time_wait_start);
        m.time_wait_end = larger(m.time_wait_end, p->time_wait_end);
        m.retransmits = larger(m.retransmits, p->retransmits);
    }
    if (open > 0)
        m.ports_used = open + m.time_wait_end;
    if (m.ports_used > m.ports_available && m.ports_available > 0)
        m.ports_used = m.ports_available;
    return m;
}

int merge_machines(struct result *r, struct err *err)
{
    const struct result_part **parts = calloc(r->part_count + 1, sizeof(const struct result_part *));
    struct generator_health *g = &r->generator;

    if (parts == NULL)
        return merge_no_memory(err);
    for (size_t i = 0; i < r->part_count; i++)
        parts[i] = &r->parts[i];
    qsort(parts, r->part_count, sizeof(const struct result_part *), by_host);
    g->ports_used = g->ports_available = g->time_wait_start = g->time_wait_end = g->retransmits = 0;
    for (size_t i = 0, n; i < r->part_count; i += n) {
        struct machine_figures m;

        for (n = 1; i + n < r->part_count && by_host(&parts[i], &parts[i + n]) == 0;)
            n++;
        m = one_machine(parts + i, n);
        g->ports_used += m.ports_used;
        g->ports_available += m.ports_available;
        g->time_wait_start += m.time_wait_start;
        g->time_wait_end += m.time_wait_end;
        g->retransmits += m.retransmits;
    }
    free(parts);
    return 0;
}
