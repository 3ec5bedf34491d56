/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A merged result's parts: when each began, what it did, and whether its machine was the limit. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>

#include "report/sections.h"

enum { ROWS_MAX = 300, COMMANDS_MAX = 20 };

static bool any_parts(const struct page *p)
{
    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        if (p->shown[i]->part_count > 0)
            return true;
    return false;
}

static void add_count(struct page *p, uint64_t count)
{
    char text[UNITS_TEXT_MAX];

    html_cell_number(&p->body, (double)count, units_format_count(text, count));
}

static void add_health(struct page *p, const struct result_part *part)
{
    const bool fine = part->valid && !part->limited && !part->interrupted;

    buf_add_str(&p->body, fine ? "<td>ok" : "<td class=\"worse-text\">");
    buf_add_str(&p->body, part->valid ? "" : "invalid ");
    buf_add_str(&p->body, part->limited ? "its machine was the limit " : "");
    buf_add_str(&p->body, part->interrupted ? "interrupted" : "");
    buf_add_str(&p->body, "</td>");
}

static void add_part(struct page *p, size_t run, const struct result_part *part)
{
    const bool agreed = part->start.at[0] != '\0';
    char text[UNITS_TEXT_MAX];

    html_row_open(&p->body);
    html_cell_head(&p->body, part->share != NULL ? part->share : part->id);
    if (p->c->count > 1)
        html_cell(&p->body, p->c->runs[run].name);
    buf_add_str(&p->body, "<td class=\"t\">");
    html_text(&p->body, part->started);
    buf_add_str(&p->body, "</td>");
    html_cell_number(&p->body, agreed ? part->start.late_s : NAN, page_duration(text, part->start.late_s));
    html_cell_number(&p->body, part->duration_s, page_duration(text, part->duration_s));
    add_count(p, part->requests);
    add_count(p, part->ok);
    add_count(p, part->failed);
    add_count(p, part->not_sent);
    html_cell_number(&p->body, part->requests_per_s, section_rate(text, part->requests_per_s));
    snprintf(text, sizeof(text), "%.0f %%", 100 * part->cpu_max);
    html_cell_number(&p->body, part->cpu_max, text);
    add_health(p, part);
    html_cell(&p->body, part->host.hostname);
    html_row_close(&p->body);
}

static void add_commands(struct page *p, const struct result *r)
{
    html_details_open(&p->body, NULL,
                      r->part_count > COMMANDS_MAX ? "The first parts' commands" : "The parts' commands", false);
    for (size_t i = 0; i < r->part_count && i < COMMANDS_MAX; i++)
        page_command(p, &r->parts[i].command);
    html_details_close(&p->body);
}

void html_part_shares(struct page *p)
{
    if (!any_parts(p))
        return;
    page_section(p, "parts", "Parts");
    html_table_open(&p->body, "Merged from these runs; late: after the moment that all were to start at",
                    p->c->count > 1
                        ? "part|run|started|#late|#window|#requests|#ok|#failed|#not sent|#ok/s|#busiest "
                          "thread's CPU|health|host"
                        : "part|started|#late|#window|#requests|#ok|#failed|#not sent|#ok/s|#busiest thread's "
                          "CPU|health|host");
    for (size_t run = 0; run < p->c->count; run++)
        for (size_t i = 0; i < p->shown[run]->part_count && i < ROWS_MAX; i++)
            add_part(p, run, &p->shown[run]->parts[i]);
    html_table_close(&p->body);
    for (size_t run = 0; run < p->c->count; run++) {
        const struct result *r = p->shown[run];

        if (r->part_count > ROWS_MAX)
            html_printf(&p->body, "%d of %zu parts are shown; the document has all.", ROWS_MAX, r->part_count);
        if (r->part_count > 0)
            add_commands(p, r);
    }
}
