/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/fit.h"

/* The next of 1, 2, 5 times a power of ten. */
static double round_step(double step)
{
    const double power = pow(10, floor(log10(step)));
    const double times = step / power;

    return power * (times <= 1.0000001 ? 1 : times <= 2.0000001 ? 2 : times <= 5.0000001 ? 5 : 10);
}

/* The largest of 1, 2, 5 times a power of ten that is not above. */
static double round_below(double value)
{
    const double power = pow(10, floor(log10(value) + 1e-9));
    const double times = value / power;

    return power * (times >= 4.9999999 ? 5 : times >= 1.9999999 ? 2 : 1);
}

struct svg_scale svg_scale_around(double lowest, double highest, bool is_log, double from, double to)
{
    struct svg_scale s = { .is_log = is_log && lowest > 0, .from = from, .to = to };

    if (s.is_log) {
        s.low = round_below(lowest);
        s.high = round_step(highest > lowest ? highest : 2 * lowest);
        if (s.high <= s.low)
            s.high = 10 * s.low;
        return s;
    }
    s.low = lowest < 0 ? lowest : 0;
    s.high = highest > s.low ? highest : s.low + 1;
    /* Room above the highest, up to the next line. */
    const double step = round_step((s.high - s.low) / 5);

    s.high = step * ceil(s.high / step - 1e-9);
    return s;
}

double svg_scale_at(const struct svg_scale *scale, double value)
{
    double share;

    if (!isfinite(value) || (scale->is_log && value <= 0))
        return NAN;
    share = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                          : (value - scale->low) / (scale->high - scale->low);
    return scale->from + fmin(1, fmax(0, share)) * (scale->to - scale->from);
}

static size_t log_ticks(double out[SVG_TICKS_MAX], const struct svg_scale *scale, unsigned most)
{
    static const double TIMES[] = { 1, 2, 5 };
    const double decades = log10(scale->high / scale->low);
    const bool is_fine = decades * 3 <= most;
    const int every = decades > most ? (int)ceil(decades / most) : 1;
    size_t n = 0;

    for (int d = (int)floor(log10(scale->low) - 1e-9); d <= 18; d++)
        for (size_t i = 0; i < (is_fine ? 3 : 1); i++) {
            const double value = TIMES[i] * pow(10, d);

            if (value > scale->high * 1.0000001 || n == SVG_TICKS_MAX)
                return n;
            if (value >= scale->low * 0.9999999 && d % every == 0)
                out[n++] = value;
        }
    return n;
}

size_t svg_ticks(double out[SVG_TICKS_MAX], const struct svg_scale *scale, unsigned most)
{
    size_t n = 0;
    double step;

    if (scale->is_log)
        return log_ticks(out, scale, most);
    step = round_step((scale->high - scale->low) / most);
    for (double value = step * ceil(scale->low / step - 1e-9); value <= scale->high + step * 1e-6 && n < SVG_TICKS_MAX;
         value += step)
        out[n++] = fabs(value) < step * 1e-6 ? 0 : value;
    return n;
}

/* Without the zeros that end a fraction: "500 ms", "1 s". */
static void shorten(char *text)
{
    char *space = strchr(text, ' '), *end = space != NULL ? space : text + strlen(text), *cut = end;

    if (memchr(text, '.', (size_t)(end - text)) == NULL)
        return;
    while (cut > text && cut[-1] == '0')
        cut--;
    if (cut > text && cut[-1] == '.')
        cut--;
    memmove(cut, end, strlen(end) + 1);
}

const char *svg_label_time(char *out, size_t size, double value)
{
    char text[UNITS_TEXT_MAX];

    snprintf(out, size, "%s", value == 0 ? "0" : units_format_duration(text, value * NS_PER_S));
    shorten(out);
    return out;
}

const char *svg_label_number(char *out, size_t size, double value)
{
    char text[UNITS_TEXT_MAX];

    snprintf(out, size, "%s", units_format_number(text, value));
    shorten(out);
    return out;
}

void svg_axis_left(struct svg *s, const struct svg_panel *p, const struct svg_scale *y, svg_label *label,
                   const char *name)
{
    double ticks[SVG_TICKS_MAX];
    const size_t n = svg_ticks(ticks, y, (unsigned)fmax(2, (p->bottom - p->top) / 36));
    char text[64];

    svg_text(s, p->left, p->top - 8, SVG_START, "soft small", "%s", name);
    for (size_t i = 0; i < n; i++) {
        const double at = svg_scale_at(y, ticks[i]);

        svg_line(s, p->left, at, p->right, at, "grid");
        svg_text(s, p->left - 8, at + 4, SVG_END, "soft small", "%s", label(text, sizeof(text), ticks[i]));
    }
}

void svg_axis_below(struct svg *s, const struct svg_panel *p, const struct svg_scale *x, svg_label *label,
                    const char *name)
{
    double ticks[SVG_TICKS_MAX];
    const size_t n = svg_ticks(ticks, x, (unsigned)fmax(2, (p->right - p->left) / 80));
    char text[64];

    svg_line(s, p->left, p->bottom, p->right, p->bottom, "axis");
    for (size_t i = 0; i < n; i++) {
        const double at = svg_scale_at(x, ticks[i]);

        svg_line(s, at, p->bottom, at, p->bottom + 4, "axis");
        svg_text(s, at, p->bottom + 17, SVG_MIDDLE, "soft small", "%s", label(text, sizeof(text), ticks[i]));
    }
    if (name != NULL)
        svg_text(s, p->right, p->bottom + 33, SVG_END, "soft small", "%s", name);
}

void svg_legend(struct svg *s, double *x, double y, unsigned series, bool thin, const char *name)
{
    enum { NAME_COLUMNS = 44 };
    char class[16];
    struct buf text;

    buf_init(&text, 1024);
    fit_line(&text, slice_str(name), NAME_COLUMNS, FIT_BOTH_ENDS);
    snprintf(class, sizeof(class), "s%u%s", series % SVG_SERIES_MAX, thin ? " thin" : "");
    svg_path_begin(s, class);
    svg_path_point(s, &(bool){ false }, *x, y - 4);
    svg_path_point(s, &(bool){ true }, *x + 22, y - 4);
    svg_path_end(s);
    svg_text(s, *x + 28, y, SVG_START, "small", "%s", text.data != NULL ? text.data : "");
    *x += 28 + 6.4 * (double)text.len + 18;
    buf_release(&text);
}
