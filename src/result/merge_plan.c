/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "result/json_out.h"
#include "result/merge_parts.h"

/* Members of config that parts add up to; shares say of each what the whole plan has, and add up their threads alone.
 */
static const char *const ADDED[] = { "connections", "requests", "rate_per_s", "threads", "max_in_flight" };
/* Those of them that must be the same in parts all the same. */
static const char *const EQUAL[] = { "connections", "rate_per_s", "max_in_flight" };
/* What does not change what was asked; and of parts that are no shares, the length. */
static const char *const FREE[] = { "threads", "seed", "share", "start_at", "source" };
static const char *const FREE_ALONE[] = { "duration_s" };

static bool is_in(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}
#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof((list)[0]), name)

static struct config_entry *find_entry(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return &r->config[i];
    return NULL;
}

static bool is_null(const char *json)
{
    return json == NULL || strcmp(json, "null") == 0;
}

static const char *value_of(const struct result *r, const char *name)
{
    const struct config_entry *e = find_entry(r, name);

    return e != NULL && !is_null(e->json) ? e->json : "null";
}

static bool is_share(const struct result *r)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].share != NULL)
            return true;
    return r->part_count == 0 && strcmp(value_of(r, "share"), "null") != 0;
}

/* Whether two parts may differ in it. */
static bool is_free(const char *name, bool share)
{
    if (IS_IN(FREE, name))
        return true;
    return !share && (IS_IN(FREE_ALONE, name) || (IS_IN(ADDED, name) && !IS_IN(EQUAL, name)));
}

/* What is absent counts as null. */
static void make_plan(char out[UUID_TEXT_MAX], const struct result *r)
{
    const bool share = is_share(r);
    struct fingerprint f;

    fingerprint_init(&f);
    fingerprint_add(&f, share ? SLICE("share\n") : SLICE(""));
    for (size_t i = 0; i < r->config_count; i++) {
        if (is_free(r->config[i].name, share) || is_null(r->config[i].json))
            continue;
        fingerprint_add(&f, slice_str(r->config[i].name));
        fingerprint_add(&f, SLICE("="));
        fingerprint_add(&f, slice_str(r->config[i].json));
        fingerprint_add(&f, SLICE("\n"));
    }
    fingerprint_uuid(&f, out);
}

/* ---- parts ---- */

static bool copy_words(struct strlist *to, const struct strlist *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!strlist_add(to, slice_str(from->items[i])))
            return false;
    return true;
}

/* The text of a JSON string without escapes; NULL for null and anything else. */
static char *plain(const char *json)
{
    const struct slice s = slice_str(json);

    return s.len >= 2 && s.ptr[0] == '"' ? slice_dup(slice_from(s.ptr + 1, s.len - 2)) : NULL;
}

static bool fill_part(struct result_part *p, const struct result *r)
{
    const bool share = is_share(r);

    *p = (struct result_part){
        .duration_s = r->duration_s,
        .requests_per_s = r->totals.requests_per_s,
        .in_flight_mean = r->totals.in_flight_mean,
        .in_window_mean = r->duration_s > 0 ? r->totals.in_window_s / r->duration_s : 0,
        .valid = r->valid,
        .interrupted = r->interrupted,
        .limited = r->generator.limited,
        .requests = r->totals.started,
        .ok = r->totals.ok,
        .failed = r->totals.failed,
        .not_sent = r->totals.not_sent,
        .start = r->start,
        .machine = { r->generator.ports_used, r->generator.ports_available, r->generator.time_wait_start,
                     r->generator.time_wait_end, r->generator.retransmits },
        .share = share ? plain(value_of(r, "share")) : NULL,
        .host = r->host,
    };
    for (size_t i = 0; i < r->generator.workers; i++)
        p->cpu_max = r->generator.cpu_per_worker[i] > p->cpu_max ? r->generator.cpu_per_worker[i] : p->cpu_max;
    memcpy(p->id, r->id, sizeof(p->id));
    memcpy(p->started, r->started, sizeof(p->started));
    make_plan(p->plan, r);
    return (!share || p->share != NULL) && copy_words(&p->command, &r->command);
}

static bool copy_part(struct result_part *to, const struct result_part *from)
{
    *to = *from;
    to->command = (struct strlist)STRLIST_INIT;
    to->share = from->share != NULL ? strdup(from->share) : NULL;
    return (from->share == NULL || to->share != NULL) && copy_words(&to->command, &from->command);
}

int merge_add_parts(struct result *out, const struct result *r, struct err *err)
{
    const size_t more = r->part_count > 0 ? r->part_count : 1;
    struct result_part *grown = reallocarray(out->parts, out->part_count + more, sizeof(*grown));

    if (grown == NULL)
        return merge_no_memory(err);
    out->parts = grown;
    for (size_t i = 0; i < more; i++) {
        struct result_part *p = &out->parts[out->part_count++];

        if (r->part_count > 0 ? !copy_part(p, &r->parts[i]) : !fill_part(p, r))
            return merge_no_memory(err);
    }
    return 0;
}

/* ---- may they be merged? ---- */

static bool has_part(const struct result *r, const char *id)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (strcmp(r->parts[i].id, id) == 0)
            return true;
    return r->part_count == 0 && strcmp(r->id, id) == 0;
}

static int refuse_twice(const char *source, const char *id, struct err *err)
{
    err_set(err, ERR_CONFIG, 0, "%s: run %.8s is there already", source, id);
    return err_hint(err, "a part counts once; are there copies of the file?");
}

