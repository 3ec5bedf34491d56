/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/compare_rules.h"
#include "cli/complain.h"
#include "cli/storing.h"
#include "report/compare_text.h"
#include "result/comparison.h"

#define TEXT_MAX_BYTES ((size_t)1 << 26)
enum { EXIT_INVALID = 3 };

/* A parameter may hold another place, {dir}. A text that comes out empty is one that was not said. */
static int fill(const struct names *names, const char *text, char **out, struct err *err)
{
    char *once = text != NULL ? names_text(names, text, err) : NULL;

    *out = once != NULL ? names_text(names, once, err) : NULL;
    free(once);
    if (text != NULL && *out == NULL)
        return -1;
    if (*out != NULL && (*out)[0] == '\0') {
        free(*out);
        *out = NULL;
    }
    return 0;
}

static int read_rules(struct run_baseline *b, struct err *err)
{
    struct buf text;
    int rc;

    if (b->tolerance == NULL)
        return 0;
    buf_init(&text, TEXT_MAX_BYTES);
    rc = file_read(b->tolerance, &text, err);
    if (rc == 0)
        rc = compare_rules_parse(&b->rules, b->tolerance, buf_slice(&text), err);
    buf_release(&text);
    b->has_rules = rc == 0;
    return rc;
}

int run_baseline_init(struct run_baseline *out, const struct plan *p, struct err *err)
{
    struct names names = { 0 };
    int rc = plan_parameters(p, &names, err);

    *out = (struct run_baseline){ 0 };
    if (rc == 0 && (fill(&names, p->suite->baseline, &out->name, err) != 0 ||
                    fill(&names, p->suite->tolerance, &out->tolerance, err) != 0 || read_rules(out, err) != 0))
        rc = -1;
    names_release(&names);
    return rc;
}

void run_baseline_release(struct run_baseline *b)
{
    free(b->name);
    free(b->tolerance);
    tolerance_rules_release(&b->rules);
}

static int worse(int a, int b)
{
    if (a == 130 || a == 0 || b == 0)
        return a != 0 ? a : b;
    return a < b ? a : b;
}

static int compare(const struct matrix *m, const struct suite *s, const struct side *base, const struct side *new,
                   const struct side *history, struct tolerance_rules *rules, bool strict, FILE *to, const char *who)
{
    struct strlist metrics = STRLIST_INIT;
    const struct comparison_options options = { .by = &m->dimensions,
                                                .metrics = &metrics,
                                                .min_change = s->gate_min_change,
                                                .same_session = history == NULL,
                                                .rules = rules };
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
static int with_baseline(struct matrix *m, const struct suite *s, struct run_baseline *b, bool strict, FILE *to,
                         const char *who)
{
    struct side base = { 0 }, history = { 0 };
    struct listing found = { 0 };
    struct runstore *store = NULL;
    struct err err = { 0 };
    int code = 0;

    if (storing_open(&store, STORE_READ, &err) != 0) {
        code = cli_complain(who, &err);
    } else if (store == NULL || runstore_find(store, b->name, &found, &err) != 0) {
        cli_note(who, "there is no baseline \"%s\" so far: plimsoll results tag %.8s %s makes this run one", b->name,
                 m->run, b->name);
    } else if (runstore_samples(store, &found, &base, &err) != 0 || !side_set_name(&base, b->name) ||
               !side_set_name(&m->sides[0], m->name) || runstore_same_code(store, &history, &err) != 0) {
        code = cli_complain(who, &err);
    } else {
        code = compare(m, s, &base, &m->sides[0], &history, b->has_rules ? &b->rules : NULL, strict, to, who);
    }
    side_release(&base);
    side_release(&history);
    listing_release(&found);
    runstore_close(store);
    return code;
}

int run_compare(struct matrix *m, const struct suite *s, struct run_baseline *b, bool strict, int code, FILE *to,
                const char *who)
{
    if (m->side_count == 2)
        code = worse(code, compare(m, s, &m->sides[0], &m->sides[1], NULL, NULL, strict, to, who));
    if (b->name != NULL)
        code = worse(code, with_baseline(m, s, b, strict, to, who));
    return code;
}
