/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/load_form.h"
#include "cli/load_values.h"

/* A body held in memory; larger ones go with -T. */
#define BODY_MAX_BYTES (UINT64_C(64) << 20)
/* 53 bits: what --seed takes and every reader of JSON keeps exactly. */
#define SEED_MASK ((UINT64_C(1) << 53) - 1)
#define TOKEN_MAX_BYTES (UINT64_C(64) << 10)

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory");
}

/* The user named the file: whatever is wrong with it is for the user to mend, and nothing was sent. */
static int blame_file(const char *option, const char *path, const char *hint, struct err *err)
{
    if (err == NULL)
        return -1;
    err_prefix(err, "%s", option);
    if (strstr(err->what, path) == NULL)
        err_prefix(err, "%s", path);
    err->kind = ERR_CONFIG;
    if (err->hint[0] == '\0')
        err_hint(err, "%s", hint);
    return -1;
}

static int read_body(struct load_inputs *in, const struct load_options *o, struct err *err)
{
    if (o->body[0] != '@') {
        buf_add_str(&in->_body, o->body);
        return buf_ok(&in->_body) ? 0 : err_set(err, ERR_USAGE, 0, "--body: the text is above 64 MiB");
    }
    if (o->body[1] == '\0') {
        err_set(err, ERR_USAGE, 0, "--body: \"@\" names no file");
        return err_hint(err, "write @FILE, or @- for standard input");
    }
    if (file_read(o->body + 1, &in->_body, err) != 0)
        return blame_file("--body", o->body + 1, "name a readable file of at most 64 MiB, or send a larger one with -T",
                          err);
    return 0;
}

/* Looked at now, so that a mistake is told before the run. */
static int check_upload(const char *path, struct err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status = 0;

    if (fd < 0) {
        err_set(err, ERR_CONFIG, errno, "--upload-file: cannot read %s", path);
        return err_hint(err, "name a file that this user may read");
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        err_set(err, ERR_CONFIG, 0, "--upload-file: %s is not a regular file", path);
        status = err_hint(err, "its size must be known: write what it gives into a file first");
    }
    close(fd);
    return status;
}

static int take_body(struct load_inputs *in, const struct load_options *o, struct load_body *body, struct err *err)
{
    if (o->upload_file != NULL) {
        *body = (struct load_body){ .present = true, .from_file = true, .path = o->upload_file };
        return check_upload(o->upload_file, err);
    }
    if (o->body_random > 0)
        *body = (struct load_body){ .present = true, .random_bytes = o->body_random };
    if (o->form.count > 0) {
        if (load_form_make(&in->_parts, &in->_texts, &o->form, err) != 0)
            return -1;
        *body = (struct load_body){ .present = true, .parts = in->_parts, .part_count = o->form.count };
    }
    if (o->body == NULL)
        return 0;
    if (read_body(in, o, err) != 0)
        return -1;
    *body = (struct load_body){ .present = true, .bytes = buf_slice(&in->_body) };
    return 0;
}

static int read_token(const char *bearer, struct buf *token, struct err *err)
{
    const char *value;

    if (bearer[0] == '@') {
        if (file_read(bearer + 1, token, err) != 0)
            return blame_file("--auth-bearer", bearer + 1, "name a readable file that holds the token alone", err);
        return 0;
    }
    if (strncmp(bearer, "env:", 4) != 0) {
        buf_add_str(token, bearer);
        return 0;
    }
    value = getenv(bearer + 4);
    if (value == NULL) {
        err_set(err, ERR_CONFIG, 0, "--auth-bearer: there is no variable \"%s\" in the environment", bearer + 4);
        return err_hint(err, "export %s=... before, or write the token itself", bearer + 4);
    }
    buf_add_str(token, value);
    return 0;
}

static struct slice without_line_end(struct slice s)
{
    while (s.len > 0 && (s.ptr[s.len - 1] == '\n' || s.ptr[s.len - 1] == '\r'))
        s.len--;
    return s;
}

static int add_token(struct load_inputs *in, const char *bearer, struct slice token, struct err *err)
{
    if (token.len == 0) {
        err_set(err, ERR_CONFIG, 0, "--auth-bearer: %s is empty", bearer);
        return err_hint(err, "it must hold the token");
    }
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] > ' ' && token.ptr[i] < 0x7f)
            continue;
        err_set(err, ERR_CONFIG, 0, "--auth-bearer: the token (not shown) holds the character \\x%02x",
                (unsigned)(unsigned char)token.ptr[i]);
        return err_hint(err, "a token is one line of visible ASCII characters without spaces");
    }
    buf_add_str(&in->_authorization, "Bearer ");
    buf_add_slice(&in->_authorization, token);
    return buf_ok(&in->_authorization) ? 0 : out_of_memory(err);
}

