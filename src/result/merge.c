/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fingerprint.h"
#include "result/json_parts.h"
#include "result/merge_parts.h"
#include "result/slo.h"

enum { TEXT_MAX_BYTES = 1 << 16 };
static const char OF_PART[] = "part ";

int merge_no_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

double merge_exact(double x)
{
    return isfinite(x) && fabs(x) < 4e9 ? (double)llround(x * 1048576.0) / 1048576.0 : 0;
}

uint64_t merge_start_ns(const char *started)
{
    uint64_t ns = 0;

    return clock_parse_rfc3339(started, &ns) ? ns : 0;
}

int64_t merge_first_second(const char *started)
{
    return (int64_t)((merge_start_ns(started) + 500000000u) / 1000000000u);
}

/* ---- what is the same in all parts, or empty ---- */

static void keep_same(char **text, const char *other)
{
    if (*text != NULL && strcmp(*text, other != NULL ? other : "") != 0)
        (*text)[0] = '\0';
}

static void keep_common_labels(struct result *sum, const struct result *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < sum->labels.count; i++) {
        if (strlist_contains(&r->labels, slice_str(sum->labels.items[i])))
            sum->labels.items[kept++] = sum->labels.items[i];
        else
            free(sum->labels.items[i]);
    }
    sum->labels.count = kept;
    if (sum->labels.items != NULL)
        sum->labels.items[kept] = NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_texts(struct strlist *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), by_text);
}

/* Also a promise is common to all parts, or none is. */
static bool same_promises(const struct result *a, const struct result *b)
{
    bool same = a->promise_count == b->promise_count;

    for (size_t i = 0; same && i < a->promise_count; i++)
        same = strcmp(a->promises[i].clause, b->promises[i].clause) == 0;
    return same;
}

static void drop_promises(struct result *r)
{
    for (size_t i = 0; i < r->promise_count; i++)
        free(r->promises[i].clause);
    free(r->promises);
    r->promises = NULL;
    r->promise_count = 0;
}

static int copy_promises(struct result *sum, const struct result *r, struct err *err)
{
    sum->promises = calloc(r->promise_count + 1, sizeof(*sum->promises));
    if (sum->promises == NULL)
        return merge_no_memory(err);
    for (; sum->promise_count < r->promise_count; sum->promise_count++) {
        sum->promises[sum->promise_count] = r->promises[sum->promise_count];
        sum->promises[sum->promise_count].clause = strdup(r->promises[sum->promise_count].clause);
        if (sum->promises[sum->promise_count].clause == NULL)
            return merge_no_memory(err);
    }
    return 0;
}

/* ---- sets ---- */

static bool add_once(struct strlist *to, const char *text)
{
    return strlist_contains(to, slice_str(text)) || strlist_add(to, slice_str(text));
}

/* What a run says of itself is said with its id; of what a merged one says only that is taken on, the rest is judged
 * anew. */
static bool add_messages(struct strlist *to, const struct strlist *from, const struct result *r)
{
    char text[600];

    for (size_t i = 0; i < from->count; i++) {
        const bool is_of_part = slice_starts(slice_str(from->items[i]), slice_str(OF_PART));

        if (r->part_count > 0 && !is_of_part)
            continue;
        snprintf(text, sizeof(text), "%s%.8s: %s", OF_PART, r->id, from->items[i]);
        if (!add_once(to, r->part_count > 0 ? from->items[i] : text))
            return false;
    }
    return true;
}

