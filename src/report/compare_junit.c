/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare_forms.h"
#include "report/compare_words.h"
#include "report/escapes.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

static enum outcome outcome_of(const struct comparison_metric *m, size_t i, bool strict)
{
    if (m->rule[i] != NULL && !m->tolerance_holds[i])
        return FAILED;
    if (!m->gates)
        return PASSED;
    switch (m->out.cells[i].verdict) {
    case COMPARE_REGRESSED:
        return FAILED;
    case COMPARE_INVALID:
    case COMPARE_MISSING:
    case COMPARE_NOT_COMPARABLE:
        return BROKEN;
    case COMPARE_SUSPECT:
    case COMPARE_INCONCLUSIVE:
        return strict ? FAILED : SKIPPED;
    case COMPARE_IMPROVED:
    case COMPARE_UNCHANGED:
    case COMPARE_VERDICT_COUNT:
        break;
    }
    return PASSED;
}

static void message(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i)
{
    const struct compare_result *r = &m->out.cells[i];
    char base[WORDS_MAX], new[WORDS_MAX], change[WORDS_MAX], interval[WORDS_MAX];
    struct buf reason;

    buf_init(&reason, 4096);
    words_reason(&reason, r, c->design);
    buf_printf(out, "%s%s: ", compare_verdict_text(r->verdict),
               m->rule[i] != NULL && !m->tolerance_holds[i] ? ", tolerance broken" : "");
    buf_printf(out, "%s, base %s, new %s, %s (%s)", m->name, words_value(base, m, r->base), words_value(new, m, r->new),
               words_change(change, m, r->change), words_interval(interval, m, r->interval));
    if (reason.len > 0)
        buf_printf(out, ", %s", reason.data);
    buf_release(&reason);
}

static void test_case(struct buf *out, const struct comparison *c, const struct comparison_metric *m, size_t i,
                      bool strict)
{
    static const char *const ELEMENTS[] = { "", "failure", "error", "skipped" };
    const enum outcome outcome = outcome_of(m, i, strict);

    buf_add_str(out, "    <testcase classname=\"");
    escape_xml(out, m->name);
    buf_add_str(out, "\" name=\"");
    escape_xml(out, c->cells[i].label);
    if (outcome == PASSED) {
        buf_add_str(out, "\"/>\n");
        return;
    }
    buf_printf(out, "\"><%s message=\"", ELEMENTS[outcome]);
    message(out, c, m, i);
    buf_add_str(out, "\"/></testcase>\n");
}

static size_t count(const struct comparison *c, bool strict, enum outcome outcome)
{
    size_t n = 0;

    for (size_t k = 0; k < c->metric_count; k++)
        for (size_t i = 0; i < c->cell_count; i++)
            n += outcome_of(&c->metrics[k], i, strict) == outcome;
    return n;
}

void compare_junit(struct buf *out, const struct comparison *c, bool strict)
{
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"plimsoll compare\" "
               "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
               c->metric_count * c->cell_count, count(c, strict, FAILED), count(c, strict, BROKEN),
               count(c, strict, SKIPPED));
    for (size_t k = 0; k < c->metric_count; k++)
        for (size_t i = 0; i < c->cell_count; i++)
            test_case(out, c, &c->metrics[k], i, strict);
    buf_add_str(out, "  </testsuite>\n</testsuites>\n");
}
