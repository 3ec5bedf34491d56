/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_parts.h"

#include <string.h>

#include "result/result.h"

/* Made by scripts/embed.py from the files of report/page/. */
extern const char page_css[], page_js[], page_charts_js[], page_library_js[];
extern const size_t page_css_len, page_js_len, page_charts_js_len, page_library_js_len;

enum { TITLE_NAMES_MAX = 4 };

bool report_html_has_charts(void)
{
    return page_library_js_len > 0;
}

size_t report_html_fixed_bytes(void)
{
    return page_css_len + page_js_len + page_charts_js_len + page_library_js_len;
}

static void add_title(struct buf *out, const struct page *p)
{
    const size_t count = p->c->count + p->c->limit_count;

    if (p->options->title != NULL) {
        html_text(out, p->options->title);
        return;
    }
    for (size_t i = 0; i < count && i < TITLE_NAMES_MAX; i++) {
        buf_add_str(out, i > 0 ? ", " : "");
        if (i < p->c->count)
            html_text(out, p->c->runs[i].name);
        else
            html_printf(out, "limit of %s", p->c->limits[i - p->c->count].name);
    }
    if (count > TITLE_NAMES_MAX)
        html_printf(out, " and %zu more", count - TITLE_NAMES_MAX);
}

static void add_head(struct buf *out, const struct page *p)
{
    buf_add_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
                     "content=\"plimsoll " PLIMSOLL_VERSION "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    add_title(out, p);
    buf_add_str(out, " - Plimsoll</title>\n<style>\n");
    buf_append(out, page_css, page_css_len);
    buf_add_str(out, "</style>\n</head>\n");
}

static const char *earlier(const char *a, const char *b)
{
    return b[0] != '\0' && (a[0] == '\0' || strcmp(b, a) < 0) ? b : a;
}

/* When the first of the documents was made. */
static const char *started(const struct page *p)
{
    const char *first = "";

    for (size_t i = 0; i < p->all.count; i++)
        first = earlier(first, p->all.records[i].started);
    for (size_t i = 0; i < p->c->limit_count; i++)
        first = earlier(first, p->c->limits[i].report->started);
    return first;
}

static void add_banner(struct buf *out, const struct page *p)
{
    buf_add_str(out, "<header class=\"top\"><div><p class=\"brand\">Plimsoll</p><h1>");
    add_title(out, p);
    buf_add_str(out, "</h1>");
    if (started(p)[0] != '\0') {
        buf_add_str(out, "<p class=\"when\">measured from <time>");
        html_text(out, started(p));
        buf_add_str(out, "</time></p>");
    }
    buf_add_str(out, "</div><div class=\"tools\" id=\"tools\"></div></header>\n");
}

static void add_contents(struct buf *out, const struct page *p)
{
    buf_add_str(out, "<nav aria-label=\"Contents\"><ul>");
    for (size_t i = 0; i < p->section_count; i++) {
        buf_printf(out, "<li><a href=\"#%s\">", p->sections[i].id);
        html_text(out, p->sections[i].title);
        buf_add_str(out, "</a></li>");
    }
    buf_add_str(out, "</ul></nav>\n");
}

static void add_scripts(struct buf *out, const struct page *p)
{
    buf_add_str(out, "<script type=\"application/json\" id=\"figures\">{");
    html_json_embed(out, buf_slice(&p->data));
    buf_add_str(out, "}</script>\n");
    if (report_html_has_charts()) {
        buf_add_str(out, "<script>\n");
        buf_append(out, page_library_js, page_library_js_len);
        buf_add_str(out, "</script>\n");
    }
    buf_add_str(out, "<script>\n");
    buf_append(out, page_charts_js, page_charts_js_len);
    buf_append(out, page_js, page_js_len);
    buf_add_str(out, "</script>\n");
}

static void add_page(struct buf *out, const struct page *p)
{
    add_head(out, p);
    buf_add_str(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n");
    add_banner(out, p);
    add_contents(out, p);
    buf_add_str(out, "<main id=\"main\">\n");
    if (!report_html_has_charts())
        html_element(out, "p", "note", "This report was made by a build without charts; its tables are whole.");
    buf_add_str(out, "<noscript><p class=\"note\">Without scripts there are no charts; every figure stands in a table."
                     "</p></noscript>\n");
    buf_add_slice(out, buf_slice(&p->body));
    buf_add_str(out, "</main>\n<footer><p>Made by plimsoll " PLIMSOLL_VERSION
                     ". This file needs no network and keeps everything that it shows.</p></footer>\n");
    add_scripts(out, p);
    buf_add_str(out, "</body>\n</html>\n");
}

static int add_run_sections(struct page *p, struct err *err)
{
    html_part_headline(p);
    html_part_matrix(p);
    html_part_compare(p);
    html_part_latency(p);
    if (html_part_time(p, err) != 0)
        return -1;
    html_part_rounds(p);
    html_part_phases(p);
    html_part_errors(p);
    html_part_statuses(p);
    html_part_histogram(p);
    html_part_health(p);
    html_part_connections(p);
    html_part_targets(p);
    html_part_shares(p);
    html_part_watch(p);
    return html_part_cells(p, err);
}

static int add_sections(struct page *p, struct err *err)
{
    html_part_verdict(p);
    html_part_limits(p);
    if ((p->c->count > 0 && add_run_sections(p, err) != 0) || html_part_about(p, err) != 0)
        return -1;
    page_end_sections(p);
    return 0;
}

int report_html(struct buf *out, const struct collection *c, const struct html_options *options, struct err *err)
{
    struct page p = { 0 };
    int failed = page_init(&p, c, options, err);

    if (failed == 0)
        failed = add_sections(&p, err);
    if (failed == 0) {
        add_page(out, &p);
        if (!buf_ok(&p.body) || !buf_ok(&p.data) || !buf_ok(out))
            failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    page_release(&p);
    return failed;
}
