/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pattern/pattern.h"

#include <errno.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Steps of one search: far beyond sensible patterns, a bound for the others. */
#define MATCH_LIMIT 1000000u
#define STACK_BYTES ((size_t)256 << 10)

struct pattern {
    pcre2_code *code;
    bool is_compiled; /* to machine code: its searches use the matcher's stack and nothing else */
};

struct pattern_matcher {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

int pattern_new(struct pattern **out, const char *text, struct err *err)
{
    struct pattern *p = calloc(1, sizeof(*p));
    PCRE2_SIZE at = 0;
    int rc = 0;

    *out = NULL;
    if (p == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a pattern");
    p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &rc, &at, NULL);
    if (p->code == NULL) {
        PCRE2_UCHAR why[128] = "";

        pcre2_get_error_message(rc, why, sizeof(why));
        free(p);
        return err_set(err, ERR_USAGE, 0, "the pattern \"%.80s\" is broken at character %zu: %s", text, at + 1,
                       (const char *)why);
    }
    p->is_compiled = pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0;
    *out = p;
    return 0;
}

void pattern_free(struct pattern *p)
{
    if (p == NULL)
        return;
    pcre2_code_free(p->code);
    free(p);
}

int pattern_matcher_new(struct pattern_matcher **out, struct err *err)
{
    struct pattern_matcher *m = calloc(1, sizeof(*m));

    *out = NULL;
    if (m == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a pattern's matcher");
    m->data = pcre2_match_data_create(2, NULL);
    m->context = pcre2_match_context_create(NULL);
    m->stack = pcre2_jit_stack_create(STACK_BYTES, STACK_BYTES, NULL); /* NULL where there is no machine code */
    if (m->data == NULL || m->context == NULL) {
        pattern_matcher_free(m);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a pattern's matcher");
    }
    pcre2_set_match_limit(m->context, MATCH_LIMIT);
    if (m->stack != NULL)
        pcre2_jit_stack_assign(m->context, NULL, m->stack);
    *out = m;
    return 0;
}

void pattern_matcher_free(struct pattern_matcher *m)
{
    if (m == NULL)
        return;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
    pcre2_jit_stack_free(m->stack);
    free(m);
}

enum pattern_found pattern_find(const struct pattern *p, struct pattern_matcher *m, struct slice text)
{
    PCRE2_SPTR bytes = (PCRE2_SPTR)(text.ptr != NULL ? text.ptr : "");
    const int rc = p->is_compiled ? pcre2_jit_match(p->code, bytes, text.len, 0, 0, m->data, m->context)
                                  : pcre2_match(p->code, bytes, text.len, 0, 0, m->data, m->context);

    if (rc >= 0)
        return PATTERN_FOUND;
    return rc == PCRE2_ERROR_NOMATCH ? PATTERN_ABSENT : PATTERN_GAVE_UP;
}

struct slice pattern_group(const struct pattern_matcher *m, struct slice text)
{
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data);

    if (at[2] == PCRE2_UNSET || at[2] > at[3] || at[3] > text.len)
        return (struct slice){ 0 };
    return slice_from(text.ptr + at[2], at[3] - at[2]);
}
