/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll ab: ApacheBench's options and report over our engine. See docs/ab.md for where it differs. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/ab_options.h"
#include "cli/ab_run.h"
#include "cli/interrupt.h"
#include "http/redact.h"
#include "http/secrets.h"
#include "http/request.h"
#include "load/load.h"
#include "net/tls.h"
#include "report/ab_report.h"

enum {
    REPORT_MAX_BYTES = 1 << 30,
    REQUEST_MAX_BYTES = 1 << 20,
    EXIT_INTERRUPTED = 1,
    EXIT_NO_NAME = 50,
    EXIT_TIMED_OUT = 119
};

/* Everything a plan points to. */
struct ab_plan {
    struct load_plan plan;
    struct load_target target;
    struct strlist fields;
    struct buf url, absolute, host;
    bool out_of_memory;
    struct buf shown_path; /* without its secrets, as all that is written */
    struct addr source;
};

/* A field of -H in the place of one of ab's own. */
static bool is_given(const struct ab_options *o, const char *name)
{
    const size_t len = strlen(name);

    for (size_t i = 0; i < o->headers.count; i++)
        if (strncasecmp(o->headers.items[i], name, len) == 0 && o->headers.items[i][len] == ':')
            return true;
    return false;
}

static void add_field(struct ab_plan *p, const char *text)
{
    if (text != NULL && !strlist_add(&p->fields, slice_str(text)))
        p->out_of_memory = true;
}

static void add_fieldf(struct ab_plan *p, const char *name, const char *value)
{
    struct buf field;

    buf_init(&field, REQUEST_MAX_BYTES);
    buf_printf(&field, "%s: %s", name, value);
    if (buf_ok(&field))
        add_field(p, field.data);
    else
        p->out_of_memory = true;
    buf_release(&field);
}

/* All fields in ab's order; request_build() then has none to add, and "Name:" keeps it from saying what ab does not. */
static void make_fields(struct ab_plan *p, const struct ab_options *o)
{
    char length[32];

    if (o->keep_alive)
        add_field(p, "Connection: Keep-Alive");
    add_field(p, o->cookie);
    add_field(p, o->authorization);
    add_field(p, o->proxy_authorization);
    snprintf(length, sizeof(length), "%zu", o->body.len);
    if (o->has_body) {
        add_fieldf(p, "Content-length", length);
        add_fieldf(p, "Content-type", o->content_type);
    } else {
        add_field(p, "Content-Length:");
    }
    for (size_t i = 0; i < o->headers.count; i++)
        add_field(p, o->headers.items[i]);
    if (!is_given(o, "Host"))
        add_fieldf(p, "Host", p->host.data);
    if (!is_given(o, "User-Agent"))
        add_field(p, "User-Agent: ApacheBench/2.3");
    if (!is_given(o, "Accept"))
        add_field(p, "Accept: */*");
}

static void make_names(struct ab_plan *p, const struct ab_options *o)
{
    const char *const open = o->hostname_is_ipv6 ? "[" : "", *const close = o->hostname_is_ipv6 ? "]" : "";
    const bool default_port = o->port == (o->https ? 443u : 80u);

    buf_printf(&p->host, "%s%s%s", open, o->hostname, close);
    buf_printf(&p->url, "%s://%s%s%s:%u/", o->https ? "https" : "http", open, o->hostname, close, o->port);
    if (!default_port)
        buf_printf(&p->host, ":%u", o->port);
    if (slice_find_slice(slice_str(o->url), SLICE("://")) < 0)
        buf_add_str(&p->absolute, o->https ? "https://" : "http://");
    buf_add_str(&p->absolute, o->url);
}

static void make_target(struct ab_plan *p, const struct ab_options *o)
{
    make_names(p, o);
    make_fields(p, o);
    redact_url(&p->shown_path, slice_str(o->path));
    if (!buf_ok(&p->host) || !buf_ok(&p->url) || !buf_ok(&p->absolute) || !buf_ok(&p->shown_path))
        p->out_of_memory = true;
    p->target = (struct load_target){
        .url = p->url.data,
        .method = o->method,
        .fields = &p->fields,
        .body = { .present = o->has_body, .bytes = buf_slice(&o->body) },
        /* A proxy is asked by the whole name. */
        .raw_target = o->proxy != NULL ? p->absolute.data : o->path,
    };
}

