/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_options.h"

#include <string.h>

#include "base/units.h"
#include "http/url.h"

void load_options_init(struct load_options *o)
{
    memset(o, 0, sizeof(*o));
    o->connections = 10;
    o->drain_ns = NS_PER_S;
    o->timeout_ns = UINT64_C(30) * NS_PER_S;
    o->connect_timeout_ns = UINT64_C(5) * NS_PER_S;
    o->max_errors = 0.01;
}

void load_options_release(struct load_options *o)
{
    strlist_release(&o->urls);
    strlist_release(&o->fields);
    strlist_release(&o->form);
    strlist_release(&o->expect_fields);
    strlist_release(&o->overrides);
    strlist_release(&o->sources);
    strlist_release(&o->labels);
    strlist_release(&o->command);
    strlist_release(&o->watches);
    free(o->percentiles);
    slo_release(&o->slo);
    free(o->stages);
    free(o->connection_stages);
    free(o->failures_dir);
    strlist_release(&o->_expanded);
    memset(o, 0, sizeof(*o));
}

static int exclude_each_other(const char *a, const char *b, const char *hint, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "%s and %s contradict each other", a, b);
    return err_hint(err, "%s", hint);
}

static bool has_field(const struct strlist *fields, struct slice name)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct slice field = slice_str(fields->items[i]);

        if (slice_starts_nocase(field, name) && field.len > name.len &&
            (field.ptr[name.len] == ':' || field.ptr[name.len] == ';'))
            return true;
    }
    return false;
}

static bool url_has_user(const char *text)
{
    struct url url;

    return url_parse(&url, slice_str(text), NULL) == 0 && url.userinfo.ptr != NULL;
}

static int check_credentials(const struct load_options *o, struct err *err)
{
    const bool field = has_field(&o->fields, SLICE("Authorization"));

    if (o->user != NULL && o->bearer != NULL)
        return exclude_each_other("--user", "--auth-bearer", "a request carries one Authorization: drop one of the two",
                                  err);
    if (field && (o->user != NULL || o->bearer != NULL))
        return exclude_each_other("-H Authorization", o->user != NULL ? "--user" : "--auth-bearer",
                                  "a request carries one Authorization: drop one of the two", err);
    for (size_t i = 0; i < o->urls.count; i++)
        if ((field || o->user != NULL || o->bearer != NULL) && url_has_user(o->urls.items[i]))
            return exclude_each_other("the user in the URL",
                                      o->user != NULL ? "--user"
                                      : field         ? "-H Authorization"
                                                      : "--auth-bearer",
                                      "a request carries one Authorization: drop one of the two", err);
    return 0;
}

static int check_network(const struct load_options *o, struct err *err)
{
    if (o->ipv4 && o->ipv6)
        return exclude_each_other("-4", "-6", "drop one of the two; without either both families are used", err);
    for (size_t i = 0; i < o->sources.count && (o->ipv4 || o->ipv6); i++)
        if ((strchr(o->sources.items[i], ':') != NULL) == o->ipv4)
            return exclude_each_other(o->ipv4 ? "-4" : "-6", o->sources.items[i],
                                      "give --source addresses of that family", err);
    if (o->proxy != NULL && o->connect_to != NULL)
        return exclude_each_other("--proxy", "--connect-to", "both say where to connect: drop one of the two", err);
    if (o->proxy != NULL && o->h2c)
        return exclude_each_other("--proxy", "--h2c", "HTTP/2 goes through a proxy in TLS alone (--http2)", err);
    if (o->unix_socket == NULL)
        return 0;
    if (o->proxy != NULL || o->connect_to != NULL)
        return exclude_each_other("--unix-socket", o->proxy != NULL ? "--proxy" : "--connect-to",
                                  "both say where to connect: drop one of the two", err);
    if (o->sources.count > 0)
        return exclude_each_other("--unix-socket", "--source",
                                  "a Unix socket has no local address: drop one of the two", err);
    if (o->overrides.count > 0)
        return exclude_each_other("--unix-socket", "--resolve",
                                  "with a Unix socket no name is looked up: drop one of the two", err);
    if (o->re_resolve)
        return exclude_each_other("--unix-socket", "--re-resolve",
                                  "with a Unix socket no name is looked up: drop one of the two", err);
    if (o->ipv4 || o->ipv6)
        return exclude_each_other("--unix-socket", o->ipv4 ? "-4" : "-6",
                                  "a Unix socket is of neither family: drop one of the two", err);
    return 0;
}

