/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json_in.h"
#include "result/json_parse.h"
#include "result/json_parts.h"
#include "result/json_watched.h"
#include "result/limit.h"

#define FORMAT "plimsoll-limit"
#define LEVEL_MAX 1e15
enum { VERSION = 1, TRIALS_MAX = 100000, WORDS_MAX = 100000, HEAD_BYTES = 256 };

bool limit_report_looks_like(struct slice text)
{
    struct slice head = slice_take(text, HEAD_BYTES);

    while (head.len > 0 && strchr(" \t\r\n", head.ptr[0]) != NULL)
        head = slice_drop(head, 1);
    return slice_starts(head, SLICE("{")) && slice_find_slice(head, SLICE("\"" FORMAT "\"")) >= 0;
}

/* A rate, or a number of connections; null is what is said. */
static double level_at(struct json_in *in, const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    double level = otherwise;

    if (value == NULL || json_is_null(value))
        return otherwise;
    level = json_in_double(in, object, key);
    if (!(level >= 0 && level <= LEVEL_MAX))
        json_in_fail(in, "\"%s\" is no rate and no number of connections", key);
    return level;
}

/* As the search names them; what it does not know is a text of others, and left out. */
static const char *stage_of(struct json_in *in, const json_t *object)
{
    static const char *const STAGES[] = { "expand", "bisect", "confirm", "prove", "retreat" };
    const char *text = json_in_text(in, object, "stage");

    for (size_t i = 0; text != NULL && i < sizeof(STAGES) / sizeof(STAGES[0]); i++)
        if (strcmp(text, STAGES[i]) == 0)
            return STAGES[i];
    return "";
}

static void read_trial(struct json_in *in, const json_t *object, double step_s, struct limit_trial *t)
{
    t->level = level_at(in, object, "level", 0);
    t->stage = stage_of(in, object);
    t->kept = json_in_bool(in, object, "kept");
    t->broke = json_in_dup(in, object, "broke");
    t->requests_per_s = json_in_double(in, object, "requests_per_s");
    t->sent_per_s = json_in_double(in, object, "sent_per_s");
    t->window_s = step_s;
    t->has_latency = !json_is_null(json_object_get(object, "p99")) && json_object_get(object, "p99") != NULL;
    t->p50_s = json_in_double(in, object, "p50");
    t->p99_s = json_in_double(in, object, "p99");
    t->errors = json_in_double(in, object, "errors");
    t->started = json_in_u64(in, object, "started");
    t->ok = json_in_u64(in, object, "ok");
    t->failed = json_in_u64(in, object, "failed");
    t->unfinished = json_in_u64(in, object, "unfinished");
    t->not_sent = json_in_u64(in, object, "not_sent");
    t->in_flight_mean = json_in_double(in, object, "in_flight_mean");
    t->generator_limited = json_in_bool(in, object, "generator_limited");
    t->connections_limited = json_in_bool(in, object, "connections_limited");
    json_read_watched(in, object, &t->watched, &t->watched_count);
    in->where = "trials";
}

static void read_trials(struct json_in *in, const json_t *document, struct limit_report *r)
{
    const json_t *array = json_in_array(in, document, "trials", TRIALS_MAX);

    in->where = "trials";
    r->trials = json_in_alloc(in, array, sizeof(*r->trials));
    for (size_t i = 0; r->trials != NULL && i < json_array_size(array) && !in->failed; i++)
        read_trial(in, json_in_element(in, array, i), r->step_s, &r->trials[r->trial_count++]);
}

static void read_report(struct json_in *in, const json_t *document, struct limit_report *r)
{
    const char *of = json_in_text(in, document, "of");
    uint64_t rounds;

    r->of_connections = of != NULL && strcmp(of, "connections") == 0;
    r->url = json_in_dup(in, document, "url");
    r->promise = json_in_dup(in, document, "promise");
    json_in_copy(in, document, "started", r->started, sizeof(r->started));
    json_in_strings(in, document, "command", &r->command, WORDS_MAX);
    json_read_host(in, json_in_object(in, document, "host"), &r->host);
    r->from = level_at(in, document, "from", 0);
    r->to = level_at(in, document, "to", 0);
    r->precision = json_in_double(in, document, "precision");
    r->step_s = json_in_double(in, document, "step_s");
    rounds = json_in_u64(in, document, "confirm_rounds");
    r->confirm_rounds = rounds < TRIALS_MAX ? (unsigned)rounds : TRIALS_MAX;
    r->safe = level_at(in, document, "safe", 0);
    r->broken = level_at(in, document, "broken", INFINITY);
    r->confirmed = json_in_bool(in, document, "confirmed");
    r->interrupted = json_in_bool(in, document, "interrupted");
    json_in_strings(in, document, "generator_reasons", &r->generator_reasons, WORDS_MAX);
    read_trials(in, document, r);
}

static void check_format(struct json_in *in, const json_t *document)
{
    const char *format;

    if (!json_is_object(document)) {
        json_in_fail(in, "not an object");
        return;
    }
    format = json_in_text(in, document, "format");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        json_in_fail(in, "\"format\" is not \"" FORMAT "\"");
    if (json_in_u64(in, document, "version") != VERSION)
        json_in_fail(in, "\"version\" is not %d", VERSION);
}

int limit_report_from_json(struct limit_report **out, struct slice json, struct err *err)
{
    struct json_in in = { .err = err, .document = "not the document of a limit", .where = "the document" };
    json_t *document = json_parse_document(json, true, err);
    struct limit_report *r = NULL;

    *out = NULL;
    if (document == NULL)
        return -1;
    in.failed = limit_report_new(&r, err) != 0;
    check_format(&in, document);
    if (!in.failed)
        read_report(&in, document, r);
    json_decref(document);
    if (in.failed) {
        limit_report_free(r);
        return -1;
    }
    *out = r;
    return 0;
}