static const char *sni_of(const struct ab_options *o)
{
    for (size_t i = 0; i < o->headers.count; i++) {
        const char *const field = o->headers.items[i];
        if (strncasecmp(field, "Host:", 5) == 0)
            return field + 5 + strspn(field + 5, " \t");
    }
    return NULL;
}

static int make_source(struct ab_plan *p, const char *name, struct err *err)
{
    struct addr_list list;

    if (name == NULL)
        return 0;
    if (addr_resolve(&list, slice_str(name), 0, AF_UNSPEC, err) != 0)
        return -1;
    p->source = list.items[0];
    p->plan.sources = &p->source;
    p->plan.source_count = 1;
    return 0;
}

static void plan_make(struct ab_plan *p, const struct ab_options *o, struct ab_run *run)
{
    struct load_plan *const plan = &p->plan;

    load_plan_init(plan);
    make_target(p, o);
    plan->targets = &p->target;
    plan->target_count = 1;
    plan->connections = (uint32_t)(o->concurrency < UINT32_MAX ? o->concurrency : UINT32_MAX);
    plan->threads = 1;
    plan->requests = o->requests;
    plan->duration_ns = o->time_limit_s * NS_PER_S;
    plan->timeout_ns = o->timeout_s * NS_PER_S;
    plan->connect_timeout_ns = plan->timeout_ns;
    plan->drain_ns = 0;
    plan->requests_per_connection = o->keep_alive ? 0 : 1;
    plan->version = HTTP_1_0;
    plan->http10_keep_alive = o->keep_alive;
    plan->no_retry = true;
    plan->keep_trying = o->keep_going;
    plan->socket_buffer_bytes = (uint32_t)(o->window_bytes < INT32_MAX ? o->window_bytes : INT32_MAX);
    plan->connect_to = o->proxy;
    plan->sni = o->no_sni ? "" : sni_of(o);
    plan->tls = (struct tls_client_config){ .insecure = true,
                                            .cert_file = o->certificate,
                                            .key_file = o->certificate,
                                            .ciphers = o->ciphers,
                                            .min_version = o->tls_min,
                                            .max_version = o->tls_max };
    plan->expect_any_status = true;
    plan->expect_same_length = !o->variable_length;
    plan->max_errors = 1.0;
    plan->stop = interrupt_flag();
    plan->on_records = ab_run_take_records;
    if (o->verbosity >= 2)
        plan->on_seen = ab_run_show;
    plan->arg = run;
}

/* Before anything is printed, as ab does it: ciphers and certificates that can not be used, whatever the URL. */
static int check_plan(const struct ab_plan *p, struct err *err)
{
    struct tls_context *context = NULL;

    if (p->out_of_memory)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make the request");
    if (p->plan.tls.ciphers == NULL && p->plan.tls.cert_file == NULL)
        return 0;
    const int rc = tls_client_context(&context, &p->plan.tls, err);
    tls_context_free(context);
    return rc;
}

static void plan_init(struct ab_plan *p)
{
    *p = (struct ab_plan){ .fields = STRLIST_INIT };
    buf_init(&p->url, REQUEST_MAX_BYTES);
    buf_init(&p->absolute, REQUEST_MAX_BYTES);
    buf_init(&p->host, REQUEST_MAX_BYTES);
    buf_init(&p->shown_path, REQUEST_MAX_BYTES);
}

static void plan_release(struct ab_plan *p)
{
    strlist_release(&p->fields);
    buf_release(&p->url);
    buf_release(&p->absolute);
    buf_release(&p->host);
    buf_release(&p->shown_path);
}

/* -v 2 and more: the head of all requests, once. A reply may hold its secrets. */
static void show_request(const struct ab_plan *p, const struct ab_options *o, struct ab_run *run)
{
    const struct request_spec spec = {
        .method = slice_str(p->target.method),
        .target = slice_str(p->target.raw_target),
        .version = HTTP_1_0,
        .fields = &p->fields,
        .has_body = o->has_body,
        .body_bytes = o->body.len,
    };
    struct buf head, shown;

    buf_init(&head, REQUEST_MAX_BYTES);
    buf_init(&shown, REQUEST_MAX_BYTES);
    if (request_build(&head, &spec, NULL) == 0) {
        redact_head(&shown, buf_slice(&head));
        run->out_of_memory |= !secrets_add_head(&run->secrets, buf_slice(&head)) ||
                              !secrets_add_text(&run->secrets, buf_slice(&o->body));
        printf("INFO: %s header == \n---\n%.*s\n---\n", o->method, SLICE_FMT(buf_slice(&shown)));
    }
    buf_release(&head);
    buf_release(&shown);
}

