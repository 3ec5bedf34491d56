/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/table.h"

enum { NAME_COLUMNS = 44, ROWS_SHOWN = TABLE_ROWS_MAX - 1, SENTENCE_MAX_BYTES = 1 << 26 };

static const struct {
    const char *name, *shown;
} KNOWN[] = {
    { "cpu_cores", "CPU, cores" },
    { "rss_bytes", "memory of its processes" },
    { "memory_bytes", "memory, caches included" },
    { "threads", "threads" },
    { "throttled_s_per_s", "held back by its CPU limit" },
    { "read_bytes_per_s", "read from disk" },
    { "write_bytes_per_s", "written to disk" },
    { "net_received_bytes_per_s", "received" },
    { "net_sent_bytes_per_s", "sent" },
};

const char *section_figure_name(const char *name)
{
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++)
        if (strcmp(KNOWN[i].name, name) == 0)
            return KNOWN[i].shown;
    return name;
}

/* Names may come from a document that anybody has written. */
static const char *shown_name(char out[NAME_COLUMNS + 1], const char *name)
{
    size_t n = 0;

    name = section_figure_name(name);
    for (; name[n] != '\0' && n < NAME_COLUMNS; n++)
        out[n] = name[n] >= ' ' && name[n] < 0x7f ? name[n] : '?';
    out[n] = '\0';
    return out;
}

const char *section_figure_value(char out[SECTION_FIGURE_MAX], const char *name, double value)
{
    const struct slice s = slice_str(name);
    char text[UNITS_TEXT_MAX];

    if (!isfinite(value))
        snprintf(out, SECTION_FIGURE_MAX, "-");
    else if (slice_eq(s, SLICE("cpu_cores")))
        snprintf(out, SECTION_FIGURE_MAX, "%.2f", value);
    else if (slice_eq(s, SLICE("throttled_s_per_s")))
        snprintf(out, SECTION_FIGURE_MAX, "%.1f %%", 100 * value);
    else if (slice_ends(s, SLICE("_bytes_per_s")) && value >= 0)
        snprintf(out, SECTION_FIGURE_MAX, "%s/s", units_format_size(text, value));
    else if (slice_ends(s, SLICE("_bytes")) && value >= 0)
        snprintf(out, SECTION_FIGURE_MAX, "%s", units_format_size(text, value));
    else if (slice_ends(s, SLICE("_per_s")) && value >= 0)
        snprintf(out, SECTION_FIGURE_MAX, "%s/s", section_rate(text, value));
    else if (fabs(value) < 1e7 && value == floor(value))
        snprintf(out, SECTION_FIGURE_MAX, "%.0f", value);
    else
        snprintf(out, SECTION_FIGURE_MAX, "%.4g", value);
    return out;
}

static void add_cores(struct buf *out, double used, double cores)
{
    if (cores <= 0)
        buf_printf(out, "%.2f cores", used);
    else if (cores == floor(cores))
        buf_printf(out, "%.2f of %.0f core%s", used, cores, cores == 1 ? "" : "s");
    else
        buf_printf(out, "%.2f of %.2f cores", used, cores);
}

void section_watched_sentence(struct buf *out, const struct watched *parts, size_t count)
{
    static const char *const WORDS[] = {
        [WATCHED_IDLE] = "was idle", [WATCHED_WORKING] = "worked", [WATCHED_BUSY] = "was busy"
    };
    char name[NAME_COLUMNS + 1];
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        const struct watched_figure *cpu = watched_figure(&parts[i], "cpu_cores");
        const enum watched_load load = watched_load(&parts[i]);

        if (load == WATCHED_UNKNOWN)
            continue;
        buf_printf(out, "%s%s %s (", any ? ", " : "", shown_name(name, parts[i].name), WORDS[load]);
        add_cores(out, cpu->mean, watched_cores(&parts[i]));
        buf_add_char(out, ')');
        any = true;
    }
}

static void add_figures(struct section *s, const struct watched *w)
{
    const size_t shown = w->figure_count < ROWS_SHOWN ? w->figure_count : ROWS_SHOWN;
    char name[NAME_COLUMNS + 1], text[SECTION_FIGURE_MAX];
    struct table t;

    if (w->figure_count == 0)
        return;
    table_init(&t, "lrr");
    table_cell(&t, "%s", shown_name(name, w->name));
    table_cell(&t, "mean");
    table_cell(&t, "max");
    for (size_t i = 0; i < shown; i++) {
        const struct watched_figure *f = &w->figures[i];

        table_cell(&t, "%s", shown_name(name, f->name));
        table_cell(&t, "%s", section_figure_value(text, f->name, f->mean));
        table_cell(&t, "%s", section_figure_value(text, f->name, f->max));
    }
    buf_add_char(s->out, '\n');
    table_print(&t, s->out, s->width);
    table_release(&t);
    if (shown < w->figure_count)
        buf_printf(s->out, "  and %zu more\n", w->figure_count - shown);
}

/* What follows from the figures. */
static void add_conclusions(struct section *s, const struct watched *w)
{
    const struct totals *t = &s->result->totals;
    const double cpu_s = watched_cpu_s(w, s->result->duration_s);
    const double throttled_s = watched_throttled_s(w, s->result->duration_s);
    char text[UNITS_TEXT_MAX];

    if (isfinite(cpu_s) && t->ok + t->failed > 0)
        buf_printf(s->out, "  CPU per request %s\n",
                   units_format_duration(text, cpu_s / (double)(t->ok + t->failed) * NS_PER_S));
    if (throttled_s > 0)
        buf_printf(s->out, "  its CPU limit held it back for %s\n",
                   units_format_duration(text, throttled_s * NS_PER_S));
    if (w->missed > 0)
        buf_printf(s->out, "  %llu of %llu readings failed\n", (unsigned long long)w->missed,
                   (unsigned long long)(w->missed + w->readings));
}

void section_watch(struct section *s)
{
    const struct result *r = s->result;
    struct buf sentence;

    if (r->watched_count == 0)
        return;
    buf_init(&sentence, SENTENCE_MAX_BYTES);
    section_watched_sentence(&sentence, r->watched, r->watched_count);
    buf_add_char(s->out, '\n');
    section_line(s, "Watched", "%s", sentence.len > 0 ? sentence.data : "nothing is known of their CPU");
    buf_release(&sentence);
    for (size_t i = 0; i < r->watched_count; i++) {
        add_figures(s, &r->watched[i]);
        add_conclusions(s, &r->watched[i]);
    }
}
