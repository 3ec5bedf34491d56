/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rounds_forms.h"

#include "report/rounds.h"

static void roundup(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    (void)options;
    rounds_roundup(out, r);
}

static void markdown(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    (void)options;
    rounds_markdown(out, r);
}

static void csv(struct buf *out, const struct result *r, const struct report_text_options *options)
{
    (void)options;
    rounds_csv(out, r);
}

struct report_form rounds_form(enum rounds_format format, bool verbose)
{
    struct report_form form = { report_text, verbose };

    switch (format) {
    case ROUNDS_TEXT:
        break;
    case ROUNDS_ROUNDUP:
        form.render = roundup;
        break;
    case ROUNDS_MARKDOWN:
        form.render = markdown;
        break;
    case ROUNDS_CSV:
        form.render = csv;
        break;
    }
    return form;
}
