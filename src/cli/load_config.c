/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_config.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "http/redact.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

static bool add_number(struct result *r, const char *name, uint64_t n)
{
    return result_add_config(r, name, "%" PRIu64, n);
}

/* 0 stands for "not given". */
static bool add_number_or_null(struct result *r, const char *name, uint64_t n)
{
    return n != 0 ? add_number(r, name, n) : result_add_config(r, name, "null");
}

static bool add_seconds(struct result *r, const char *name, uint64_t ns)
{
    return result_add_config(r, name, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

static bool add_bool(struct result *r, const char *name, bool value)
{
    return result_add_config(r, name, value ? "true" : "false");
}

/* A buffer's text as a string; null when it is empty. Ends the buffer. */
static bool add_text(struct result *r, const char *name, struct buf *text)
{
    const bool ok = buf_ok(text) && result_add_config_string(r, name, text->len > 0 ? text->data : NULL);

    buf_release(text);
    return ok;
}

static bool add_list(struct result *r, const char *name, const struct strlist *list, const char *separator)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < list->count; i++) {
        buf_add_str(&text, i > 0 ? separator : "");
        buf_add_str(&text, list->items[i]);
    }
    return add_text(r, name, &text);
}

static bool add_fields(struct result *r, const char *name, const struct strlist *fields)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < fields->count; i++) {
        buf_add_str(&text, i > 0 ? "\n" : "");
        redact_field_line(&text, slice_str(fields->items[i]));
    }
    return add_text(r, name, &text);
}

/* "200,204,300-399" of the flags. */
static bool add_statuses(struct result *r, const struct load_options *o)
{
    struct buf text;

    if (!o->has_expect_status)
        return result_add_config_string(r, "expect_status", "200-399");
    buf_init(&text, TEXT_MAX_BYTES);
    for (unsigned low = 0, high; low < STATUS_MAX; low = high + 1) {
        high = low;
        if (!o->expect_status[low])
            continue;
        while (high + 1 < STATUS_MAX && o->expect_status[high + 1])
            high++;
        buf_printf(&text, high > low ? "%s%u-%u" : "%s%u", text.len > 0 ? "," : "", low, high);
    }
    return add_text(r, "expect_status", &text);
}

static bool add_load(struct result *r, const struct load_options *o, const struct load_plan *plan)
{
    const uint64_t threads = r->generator.workers != 0 ? r->generator.workers : plan->threads;

    return add_number(r, "connections", plan->connections) && add_number_or_null(r, "threads", threads) &&
           (plan->duration_ns != 0 ? add_seconds(r, "duration_s", plan->duration_ns)
                                   : result_add_config(r, "duration_s", "null")) &&
           add_number_or_null(r, "requests", plan->requests) && add_seconds(r, "warmup_s", plan->warmup_ns) &&
           add_number(r, "requests_per_connection", plan->requests_per_connection) &&
           result_add_config_string(r, "close",
                                    plan->close == LOAD_CLOSE_CLIENT  ? "client"
                                    : plan->close == LOAD_CLOSE_RESET ? "reset"
                                                                      : "server") &&
           add_seconds(r, "drain_s", plan->drain_ns) && add_bool(r, "retry", !plan->no_retry) &&
           add_number(r, "seed", plan->seed) && add_seconds(r, "timeout_s", plan->timeout_ns) &&
           add_seconds(r, "connect_timeout_s", plan->connect_timeout_ns);
}

/* "100/s:30s" as seconds: from, to, length of each stage. */
static bool add_stages(struct result *r, const struct load_options *o)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < o->stage_count; i++)
        buf_printf(&text, "%s%.12g/s-%.12g/s:%.12gs", i > 0 ? "," : "", o->stages[i].from_per_s, o->stages[i].to_per_s,
                   (double)o->stages[i].length_ns / NS_PER_S);
    return add_text(r, "stages", &text);
}

static bool add_connection_stages(struct result *r, const struct load_options *o)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < o->connection_stage_count; i++)
        buf_printf(&text, "%s%u:%.12gs", i > 0 ? "," : "", o->connection_stages[i].connections,
                   (double)o->connection_stages[i].length_ns / NS_PER_S);
    return add_text(r, "connection_stages", &text);
}

static bool add_open_model(struct result *r, const struct load_options *o)
{
    return (o->rate_per_s > 0 ? result_add_config(r, "rate_per_s", "%.12g", o->rate_per_s)
                              : result_add_config(r, "rate_per_s", "null")) &&
           add_stages(r, o) && add_number_or_null(r, "burst_size", o->burst_size) &&
           add_seconds(r, "burst_period_s", o->burst_period_ns) &&
           result_add_config_string(r, "arrivals", o->arrivals == LOAD_ARRIVALS_POISSON ? "poisson" : "constant") &&
           add_number_or_null(r, "grow", o->grow) && add_number_or_null(r, "max_in_flight", o->max_in_flight);
}

/* Only one of the models has figures to tell. */
static bool add_model(struct result *r, const struct load_options *o)
{
    const bool open = o->rate_per_s > 0 || o->stage_count > 0 || o->burst_size > 0;

    if (!result_add_config_string(r, "model", open ? "open" : "closed"))
        return false;
    if (open)
        return add_open_model(r, o);
    return add_connection_stages(r, o) && add_seconds(r, "ramp_up_s", o->ramp_up_ns) &&
           add_seconds(r, "think_min_s", o->think_min_ns) && add_seconds(r, "think_max_s", o->think_max_ns);
}

