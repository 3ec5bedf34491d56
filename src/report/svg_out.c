/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/svg_out.h"

#include <math.h>
#include <stdarg.h>

#include "report/escapes.h"

/* Okabe and Ito's colours, lighter ones where the surroundings are dark. */
static const char STYLE[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;fill:#1f2328}\n"
    ".title{font-size:15px;font-weight:600}.soft{fill:#59636e}.small{font-size:11px}.onlight{fill:#111}.ondark{fill:#"
    "fff}\n"
    ".paper{fill:#fff}.grid{stroke:#d8dee4}.axis{stroke:#818b98}.promise{stroke:#b3261e;stroke-dasharray:7 4}\n"
    ".none{fill:#eaeef2}.bad{fill:#b3261e}.badline{stroke:#b3261e;stroke-width:1.5}\n"
    "path{fill:none;stroke-width:2;stroke-linejoin:round}.thin{stroke-width:1.2;stroke-dasharray:4 3}\n"
    ".s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#a24a86}.s4{stroke:#8f6a00}.s5{stroke:#3b7ea8}"
    ".s6{stroke:#555}.s7{stroke:#7a3b00}\n"
    ".f0{fill:#0072b2}.f1{fill:#d55e00}.f2{fill:#009e73}.f3{fill:#a24a86}.f4{fill:#8f6a00}.f5{fill:#3b7ea8}.f6{fill:#"
    "555}"
    ".f7{fill:#7a3b00}.faint{fill-opacity:.45}\n"
    ".s4,.s5,.s6,.s7{stroke-dasharray:9 3}\n"
    ".v0{fill:#deebf7}.v1{fill:#c6dbef}.v2{fill:#9ecae1}.v3{fill:#6baed6}.v4{fill:#3f8fc5}.v5{fill:#2171b5}.v6{fill:#"
    "084594}\n"
    ".better3{fill:#2166ac}.better2{fill:#67a9cf}.better1{fill:#d1e5f0}.same{fill:#f0f0f0}.worse1{fill:#fddbc7}"
    ".worse2{fill:#ef8a62}.worse3{fill:#b2182b}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.soft{fill:#9da7b3}.onlight{fill:#111}.ondark{fill:#fff}\n"
    ".paper{fill:#0d1117}.grid{stroke:#2a313a}.axis{stroke:#7d8590}.promise{stroke:#ff8a80}.none{fill:#21262d}\n"
    ".bad{fill:#ff8a80}.badline{stroke:#ff8a80}\n"
    ".s0{stroke:#56b4e9}.s1{stroke:#f0863a}.s2{stroke:#2fc79a}.s3{stroke:#d98cbd}.s4{stroke:#e6b93c}.s5{stroke:#9ccbe8}"
    ".s6{stroke:#bbb}.s7{stroke:#c98a4b}\n"
    ".f0{fill:#56b4e9}.f1{fill:#f0863a}.f2{fill:#2fc79a}.f3{fill:#d98cbd}.f4{fill:#e6b93c}.f5{fill:#9ccbe8}.f6{fill:#"
    "bbb}"
    ".f7{fill:#c98a4b}\n"
    "}\n"
    "</style>\n";

void svg_begin(struct svg *s, const char *title, const char *subtitle, const char *description)
{
    buf_printf(s->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
               "role=\"img\" aria-labelledby=\"plimsoll-title plimsoll-description\">\n<title id=\"plimsoll-title\">",
               s->width, s->height, s->width, s->height);
    escape_xml(s->out, title);
    buf_add_str(s->out, "</title>\n<desc id=\"plimsoll-description\">");
    escape_xml(s->out, description);
    buf_add_str(s->out, "</desc>\n");
    buf_add_str(s->out, STYLE);
    svg_rect(s, 0, 0, s->width, s->height, "paper");
    svg_text(s, 16, 24, SVG_START, "title", "%s", title);
    if (subtitle != NULL)
        svg_text(s, 16, 42, SVG_START, "soft", "%s", subtitle);
}

void svg_end(struct svg *s)
{
    buf_add_str(s->out, "</svg>\n");
}

static void add_class(struct svg *s, const char *class)
{
    if (class != NULL)
        buf_printf(s->out, " class=\"%s\"", class);
}

void svg_text(struct svg *s, double x, double y, enum svg_anchor anchor, const char *class, const char *fmt, ...)
{
    static const char *const ANCHORS[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
    struct buf text;
    va_list args;

    buf_init(&text, BUF_TEXT_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    buf_printf(s->out, "<text x=\"%.1f\" y=\"%.1f\"%s", x, y, ANCHORS[anchor]);
    add_class(s, class);
    buf_add_char(s->out, '>');
    if (buf_ok(&text))
        escape_xml(s->out, text.data != NULL ? text.data : "");
    buf_add_str(s->out, "</text>\n");
    buf_release(&text);
}

void svg_line(struct svg *s, double x1, double y1, double x2, double y2, const char *class)
{
    buf_printf(s->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x1, y1, x2, y2);
    add_class(s, class);
    buf_add_str(s->out, "/>\n");
}

void svg_rect(struct svg *s, double x, double y, double width, double height, const char *class)
{
    buf_printf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, width, height);
    add_class(s, class);
    buf_add_str(s->out, "/>\n");
}

void svg_dot(struct svg *s, double x, double y, double radius, const char *class)
{
    buf_printf(s->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, radius);
    add_class(s, class);
    buf_add_str(s->out, "/>\n");
}

void svg_cross(struct svg *s, double x, double y, double radius, const char *class)
{
    bool is_down = false;

    svg_path_begin(s, class);
    svg_path_point(s, &is_down, x - radius, y - radius);
    svg_path_point(s, &is_down, x + radius, y + radius);
    is_down = false;
    svg_path_point(s, &is_down, x - radius, y + radius);
    svg_path_point(s, &is_down, x + radius, y - radius);
    svg_path_end(s);
}

void svg_path_begin(struct svg *s, const char *class)
{
    buf_add_str(s->out, "<path");
    add_class(s, class);
    buf_add_str(s->out, " d=\"");
}

void svg_path_point(struct svg *s, bool *is_down, double x, double y)
{
    if (!isfinite(y)) {
        *is_down = false;
        return;
    }
    buf_printf(s->out, "%c%.1f %.1f", *is_down ? 'L' : 'M', x, y);
    *is_down = true;
}

void svg_path_end(struct svg *s)
{
    buf_add_str(s->out, "\"/>\n");
}

size_t svg_fitting(double width)
{
    return width > 14 ? (size_t)(width / 6.6) : 2;
}
