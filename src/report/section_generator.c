/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <stdio.h>

#include "report/fit.h"

#define WORKERS_SHOWN 16u

static void add_cpu(struct section *s)
{
    const struct generator_health *g = &s->result->generator;
    struct buf list;

    if (g->workers == 0)
        return;
    buf_init(&list, 4096);
    for (size_t i = 0; i < g->workers && i < WORKERS_SHOWN; i++)
        buf_printf(&list, "%s%.0f %%", i > 0 ? ", " : "", 100 * g->cpu_per_worker[i]);
    if (g->workers > WORKERS_SHOWN)
        buf_printf(&list, " and %zu more", g->workers - WORKERS_SHOWN);
    section_line(s, "  CPU", "%s of a core, per thread", buf_ok(&list) ? list.data : "");
    buf_release(&list);
}

static void add_lags(struct section *s)
{
    const struct generator_health *g = &s->result->generator;
    char text[SECTION_CELL_MAX];

    if (hist_count(g->loop_lag) > 0)
        section_line(s, "  Loop lag", "p99 %s (how late its timers fired)",
                     section_percentile(s, text, g->loop_lag, 99));
    if (hist_count(g->send_lateness) > 0)
        section_line(s, "  Lateness", "p99 %s (from due to first byte sent)",
                     section_percentile(s, text, g->send_lateness, 99));
}

/* "12 of 28,232". */
static const char *of_limit(char out[2 * UNITS_TEXT_MAX], uint64_t used, uint64_t limit)
{
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

    if (limit > 0)
        snprintf(out, 2 * UNITS_TEXT_MAX, "%s of %s", units_format_count(a, used), units_format_count(b, limit));
    else
        snprintf(out, 2 * UNITS_TEXT_MAX, "%s", units_format_count(a, used));
    return out;
}

static void add_resources(struct section *s)
{
    const struct generator_health *g = &s->result->generator;
    char files[2 * UNITS_TEXT_MAX], ports[2 * UNITS_TEXT_MAX];
    char before[UNITS_TEXT_MAX], after[UNITS_TEXT_MAX], retransmits[UNITS_TEXT_MAX];

    if (g->open_files_max > 0)
        section_line(s, "  Open files", "at most %s", of_limit(files, g->open_files_max, g->open_files_limit));
    if (g->ports_used > 0)
        section_line(s, "  Local ports", "%s in use, the machine's TIME_WAIT included",
                     of_limit(ports, g->ports_used, g->ports_available));
    section_line(s, "  TCP", "%s socket%s in TIME_WAIT before, %s after; %s segment%s sent again (%s)",
                 units_format_count(before, g->time_wait_start), units_plural(g->time_wait_start),
                 units_format_count(after, g->time_wait_end), units_format_count(retransmits, g->retransmits),
                 units_plural(g->retransmits),
                 s->result->part_count > 1 ? "of all machines of the parts, each counted once" : "whole machine");
}

void section_generator(struct section *s)
{
    const struct generator_health *g = &s->result->generator;

    buf_printf(s->out, "\nLoad generator: %s\n",
               g->limited ? "IT WAS THE LIMIT, the server may be faster than this" : "no sign that it was the limit");
    for (size_t i = 0; i < g->reasons.count; i++)
        fit_paragraph(s->out, "  * ", slice_str(g->reasons.items[i]), s->width);
    add_cpu(s);
    add_lags(s);
    add_resources(s);
}

void section_meaning(struct section *s)
{
    buf_add_char(s->out, '\n');
    section_line(s, "Latency", "from when a request was due to the last byte of its reply");
    section_line(s, "Service time", "from its first byte sent to the last byte of its reply");
    section_line(s, "p50 ... p99.9", "50 %% ... 99.9 %% of the requests took at most this long");
    if (s->starred)
        section_line(s, "*", "the maximum: there are too few requests for this percentile");
}