/* Names and files of the parts; never their values. */
static bool add_form(struct result *r, const struct load_body *body)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    for (size_t i = 0; i < body->part_count; i++)
        buf_printf(&text, "%s%s=%s%s", i > 0 ? "\n" : "", body->parts[i].name,
                   body->parts[i].path != NULL ? "@" : "***", body->parts[i].path != NULL ? body->parts[i].path : "");
    return add_text(r, "form", &text);
}

/* What replies are held against beside their status. */
static bool add_checks(struct result *r, const struct load_options *o)
{
    char sha[2 * sizeof(o->expect_sha256) + 1] = "";

    for (size_t i = 0; o->has_expect_sha256 && i < sizeof(o->expect_sha256); i++)
        snprintf(sha + 2 * i, 3, "%02x", o->expect_sha256[i]);
    return (o->has_expect_body_size ? add_number(r, "expect_body_bytes", o->expect_body_size)
                                    : result_add_config(r, "expect_body_bytes", "null")) &&
           result_add_config_string(r, "expect_body_sha256", o->has_expect_sha256 ? sha : NULL) &&
           result_add_config_string(r, "expect_body", o->expect_body) &&
           add_fields(r, "expect_headers", &o->expect_fields);
}

static bool add_request(struct result *r, const struct load_options *o, const struct load_plan *plan)
{
    const struct load_target *first = &plan->targets[0];
    const char *authorization = o->user != NULL ? "basic" : o->bearer != NULL ? "bearer" : NULL;

    return result_add_config_string(r, "targets_file", o->targets_file) &&
           (o->targets_filter == NULL || result_add_config_string(r, "targets_filter", o->targets_filter)) &&
           result_add_config_string(r, "http_version",
                                    plan->version == HTTP_1_0 ? "1.0"
                                    : plan->version == HTTP_2 ? "2"
                                                              : "1.1") &&
           add_number(r, "streams", plan->streams > 0 ? plan->streams : 1) &&
           add_number(r, "pipeline", plan->pipeline > 0 ? plan->pipeline : 1) &&
           result_add_config_string(r, "method", first->method) && add_fields(r, "headers", &o->fields) &&
           (first->body.present && !first->body.from_file ? add_number(r, "body_bytes", first->body.bytes.len)
                                                          : result_add_config(r, "body_bytes", "null")) &&
           result_add_config_string(r, "body_file", first->body.from_file ? first->body.path : NULL) &&
           add_number_or_null(r, "body_random_bytes", first->body.random_bytes) && add_form(r, &first->body) &&
           add_bool(r, "cookies", plan->cookies) && result_add_config_string(r, "feed", plan->feed) &&
           result_add_config_string(r, "feed_order",
                                    plan->feed_order == LOAD_FEED_RANDOM ? "random"
                                    : plan->feed_order == LOAD_FEED_ONCE ? "once"
                                                                         : "sequential") &&
           add_bool(r, "chunked", plan->chunked) && add_bool(r, "expect_continue", plan->expect_continue) &&
           result_add_config_string(r, "authorization", authorization);
}

static bool add_proxy(struct result *r, const char *proxy)
{
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    redact_url(&text, slice_str(proxy));
    return add_text(r, "proxy", &text);
}

/* 12 as "1.2"; 0: the library's choice. */
static bool add_version(struct result *r, const char *name, int version)
{
    return version != 0 ? result_add_config(r, name, "\"%d.%d\"", version / 10, version % 10)
                        : result_add_config(r, name, "null");
}

static bool add_tls(struct result *r, const struct load_plan *plan)
{
    const struct tls_client_config *t = &plan->tls;

    return add_bool(r, "verify_certificates", !t->insecure) && result_add_config_string(r, "cacert", t->ca_file) &&
           result_add_config_string(r, "sni", plan->sni) && result_add_config_string(r, "cert", t->cert_file) &&
           add_version(r, "tls_min", t->min_version) && add_version(r, "tls_max", t->max_version) &&
           result_add_config_string(r, "ciphers", t->ciphers) && result_add_config_string(r, "groups", t->groups) &&
           result_add_config_string(r, "alpn", t->alpn) &&
           result_add_config(r, "tls_resume", "%.12g", plan->tls_resume);
}

static bool add_network(struct result *r, const struct load_options *o, const struct load_plan *plan)
{
    return add_list(r, "resolve", &o->overrides, " ") && add_bool(r, "re_resolve", plan->re_resolve) &&
           add_list(r, "source", &o->sources, ",") && result_add_config_string(r, "unix_socket", plan->unix_socket) &&
           result_add_config_string(r, "family",
                                    o->ipv4   ? "ipv4"
                                    : o->ipv6 ? "ipv6"
                                              : "any") &&
           result_add_config_string(r, "connect_to", plan->connect_to) && add_proxy(r, plan->proxy) && add_tls(r, plan);
}

/* All numbers of the config are of the whole plan, whatever the share. */
static bool add_share(struct result *r, const struct share_options *o)
{
    if (!o->given)
        return true;
    return result_add_config(r, "share", "\"%u/%u\"", o->share.index + 1, o->share.count) &&
           result_add_config_string(r, "start_at", r->start.at[0] != '\0' ? r->start.at : NULL);
}

bool load_config_add(struct result *r, const struct load_options *o, const struct load_plan *plan)
{
    return add_share(r, &o->share) && add_load(r, o, plan) && add_model(r, o) && add_request(r, o, plan) &&
           add_network(r, o, plan) && add_statuses(r, o) && add_checks(r, o) &&
           result_add_config(r, "max_errors", "%.12g", plan->max_errors) && add_bool(r, "strict", plan->strict);
}
