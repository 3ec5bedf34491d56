/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/text.h"

#include "report/rounds.h"
#include "report/sections.h"

#define WIDTH_DEFAULT 80u
#define WIDTH_MIN 60u

void report_text(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    static void (*const SECTIONS[])(struct section *) = {
        section_verdict, section_slo,      section_throughput, section_latency,   section_histogram,
        section_errors,  section_statuses, section_phases,     section_traffic,   section_addresses,
        section_targets, section_parts,    section_watch,      section_generator, section_meaning,
    };
    struct section s = { .out = out, .result = r, .width = WIDTH_DEFAULT };

    if (r->rounds != NULL) {
        rounds_text(out, r, options);
        return;
    }
    if (options != NULL) {
        s.colours = options->colours;
        if (options->width > 0)
            s.width = options->width > WIDTH_MIN ? options->width : WIDTH_MIN;
    }
    for (size_t i = 0; i < sizeof(SECTIONS) / sizeof(SECTIONS[0]); i++)
        SECTIONS[i](&s);
}
