/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/units.h"
#include "http/redact.h"

enum { CELLS_SHOWN = 1000, STEPS_SHOWN = 20 };

static const char *const ORDERS[] = { "interleaved", "shuffled", "as written" };

void run_plan_line(struct buf *out, const struct plan *p)
{
    char time[UNITS_TEXT_MAX], seed[40] = "";

    if (p->suite->order == ORDER_SHUFFLED)
        snprintf(seed, sizeof(seed), " (--seed %" PRIu64 ")", p->seed);
    buf_printf(out, "%zu %s x %u %s%s, %s%s", p->cell_count, p->cell_count == 1 ? "cell" : "cells", p->samples,
               p->samples == 1 ? "sample" : "samples", p->sides == 2 ? " x 2 sides" : "", ORDERS[p->suite->order],
               seed);
    if (isnan(p->estimate_s))
        buf_add_str(out, ", time not known beforehand");
    else
        buf_printf(out, ", at least %s", units_format_duration(time, p->estimate_s * 1e9));
}

/* Local ports of this machine; 0: not known. */
static uint64_t local_ports(void)
{
    struct buf text;
    uint64_t low = 0, high = 0;

    buf_init(&text, 256);
    if (file_read("/proc/sys/net/ipv4/ip_local_port_range", &text, NULL) == 0) {
        struct slice rest = buf_slice(&text);

        if (!slice_to_u64(slice_trim(slice_split(&rest, '\t')), &low) ||
            !slice_to_u64(slice_trim(slice_split(&rest, '\n')), &high))
            low = high = 0;
    }
    buf_release(&text);
    return high > low ? high - low + 1 : 0;
}

static void warn_of_client(struct buf *out, const struct plan_cell *cell)
{
    struct rlimit files = { 0 };
    const uint64_t ports = local_ports();

    if (ports > 0 && cell->need.client_ports > ports)
        buf_printf(out, "%s needs %" PRIu64 " connections, this machine has %" PRIu64 " local ports per address\n",
                   cell->name, cell->need.client_ports, ports);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && cell->need.client_ports + 64 > files.rlim_max)
        buf_printf(out, "%s needs %" PRIu64 " connections, this user may open %" PRIu64 " files\n", cell->name,
                   cell->need.client_ports, (uint64_t)files.rlim_max);
}

void run_plan_warnings(struct buf *out, const struct plan *p)
{
    for (size_t k = 0; k < p->cell_count; k++) {
        const struct plan_cell *cell = &p->cells[k];

        if (!cell->need.known)
            continue;
        if (cell->need.is_over)
            buf_printf(out, "%s is over budget: it needs %.0f connections, the routers carry %.0f\n", cell->name,
                       cell->need.need, cell->need.capacity);
        else if (cell->need.is_tight)
            buf_printf(out, "%s is tight: %.0f of %.0f connections, and the fullest router may get %.0f of its %.0f\n",
                       cell->name, cell->need.need, cell->need.capacity, cell->need.worst, cell->need.maxconn);
        warn_of_client(out, cell);
    }
}

static void add_pairs(struct buf *out, const char *heading, const struct suite_pairs *pairs)
{
    for (size_t k = 0; k < pairs->count; k++) {
        buf_printf(out, "%-12s%s = ", k == 0 ? heading : "", pairs->items[k].name);
        if (redact_is_secret_name(slice_str(pairs->items[k].name)))
            buf_add_str(out, "***");
        else
            redact_url(out, slice_str(pairs->items[k].value));
        buf_add_char(out, '\n');
    }
}

static void add_cell(struct buf *out, const struct plan_cell *cell, bool skips)
{
    char length[UNITS_TEXT_MAX];

    buf_printf(out, "  %-40s", cell->name);
    if (cell->length_ns > 0)
        buf_printf(out, "  %8s", units_format_duration(length, (double)cell->length_ns));
    if (cell->need.has_no_routes)
        buf_add_str(out, "  no routes: not run");
    else if (cell->need.known)
        buf_printf(out, "  %6.0f of %.0f connections (%.0f %%)%s", cell->need.need, cell->need.capacity,
                   100 * cell->need.need / cell->need.capacity,
                   cell->need.is_over    ? skips ? "  OVER BUDGET: skipped" : "  OVER BUDGET"
                   : cell->need.is_tight ? "  tight"
                                         : "");
    buf_add_char(out, '\n');
}

static void add_order(struct buf *out, const struct plan *p)
{
    buf_add_str(out, "Order\n");
    for (size_t k = 0; k < p->step_count && k < STEPS_SHOWN; k++)
        buf_printf(out, "  %3zu  %s sample %u%s\n", k + 1, p->cells[p->steps[k].cell].name, p->steps[k].sample + 1,
                   p->sides == 1           ? ""
                   : p->steps[k].side == 0 ? " of a"
                                           : " of b");
    if (p->step_count > STEPS_SHOWN)
        buf_printf(out, "       and %zu more\n", p->step_count - STEPS_SHOWN);
}

void run_plan_text(struct buf *out, const struct plan *p)
{
    const struct suite *s = p->suite;

    buf_printf(out, "%-12s%s\n", "Suite", s->name);
    if (s->about != NULL)
        buf_printf(out, "%-12s%s\n", "About", s->about);
    add_pairs(out, "Parameters", &s->parameters);
    add_pairs(out, "Against", &s->against);
    buf_printf(out, "%-12s", "Plan");
    run_plan_line(out, p);
    buf_add_str(out, "\nCells\n");
    for (size_t k = 0; k < p->cell_count && k < CELLS_SHOWN; k++)
        add_cell(out, &p->cells[k], s->budget.skip);
    if (p->cell_count > CELLS_SHOWN)
        buf_printf(out, "  and %zu more\n", p->cell_count - CELLS_SHOWN);
    add_order(out, p);
}
