/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time went, what failed, and with what statuses. */
#include "report/html_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/sections.h"

enum { ERRORS_MAX = 200, EXAMPLES_MAX = 20 };

static const char *const PHASE_MEANINGS[PHASES] = {
    [PHASE_DNS] = "name lookup",         [PHASE_CONNECT] = "TCP connection",
    [PHASE_TLS] = "TLS handshake",       [PHASE_SEND] = "request's bytes out",
    [PHASE_WAIT] = "sent to first byte", [PHASE_RECEIVE] = "first to last byte back",
};

static bool any(const struct page *p, bool (*has)(const struct result *))
{
    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        if (has(p->shown[i]))
            return true;
    return false;
}

/* ---- phases ---- */

static bool has_phases(const struct result *r)
{
    for (size_t i = 0; i < PHASES; i++)
        if (hist_count(r->phases[i]) > 0)
            return true;
    return false;
}

static void add_times(struct page *p, const struct hist *h)
{
    char text[UNITS_TEXT_MAX];
    const double values[] = { (double)hist_value_at(h, 50), (double)hist_value_at(h, 99), (double)hist_max_ns(h),
                              hist_mean_ns(h) };

    html_cell_number(&p->body, (double)hist_count(h), units_format_count(text, hist_count(h)));
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (hist_count(h) == 0 || (i == 1 && section_percentile_is_max(h, 99)))
            html_cell_number(&p->body, NAN, "");
        else
            html_cell_number(&p->body, values[i] / NS_PER_S, units_format_duration(text, values[i]));
}

void page_phase(struct page *p, size_t run, const char *name, const struct hist *h, const char *meaning)
{
    if (hist_count(h) == 0)
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, name);
    if (p->c->count > 1)
        html_cell(&p->body, p->c->runs[run].name);
    add_times(p, h);
    if (meaning != NULL)
        html_cell(&p->body, meaning);
    html_row_close(&p->body);
}

static void add_phase_chart(struct page *p)
{
    struct buf *out = &p->data;

    page_chart(p, "phases", "phases", "Mean time of each phase; connections are opened once, not for each request");
    buf_add_str(out, "{\"phases\":[");
    for (size_t i = 0; i < PHASES; i++)
        buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", phase_text((enum phase)i));
    buf_add_str(out, "],\"runs\":[");
    for (size_t run = 0; run < p->c->count; run++) {
        buf_add_str(out, run > 0 ? ",{\"name\":" : "{\"name\":");
        html_json_string(out, p->c->runs[run].name);
        buf_add_str(out, ",\"mean\":[");
        for (size_t i = 0; i < PHASES; i++) {
            const struct hist *h = p->shown[run]->phases[i];

            buf_add_str(out, i > 0 ? "," : "");
            html_json_number(out, hist_count(h) > 0 ? hist_mean_ns(h) / NS_PER_S : NAN);
        }
        buf_add_str(out, "]}");
    }
    buf_add_str(out, "]}");
}

void html_part_phases(struct page *p)
{
    if (!any(p, has_phases))
        return;
    page_section(p, "phases", "Phases");
    add_phase_chart(p);
    html_table_open(&p->body, "Where the time went: connections opened, and requests ok",
                    p->c->count > 1 ? "phase|run|#times|#p50|#p99|#max|#mean|what it covers"
                                    : "phase|#times|#p50|#p99|#max|#mean|what it covers");
    for (size_t i = 0; i < PHASES; i++)
        for (size_t run = 0; run < p->c->count; run++) {
            const struct result *r = p->shown[run];

            page_phase(p, run, phase_text((enum phase)i), r->phases[i], PHASE_MEANINGS[i]);
            if (i != PHASE_TLS || hist_count(r->tls_resumed) == 0)
                continue;
            page_phase(p, run, "tls, full", r->tls_full, "full handshakes");
            page_phase(p, run, "tls, resumed", r->tls_resumed, "resumed a kept session");
        }
    html_table_close(&p->body);
}

/* ---- errors ---- */

static bool has_errors(const struct result *r)
{
    return r->error_count > 0 && r->rounds == NULL;
}