static bool has_double(const double *values, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool add_percentiles(struct result *sum, const struct result *r)
{
    double *grown = reallocarray(sum->percentiles, sum->percentile_count + r->percentile_count + 1, sizeof(*grown));

    if (grown == NULL)
        return false;
    sum->percentiles = grown;
    for (size_t i = 0; i < r->percentile_count; i++)
        if (!has_double(grown, sum->percentile_count, r->percentiles[i]))
            grown[sum->percentile_count++] = r->percentiles[i];
    qsort(grown, sum->percentile_count, sizeof(*grown), by_value);
    return true;
}

/* ---- parts ---- */

static int start_with(struct merge *m, const struct result *r, const char *source, struct err *err)
{
    struct result *sum = NULL;

    if (result_new(&sum, err) != 0)
        return -1;
    m->sum = sum;
    m->first = strdup(source);
    sum->name = strdup(r->name != NULL ? r->name : "");
    memset(&sum->host, 0, sizeof(sum->host));
    snprintf(sum->started, sizeof(sum->started), "%s", r->started);
    if (m->first == NULL || sum->name == NULL)
        return merge_no_memory(err);
    for (size_t i = 0; i < r->labels.count; i++)
        if (!strlist_add(&sum->labels, slice_str(r->labels.items[i])))
            return merge_no_memory(err);
    return copy_promises(sum, r, err);
}

static void take_extremes(struct result *sum, const struct result *r)
{
    if (strcmp(r->started, sum->started) < 0)
        snprintf(sum->started, sizeof(sum->started), "%s", r->started);
    sum->ramp_s = fmax(sum->ramp_s, r->ramp_s);
    sum->interrupted |= r->interrupted;
}

int merge_add(struct merge *m, const struct result *part, const char *source, struct err *err)
{
    if (merge_check(m->sum, part, m->first, source, err) != 0)
        return -1;
    if (m->sum == NULL && start_with(m, part, source, err) != 0)
        return -1;
    keep_same(&m->sum->name, part->name);
    keep_common_labels(m->sum, part);
    if (!same_promises(m->sum, part))
        drop_promises(m->sum);
    if (!add_messages(&m->sum->reasons, &part->reasons, part) ||
        !add_messages(&m->sum->warnings, &part->warnings, part) || !add_percentiles(m->sum, part))
        return merge_no_memory(err);
    if (merge_config(m->sum, part, err) != 0 || merge_intervals(m->sum, part, err) != 0 ||
        merge_watched(m->sum, part, err) != 0 || merge_sums(m->sum, part, err) != 0)
        return -1;
    take_extremes(m->sum, part);
    return merge_add_parts(m->sum, part, err);
}

/* ---- the whole ---- */

static int by_share_and_id(const void *a, const void *b)
{
    const struct result_part *x = a, *y = b;
    const int order = strverscmp(x->share != NULL ? x->share : "", y->share != NULL ? y->share : "");

    return order != 0 ? order : strcmp(x->id, y->id);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct result_part *)a)->id, ((const struct result_part *)b)->id);
}

/* The same for the same parts, whatever brought them together. */
static void name_by_parts(struct result *r)
{
    struct fingerprint f;

    qsort(r->parts, r->part_count, sizeof(*r->parts), by_id);
    fingerprint_init(&f);
    for (size_t i = 0; i < r->part_count; i++) {
        fingerprint_add(&f, slice_str(r->parts[i].id));
        fingerprint_add(&f, SLICE("\n"));
    }
    fingerprint_uuid(&f, r->id);
    qsort(r->parts, r->part_count, sizeof(*r->parts), by_share_and_id);
}

static int judge_promises(struct result *r, struct err *err)
{
    struct slo promise = { 0 };
    struct buf text;
    int failed;

    if (r->promise_count == 0)
        return 0;
    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < r->promise_count; i++)
        buf_printf(&text, "%s%s", i > 0 ? "," : "", r->promises[i].clause);
    failed = buf_ok(&text) ? slo_parse(&promise, buf_slice(&text), err) : merge_no_memory(err);
    if (failed == 0) {
        drop_promises(r);
        failed = result_judge_slo(r, &promise, err);
    }
    slo_release(&promise);
    buf_release(&text);
    return failed;
}

static const char *config_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return r->config[i].json;
    return NULL;
}

static void judge(struct result *r)
{
    const char *max_errors = config_of(r, "max_errors"), *strict = config_of(r, "strict");
    char *end;
    double share = max_errors != NULL ? strtod(max_errors, &end) : NAN;

    sort_texts(&r->labels);
    merge_check_shares(r);
    sort_texts(&r->reasons);
    sort_texts(&r->warnings);
    result_judge(r, share >= 0 && share <= 1 ? share : 0.01, strict != NULL && strcmp(strict, "true") == 0);
}

int merge_finish(struct merge *m, struct result **out, struct err *err)
{
    *out = NULL;
    if (m->sum == NULL)
        return err_set(err, ERR_USAGE, 0, "there is nothing to merge");
    name_by_parts(m->sum);
    if (!parts_agree(m->sum))
        return merge_no_memory(err);
    if (merge_machines(m->sum, err) != 0)
        return -1;
    merge_window(m->sum);
    judge(m->sum);
    if (judge_promises(m->sum, err) != 0)
        return -1;
    *out = m->sum;
    m->sum = NULL;
    return 0;
}

void merge_release(struct merge *m)
{
    result_free(m->sum);
    free(m->first);
    *m = (struct merge){ 0 };
}
