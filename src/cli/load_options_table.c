/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `plimsoll load`, as data. */
#include "cli/load_options.h"

#include <stddef.h>

#include "base/units.h"
#include "cli/live.h"
#include "cli/load_checks.h"
#include "cli/load_models.h"
#include "cli/load_values.h"
#include "cli/option_values.h"
#include "stats/hist.h"

/* clang-format off */
/* What every reader of JSON keeps exactly (RFC 8259 6). */
#define LARGEST_SEED ((UINT64_C(1) << 53) - 1)
#define FIELD(name) .offset = offsetof(struct load_options, name)

/* An hour: what the histograms reach to. */
#define LONGEST_REQUEST_NS HIST_MAX_NS
/* A year: far beyond any sensible run, and its ns fit everywhere. */
#define LONGEST_RUN_NS (UINT64_C(366) * 24 * 3600 * NS_PER_S)

static const struct option_row ROWS[] = {
    { .heading = "How much load" },
    { .name = "connections", .short_name = 'c', .argument = "N", .shown_default = "10", .example = "50",
      .help = "connections to each target, each with one request in flight; stages as 10:30s,100:1m change how many are busy",
      .parse = load_model_connections, .max = LONGEST_RUN_NS },
    { .name = "duration", .short_name = 'd', .argument = "TIME", .shown_default = "10s unless -n is given", .example = "30s",
      .help = "how long to offer load: 500ms, 30s, 2m, 1h30m",
      .parse = option_duration, FIELD(duration_ns), .min = NS_PER_MS, .max = LONGEST_RUN_NS },
    { .name = "requests", .short_name = 'n', .argument = "N", .example = "10k",
      .help = "exactly this many requests over all connections: 500, 10k, 2M; with -d, whichever comes first",
      .parse = option_count, FIELD(requests), .min = 1, .max = UINT64_C(1000000000000) },
    { .name = "threads", .short_name = 't', .argument = "N", .shown_default = "CPUs, at most one per connection", .example = "2",
      .help = "worker threads",
      .parse = option_count, FIELD(threads), .min = 1, .max = 1024 },
    { .name = "warmup", .argument = "TIME", .shown_default = "none", .example = "5s",
      .help = "load for this long before measuring; its requests are in no figure but those of the warm-up",
      .parse = option_duration, FIELD(warmup_ns), .max = LONGEST_RUN_NS },
    { .name = "requests-per-connection", .argument = "N", .shown_default = "0", .example = "50",
      .help = "close a connection after this many requests; 0 keeps it for ever, 1 makes one for each request",
      .parse = option_count, FIELD(requests_per_connection), .max = UINT32_MAX },
    { .name = "close", .argument = "client|server|reset", .shown_default = "server", .example = "client",
      .help = "who ends a connection that has had its requests: the server, asked by Connection: close, or this client, "
              "which says nothing before, with a FIN or with a RST",
      .parse = load_value_close },
    { .name = "drain", .argument = "TIME", .shown_default = "1s", .example = "5s",
      .help = "after the end, wait so long for requests in flight; later ones are reported as unfinished",
      .parse = option_duration, FIELD(drain_ns), .max = LONGEST_REQUEST_NS },
    { .name = "no-retry",
      .help = "do not repeat an idempotent request whose reused connection ended before any byte of the reply",
      .parse = option_flag, FIELD(no_retry) },
    { .name = "seed", .argument = "N", .shown_default = "random, and reported", .example = "42",
      .help = "start of the random numbers, to repeat a run",
      .parse = load_value_seed, .max = LARGEST_SEED },

    { .heading = "When requests are due (else: as soon as their connection is free)" },
    { .name = "rate", .short_name = 'r', .argument = "RATE", .example = "500/s",
      .help = "this many for each second over all connections, threads and targets: 500, 0.5/s, 30/min, 10k/s; latency counts from "
              "when a request was due, also when no connection was free",
      .parse = load_model_rate },
    { .name = "arrivals", .argument = "constant|poisson", .shown_default = "constant", .example = "poisson",
      .help = "evenly, or at random as many independent users are",
      .parse = load_model_arrivals },
    { .name = "stages", .argument = "RATE:TIME,...", .example = "100/s:30s,500/s:1m,0/s:10s", .max = LONGEST_RUN_NS,
      .help = "rates over time, in a line from each to the next; the first stays for its time; after step: all stay",
      .parse = load_model_stages },
    { .name = "burst", .argument = "N:TIME", .example = "100:1s", .max = LONGEST_RUN_NS,
      .help = "N together every TIME",
      .parse = load_model_burst },
    { .name = "grow", .argument = "N", .example = "200", .min = 1, .max = 1000000,
      .help = "with a rate: open more connections, up to N to each target, while a request that is due finds none free",
      .parse = option_count, FIELD(grow) },
    { .name = "max-in-flight", .argument = "N", .example = "1000", .min = 1, .max = UINT32_MAX,
      .help = "with a rate: never more requests at once over all targets",
      .parse = option_count, FIELD(max_in_flight) },
    { .name = "think", .argument = "TIME[..TIME]", .example = "1s..2s", .max = LONGEST_REQUEST_NS,
      .help = "pause of a connection after each reply, at random in this range",
      .parse = load_model_think },
    { .name = "ramp-up", .argument = "TIME", .example = "10s", .max = LONGEST_RUN_NS,
      .help = "connections begin one after another over this time",
      .parse = option_duration, FIELD(ramp_up_ns) },

    { .heading = "Time limits" },
    { .name = "timeout", .argument = "TIME", .shown_default = "30s", .example = "5s",
      .help = "longest time for a whole request, from taking or opening its connection to the last byte of the reply",
      .parse = option_duration, FIELD(timeout_ns), .min = NS_PER_MS, .max = LONGEST_REQUEST_NS },
    { .name = "connect-timeout", .argument = "TIME", .shown_default = "5s", .example = "2s",
      .help = "longest time to connect, TLS handshake included",
      .parse = option_duration, FIELD(connect_timeout_ns), .min = NS_PER_MS, .max = LONGEST_REQUEST_NS },

    { .heading = "The request" },
    { .name = "targets", .argument = "FILE", .example = "targets.yaml",
      .help = "targets from this YAML or JSON file instead of the command line: each a URL or a map with url, method, headers, body, "
              "connections, weight, requests_per_connection, think, source, sni, expect (man plimsoll-load)",
      .parse = option_path, FIELD(targets_file) },
    { .name = "targets-filter", .argument = "PATTERN", .example = "'^https'",
      .help = "of --targets only those whose url, Host or sni matches this regular expression; with ! in front those that do not",
      .parse = option_text, FIELD(targets_filter) },
    { .name = "method", .short_name = 'X', .argument = "METHOD", .shown_default = "GET; PUT with -T, POST with another body", .example = "PUT",
      .help = "request method",
      .parse = load_value_method, FIELD(method) },
    { .name = "header", .short_name = 'H', .argument = "'NAME: VALUE'", .example = "'Accept: application/json'",
      .help = "one more header field, may be repeated; a field that plimsoll sends by itself is replaced, 'NAME:' removes it, "
              "'NAME;' sends it empty",
      .parse = load_value_field, FIELD(fields), .redact = load_redact_field },
    { .name = "body", .argument = "STRING|@FILE", .example = "@order.json",
      .help = "send this with every request; @FILE reads it from a file, @- from standard input",
      .parse = option_bytes, FIELD(body), .redact = load_redact_body },
    { .name = "upload-file", .short_name = 'T', .argument = "FILE", .example = "image.bin",
      .help = "send this file with every request, without holding it in memory",
      .parse = option_path, FIELD(upload_file) },
    { .name = "form", .argument = "NAME=VALUE|NAME=@FILE", .example = "photo=@image.png",
      .help = "a part of a multipart form, may be repeated; files are sent without holding them in memory, "
              "after the file may stand ;type=TYPE and ;filename=NAME",
      .parse = option_list, FIELD(form), .redact = load_redact_form },
    { .name = "body-random", .argument = "SIZE", .example = "20MB", .max = UINT64_C(1) << 50,
      .help = "a body of so many random bytes, the same with every request and with the same --seed",
      .parse = load_check_size, FIELD(body_random), .min = 1 },
    { .name = "cookies",
      .help = "each connection keeps the cookies it is given and sends them, as a user each",
      .parse = option_flag, FIELD(cookies) },
    { .name = "feed", .argument = "FILE", .example = "users.csv",
      .help = "CSV file whose first line names columns: {column} in URLs, headers and --body becomes a value of the next row; "
              "also, without a file: {seq}, {uuid}, {random:8}, {connection}",
      .parse = option_path, FIELD(feed) },
    { .name = "feed-order", .argument = "sequential|random|once", .shown_default = "sequential", .example = "random",
      .help = "rows one after the other and from the first again, at random, or each once, which ends the run",
      .parse = load_value_feed_order },
    { .name = "chunked",
      .help = "send the body in chunks, without saying its length",
      .parse = option_flag, FIELD(chunked) },
    { .name = "expect-continue",
      .help = "send the head with Expect: 100-continue, and the body when the server asks for it, or after a second",
      .parse = option_flag, FIELD(expect_continue) },
    { .name = "user", .short_name = 'u', .argument = "NAME:PASSWORD", .example = "alice:secret",
      .help = "basic authentication, as is http://NAME:PASSWORD@HOST/; never shown in any output",
      .parse = load_value_user, FIELD(user), .redact = load_redact_user },
    { .name = "auth-bearer", .argument = "TOKEN|@FILE|env:NAME", .example = "env:API_TOKEN",
      .help = "bearer token, given here, in a file, or in a variable of the environment; never shown in any output",
      .parse = load_value_bearer, FIELD(bearer), .redact = load_redact_bearer },
    { .name = "http1.0",
      .help = "speak HTTP/1.0, with Connection: keep-alive unless each request has its own connection",
      .parse = option_flag, FIELD(http10) },
    { .name = "http1.1",
      .help = "speak HTTP/1.1, which is the default",
      .parse = option_flag, FIELD(http11) },
    { .name = "http2",
      .help = "speak HTTP/2 with https URLs, chosen by ALPN",
      .parse = option_flag, FIELD(http2) },
    { .name = "h2c",
      .help = "speak HTTP/2 with http URLs, with prior knowledge that the server does",
      .parse = option_flag, FIELD(h2c) },
    { .name = "streams", .argument = "N", .shown_default = "1", .example = "10",
      .help = "HTTP/2: requests in flight on each connection, as far as the server allows",
      .parse = option_count, FIELD(streams), .min = 1, .max = 1000 },
    { .name = "pipeline", .argument = "N", .shown_default = "1", .example = "8",
      .help = "HTTP/1.1: requests in flight on each connection, replies matched in order",
      .parse = option_count, FIELD(pipeline), .min = 1, .max = 1000 },

    { .heading = "Where to connect" },
    { .name = "resolve", .argument = "HOST:PORT:ADDR[,ADDR...]", .example = "www.test:443:127.0.0.1",
      .help = "use these addresses for the host of a URL instead of asking the resolver; PORT may be *; may be repeated",
      .parse = load_value_override, FIELD(overrides) },
    { .name = "re-resolve",
      .help = "look names up again while running, so that new connections follow a changed record",
      .parse = option_flag, FIELD(re_resolve) },
    { .name = "source", .argument = "ADDR[,ADDR...]", .example = "127.0.0.2,127.0.0.3",
      .help = "local addresses to connect from, in turn; each brings its own range of local ports",
      .parse = load_value_sources, FIELD(sources) },
    { .name = "unix-socket", .argument = "PATH", .example = "/run/app.sock",
      .help = "connect to this socket instead of the URL's host",
      .parse = load_value_unix_socket, FIELD(unix_socket) },
    { .name = "connect-to", .argument = "HOST:PORT", .example = "127.0.0.1:8443",
      .help = "connect there whatever the URL says; Host, SNI and verification stay the URL's",
      .parse = load_value_connect_to, FIELD(connect_to) },
    { .name = "proxy", .argument = "URL", .example = "http://alice:secret@proxy.test:3128",
      .help = "send requests through this HTTP proxy: http URLs in absolute form, https ones through CONNECT; its "
              "credentials are never shown in any output",
      .parse = load_value_proxy, FIELD(proxy) },
    { .name = "ipv4", .short_name = '4',
      .help = "use IPv4 addresses alone",
      .parse = option_flag, FIELD(ipv4) },
    { .name = "ipv6", .short_name = '6',
      .help = "use IPv6 addresses alone",
      .parse = option_flag, FIELD(ipv6) },

    { .heading = "TLS (https URLs)" },
    { .name = "insecure", .short_name = 'k',
      .help = "do not verify the server's certificate",
      .parse = option_flag, FIELD(insecure) },
    { .name = "cacert", .argument = "FILE", .shown_default = "the system's store", .example = "ca.pem",
      .help = "verify against the certificates in this PEM file",
      .parse = option_path, FIELD(ca_file) },
    { .name = "sni", .argument = "NAME", .shown_default = "the URL's host when it is a name", .example = "www.test",
      .help = "server name to send and to verify",
      .parse = option_text, FIELD(sni) },
    { .name = "cert", .argument = "FILE", .example = "client.pem",
      .help = "certificate to show to the server, in PEM, with the chain behind it",
      .parse = option_path, FIELD(cert_file) },
    { .name = "key", .argument = "FILE", .shown_default = "the file of --cert", .example = "client.key",
      .help = "its private key, in PEM and not encrypted",
      .parse = option_path, FIELD(key_file) },
    { .name = "tls-min", .argument = "VERSION", .shown_default = "the library's", .example = "1.2",
      .help = "lowest version to offer: 1.0, 1.1, 1.2, 1.3",
      .parse = load_value_tls_version, FIELD(tls_min) },
    { .name = "tls-max", .argument = "VERSION", .shown_default = "the library's", .example = "1.3",
      .help = "highest version to offer",
      .parse = load_value_tls_version, FIELD(tls_max) },
    { .name = "ciphers", .argument = "LIST", .shown_default = "the library's", .example = "ECDHE+AESGCM:TLS_AES_128_GCM_SHA256",
      .help = "ciphers to offer, separated by colons; names that begin with TLS_ are for TLS 1.3, the others for the versions before",
      .parse = option_text, FIELD(ciphers) },
    { .name = "groups", .argument = "LIST", .shown_default = "the library's", .example = "X25519:P-256",
      .help = "groups for the key exchange, separated by colons, the first is tried first",
      .parse = option_text, FIELD(groups) },
    { .name = "alpn", .argument = "LIST", .shown_default = "h2 with --http2, else none", .example = "http/1.1",
      .help = "protocols to offer in the handshake, separated by commas",
      .parse = load_value_alpn, FIELD(alpn) },
    { .name = "tls-resume", .argument = "off|on|SHARE", .shown_default = "off", .example = "50%",
      .help = "resume the last session of the server in all, or in this share, of the handshakes; full and resumed ones are counted apart",
      .parse = load_value_tls_resume, FIELD(tls_resume) },

    { .heading = "What counts as good" },
    { .name = "expect-status", .argument = "LIST", .shown_default = "2xx,3xx", .example = "200,404,5xx,200-299",
      .help = "statuses that are ok, as 200,404 or 2xx or 200-299; a reply with any other has failed",
      .parse = load_value_expect_status },
    { .name = "expect-header", .argument = "NAME[: VALUE]", .example = "'Cache-Control: no-store'",
      .help = "a reply without this field, or with another value, has failed (header); may be repeated",
      .parse = load_check_field, FIELD(expect_fields) },
    { .name = "expect-body-size", .argument = "SIZE", .example = "29B",
      .help = "a body of another size has failed (body)",
      .parse = load_check_body_size },
    { .name = "expect-body-sha256", .argument = "HEX", .example = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      .help = "a body with another SHA-256 has failed (body)",
      .parse = load_check_sha256 },
    { .name = "expect-body", .argument = "REGEX", .example = "'\"state\": ?\"ok\"'",
      .help = "a body in whose first MiB this pattern (Perl's syntax) is not found has failed (body)",
      .parse = load_check_pattern, FIELD(expect_body) },
    { .name = "slo", .argument = "CLAUSE[,CLAUSE...]", .example = "'p99<50ms,errors<0.1%'",
      .help = "promises about the figures, exit 1 when one is broken: p99 or any percentile, mean, max, errors, "
              "requests_per_s; service_p99, connect_p99 ... of other times; p99@5xx of a class, p99@2 of the second target",
      .parse = load_check_slo },
    { .name = "max-errors", .argument = "SHARE", .shown_default = "1%", .example = "0.1%",
      .help = "the run is invalid (exit 3) when more than this share of the requests failed",
      .parse = option_share, FIELD(max_errors) },
    { .name = "strict",
      .help = "warnings make the run invalid too, for example when this machine was the limit",
      .parse = option_flag, FIELD(strict) },

    { .heading = "Watching the target" },
    { .name = "watch", .argument = "NAME=KIND:WHAT", .example = "gateway=pid:1234",
      .help = "read CPU, memory, disk and network of a part of the target each second; may be repeated. Kinds: pid:N (with its "
              "descendants), unit:NAME, cgroup:PATH, prom:URL#METRIC,..., kubectl:NAMESPACE/SELECTOR, cmd:COMMAND (prints name=value)",
      .parse = load_value_watch, FIELD(watches), .redact = load_redact_watch },

    { .heading = "Output" },
    { .name = "json", .argument = "FILE", .example = "result.json",
      .help = "write the result document; - is standard output, all text then goes to standard error",
      .parse = option_path, FIELD(outputs.json) },
    { .name = "csv", .argument = "FILE", .example = "result.csv",
      .help = "write the figures as CSV; - as above",
      .parse = option_path, FIELD(outputs.csv) },
    { .name = "hdr", .argument = "FILE", .example = "latency.hdr",
      .help = "write the latency distribution as HdrHistogram's tools read it; - as above",
      .parse = option_path, FIELD(outputs.hdr) },
    { .name = "log", .argument = "FILE", .example = "requests.log",
      .help = "write a line for every request; - as above",
      .parse = option_path, FIELD(outputs.log) },
    { .name = "html", .argument = "FILE", .example = "report.html",
      .help = "write a page of charts and tables that needs no network; - as above",
      .parse = option_path, FIELD(outputs.html) },
    { .name = "percentiles", .argument = "LIST", .example = "50,99.95",
      .help = "report these percentiles too",
      .parse = load_value_percentiles },
    { .name = "save-failures", .argument = "DIR:N", .example = "failures:20", .min = 1, .max = 100000,
      .help = "keep the first N failed exchanges whole in a directory: the bytes and a note on each",
      .parse = load_value_failures },
    { .name = "progress", .argument = "auto|none|json", .shown_default = "auto", .example = "json",
      .help = "on standard error while running: auto shows a line on a terminal, json writes an object every second",
      .parse = load_value_progress, FIELD(progress) },
    LIVE_OPTION_ROWS(struct load_options, live),
    { .name = "name", .argument = "TEXT", .example = "'checkout, 2 replicas'",
      .help = "name of the run in every output",
      .parse = option_text, FIELD(name) },
    { .name = "label", .argument = "KEY=VALUE", .example = "commit=4f2a91c",
      .help = "label of the run in every output, may be repeated with other keys",
      .parse = load_value_label, FIELD(labels) },
    { .name = "no-store",
      .help = "do not keep the result in the local store of results",
      .parse = option_flag, FIELD(no_store) },

    SHARE_OPTION_ROWS(struct load_options, share),

    { .heading = "Other" },
    { .name = "dry-run",
      .help = "resolve and check everything, say what would be done, and send nothing",
      .parse = option_flag, FIELD(dry_run) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};

/* clang-format on */

static const char EPILOGUE[] =
    "Examples:\n"
    "  plimsoll load http://127.0.0.1:3000/\n"
    "      10 connections for 10 seconds\n"
    "  plimsoll load -c 50 -d 30s --warmup 5s --json run.json https://shop.test/\n"
    "      a measured run whose document can be compared with later ones\n"
    "  plimsoll load -c 20 -d 30s --rate 500 --arrivals poisson http://127.0.0.1:3000/\n"
    "      what 500 users each second would meet\n"
    "  plimsoll load -n 103 -c 10 -T image.bin http://127.0.0.1:3000/upload\n"
    "      exactly 103 uploads\n"
    "  plimsoll load -c 20 -d 10s --body @order.json -H 'Content-Type: application/json' \\\n"
    "      --expect-status 201 --auth-bearer env:API_TOKEN https://api.test/orders\n"
    "  plimsoll load -d 30s --watch api=pid:4711 --watch db=unit:postgresql https://api.test/\n"
    "      which part of the target was busy, and its CPU per request\n"
    "  plimsoll load -c 20 --csv - http://a.test/ http://b.test/\n"
    "      two targets, each with its own 20 connections and its own figures\n"
    "\n"
    "Words of the report:\n"
    "  requests/s      good replies completed inside the window, divided by its length\n"
    "  latency         of good replies: from when the request was due (its connection\n"
    "                  was free) to the last byte of the reply\n"
    "  service time    the same from the first byte sent\n"
    "  p50 p99 p99.9   50 %, 99 %, 99.9 % of the requests took at most this long\n"
    "  mean min max    average, fastest and slowest; stddev is the standard deviation\n"
    "  phases          dns, connect, tls (per connection); send, wait (to the first\n"
    "                  byte), receive (per request)\n"
    "  started         requests begun = ok + failed (by kind) + unfinished at the end\n"
    "  retried         repeated once because a reused connection had ended\n"
    "\n"
    "Times take a unit (200ms, 1.5s, 2m), shares a % or a fraction (1%, 0.01).\n"
    "Ctrl-C ends the run early and reports what there is; a second Ctrl-C quits.\n"
    "\n"
    "Exit status: 0 the run is valid; 1 a promise of --slo is broken; 2 wrong usage,\n"
    "nothing was sent; 3 the run is invalid (the report says why); 130 interrupted.\n"
    "More: man plimsoll-load\n";

static const struct option_table TABLE = {
    .command = "plimsoll load",
    .usage = "[OPTION...] URL...",
    .summary = "Offers HTTP load to one or more targets, measures, and reports: throughput, latency of good replies, "
               "failures by "
               "name, and whether the figures can be trusted. Unless a rate is given, the next request of a "
               "connection starts when its reply is complete.",
    .rows = ROWS,
    .argument = load_value_url,
    .argument_offset = offsetof(struct load_options, urls),
    .epilogue = EPILOGUE,
};

const struct option_table *load_options_table(void)
{
    return &TABLE;
}

void load_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}