static void print_start(const struct ab_plan *p, const struct ab_options *o, struct ab_run *run)
{
    ab_print_banner(o);
    if (!o->html) {
        printf("Benchmarking %s ", o->hostname);
        if (o->proxy != NULL)
            printf("[through %s] ", o->proxy);
        printf("(be patient)%s", ab_run_has_heartbeat(run) ? "\n" : "...");
    }
    if (o->verbosity >= 2)
        show_request(p, o, run);
    fflush(stdout);
}

/* What cannot be run, in ab's words where it has some. */
static int refuse(const struct err *err)
{
    struct slice rest = slice_str(err->what);

    if (slice_starts(rest, SLICE("dns: "))) {
        rest = slice_drop(rest, 5);
        const struct slice name = slice_split(&rest, ':');
        fprintf(stderr, "apr_sockaddr_info_get() for %.*s:%.*s (670002)\n", SLICE_FMT(name), SLICE_FMT(rest));
        return EXIT_NO_NAME;
    }
    fprintf(stderr, "ab: %s\n", err->what);
    if (err->hint[0] != '\0')
        fprintf(stderr, "  hint: %s\n", err->hint);
    return err->kind == ERR_USAGE ? AB_EXIT_USAGE : AB_EXIT_BAD;
}

/* The run ended for a socket error. */
static int report_fatal(const struct ab_run *run)
{
    static const int NUMBERS[FAIL_KINDS] = {
        [FAIL_CONNECT_REFUSED] = ECONNREFUSED,
        [FAIL_CONNECT_UNREACHABLE] = EHOSTUNREACH,
        [FAIL_PORTS_EXHAUSTED] = EADDRNOTAVAIL,
        [FAIL_FILES_EXHAUSTED] = EMFILE,
        [FAIL_RESET] = ECONNRESET,
    };
    const int number = NUMBERS[run->fatal];

    if (number != 0)
        fprintf(stderr, "apr_socket_recv: %s (%d)\n", strerror(number), number);
    else
        fputs("apr_pollset_poll: The timeout specified has expired (70007)\n", stderr);
    if (run->count > 0)
        printf("Total of %zu requests completed\n", run->count);
    return number != 0 ? number : EXIT_TIMED_OUT;
}

static int write_file(const char *path, const char *what, const struct ab_report *r,
                      void (*render)(const struct ab_report *, struct buf *))
{
    struct err err = { 0 };
    struct buf text;

    if (path == NULL)
        return 0;
    buf_init(&text, REPORT_MAX_BYTES);
    render(r, &text);
    const int rc = buf_ok(&text) ? file_write(path, buf_slice(&text), &err) : -1;
    if (rc != 0)
        fprintf(stderr, "Cannot open %s output file: %s\n", what, err.what);
    buf_release(&text);
    return rc != 0 ? AB_EXIT_BAD : 0;
}

static void fill_tls(struct ab_report *r, const struct ab_options *o, const struct load_plan *plan,
                     const struct load_first *first)
{
    if (!o->https)
        return;
    r->tls_version = first->tls_version;
    r->tls_cipher = first->tls_cipher;
    r->tls_temp_key = first->tls_temp_key;
    r->tls_key_bits = first->tls_key_bits;
    r->tls_cipher_bits = first->tls_cipher_bits;
    if (plan->sni != NULL)
        r->tls_sni = plan->sni[0] != '\0' ? plan->sni : NULL;
    else if (!o->hostname_is_ipv6 && strspn(o->hostname, "0123456789.") != strlen(o->hostname))
        r->tls_sni = o->hostname;
}

