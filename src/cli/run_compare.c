/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_compare.h"

#include <string.h>

#include "cli/complain.h"
#include "cli/storing.h"
#include "report/compare_text.h"
#include "result/comparison.h"

#define TEXT_MAX_BYTES ((size_t)1 << 26)
enum { EXIT_INVALID = 3 };

static int worse(int a, int b)
{
    if (a == 130 || a == 0 || b == 0)
        return a != 0 ? a : b;
    return a < b ? a : b;
}

static int compare(const struct matrix *m, const struct suite *s, const struct side *base, const struct side *new,
                   const struct side *history, bool same_session, bool strict, FILE *to, const char *who)
{
    struct strlist metrics = STRLIST_INIT;
    const struct comparison_options options = {
        .by = &m->dimensions, .metrics = &metrics, .min_change = s->gate_min_change, .same_session = same_session
    };
    struct comparison c;
    struct err err = { 0 };
    struct buf text;
    int code;

    if (s->gate_metric != NULL && !strlist_add(&metrics, slice_str(s->gate_metric)))
        return EXIT_INVALID;
    if (comparison_make(&c, base, new, history != NULL && history->count > 0 ? history : NULL, &options, &err) != 0) {
        code = cli_complain(who, &err);
    } else {
        buf_init(&text, TEXT_MAX_BYTES);
        compare_text(&text, &c);
        fprintf(to, "\n%.*s", (int)text.len, text.data != NULL ? text.data : "");
        buf_release(&text);
        code = comparison_exit_code(&c, strict);
    }
    comparison_release(&c);
    strlist_release(&metrics);
    return code;
}

/* A suite may name a baseline that is not there yet: the first run makes it. */
static int with_baseline(struct matrix *m, const struct suite *s, bool strict, FILE *to, const char *who)
{
    struct side base = { 0 }, history = { 0 };
    struct listing found = { 0 };
    struct runstore *store = NULL;
    struct err err = { 0 };
    int code = 0;

    if (storing_open(&store, STORE_READ, &err) != 0) {
        code = cli_complain(who, &err);
    } else if (store == NULL || runstore_find(store, s->baseline, &found, &err) != 0) {
        cli_note(who, "there is no baseline \"%s\" so far: plimsoll results tag %.8s %s makes this run one",
                 s->baseline, m->run, s->baseline);
    } else if (runstore_samples(store, &found, &base, &err) != 0 || !side_set_name(&base, s->baseline) ||
               !side_set_name(&m->sides[0], m->name) || runstore_same_code(store, &history, &err) != 0) {
        code = cli_complain(who, &err);
    } else {
        code = compare(m, s, &base, &m->sides[0], &history, false, strict, to, who);
    }
    side_release(&base);
    side_release(&history);
    listing_release(&found);
    runstore_close(store);
    return code;
}

int run_compare(struct matrix *m, const struct suite *s, bool strict, int code, FILE *to, const char *who)
{
    if (m->side_count == 2)
        code = worse(code, compare(m, s, &m->sides[0], &m->sides[1], NULL, true, strict, to, who));
    if (s->baseline != NULL)
        code = worse(code, with_baseline(m, s, strict, to, who));
    return code;
}
