/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/slo.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { CLAUSES_MAX = 64, NUMBER_MAX = 24 };

static const char FIGURES[] = "p50 … p99.99, mean, min, max, stddev (also as service_p99, connect_p99 …), errors, "
                              "requests_per_s";

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* "99.9", "2.5": digits with at most one point. */
static bool take_number(struct slice *rest, double *out)
{
    char copy[NUMBER_MAX + 1];
    size_t len = 0, points = 0;

    while (len < rest->len && ((rest->ptr[len] >= '0' && rest->ptr[len] <= '9') || rest->ptr[len] == '.'))
        points += rest->ptr[len++] == '.';
    if (len == 0 || len > NUMBER_MAX || points > 1 || rest->ptr[0] == '.' || rest->ptr[len - 1] == '.')
        return false;
    memcpy(copy, rest->ptr, len);
    copy[len] = '\0';
    *out = strtod(copy, NULL);
    *rest = slice_drop(*rest, len);
    return true;
}

static int source_of(struct slice *name)
{
    if (slice_starts(*name, SLICE("service_"))) {
        *name = slice_drop(*name, strlen("service_"));
        return SLO_SERVICE_TIME;
    }
    for (int p = 0; p < PHASES; p++) {
        const struct slice phase = slice_str(phase_text((enum phase)p));

        if (slice_starts(*name, phase) && name->len > phase.len && name->ptr[phase.len] == '_') {
            *name = slice_drop(*name, phase.len + 1);
            return p;
        }
    }
    return SLO_LATENCY;
}

static bool is_time(const struct slo_clause *c)
{
    return c->figure < SLO_ERRORS;
}

static bool parse_figure(struct slo_clause *c, struct slice name)
{
    static const struct {
        const char *text;
        enum slo_figure figure;
    } NAMES[] = { { "mean", SLO_MEAN },     { "min", SLO_MIN },       { "max", SLO_MAX },
                  { "stddev", SLO_STDDEV }, { "errors", SLO_ERRORS }, { "requests_per_s", SLO_REQUESTS_PER_S } };

    c->source = source_of(&name);
    if (name.len > 1 && name.ptr[0] == 'p') {
        struct slice rest = slice_drop(name, 1);

        c->figure = SLO_PERCENTILE;
        return take_number(&rest, &c->percentile) && rest.len == 0 && c->percentile > 0 && c->percentile <= 100;
    }
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (!slice_eq(name, slice_str(NAMES[i].text)))
            continue;
        c->figure = NAMES[i].figure;
        return is_time(c) || c->source == SLO_LATENCY;
    }
    return false;
}

static bool parse_scope(struct slo_clause *c, struct slice name)
{
    uint64_t number;

    c->scope = SLO_CLASS;
    for (int k = 0; k < CLASSES; k++) {
        c->class = (enum reply_class)k;
        if (slice_eq(name, slice_str(reply_class_text(c->class))))
            return c->source == SLO_LATENCY;
    }
    c->scope = SLO_EACH_CLASS;
    if (slice_eq(name, SLICE("*xx")))
        return c->source == SLO_LATENCY;
    c->scope = SLO_EACH_TARGET;
    if (slice_eq(name, SLICE("*")))
        return c->source < 0;
    c->scope = SLO_TARGET;
    if (slice_to_u64(name, &number)) {
        c->target_number = number;
        return number > 0 && c->source < 0;
    }
    c->target = slice_dup(name);
    return c->target != NULL && slice_find_slice(name, SLICE("://")) > 0 && c->source < 0;
}

static size_t find_operator(struct slice clause, enum slo_op *op, size_t *len)
{
    size_t at = 0;

    while (at < clause.len && clause.ptr[at] != '<' && clause.ptr[at] != '>')
        at++;
    if (at == clause.len)
        return at;
    const bool below = clause.ptr[at] == '<', equal = at + 1 < clause.len && clause.ptr[at + 1] == '=';

    *op = below ? (equal ? SLO_AT_MOST : SLO_BELOW) : (equal ? SLO_AT_LEAST : SLO_ABOVE);
    *len = equal ? 2 : 1;
    return at;
}

/* "100", "2.5k", "2k/s". */
static bool parse_rate(struct slice text, double *out)
{
    if (!take_number(&text, out))
        return false;
    if (slice_starts(text, SLICE("k")) || slice_starts(text, SLICE("M"))) {
        *out *= text.ptr[0] == 'k' ? 1e3 : 1e6;
        text = slice_drop(text, 1);
    }
    return text.len == 0 || slice_eq(text, SLICE("/s"));
}

