/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fit.h"
#include "report/rounds.h"
#include "report/rounds_parts.h"

#define WIDTH_DEFAULT 80u
#define WIDTH_MIN 60u
#define HUNDREDTHS_BELOW_S 600.0 /* a minute more or less is compared better in seconds */

const char *rounds_time(char out[UNITS_TEXT_MAX], double s)
{
    if (isnan(s))
        snprintf(out, UNITS_TEXT_MAX, "-");
    else if (s == 0)
        snprintf(out, UNITS_TEXT_MAX, "0 s");
    else if (s >= 1 && s < HUNDREDTHS_BELOW_S)
        snprintf(out, UNITS_TEXT_MAX, "%.2f s", s);
    else
        units_format_duration(out, s * NS_PER_S);
    return out;
}

/* "1, 2, 4, 8" */
static void add_sizes(struct buf *out, const struct rounds_report *p)
{
    uint32_t last = 0;

    for (size_t i = 0; i < p->sizes.count; i++) {
        uint32_t next = 0;

        for (size_t k = 0; k < p->sizes.count; k++)
            if (p->sizes.items[k].concurrency > last && (next == 0 || p->sizes.items[k].concurrency < next))
                next = p->sizes.items[k].concurrency;
        if (next == 0)
            return;
        buf_printf(out, "%s%" PRIu32, last > 0 ? ", " : "", next);
        last = next;
    }
}

static void add_subject(const struct rounds_report *p)
{
    const struct rounds_result *r = p->rounds;
    struct buf sizes;

    if (p->s.result->name != NULL && p->s.result->name[0] != '\0')
        section_line(&p->s, "Name", "%s", p->s.result->name);
    if (r->series_count == 1 && r->series[0].command != NULL)
        section_line(&p->s, "Command", "%s", r->series[0].command);
    for (size_t i = 0; i < p->s.result->labels.count; i++)
        section_line(&p->s, i == 0 ? "Labels" : "", "%s", p->s.result->labels.items[i]);
    buf_init(&sizes, 4096);
    add_sizes(&sizes, p);
    if (sizes.len > 0)
        section_line(&p->s, "Rounds", "%zu, of %s at once", r->round_count, sizes.data);
    buf_release(&sizes);
}

static void add_title(const struct rounds_report *p, uint32_t series)
{
    const struct rounds_series *s = &p->rounds->series[series];

    if (p->rounds->series_count < 2)
        return;
    buf_add_str(p->s.out, "\n== ");
    fit_line(p->s.out, slice_str(s->name != NULL ? s->name : s->command), p->s.width - 6, FIT_BOTH_ENDS);
    buf_add_str(p->s.out, " ==\n");
}

static void add_series(const struct rounds_report *p, uint32_t series)
{
    add_title(p, series);
    if (rounds_is_single(p, series))
        rounds_part_single(p, series);
    else
        rounds_part_rounds(p, series);
    if (p->verbose)
        rounds_part_durations(p, series);
    rounds_part_phases(p, series);
    rounds_part_scaling(p, series);
}

void rounds_text(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    struct rounds_report p = {
        .s = { .out = out, .result = r, .width = WIDTH_DEFAULT },
        .rounds = r->rounds,
    };

    if (options != NULL) {
        p.s.colours = options->colours;
        p.verbose = options->verbose;
        if (options->width > 0)
            p.s.width = options->width > WIDTH_MIN ? options->width : WIDTH_MIN;
    }
    if (rounds_sizes_of(&p.sizes, r->rounds, NULL) != 0) {
        (void)buf_reserve(out, SIZE_MAX); /* can not be had: the report fails */
        rounds_sizes_release(&p.sizes);
        return;
    }
    section_judgement(&p.s, "copy", "copies");
    buf_add_char(out, '\n');
    add_subject(&p);
    rounds_part_series(&p);
    for (uint32_t i = 0; i < r->rounds->series_count; i++)
        add_series(&p, i);
    rounds_part_failures(&p);
    rounds_sizes_release(&p.sizes);
}