static bool offers_h2(const char *alpn)
{
    struct slice rest = slice_str(alpn);

    while (rest.len > 0)
        if (slice_eq(slice_trim(slice_split(&rest, ',')), SLICE("h2")))
            return true;
    return false;
}

static int check_tls(const struct load_options *o, struct err *err)
{
    if (o->tls_min > 0 && o->tls_max > 0 && o->tls_min > o->tls_max)
        return exclude_each_other("--tls-min", "--tls-max", "the lowest version is above the highest", err);
    if (o->key_file != NULL && o->cert_file == NULL) {
        err_set(err, ERR_USAGE, 0, "--key without --cert");
        return err_hint(err, "name the certificate that the key belongs to");
    }
    if (o->alpn != NULL && offers_h2(o->alpn) != o->http2) {
        err_set(err, ERR_USAGE, 0,
                o->http2 ? "--http2 and an --alpn without h2 contradict each other"
                         : "--alpn offers h2, but the requests are HTTP/1");
        return err_hint(err, o->http2 ? "add h2 to the list" : "add --http2, or drop h2 from the list");
    }
    return 0;
}

const char *load_options_about_tls(const struct load_options *o)
{
    const struct {
        bool given;
        const char *name;
    } all[] = { { o->insecure, "--insecure" },       { o->ca_file != NULL, "--cacert" },
                { o->sni != NULL, "--sni" },         { o->cert_file != NULL, "--cert" },
                { o->tls_min > 0, "--tls-min" },     { o->tls_max > 0, "--tls-max" },
                { o->ciphers != NULL, "--ciphers" }, { o->groups != NULL, "--groups" },
                { o->alpn != NULL, "--alpn" },       { o->tls_resume > 0, "--tls-resume" } };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].given)
            return all[i].name;
    return NULL;
}

static int check_close(const struct load_options *o, struct err *err)
{
    if (!o->has_close || o->requests_per_connection > 0 || o->http10)
        return 0;
    err_set(err, ERR_USAGE, 0, "--close is for connections that end after some requests");
    return err_hint(err, "add --requests-per-connection 1, or as many as each should have");
}

/* Two outputs to the same place would mix. */
static int check_outputs(const struct load_outputs *out, struct err *err)
{
    const struct {
        const char *name, *path;
    } all[] = { { "--json", out->json }, { "--csv", out->csv }, { "--hdr", out->hdr }, { "--log", out->log } };
    const size_t n = sizeof(all) / sizeof(all[0]);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (all[i].path == NULL || all[j].path == NULL || strcmp(all[i].path, all[j].path) != 0 ||
                strcmp(all[i].path, "/dev/null") == 0)
                continue;
            err_set(err, ERR_USAGE, 0, "%s and %s both write to \"%s\"", all[i].name, all[j].name, all[i].path);
            return err_hint(err, "give each its own file; only one can have standard output (-)");
        }
    }
    return 0;
}

static bool is_open(const struct load_options *o)
{
    return o->rate_per_s > 0 || o->stage_count > 0 || o->burst_size > 0;
}

static int need_rate(const char *option, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "%s has no meaning without a rate", option);
    return err_hint(err, "add for example --rate 500/s, or leave %s out", option);
}

static int check_open(const struct load_options *o, struct err *err)
{
    static const char HINT[] = "each says when requests are due: drop all but one";

    if (o->rate_per_s > 0 && o->stage_count > 0)
        return exclude_each_other("--rate", "--stages", HINT, err);
    if (o->rate_per_s > 0 && o->burst_size > 0)
        return exclude_each_other("--rate", "--burst", HINT, err);
    if (o->stage_count > 0 && o->burst_size > 0)
        return exclude_each_other("--stages", "--burst", HINT, err);
    if (o->burst_size > 0 && o->has_arrivals && o->arrivals == LOAD_ARRIVALS_POISSON)
        return exclude_each_other("--burst", "--arrivals poisson", "requests of a burst are due together", err);
    if (o->grow > 0 && o->grow < o->connections) {
        err_set(err, ERR_USAGE, 0, "--grow %llu is less than the %llu connection%s of the start",
                (unsigned long long)o->grow, (unsigned long long)o->connections, units_plural(o->connections));
        return err_hint(err, "--grow is what -c may become");
    }
    return 0;
}

