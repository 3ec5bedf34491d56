/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <stdio.h>

#include "report/table.h"

#define CLAUSES_SHOWN 36u
#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

static const char *figure(char out[SECTION_CELL_MAX], const struct promise *p)
{
    char text[UNITS_TEXT_MAX];

    if (!p->known)
        snprintf(out, SECTION_CELL_MAX, "none");
    else if (p->unit == PROMISE_SECONDS)
        snprintf(out, SECTION_CELL_MAX, "%s", units_format_duration(text, p->observed * NS_PER_S));
    else if (p->unit == PROMISE_SHARE)
        snprintf(out, SECTION_CELL_MAX, "%.4g %%", p->observed * 100);
    else
        snprintf(out, SECTION_CELL_MAX, "%s/s", section_rate(text, p->observed));
    return out;
}

static void add_row(struct table *t, const struct promise *p)
{
    char text[SECTION_CELL_MAX];

    table_cell(t, "%s", p->kept ? "kept" : "BROKEN");
    table_cell(t, "%s", figure(text, p));
    table_cell(t, "%s", p->clause != NULL ? p->clause : "");
}

void section_slo(struct section *s)
{
    const struct result *r = s->result;
    const bool kept = result_promises_kept(r);
    struct table t;

    if (r->promise_count == 0)
        return;
    buf_printf(s->out, "\nPromises (--slo): %s%s%s\n", s->colours ? (kept ? GREEN : RED) : "",
               kept ? "all kept" : "BROKEN", s->colours ? PLAIN : "");
    table_init(&t, "lrh");
    table_cell(&t, "kept");
    table_cell(&t, "observed");
    table_cell(&t, "clause");
    /* The broken ones first: they are never left out. */
    for (unsigned pass = 0, shown = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->promise_count && shown < CLAUSES_SHOWN; i++) {
            if (r->promises[i].kept != (pass == 1))
                continue;
            add_row(&t, &r->promises[i]);
            shown++;
        }
    }
    table_print(&t, s->out, s->width);
    table_release(&t);
}