static int take_authorization(struct load_inputs *in, const struct load_options *o, struct err *err)
{
    struct buf token;
    int status = -1;

    if (o->user != NULL) {
        request_basic_authorization(&in->_authorization, slice_str(o->user));
        return buf_ok(&in->_authorization) ? 0 : out_of_memory(err);
    }
    if (o->bearer == NULL)
        return 0;
    buf_init(&token, TOKEN_MAX_BYTES);
    if (read_token(o->bearer, &token, err) == 0)
        status = add_token(in, o->bearer, without_line_end(buf_slice(&token)), err);
    buf_release(&token);
    return status;
}

static const char *method_of(const struct load_options *o)
{
    if (o->method != NULL)
        return o->method;
    if (o->upload_file != NULL)
        return "PUT";
    return o->body != NULL || o->form.count > 0 || o->body_random > 0 ? "POST" : "GET";
}

static void take_expectations(struct load_inputs *in, const struct load_options *o)
{
    in->_expect = (struct load_expect){
        .status = o->has_expect_status ? o->expect_status : NULL,
        .has_body_bytes = o->has_expect_body_size,
        .body_bytes = o->expect_body_size,
        .body_sha256 = o->has_expect_sha256 ? o->expect_sha256 : NULL,
        .body_regex = o->expect_body,
        .fields = &o->expect_fields,
    };
}

static bool has_checks(const struct load_options *o)
{
    return o->has_expect_body_size || o->has_expect_sha256 || o->expect_body != NULL || o->expect_fields.count > 0;
}

static int make_targets(struct load_inputs *in, const struct load_options *o, struct err *err)
{
    struct load_body body = { 0 };

    take_expectations(in, o);
    if (take_body(in, o, &body, err) != 0 || take_authorization(in, o, err) != 0)
        return -1;
    const struct load_target common = {
        .method = method_of(o),
        .fields = &o->fields,
        .body = body,
        .expect = has_checks(o) ? &in->_expect : NULL,
        .authorization = in->_authorization.len > 0 ? in->_authorization.data : NULL,
    };

    if (o->targets_file != NULL) {
        if (load_targets_read(&in->_listed, o->targets_file, &common, &in->plan.tls, o, err) != 0)
            return -1;
        in->plan.targets = in->_listed.targets;
        in->plan.target_count = in->_listed.count;
        return 0;
    }
    in->_targets = calloc(o->urls.count, sizeof(*in->_targets));
    if (in->_targets == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < o->urls.count; i++) {
        in->_targets[i] = common;
        in->_targets[i].url = o->urls.items[i];
    }
    in->plan.targets = in->_targets;
    in->plan.target_count = o->urls.count;
    return 0;
}

static int make_overrides(struct load_inputs *in, const struct strlist *given, struct err *err)
{
    struct load_override_parts parts;

    if (given->count == 0)
        return 0;
    in->_overrides = calloc(given->count, sizeof(*in->_overrides));
    if (in->_overrides == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < given->count; i++) {
        if (load_override_split(&parts, given->items[i], err) != 0)
            return -1;
        if (!strlist_add(&in->_texts, parts.host) || !strlist_add(&in->_texts, parts.addresses))
            return out_of_memory(err);
        in->_overrides[i] = (struct load_override){
            .host = in->_texts.items[in->_texts.count - 2],
            .port = parts.port,
            .addresses = in->_texts.items[in->_texts.count - 1],
        };
    }
    in->plan.overrides = in->_overrides;
    in->plan.override_count = given->count;
    return 0;
}

static int make_sources(struct load_inputs *in, const struct strlist *given, struct err *err)
{
    if (given->count == 0)
        return 0;
    in->_sources = calloc(given->count, sizeof(*in->_sources));
    if (in->_sources == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < given->count; i++)
        if (addr_parse(&in->_sources[i], slice_str(given->items[i]), 0, err) != 0)
            return err_prefix(err, "--source");
    in->plan.sources = in->_sources;
    in->plan.source_count = given->count;
    return 0;
}

/* What is watched must be there now; that it may end later is no mistake. */
static int make_watcher(struct load_inputs *in, const struct strlist *watches, struct err *err)
{
    if (watches->count == 0)
        return 0;
    if (watcher_new(&in->plan.watcher, watches, NULL, err) != 0)
        return err_prefix(err, "--watch");
    return 0;
}

