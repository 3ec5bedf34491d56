/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg.h"

static const char *const NAMES[] = {
#define SVG_NAME(id, name, what) name,
    SVG_PLOTS(SVG_NAME)
#undef SVG_NAME
};

const char *svg_plot_name(enum svg_plot plot)
{
    return NAMES[plot];
}

bool svg_plot_parse(enum svg_plot *out, struct slice name)
{
    for (unsigned i = 0; i < SVG_PLOT_COUNT; i++)
        if (slice_eq(name, slice_str(NAMES[i]))) {
            *out = (enum svg_plot)i;
            return true;
        }
    return false;
}
