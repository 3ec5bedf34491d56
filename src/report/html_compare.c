/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each run against the first: a row for each cell and figure, and the same as a forest of intervals with every sample
 * as a dot. All of it is what result/comparison.h found. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/compare_words.h"

enum { TEXT_MAX_BYTES = 1 << 26, FOREST_CELLS_MAX = 200, LIST_OPEN_MAX = 8 };

static void add_list(struct page *p, const char *title, const struct strlist *list)
{
    const bool folded = list->count > LIST_OPEN_MAX;

    if (list->count == 0)
        return;
    if (folded) {
        buf_printf(&p->body, "<details><summary>%s %zu</summary>", title, list->count);
    } else {
        html_element(&p->body, "p", NULL, title);
    }
    buf_add_str(&p->body, "<ul>");
    for (size_t i = 0; i < list->count; i++)
        html_element(&p->body, "li", NULL, list->items[i]);
    buf_add_str(&p->body, "</ul>\n");
    if (folded)
        html_details_close(&p->body);
}

static const char *class_of(enum compare_verdict v)
{
    return v == COMPARE_REGRESSED ? " class=\"regressed\"" : v == COMPARE_IMPROVED ? " class=\"improved\"" : "";
}

/* As the other tables of the page have it. */
static const char *value_text(char out[PAGE_TEXT_MAX], const struct comparison_metric *m, double value)
{
    const struct metric like = { .name = m->name, .is_share = m->is_share };

    return page_value(out, &like, value);
}

static void add_row(struct page *p, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];
    char text[WORDS_MAX], value[PAGE_TEXT_MAX];
    struct buf why;

    html_row_open(&p->body);
    html_cell_head(&p->body, c->cells[i].label);
    html_cell_number(&p->body, r->base, value_text(value, m, r->base));
    html_cell_number(&p->body, r->new, value_text(value, m, r->new));
    html_cell_number(&p->body, r->change, words_change(text, m, r->change));
    html_cell_number(&p->body, r->interval[0], words_interval(text, m, r->interval));
    html_cell_number(&p->body, r->p_adjusted, words_p(text, r->p_adjusted));
    buf_printf(&p->body, "<td%s>", class_of(r->verdict));
    html_text(&p->body, compare_verdict_text(r->verdict));
    buf_add_str(&p->body, "</td>");
    snprintf(text, sizeof(text), "%zu, %zu", r->samples_base, r->samples_new);
    html_cell_number(&p->body, (double)(r->samples_base + r->samples_new), text);
    buf_init(&why, TEXT_MAX_BYTES);
    words_reason(&why, r, c->design);
    if (m->rule[i] != NULL)
        buf_printf(&why, "%s%s", why.len > 0 ? "; " : "",
                   m->tolerance_holds[i] ? "within its tolerance" : "its tolerance is broken");
    html_cell_wide(&p->body, why.len > 0 ? why.data : "");
    buf_release(&why);
    html_row_close(&p->body);
}

static void add_metric(struct page *p, const struct comparison *c, const struct comparison_metric *m)
{
    size_t *order = words_order(c, m);
    char name[PAGE_TEXT_MAX];
    struct buf caption;

    if (order == NULL) {
        (void)buf_reserve(&p->body, SIZE_MAX); /* can not be had: the page fails */
        return;
    }
    buf_init(&caption, TEXT_MAX_BYTES);
    buf_printf(&caption, "%s: %s better%s", page_metric_name(name, m->name),
               m->higher_is_better ? "higher is" : "lower is", m->gates ? "; by this figure is judged" : "");
    html_table_open(&p->body, buf_ok(&caption) ? caption.data : "",
                    "cell|#base|#new|#change|#95 % interval|#p, adjusted|verdict|#samples|why");
    for (size_t i = 0; i < c->cell_count; i++)
        add_row(p, c, m, order[i]);
    html_table_close(&p->body);
    buf_release(&caption);
    free(order);
}

/* ---- the forest ---- */

static void add_samples(struct buf *out, const struct compare_samples *s, double base, bool is_share)
{
    bool first = true;

    buf_add_char(out, '[');
    for (size_t i = 0; i < s->count; i++) {
        const double value = s->items[i].value;

        if (!isfinite(value) || (!is_share && !(base > 0)))
            continue;
        buf_add_str(out, first ? "" : ",");
        first = false;
        html_json_number(out, is_share ? value - base : value / base - 1);
    }
    buf_add_char(out, ']');
}

