/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/limit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/json_out.h"
#include "result/json_parts.h"
#include "result/json_watched.h"

enum { LIMIT_FORMAT_VERSION = 1 };

int limit_report_new(struct limit_report **out, struct err *err)
{
    *out = calloc(1, sizeof(**out));
    return *out != NULL ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the search");
}

void limit_report_free(struct limit_report *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->trial_count; i++) {
        free(r->trials[i].broke);
        watched_free(r->trials[i].watched, r->trials[i].watched_count);
    }
    free(r->trials);
    free(r->url);
    free(r->promise);
    strlist_release(&r->generator_reasons);
    strlist_release(&r->command);
    free(r);
}

struct limit_trial *limit_report_add(struct limit_report *r)
{
    struct limit_trial *trials = realloc(r->trials, (r->trial_count + 1) * sizeof(*trials));

    if (trials == NULL)
        return NULL;
    r->trials = trials;
    trials[r->trial_count] = (struct limit_trial){ 0 };
    return &trials[r->trial_count++];
}

const struct limit_trial *limit_report_first_broken(const struct limit_report *r)
{
    const struct limit_trial *found = NULL;

    for (size_t i = 0; i < r->trial_count; i++) {
        const struct limit_trial *t = &r->trials[i];

        if (!t->kept && t->level > r->safe && (found == NULL || t->level <= found->level))
            found = t;
    }
    return found;
}

/* At the lowest level that counts as broken, or at the top when none is: there the answer was decided. */
static bool decided_by(const struct limit_report *r, bool (*is)(const struct limit_trial *))
{
    for (size_t i = 0; i < r->trial_count; i++) {
        const struct limit_trial *t = &r->trials[i];

        if (!t->kept && t->level > r->safe && t->level <= r->broken && is(t))
            return true;
    }
    return false;
}

static bool was_generator(const struct limit_trial *t)
{
    return t->generator_limited;
}

static bool was_connections(const struct limit_trial *t)
{
    return t->connections_limited;
}

bool limit_report_generator_was_limit(const struct limit_report *r)
{
    return decided_by(r, was_generator);
}

bool limit_report_connections_were_limit(const struct limit_report *r)
{
    return decided_by(r, was_connections);
}

static void add_trial(struct json_out *o, const struct limit_trial *t)
{
    json_out_open(o, NULL, '{');
    json_out_double(o, "level", t->level);
    json_out_string(o, "stage", t->stage);
    json_out_bool(o, "kept", t->kept);
    json_out_string(o, "broke", t->broke);
    json_out_double(o, "requests_per_s", t->requests_per_s);
    json_out_double(o, "sent_per_s", t->sent_per_s);
    json_out_double(o, "p50", t->has_latency ? t->p50_s : NAN);
    json_out_double(o, "p99", t->has_latency ? t->p99_s : NAN);
    json_out_double(o, "errors", t->errors);
    json_out_u64(o, "started", t->started);
    json_out_u64(o, "ok", t->ok);
    json_out_u64(o, "failed", t->failed);
    json_out_u64(o, "unfinished", t->unfinished);
    json_out_u64(o, "not_sent", t->not_sent);
    json_out_double(o, "in_flight_mean", t->in_flight_mean);
    json_out_bool(o, "generator_limited", t->generator_limited);
    json_out_bool(o, "connections_limited", t->connections_limited);
    json_write_watched(o, t->watched, t->watched_count, t->window_s, t->ok + t->failed);
    json_out_close(o, '}');
}

static void add_finding(struct json_out *o, const struct limit_report *r)
{
    const struct limit_trial *first = limit_report_first_broken(r);

    json_out_double(o, "safe", r->safe > 0 ? r->safe : NAN);
    json_out_double(o, "broken", r->broken);
    json_out_bool(o, "confirmed", r->confirmed);
    json_out_string(o, "broke_first", first != NULL ? first->broke : NULL);
    json_out_bool(o, "generator_limited", limit_report_generator_was_limit(r));
    json_out_bool(o, "connections_limited", limit_report_connections_were_limit(r));
    json_out_open(o, "generator_reasons", '[');
    for (size_t i = 0; i < r->generator_reasons.count; i++)
        json_out_string(o, NULL, r->generator_reasons.items[i]);
    json_out_close(o, ']');
}

static void add_origin(struct json_out *o, const struct limit_report *r)
{
    json_out_open(o, "command", '[');
    for (size_t i = 0; i < r->command.count; i++)
        json_out_string(o, NULL, r->command.items[i]);
    json_out_close(o, ']');
    if (r->host.hostname[0] != '\0')
        json_write_host(o, "host", &r->host);
    else
        json_out_null(o, "host");
}

int limit_report_to_json(const struct limit_report *r, struct buf *out, struct err *err)
{
    struct json_out o = { .buf = out };

    json_out_open(&o, NULL, '{');
    json_out_string(&o, "format", "plimsoll-limit");
    json_out_u64(&o, "version", LIMIT_FORMAT_VERSION);
    json_out_string(&o, "started", r->started);
    add_origin(&o, r);
    json_out_string(&o, "url", r->url);
    json_out_string(&o, "promise", r->promise);
    json_out_string(&o, "of", r->of_connections ? "connections" : "rate");
    json_out_double(&o, "from", r->from);
    json_out_double(&o, "to", r->to);
    json_out_double(&o, "precision", r->precision);
    json_out_double(&o, "step_s", r->step_s);
    json_out_u64(&o, "confirm_rounds", r->confirm_rounds);
    json_out_bool(&o, "interrupted", r->interrupted);
    add_finding(&o, r);
    json_out_open(&o, "trials", '[');
    for (size_t i = 0; i < r->trial_count; i++)
        add_trial(&o, &r->trials[i]);
    json_out_close(&o, ']');
    json_out_close(&o, '}');
    buf_add_char(out, '\n');
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the document");
}