static void take_numbers(struct load_plan *p, const struct load_options *o)
{
    p->share = o->share.share;
    p->connections = (uint32_t)o->connections;
    p->threads = (uint32_t)o->threads;
    p->duration_ns = o->duration_ns;
    p->requests = o->requests;
    p->warmup_ns = o->warmup_ns;
    p->timeout_ns = o->timeout_ns;
    p->connect_timeout_ns = o->connect_timeout_ns;
    p->drain_ns = o->drain_ns;
    p->requests_per_connection = o->requests_per_connection;
    p->seed = o->has_seed ? o->seed : rng_seed_from_system() & SEED_MASK;
    p->percentiles = o->percentiles;
    p->percentile_count = o->percentile_count;
}

static void take_model(struct load_inputs *in, const struct load_options *o)
{
    struct load_plan *p = &in->plan;

    in->_rate = (struct load_stage){ o->rate_per_s, o->rate_per_s, UINT64_MAX };
    if (o->stage_count > 0) {
        p->schedule.stages = o->stages;
        p->schedule.stage_count = o->stage_count;
    } else if (o->rate_per_s > 0) {
        p->schedule.stages = &in->_rate;
        p->schedule.stage_count = 1;
    }
    p->schedule.arrivals = o->arrivals;
    p->schedule.burst_size = o->burst_size;
    p->schedule.burst_period_ns = o->burst_period_ns;
    p->grow = (uint32_t)o->grow;
    p->max_in_flight = o->max_in_flight;
    p->connection_stages = o->connection_stages;
    p->connection_stage_count = o->connection_stage_count;
    p->ramp_up_ns = o->ramp_up_ns;
    p->think_min_ns = o->think_min_ns;
    p->think_max_ns = o->think_max_ns;
}

static void take_tls(struct load_plan *p, const struct load_options *o)
{
    p->tls = (struct tls_client_config){
        .insecure = o->insecure,
        .ca_file = o->ca_file,
        .cert_file = o->cert_file,
        .key_file = o->key_file != NULL ? o->key_file : o->cert_file,
        .ciphers = o->ciphers,
        .groups = o->groups,
        .min_version = o->tls_min,
        .max_version = o->tls_max,
        .alpn = o->alpn,
    };
    p->tls_resume = o->tls_resume;
}

static void take_manner(struct load_plan *p, const struct load_options *o)
{
    p->version = o->http10 ? HTTP_1_0 : o->http2 || o->h2c ? HTTP_2 : HTTP_1_1;
    p->streams = (uint32_t)o->streams;
    p->pipeline = (uint32_t)o->pipeline;
    p->http10_keep_alive = o->http10 && o->requests_per_connection != 1;
    p->cookies = o->cookies;
    p->feed = o->feed;
    p->feed_order = o->feed_order;
    p->chunked = o->chunked;
    p->expect_continue = o->expect_continue;
    p->no_retry = o->no_retry;
    p->re_resolve = o->re_resolve;
    p->family = o->ipv4 ? AF_INET : o->ipv6 ? AF_INET6 : AF_UNSPEC;
    p->unix_socket = o->unix_socket;
    p->connect_to = o->connect_to;
    p->proxy = o->proxy;
    p->close = o->close;
    p->sni = o->sni;
    take_tls(p, o);
    p->expect_status = o->has_expect_status ? o->expect_status : NULL;
    p->max_errors = o->max_errors;
    p->strict = o->strict;
    p->save_failures_dir = o->failures_dir;
    p->save_failures_max = (uint32_t)o->failures_max;
}

int load_inputs_make(struct load_inputs *in, const struct load_options *o, struct err *err)
{
    memset(in, 0, sizeof(*in));
    buf_init(&in->_body, BODY_MAX_BYTES);
    buf_init(&in->_authorization, 2 * TOKEN_MAX_BYTES);
    load_plan_init(&in->plan);
    take_numbers(&in->plan, o);
    take_model(in, o);
    take_manner(&in->plan, o);
    if (make_targets(in, o, err) == 0 && make_overrides(in, &o->overrides, err) == 0 &&
        make_sources(in, &o->sources, err) == 0 && make_watcher(in, &o->watches, err) == 0)
        return 0;
    load_inputs_release(in);
    return -1;
}

void load_inputs_release(struct load_inputs *in)
{
    watcher_free(in->plan.watcher);
    load_targets_release(&in->_listed);
    free(in->_targets);
    free(in->_parts);
    free(in->_overrides);
    free(in->_sources);
    buf_release(&in->_body);
    buf_release(&in->_authorization);
    strlist_release(&in->_texts);
    memset(in, 0, sizeof(*in));
}