static int check_new(const struct result *sum, const struct result *r, const char *source, struct err *err)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (has_part(sum, r->parts[i].id))
            return refuse_twice(source, r->parts[i].id, err);
    return r->part_count == 0 && has_part(sum, r->id) ? refuse_twice(source, r->id, err) : 0;
}

/* Names a member that differs; those that are added up can only be told of a single part. */
static int refuse_plan(const struct result *sum, const struct result *r, const char *first, const char *source,
                       struct err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        const struct result *a = pass == 0 ? r : sum;

        for (size_t i = 0; i < a->config_count; i++) {
            const char *name = a->config[i].name, *mine = value_of(r, name), *others = value_of(sum, name);

            if (strcmp(mine, others) == 0 || is_free(name, is_share(r)) ||
                (IS_IN(ADDED, name) && !is_share(r) && (sum->part_count > 1 || r->part_count > 1)))
                continue;
            err_set(err, ERR_CONFIG, 0, "%s was configured differently: %s is %.60s, in %s it is %.60s", source, name,
                    mine, first, others);
            return err_hint(err, "only parts of one plan can be merged; plimsoll compare sets others side by side");
        }
    }
    err_set(err, ERR_CONFIG, 0, "%s was configured differently from %s", source, first);
    return err_hint(err, "only parts of one plan can be merged; plimsoll compare sets others side by side");
}

static int check_alike(const struct result *sum, const struct result *r, const char *first, const char *source,
                       struct err *err)
{
    const struct host_info *host = r->part_count > 0 ? &r->parts[0].host : &r->host;
    char plan[UUID_TEXT_MAX];

    if (strcmp(sum->parts[0].host.tool_version, host->tool_version) != 0) {
        err_set(err, ERR_CONFIG, 0, "%s was measured with %s, %s with %s", source, host->tool_version, first,
                sum->parts[0].host.tool_version);
        return err_hint(err, "the parts of a run need the same version");
    }
    if (r->part_count > 0)
        memcpy(plan, r->parts[0].plan, sizeof(plan));
    else
        make_plan(plan, r);
    return strcmp(sum->parts[0].plan, plan) == 0 && is_share(sum) == is_share(r)
               ? 0
               : refuse_plan(sum, r, first, source, err);
}

static bool has_coarse(const struct result *r)
{
    bool coarse = hist_is_coarse(r->latency) || hist_is_coarse(r->service_time);

    for (size_t i = 0; i < CLASSES; i++)
        coarse |= hist_is_coarse(r->by_class[i]);
    for (size_t i = 0; i < PHASES; i++)
        coarse |= hist_is_coarse(r->phases[i]);
    for (size_t i = 0; i < r->target_count; i++)
        coarse |= hist_is_coarse(r->targets[i].latency) || hist_is_coarse(r->targets[i].service_time);
    return coarse;
}

int merge_check(const struct result *sum, const struct result *r, const char *first, const char *source,
                struct err *err)
{
    if (r->kind == NULL || strcmp(r->kind, "load") != 0) {
        err_set(err, ERR_CONFIG, 0, "%s is of kind \"%s\"", source, r->kind != NULL ? r->kind : "");
        return err_hint(err, "runs of plimsoll load can be merged: they have every latency, not only percentiles");
    }
    if (merge_start_ns(r->started) == 0 || r->id[0] == '\0')
        return err_set(err, ERR_CONFIG, 0, "%s does not say when it was started, or which run it is", source);
    if (has_coarse(r)) {
        err_set(err, ERR_CONFIG, 0, "%s has histograms of another layout", source);
        return err_hint(err, "only histograms of 3 significant digits from 1 ns on can be added exactly");
    }
    if (sum == NULL)
        return 0;
    return check_new(sum, r, source, err) != 0 ? -1 : check_alike(sum, r, first, source, err);
}

/* ---- config ---- */

static bool add_numbers(struct result *sum, const char *name, const char *a, const char *b)
{
    const bool known = !is_null(a) && !is_null(b);
    char number[JSON_OUT_DOUBLE_MAX];

    if (!known)
        return result_add_config(sum, name, "null");
    return result_add_config(sum, name, "%s",
                             json_format_double(number, merge_exact(strtod(a, NULL)) + merge_exact(strtod(b, NULL))));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct config_entry *)a)->name, ((const struct config_entry *)b)->name);
}

/* What r says of a member, into what the parts before said. What only some have counts as null in the others. */
static bool join_entry(struct result *sum, const struct result *r, const char *name)
{
    const char *before = value_of(sum, name), *json = value_of(r, name);

    if (IS_IN(ADDED, name) && (!is_share(r) || strcmp(name, "threads") == 0))
        return add_numbers(sum, name, before, json);
    return find_entry(sum, name) != NULL && strcmp(before, json) == 0 ? true : result_add_config(sum, name, "null");
}

int merge_config(struct result *sum, const struct result *r, struct err *err)
{
    const bool is_first = sum->part_count == 0;
    bool ok = true;

    for (size_t i = 0; i < r->config_count && ok; i++)
        ok = is_first ? result_add_config(sum, r->config[i].name, "%s", r->config[i].json)
                      : join_entry(sum, r, r->config[i].name);
    for (size_t i = 0; i < sum->config_count && ok && !is_first; i++)
        if (find_entry(r, sum->config[i].name) == NULL)
            ok = join_entry(sum, r, sum->config[i].name);
    if (sum->config_count > 1)
        qsort(sum->config, sum->config_count, sizeof(*sum->config), by_name);
    return ok ? 0 : merge_no_memory(err);
}
