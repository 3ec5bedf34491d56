/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/checkup.h"

#include <stdio.h>

#include "base/units.h"
#include "report/fit.h"

enum { LABEL_COLUMNS = 18, WIDTH = 80 };

static const struct heading {
    enum finding_level level;
    const char *text;
} HEADINGS[] = {
    { FINDING_SPOILS, "Spoils a measurement here" },
    { FINDING_NOTE, "Worth knowing" },
    { FINDING_FINE, "Fine" },
    { FINDING_UNKNOWN, "Not to be seen from here" },
};

static void add_line(struct buf *out, const char *label, struct slice text, unsigned width)
{
    char first[LABEL_COLUMNS + 1];

    snprintf(first, sizeof(first), "  %-*s", LABEL_COLUMNS - 2, label);
    fit_paragraph(out, first, text, width);
}

static void add_finding(struct buf *out, const struct finding *f, unsigned width)
{
    const bool explain = f->level == FINDING_SPOILS || f->level == FINDING_NOTE;
    struct buf text;

    add_line(out, f->title, slice_str(f->found), width);
    if (f->is_accepted)
        add_line(out, "", SLICE("accepted with --ignore"), width);
    if (explain && f->why != NULL)
        add_line(out, "", slice_str(f->why), width);
    if (!explain || f->mend == NULL)
        return;
    buf_init(&text, 4096);
    buf_printf(&text, "mend: %s", f->mend);
    /* A command is there to be copied: it is not folded. */
    add_line(out, "", buf_slice(&text), 4096);
    buf_release(&text);
}

static void add_verdict(struct buf *out, const struct checkup *c)
{
    const size_t spoils = checkup_count(c, FINDING_SPOILS), notes = checkup_count(c, FINDING_NOTE);

    if (spoils == 0)
        buf_add_str(out, "OK: nothing was found that spoils a measurement on this machine");
    else
        buf_printf(out, "%zu thing%s will spoil a measurement on this machine", spoils, units_plural(spoils));
    if (notes > 0)
        buf_printf(out, "; %zu %s worth knowing", notes, notes == 1 ? "is" : "are");
    buf_add_char(out, '\n');
}

void report_checkup(struct buf *out, const struct checkup *c, unsigned width)
{
    if (width == 0)
        width = WIDTH;
    add_verdict(out, c);
    for (size_t h = 0; h < sizeof(HEADINGS) / sizeof(HEADINGS[0]); h++) {
        bool is_first = true;

        for (size_t i = 0; i < c->count; i++) {
            if (c->findings[i].level != HEADINGS[h].level)
                continue;
            if (is_first)
                buf_printf(out, "\n%s\n", HEADINGS[h].text);
            is_first = false;
            add_finding(out, &c->findings[i], width);
        }
    }
}
