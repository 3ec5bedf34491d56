/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <stdio.h>

#include "report/table.h"

#define ALL_SHOWN 24u
#define LATE_S 0.1 /* worth a column */

static bool has_trouble(const struct result_part *p)
{
    return !p->valid || p->interrupted || p->limited || p->start.late_s > LATE_S;
}

static const char *health_of(char out[96], const struct result_part *p)
{
    snprintf(out, 96, "%s%s%s", p->valid ? "" : " invalid", p->limited ? " its machine was the limit" : "",
             p->interrupted ? " interrupted" : "");
    return out[0] != '\0' ? out + 1 : "ok";
}

static const char *late_of(char out[UNITS_TEXT_MAX], const struct result_part *p)
{
    if (p->start.at[0] == '\0')
        return "-";
    return units_format_duration(out, p->start.late_s * NS_PER_S);
}

static void add_row(struct table *t, const struct result_part *p)
{
    char text[UNITS_TEXT_MAX], health[96];

    if (p->share != NULL)
        table_cell(t, "%s", p->share);
    else
        table_cell(t, "%.8s", p->id);
    table_cell(t, "%s", late_of(text, p));
    table_cell(t, "%s", units_format_duration(text, p->duration_s * NS_PER_S));
    table_cell(t, "%s", units_format_count(text, p->requests));
    table_cell(t, "%s", units_format_count(text, p->failed));
    table_cell(t, "%s", section_rate(text, p->requests_per_s));
    table_cell(t, "%.0f %%", 100 * p->cpu_max);
    table_cell(t, "%s", health_of(health, p));
    table_cell(t, "%s", p->host.hostname);
}

/* Of many those alone that something is wrong with. */
void section_parts(struct section *s)
{
    const struct result *r = s->result;
    const bool all = r->part_count <= ALL_SHOWN;
    size_t shown = 0, hidden = 0;
    struct table t;

    if (r->part_count == 0)
        return;
    buf_printf(s->out, "\nParts: %zu\n", r->part_count);
    table_init(&t, "lrrrrrrlb");
    table_cell(&t, r->parts[0].share != NULL ? "share" : "part");
    table_cell(&t, "late");
    table_cell(&t, "window");
    table_cell(&t, "requests");
    table_cell(&t, "failed");
    table_cell(&t, "ok/s");
    table_cell(&t, "CPU");
    table_cell(&t, "health");
    table_cell(&t, "host");
    for (size_t i = 0; i < r->part_count; i++) {
        if ((all || has_trouble(&r->parts[i])) && shown < ALL_SHOWN) {
            add_row(&t, &r->parts[i]);
            shown++;
        } else {
            hidden++;
        }
    }
    if (shown > 0)
        table_print(&t, s->out, s->width);
    table_release(&t);
    if (hidden > 0)
        buf_printf(s->out, "  and %zu more\n", hidden);
}