static int parse_limit(struct slo_clause *c, struct slice text, struct err *err)
{
    uint64_t ns;

    if (c->figure == SLO_ERRORS)
        return units_parse_share(text, &c->limit, err);
    if (c->figure == SLO_REQUESTS_PER_S) {
        if (parse_rate(text, &c->limit))
            return 0;
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is no rate", SLICE_FMT(text));
        return err_hint(err, "write requests for each second, as 100, 2.5k or 2k/s");
    }
    if (units_parse_duration(text, &ns, err) != 0)
        return -1;
    c->limit = (double)ns / NS_PER_S;
    return 0;
}

static int parse_clause(struct slo_clause *c, struct slice text, struct err *err)
{
    size_t op_len = 0;
    const size_t at = find_operator(text, &c->op, &op_len);
    struct slice scope = slice_take(text, at);
    struct slice figure;

    if (at == text.len) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" compares nothing", SLICE_FMT(text));
        return err_hint(err, "a clause is a figure, <, <=, > or >=, and a limit, for example p99<50ms");
    }
    figure = slice_split(&scope, '@');
    if (!parse_figure(c, figure)) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is no figure of a run", SLICE_FMT(figure));
        return err_hint(err, "%s", FIGURES);
    }
    if (slice_find(slice_take(text, at), '@') >= 0 && !parse_scope(c, scope)) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" has no figure for \"%.*s\"", SLICE_FMT(text), SLICE_FMT(scope));
        return err_hint(err,
                        "after @ stands a class (2xx … 5xx, error, or *xx for each; of the latency) or a target (its "
                        "number from 1, its URL, or * for each; of latency or service time)");
    }
    if (parse_limit(c, slice_drop(text, at + op_len), err) != 0)
        return err_prefix(err, "%.*s", SLICE_FMT(text));
    return 0;
}

static char *without_spaces(struct slice text)
{
    char *out = malloc(text.len + 1);
    size_t n = 0;

    for (size_t i = 0; out != NULL && i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '\t')
            out[n++] = text.ptr[i];
    if (out != NULL)
        out[n] = '\0';
    return out;
}

static size_t clauses_in(struct slice text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == ',';
    return n;
}

int slo_parse(struct slo *out, struct slice text, struct err *err)
{
    const size_t count = clauses_in(text);

    *out = (struct slo){ 0 };
    if (count > CLAUSES_MAX)
        return err_set(err, ERR_USAGE, 0, "%zu clauses are more than the %d possible", count, CLAUSES_MAX);
    out->clauses = calloc(count, sizeof(*out->clauses));
    if (out->clauses == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the clauses");
    for (size_t i = 0; i < count; i++) {
        const struct slice part = slice_split(&text, ',');
        struct slo_clause *c = &out->clauses[i];

        out->count = i + 1;
        c->text = without_spaces(part);
        if (c->text == NULL)
            return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the clauses");
        if (parse_clause(c, slice_str(c->text), err) != 0)
            return -1;
    }
    return 0;
}

void slo_release(struct slo *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->clauses[i].text);
        free(s->clauses[i].target);
    }
    free(s->clauses);
    *s = (struct slo){ 0 };
}

/* --- holding it against a run ------------------------------------------------------------------------------------ */

static const struct target_result *target_of(const struct slo_clause *c, const struct result *r)
{
    if (c->target == NULL)
        return c->target_number <= r->target_count ? &r->targets[c->target_number - 1] : NULL;
    for (size_t i = 0; i < r->target_count; i++)
        if (r->targets[i].url != NULL && strcmp(r->targets[i].url, c->target) == 0)
            return &r->targets[i];
    return NULL;
}

static const struct hist *hist_of(const struct slo_clause *c, const struct result *r, const struct target_result *t)
{
    if (c->scope == SLO_CLASS)
        return r->by_class[c->class];
    if (c->source >= 0)
        return r->phases[c->source];
    if (t != NULL)
        return c->source == SLO_LATENCY ? t->latency : t->service_time;
    return c->source == SLO_LATENCY ? r->latency : r->service_time;
}

static double time_of(const struct slo_clause *c, const struct hist *h)
{
    double ns = 0;

    switch (c->figure) {
    case SLO_PERCENTILE:
        ns = (double)hist_value_at(h, c->percentile);
        break;
    case SLO_MEAN:
        ns = hist_mean_ns(h);
        break;
    case SLO_MIN:
        ns = (double)hist_min_ns(h);
        break;
    case SLO_MAX:
        ns = (double)hist_max_ns(h);
        break;
    case SLO_STDDEV:
        ns = hist_stddev_ns(h);
        break;
    case SLO_ERRORS:
    case SLO_REQUESTS_PER_S:
        break;
    }
    return ns / NS_PER_S;
}