/* What belongs to one model contradicts the other. */
static int check_model(const struct load_options *o, struct err *err)
{
    static const char HINT[] = "with a rate the schedule says when a request is due, without one its connection does";
    const char *rate = o->rate_per_s > 0 ? "--rate" : o->stage_count > 0 ? "--stages" : "--burst";

    if (!is_open(o)) {
        if (o->has_arrivals)
            return need_rate("--arrivals", err);
        if (o->grow > 0)
            return need_rate("--grow", err);
        if (o->max_in_flight > 0)
            return need_rate("--max-in-flight", err);
        if (o->ramp_up_ns > 0 && o->connection_stage_count > 0)
            return exclude_each_other("--ramp-up", "stages of --connections", "drop one of the two", err);
        if (o->duration_ns > 0 && o->ramp_up_ns > o->duration_ns) {
            err_set(err, ERR_USAGE, 0, "--ramp-up is longer than the run: most connections would never join");
            return err_hint(err, "make -d longer, or --ramp-up shorter");
        }
        return 0;
    }
    if (o->think_max_ns > 0)
        return exclude_each_other(rate, "--think", HINT, err);
    if (o->ramp_up_ns > 0)
        return exclude_each_other(rate, "--ramp-up", HINT, err);
    if (o->connection_stage_count > 0)
        return exclude_each_other(rate, "stages of --connections", HINT, err);
    return check_open(o, err);
}

static int check_threads(const struct load_options *o, struct err *err)
{
    const uint64_t connections = o->connections * o->urls.count;

    if (o->threads <= connections || o->targets_file != NULL)
        return 0;
    err_set(err, ERR_USAGE, 0, "--threads %llu is more than the %llu connection%s", (unsigned long long)o->threads,
            (unsigned long long)connections, units_plural(connections));
    return err_hint(err, "a thread without a connection has nothing to do: -t %llu at most, or more -c",
                    (unsigned long long)connections);
}

static int check_pipeline(const struct load_options *o, struct err *err)
{
    if (o->pipeline <= 1)
        return 0;
    if (o->http2 || o->h2c)
        return exclude_each_other("--pipeline", o->http2 ? "--http2" : "--h2c",
                                  "pipelining is of HTTP/1.1; HTTP/2 has --streams", err);
    if (o->http10)
        return exclude_each_other("--pipeline", "--http1.0", "pipelining is of HTTP/1.1", err);
    if (o->expect_continue)
        return exclude_each_other("--pipeline", "--expect-continue",
                                  "a body that waits for 100 Continue holds up what is behind it", err);
    return 0;
}

/* One version, and the one that the URLs' schemes can have. */
static int check_version(const struct load_options *o, struct err *err)
{
    const struct {
        bool given;
        const char *name;
    } all[] = { { o->http10, "--http1.0" }, { o->http11, "--http1.1" }, { o->http2, "--http2" }, { o->h2c, "--h2c" } };
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].given && first != NULL && !(o->http2 && o->h2c))
            return exclude_each_other(first, all[i].name, "drop one of the two", err);
        if (all[i].given)
            first = all[i].name;
    }
    if (o->streams > 1 && !o->http2 && !o->h2c) {
        err_set(err, ERR_USAGE, 0, "--streams is for HTTP/2");
        return err_hint(err, "add --http2 (https URLs) or --h2c (http URLs)");
    }
    if (check_pipeline(o, err) != 0)
        return -1;
    for (size_t i = 0; i < o->urls.count && (o->http2 || o->h2c); i++) {
        const bool https = slice_starts_nocase(slice_str(o->urls.items[i]), SLICE("https:"));

        if (https ? o->http2 : o->h2c)
            continue;
        err_set(err, ERR_USAGE, 0, "%s does not go with the %s URL", https ? "--h2c" : "--http2",
                https ? "https" : "http");
        return err_hint(err, "%s speaks HTTP/2 there; both may be given", https ? "--http2" : "--h2c");
    }
    return 0;
}