static struct ab_report report_of(const struct ab_options *o, const struct ab_plan *p, const struct ab_run *run,
                                  const struct load_first *first, const struct result *result)
{
    struct ab_report r = {
        .server_software = first->server,
        .hostname = o->hostname,
        .port = o->port,
        .path = p->shown_path.data,
        .document_bytes = first->body_bytes,
        .variable_length = o->variable_length,
        .keep_alive = o->keep_alive,
        .sends_body = o->has_body,
        .concurrency = p->plan.connections,
        .time_taken_s = result->ramp_s + result->duration_s,
        .failed_connect = run->failed_connect,
        .failed_receive = run->failed_receive,
        .failed_length = run->failed_length,
        .failed_exceptions = run->failed_exceptions,
        .write_errors = run->write_errors,
        .non_2xx = run->non_2xx,
        .kept_alive = run->kept_alive,
        .bytes_received = result->totals.bytes_received,
        .body_bytes_received = result->totals.body_bytes_received,
        .bytes_sent = result->totals.bytes_sent,
        .no_confidence = o->no_confidence,
        .no_percentiles = o->no_percentiles,
        .table_attributes = o->table_attributes,
        .tr_attributes = o->tr_attributes,
        .td_attributes = o->td_attributes,
        .samples = run->samples,
        .count = run->count,
    };

    fill_tls(&r, o, &p->plan, first);
    return r;
}

static int print_report(struct ab_report *r, const struct ab_options *o)
{
    struct buf text;
    int rc = AB_EXIT_BAD;

    buf_init(&text, REPORT_MAX_BYTES);
    if (o->html ? ab_report_html(r, &text) : ab_report_text(r, &text)) {
        fwrite(text.data, 1, text.len, stdout);
        rc = fflush(stdout) == 0 ? 0 : AB_EXIT_BAD;
        if (rc != 0)
            fprintf(stderr, "ab: cannot write the report: %s\n", strerror(errno));
    } else {
        fputs("ab: out of memory for the report\n", stderr);
    }
    buf_release(&text);
    const int csv = write_file(o->csv_file, "CSV", r, ab_report_csv);
    const int gnuplot = write_file(o->gnuplot_file, "gnuplot", r, ab_report_gnuplot);
    return rc != 0 ? rc : csv != 0 ? csv : gnuplot;
}

/* ab says each as it happens; here every kind once, when it is known how many there were. */
static void say_tls_errors(const struct result *result)
{
    for (size_t i = 0; i < result->error_count; i++) {
        const struct error_entry *e = &result->errors[i];
        if (e->kind == FAIL_TLS)
            fprintf(stderr, "SSL handshake failed (%llu): %s\n", (unsigned long long)e->count, e->detail);
    }
}

static int finish(struct load *load, const struct ab_plan *p, const struct ab_options *o, struct ab_run *run,
                  const struct result *result)
{
    ab_run_show_end(run);
    if (run->out_of_memory) {
        fputs("ab: out of memory for the requests' times\n", stderr);
        return AB_EXIT_BAD;
    }
    say_tls_errors(result);
    if (run->fatal >= 0)
        return report_fatal(run);
    if (*interrupt_flag() == 0) {
        if (ab_run_has_heartbeat(run))
            fprintf(stderr, "Finished %zu requests\n", run->count);
        else
            fputs("..done\n", stdout);
    }
    struct ab_report report = report_of(o, p, run, load_first_reply(load), result);
    const int rc = print_report(&report, o);
    return rc != 0 ? rc : *interrupt_flag() != 0 ? EXIT_INTERRUPTED : 0;
}

static int run_plan(struct ab_plan *p, const struct ab_options *o, struct ab_run *run)
{
    struct err err = { 0 };
    struct result *result = NULL;
    struct load *load = NULL;
    int rc;

    interrupt_install_silent();
    print_start(p, o, run);
    if (make_source(p, o->source, &err) != 0 || load_prepare(&load, &p->plan, &err) != 0 ||
        load_run(load, &result, &err) != 0)
        rc = refuse(&err);
    else
        rc = finish(load, p, o, run, result);
    result_free(result);
    load_free(load);
    return rc;
}

int cmd_ab(int argc, char **argv)
{
    struct ab_options options;
    struct ab_run run;
    struct ab_plan plan;
    struct err err = { 0 };
    int rc;

    plan_init(&plan);
    if (ab_options_parse(&options, argc, argv, &rc) == 0) {
        ab_run_init(&run, &options, interrupt_flag());
        plan_make(&plan, &options, &run);
        rc = check_plan(&plan, &err) != 0 ? refuse(&err) : run_plan(&plan, &options, &run);
        ab_run_release(&run);
    }
    plan_release(&plan);
    ab_options_release(&options);
    return rc;
}