void page_error(struct page *p, size_t run, const struct error_entry *e, uint64_t started)
{
    char text[SECTION_CELL_MAX];

    html_row_open(&p->body);
    html_cell_head(&p->body, fail_kind_text(e->kind));
    if (p->c->count > 1)
        html_cell(&p->body, p->c->runs[run].name);
    html_cell(&p->body, e->detail);
    html_cell_number(&p->body, (double)e->count, units_format_count(text, e->count));
    html_cell_number(&p->body, started > 0 ? (double)e->count / (double)started : NAN,
                     section_share(text, e->count, started));
    html_cell_number(&p->body, e->first_at_s, page_duration(text, e->first_at_s));
    html_cell_number(&p->body, e->last_at_s, page_duration(text, e->last_at_s));
    html_row_close(&p->body);
}

void page_error_example(struct page *p, size_t run, const struct error_entry *e)
{
    struct buf title;

    if (e->first == NULL || e->first[0] == '\0')
        return;
    buf_init(&title, BUF_TEXT_MAX_BYTES);
    buf_printf(&title, "The first %s%s%s%s%s", fail_kind_text(e->kind),
               e->detail != NULL && e->detail[0] != '\0' ? ", " : "", e->detail != NULL ? e->detail : "",
               p->c->count > 1 ? ", of " : "", p->c->count > 1 ? p->c->runs[run].name : "");
    html_details_open(&p->body, NULL, buf_ok(&title) ? title.data : "", false);
    html_element(&p->body, "pre", NULL, e->first);
    html_details_close(&p->body);
    buf_release(&title);
}

void html_part_errors(struct page *p)
{
    if (!any(p, has_errors))
        return;
    page_section(p, "errors", "Errors");
    html_table_open(&p->body, "Failed requests by cause; times from the start of the window",
                    p->c->count > 1 ? "kind|run|detail|#requests|#of started|#first at|#last at"
                                    : "kind|detail|#requests|#of started|#first at|#last at");
    for (size_t run = 0; run < p->c->count; run++)
        for (size_t i = 0; i < p->shown[run]->error_count && i < ERRORS_MAX; i++)
            page_error(p, run, &p->shown[run]->errors[i], p->shown[run]->totals.started);
    html_table_close(&p->body);
    for (size_t run = 0; run < p->c->count; run++)
        for (size_t i = 0; i < p->shown[run]->error_count && i < EXAMPLES_MAX; i++)
            page_error_example(p, run, &p->shown[run]->errors[i]);
}

/* ---- statuses ---- */

static bool has_classes(const struct result *r)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (hist_count(r->by_class[i]) > 0)
            return true;
    return false;
}

static void add_codes(struct page *p, const struct result *r, size_t class)
{
    char number[UNITS_TEXT_MAX];
    bool before = false;

    buf_add_str(&p->body, "<td>");
    for (unsigned i = ((unsigned)class + 1) * 100; class != CLASS_ERROR && i < ((unsigned)class + 2) * 100; i++) {
        if (r->status[i] == 0)
            continue;
        html_printf(&p->body, "%s%u: %s", before ? ", " : "", i, units_format_count(number, r->status[i]));
        before = true;
    }
    buf_add_str(&p->body, class == CLASS_ERROR ? "no complete reply</td>" : "</td>");
}

void html_part_statuses(struct page *p)
{
    if (!any(p, has_classes))
        return;
    page_section(p, "statuses", "Statuses");
    html_table_open(&p->body, "Latency by class of status, each apart",
                    p->c->count > 1 ? "status|run|#requests|#p50|#p99|#max|#mean|codes"
                                    : "status|#requests|#p50|#p99|#max|#mean|codes");
    for (size_t class = 0; class < CLASSES; class ++)
        for (size_t run = 0; run < p->c->count; run++) {
            const struct result *r = p->shown[run];

            if (hist_count(r->by_class[class]) == 0)
                continue;
            html_row_open(&p->body);
            html_cell_head(&p->body, reply_class_text((enum reply_class) class));
            if (p->c->count > 1)
                html_cell(&p->body, p->c->runs[run].name);
            add_times(p, r->by_class[class]);
            add_codes(p, r, class);
            html_row_close(&p->body);
        }
    html_table_close(&p->body);
}