static bool count_of(const struct slo_clause *c, const struct result *r, const struct totals *t, double *value)
{
    const struct hist *class = c->scope == SLO_CLASS ? r->by_class[c->class] : NULL;
    const double replies = (double)(hist_count(class) + hist_overflow(class));

    if (c->figure == SLO_ERRORS) {
        if (t->started == 0)
            return false;
        *value = (c->scope == SLO_CLASS ? replies : (double)t->failed) / (double)t->started;
        return true;
    }
    if (!(r->duration_s > 0))
        return false;
    *value = c->scope == SLO_CLASS ? replies / r->duration_s : t->requests_per_s;
    return true;
}

static bool value_of(const struct slo_clause *c, const struct result *r, double *value)
{
    const struct target_result *t = c->scope == SLO_TARGET ? target_of(c, r) : NULL;

    if (c->scope == SLO_TARGET && t == NULL)
        return false;
    if (!is_time(c))
        return count_of(c, r, t != NULL ? &t->totals : &r->totals, value);
    const struct hist *h = hist_of(c, r, t);

    if (hist_count(h) == 0)
        return false;
    *value = time_of(c, h);
    return isfinite(*value);
}

bool slo_op_holds(enum slo_op op, double value, double limit)
{
    switch (op) {
    case SLO_BELOW:
        return value < limit;
    case SLO_AT_MOST:
        return value <= limit;
    case SLO_ABOVE:
        return value > limit;
    case SLO_AT_LEAST:
        return value >= limit;
    }
    return false;
}

static struct slo_outcome outcome_of(const struct slo_clause *c, const struct result *r)
{
    struct slo_outcome o = { 0 };

    o.known = value_of(c, r, &o.value);
    o.kept = o.known ? slo_op_holds(c->op, o.value, c->limit) : c->scope == SLO_CLASS;
    return o;
}

static bool is_worse(const struct slo_clause *c, const struct slo_outcome *a, const struct slo_outcome *than)
{
    if (a->known != than->known)
        return c->scope == SLO_EACH_TARGET ? !a->known : a->known;
    return c->op == SLO_BELOW || c->op == SLO_AT_MOST ? a->value > than->value : a->value < than->value;
}

/* The worst of all targets, or of all classes of replies. */
static struct slo_outcome worst_of(const struct slo_clause *c, const struct result *r)
{
    const size_t count = c->scope == SLO_EACH_TARGET ? r->target_count : (size_t)CLASS_ERROR;
    struct slo_outcome worst = { .kept = c->scope == SLO_EACH_CLASS };
    struct slo_clause one = *c;

    for (size_t i = 0; i < count; i++) {
        struct slo_outcome o;

        one.scope = c->scope == SLO_EACH_TARGET ? SLO_TARGET : SLO_CLASS;
        one.target = NULL;
        one.target_number = i + 1;
        one.class = (enum reply_class)i;
        if (one.scope == SLO_CLASS && hist_count(r->by_class[i]) == 0)
            continue; /* did not occur */
        o = outcome_of(&one, r);
        o.worst = i + 1;
        if (worst.worst == 0 || is_worse(c, &o, &worst))
            worst = o;
    }
    return worst;
}

bool slo_evaluate(const struct slo *s, const struct result *r, struct slo_outcome *outcomes)
{
    bool all = true;

    for (size_t i = 0; i < s->count; i++) {
        const struct slo_clause *c = &s->clauses[i];
        const bool each = c->scope == SLO_EACH_TARGET || c->scope == SLO_EACH_CLASS;
        const struct slo_outcome o = each ? worst_of(c, r) : outcome_of(c, r);

        all = all && o.kept;
        if (outcomes != NULL)
            outcomes[i] = o;
    }
    return all;
}

const char *slo_format_value(char out[SLO_TEXT_MAX], const struct slo_clause *c, double value)
{
    char text[UNITS_TEXT_MAX];

    if (c->figure == SLO_ERRORS)
        snprintf(out, SLO_TEXT_MAX, "%.3g %%", value * 100);
    else if (c->figure == SLO_REQUESTS_PER_S && value >= 100)
        snprintf(out, SLO_TEXT_MAX, "%s/s", units_format_count(text, (uint64_t)(value + 0.5)));
    else if (c->figure == SLO_REQUESTS_PER_S)
        snprintf(out, SLO_TEXT_MAX, "%.3g/s", value);
    else
        snprintf(out, SLO_TEXT_MAX, "%s", units_format_duration(text, value * NS_PER_S));
    return out;
}