static void add_cell(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];

    buf_add_str(out, "{\"cell\":");
    html_json_string(out, c->cells[i].label);
    buf_add_str(out, ",\"verdict\":");
    html_json_string(out, compare_verdict_text(r->verdict));
    buf_add_str(out, ",\"change\":");
    html_json_number(out, r->change);
    buf_add_str(out, ",\"low\":");
    html_json_number(out, r->interval[0]);
    buf_add_str(out, ",\"high\":");
    html_json_number(out, r->interval[1]);
    buf_add_str(out, ",\"base\":");
    add_samples(out, &m->cells[i].base, r->base, m->is_share);
    buf_add_str(out, ",\"new\":");
    add_samples(out, &m->cells[i].new, r->base, m->is_share);
    buf_add_char(out, '}');
}

static void add_forest(struct page *p, size_t number)
{
    const struct comparison *c = &p->comparisons[number];
    const struct comparison_metric *m = &c->metrics[0];
    size_t *order = words_order(c, m);
    char key[32], name[PAGE_TEXT_MAX];
    struct buf label;

    if (order == NULL) {
        (void)buf_reserve(&p->body, SIZE_MAX);
        return;
    }
    buf_init(&label, TEXT_MAX_BYTES);
    buf_printf(
        &label,
        "Change of %s in each cell with its 95 %% interval; dots are the samples, hollow of the base; shaded: too "
        "small to matter%s",
        page_metric_name(name, m->name), isfinite(m->out.overall.change) ? "; the line: all cells together" : "");
    snprintf(key, sizeof(key), "forest-%zu", number);
    page_chart(p, "forest", key, buf_ok(&label) ? label.data : "");
    buf_release(&label);
    buf_printf(&p->data, "{\"share\":%s,\"higher\":%s,\"min\":", m->is_share ? "true" : "false",
               m->higher_is_better ? "true" : "false");
    html_json_number(&p->data, m->is_share ? 0.001 : c->min_change);
    buf_add_str(&p->data, ",\"overall\":");
    html_json_number(&p->data, c->cell_count > 1 ? m->out.overall.change : NAN);
    buf_add_str(&p->data, ",\"cells\":[");
    for (size_t i = 0; i < c->cell_count && i < FOREST_CELLS_MAX; i++) {
        buf_add_str(&p->data, i > 0 ? "," : "");
        add_cell(&p->data, c, m, order[i]);
    }
    buf_add_str(&p->data, "]}");
    free(order);
}

/* What was seen to fail, or answered, on either side. */
static void add_sightings(struct page *p, const struct comparison *c)
{
    char text[UNITS_TEXT_MAX];

    if (c->sighting_count == 0)
        return;
    html_details_open(&p->body, NULL, "Statuses and failures that were seen", false);
    html_table_open(&p->body, "Seen, and how often", "what|#base|#new");
    for (size_t i = 0; i < c->sighting_count; i++) {
        const struct comparison_sighting *s = &c->sightings[i];

        html_row_open(&p->body);
        html_cell_head(&p->body, s->what);
        html_cell_number(&p->body, (double)s->base, units_format_count(text, s->base));
        html_cell_number(&p->body, (double)s->new, units_format_count(text, s->new));
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
    html_details_close(&p->body);
}

static void add_one(struct page *p, size_t number)
{
    const struct comparison *c = &p->comparisons[number];
    struct buf text;

    if (c->metric_count == 0 || c->cell_count == 0)
        return;
    buf_init(&text, TEXT_MAX_BYTES);
    buf_printf(&text, "%s against %s", p->c->runs[number + 1].name, p->c->runs[0].name);
    html_element(&p->body, "h3", NULL, buf_ok(&text) ? text.data : "");
    buf_clear(&text);
    words_method(&text, c, "");
    html_element(&p->body, "p", "note", text.len > 0 ? text.data : "");
    buf_release(&text);
    add_list(p, "What differs besides:", &c->differences);
    add_list(p, "Notes:", &c->notes);
    add_forest(p, number);
    for (size_t k = 0; k < c->metric_count; k++)
        add_metric(p, c, &c->metrics[k]);
    add_sightings(p, c);
}

void html_part_compare(struct page *p)
{
    if (p->comparison_count == 0)
        return;
    page_section(p, "comparison", "Comparison");
    for (size_t i = 0; i < p->comparison_count; i++)
        add_one(p, i);
}
