/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_forms.h"

#include <stdlib.h>
#include <string.h>

#include "report/compare_words.h"
#include "report/escapes.h"

static void row(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];
    char base[WORDS_MAX], new[WORDS_MAX], change[WORDS_MAX], interval[WORDS_MAX], p[WORDS_MAX];
    const bool loud = r->verdict == COMPARE_REGRESSED || r->verdict == COMPARE_IMPROVED;

    buf_add_str(out, "| ");
    escape_markdown(out, c->cells[i].label);
    buf_printf(out, " | %s | %s | %s | %s | %s | %s%s%s |", words_value(base, m, r->base), words_value(new, m, r->new),
               words_change(change, m, r->change), words_interval(interval, m, r->interval), words_p(p, r->p_adjusted),
               loud ? "**" : "", compare_verdict_text(r->verdict), loud ? "**" : "");
    if (c->rules != NULL)
        buf_printf(out, " %s |", m->rule[i] == NULL ? "" : m->tolerance_holds[i] ? "Pass" : "**Fail**");
    buf_add_char(out, '\n');
}

static void table(struct buf *out, const struct comparison *c, const struct comparison_metric *m)
{
    size_t *order = words_order(c, m);
    char name[WORDS_MAX];

    if (order == NULL) {
        (void)buf_reserve(out, SIZE_MAX);
        return;
    }
    buf_printf(out, "\n| %s%s | base | new | change | 95 %% interval | p adjusted | verdict |%s\n",
               words_metric(name, m->name), m->gates ? "" : " (not gating)", c->rules != NULL ? " rule |" : "");
    buf_printf(out, "|---|--:|--:|--:|--:|--:|---|%s\n", c->rules != NULL ? "---|" : "");
    for (size_t i = 0; i < c->cell_count; i++)
        row(out, c, m, order[i]);
    free(order);
}

static void list(struct buf *out, const char *what, const struct strlist *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        buf_printf(out, "- %s: ", what);
        escape_markdown(out, lines->items[i]);
        buf_add_char(out, '\n');
    }
}

void compare_markdown(struct buf *out, const struct comparison *c)
{
    struct buf plain;

    buf_init(&plain, 1 << 16);
    words_summary(&plain, c);
    buf_add_str(out, "**");
    escape_markdown(out, plain.data != NULL ? plain.data : "");
    buf_add_str(out, "**\n\n");
    buf_clear(&plain);
    words_overall(&plain, &c->metrics[0]);
    if (plain.len > 0)
        buf_printf(out, "%s\n\n", plain.data);
    buf_release(&plain);
    list(out, "differs", &c->differences);
    list(out, "note", &c->notes);
    for (size_t i = 0; i < c->sighting_count; i++)
        if (comparison_sighting_is_new(&c->sightings[i])) {
            buf_add_str(out, "- **new**: ");
            escape_markdown(out, c->sightings[i].what);
            buf_printf(out, ", %llu times\n", (unsigned long long)c->sightings[i].new);
        }
    for (size_t i = 0; i < c->metric_count; i++)
        table(out, c, &c->metrics[i]);
    buf_add_char(out, '\n');
    words_method(out, c, "");
}