/* One body at most; what is said of its manner needs one, and HTTP/1.1. */
static int check_body(const struct load_options *o, struct err *err)
{
    const struct {
        bool given;
        const char *name;
    } all[] = { { o->body != NULL, "--body" },
                { o->upload_file != NULL, "--upload-file" },
                { o->form.count > 0, "--form" },
                { o->body_random > 0, "--body-random" } };
    const char *manner = o->chunked ? "--chunked" : o->expect_continue ? "--expect-continue" : NULL, *first = NULL;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].given && first != NULL)
            return exclude_each_other(first, all[i].name, "a request carries one body: drop one of the two", err);
        if (all[i].given)
            first = all[i].name;
    }
    if (o->form.count > 0 && has_field(&o->fields, SLICE("Content-Type")))
        return exclude_each_other("--form", "-H Content-Type", "a form has its own, which names the boundary", err);
    if (manner == NULL)
        return 0;
    if (o->http10 || o->http2 || o->h2c)
        return exclude_each_other(manner,
                                  o->http10  ? "--http1.0"
                                  : o->http2 ? "--http2"
                                             : "--h2c",
                                  "it is of HTTP/1.1 alone", err);
    if (first != NULL)
        return 0;
    err_set(err, ERR_USAGE, 0, "%s has no meaning without a body", manner);
    return err_hint(err, "add --body, --upload-file, --form or --body-random, or leave %s out", manner);
}

static int check_feed(const struct load_options *o, struct err *err)
{
    if (o->cookies && has_field(&o->fields, SLICE("Cookie")))
        return exclude_each_other("--cookies", "-H Cookie", "a request carries one Cookie: drop one of the two", err);
    if (o->has_feed_order && o->feed == NULL) {
        err_set(err, ERR_USAGE, 0, "--feed-order has no meaning without a feed");
        return err_hint(err, "add --feed FILE.csv");
    }
    if (o->feed_order == LOAD_FEED_ONCE && o->warmup_ns > 0)
        return exclude_each_other("--feed-order once", "--warmup", "a warm-up would use up rows", err);
    return 0;
}

static int check_together(const struct load_options *o, struct err *err)
{
    if (o->targets_filter != NULL && o->targets_file == NULL) {
        err_set(err, ERR_USAGE, 0, "--targets-filter without --targets");
        return err_hint(err, "it picks targets of that file");
    }
    if (o->targets_file != NULL && o->urls.count > 0)
        return exclude_each_other("--targets", "a URL", "the targets come from the file: add the URL there", err);
    if (o->urls.count == 0 && o->targets_file == NULL) {
        err_set(err, ERR_USAGE, 0, "no URL was given");
        return err_hint(err, "for example: plimsoll load http://127.0.0.1:3000/");
    }
    if (check_body(o, err) != 0 || check_feed(o, err) != 0)
        return -1;
    if (check_version(o, err) != 0)
        return -1;
    if (o->insecure && o->ca_file != NULL)
        return exclude_each_other("--insecure", "--cacert", "drop -k to verify against the file", err);
    if (check_tls(o, err) != 0 || check_close(o, err) != 0)
        return -1;
    if (check_credentials(o, err) != 0 || check_network(o, err) != 0 || check_outputs(&o->outputs, err) != 0 ||
        check_model(o, err) != 0)
        return -1;
    return check_threads(o, err);
}

/* Stages that end give the run its length. */
static uint64_t length_of_stages(const struct load_options *o)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < o->stage_count; i++)
        sum += o->stages[i].length_ns;
    for (size_t i = 0; i < o->connection_stage_count; i++)
        sum += o->connection_stages[i].length_ns;
    return sum;
}

/* "part-{share}.json" */
static int expand_outputs(struct load_options *o, struct err *err)
{
    const char **texts[] = { &o->outputs.json, &o->outputs.csv, &o->outputs.hdr, &o->outputs.log, &o->name };

    return share_options_expand_all(&o->share, texts, sizeof(texts) / sizeof(texts[0]), &o->_expanded, err);
}

int load_options_check(struct load_options *o, struct err *err)
{
    if (share_options_resolve(&o->share, err) != 0 || expand_outputs(o, err) != 0 || check_together(o, err) != 0)
        return -1;
    if (o->duration_ns == 0)
        o->duration_ns = length_of_stages(o);
    if (o->duration_ns == 0 && o->requests == 0 && o->feed_order != LOAD_FEED_ONCE)
        o->duration_ns = UINT64_C(10) * NS_PER_S;
    return 0;
}

int load_options_parse(struct load_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(load_options_table(), o, argc, argv, help, &o->command, err) != 0)
        return -1;
    return *help ? 0 : load_options_check(o, err);
}
